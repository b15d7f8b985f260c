"""Methods and attributes of recorded arrays and numbers, as NumPy's and Python's.

A method is NumPy's function of the same name, called as any other. The few listed here change the
array, read it element by element, or would take its data away from the tape.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import numpy as np

from srcgrad.bridge.recorded import operators
from srcgrad.bridge.recorded.calls import called, is_float, stored
from srcgrad.bridge.recorded.flags import Flags, set_flags
from srcgrad.bridge.recorded.refusals import refuse
from srcgrad.bridge.recorded.values import (
    RecordedArray,
    RecordedNumber,
    array,
    cast,
    has_history,
    is_recorded,
    raw,
    raws,
    tensor_of,
    wrapped,
)
from srcgrad.eager.apply import recorded
from srcgrad.primitives import indexing

assert operators  # attaches them
CONVERTED = (
    "use NumPy's functions (np.sin for math.sin), x.item() for a float with its gradient, or call "
    "what converts it as flow.compile(f)(...)"
)
PLAIN = (
    "leave the conversion out, pass like=x, np.stack for np.array of numbers, store to "
    "np.zeros_like(x) or np.zeros(n, like=x); or call what converts it as flow.compile(f)(...)"
)


# ---- both kinds ----
def _ufunc(self: Any, ufunc: Any, method: str, *args: Any, **kwargs: Any) -> Any:
    return called(ufunc if method == "__call__" else getattr(ufunc, method), args, kwargs)


def _function(self: Any, function: Any, types: Any, args: tuple, kwargs: dict) -> Any:
    return called(function, args, kwargs)


def _number(convert: type) -> Callable:
    def method(self: Any) -> Any:
        if has_history(self):
            refuse(
                f"{convert.__name__}() of a number that the gradient flows through, which would be "
                "lost", CONVERTED, like=TypeError,
            )  # fmt: skip
        return convert(raw(self))

    return method


def _array(self: Any, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
    """A plain array of what does not depend on what is differentiated: a view that is read only."""
    if has_history(self):
        refuse(
            "a conversion to a plain array, or a store to one, which would lose the gradient",
            PLAIN, like=TypeError,
        )  # fmt: skip
    a = np.asarray(raw(self))
    if copy or (dtype is not None and a.dtype != dtype):
        return np.array(a, dtype)
    if type(self) is RecordedArray:
        self._memory.shown = True
    a = a.view()
    a.flags.writeable = False
    return a


def _round(self: Any, ndigits: int | None = None) -> Any:
    result = round(raw(self)) if ndigits is None else round(raw(self), ndigits)
    return wrapped(result, None) if is_float(result) else result


def _format(self: Any, spec: str) -> str:
    return format(raw(self), spec)


def _refused(self: Any, *args: Any) -> Any:
    refuse("an array of the tape cannot leave the function that is run", "return it")


def _through(f: Callable) -> Callable:
    """A function of the plain value, whose result has no derivative."""
    return lambda self, *args: f(raw(self), *raws(args))


def _constant(self: Any) -> Any:
    """A copy that does not depend on what is differentiated."""
    return wrapped(raw(self).copy() if type(self) is RecordedArray else raw(self), None)


_BOTH: dict[str, Any] = {
    "srcgrad_recorded": _constant,
    "__array_ufunc__": _ufunc, "__array_function__": _function, "__array__": _array,
    "__float__": _number(float), "__complex__": _number(complex), "__int__": _through(int),
    "__bool__": _through(bool), "__round__": _round, "__repr__": _through(repr),
    "__str__": _through(str), "__format__": _format, "__reduce__": _refused,
    "__divmod__": lambda self, other: (self // other, self % other),
    "__rdivmod__": lambda self, other: (other // self, other % self),
}  # fmt: skip


# ---- numbers ----
_TAKEN = frozenset((
    "as_integer_ratio", "hex", "tobytes", "tofile", "dump", "dumps", "data", "ctypes", "base",
    "getfield", "to_device",
))  # fmt: skip
_CHANGING = frozenset(("setfield", "byteswap", "resize", "choose"))


def _attribute_of_number(self: Any, name: str) -> Any:
    value = raw(self)
    if name.startswith("__") or not hasattr(value, name):
        _missing(value, name)
    if name in _TAKEN | _CHANGING:
        _refuse_taken(name)
    if name in ("real", "T"):
        return self
    if name == "item":
        return lambda *args: _item(self, *args)
    if name == "conjugate" and type(value) is float:
        return lambda: self
    return (
        _bound(self, name, type(value)) if callable(getattr(value, name)) else getattr(value, name)
    )


def _missing(value: Any, name: str) -> NoReturn:
    raise AttributeError(f"{type(value).__name__!r} object has no attribute {name!r}", name=name)


def _refuse_taken(name: str) -> NoReturn:
    refuse(f".{name} of an array of the tape would lose its gradient", "leave it out")


def _bound(self: Any, name: str, cls: type) -> Callable:
    function = getattr(cls, name)

    def method(*args: Any, **kwargs: Any) -> Any:
        if cls is float:
            return function(raw(self), *args, **kwargs)
        return called(function, (self, *args), kwargs)

    return method


def _item(self: Any, *args: Any) -> Any:
    """`item()`: a Python float with its history."""
    a, x = raw(self), self
    number = a.item(*args)
    if isinstance(a, np.ndarray):
        k: Any = args[0] if len(args) == 1 and isinstance(args[0], tuple) else args
        if len(k) != a.ndim:
            k = np.unravel_index(k[0] % a.size if k else 0, a.shape)
        x = self[tuple(k)]
    return wrapped(number, cast(tensor_of(x), np.dtype(float))._node) if is_recorded(x) else number


for _name, _method in _BOTH.items():
    setattr(RecordedArray, _name, _method)
    setattr(RecordedNumber, _name, _method)
for _name, _method in {
    "__getattr__": _attribute_of_number, "__hash__": _through(hash),
    "__trunc__": _through(int), "__floor__": lambda self: int(np.floor(raw(self))),
    "__ceil__": lambda self: int(np.ceil(raw(self))),
    "__pos__": lambda self: self, "__copy__": lambda self: self,
    "__deepcopy__": lambda self, memo: self,
}.items():  # fmt: skip
    setattr(RecordedNumber, _name, _method)


# ---- arrays ----
def _getitem(self: Any, index: Any) -> Any:
    index = raws(index)
    result = raw(self)[index]
    memory = self._memory
    if type(result) is np.ndarray and (at := memory.layout_of(result)) is not None:
        return array(memory, at, self._writeable)
    if not memory.recorded:
        return wrapped(result, None)
    places = memory.places(self._layout)[index]
    at = places if np.ndim(places) else int(places)
    made = recorded(indexing.pick, (memory.flat(),), {"index": at}, np.asarray(result))
    return wrapped(result, made._node)


def _iter(self: Any) -> Iterator[Any]:
    if not raw(self).ndim:
        iter(raw(self))  # raises NumPy's TypeError
    return (self[k] for k in range(len(raw(self))))


def _tolist(self: Any) -> Any:
    return self.item() if not raw(self).ndim else [
        x.tolist() if isinstance(x, np.ndarray) else _item(x) if is_recorded(x) else x.item()
        for x in self
    ]  # fmt: skip


def _sorted_into(function: Any) -> Callable:
    def method(self: Any, *args: Any, **kwargs: Any) -> None:
        self[...] = called(function, (self, *args), kwargs)

    return method


def _fill(self: Any, value: Any) -> None:
    if isinstance(value, np.ndarray) and raw(value).ndim:
        raw(self.copy()).fill(raw(value))  # raises NumPy's ValueError
    self[...] = value


def _put(self: Any, *args: Any, **kwargs: Any) -> None:
    called(np.put, (self, *args), kwargs)


class Flat:
    """`x.flat`: the elements in the order of the indices."""

    def __init__(self, of: Any):
        self._of, self._shape = of, raw(of).shape

    def __len__(self) -> int:
        return raw(self._of).size

    def __iter__(self) -> Iterator[Any]:
        return (self._of[np.unravel_index(k, self._shape)] for k in range(len(self)))

    def __getitem__(self, index: Any) -> Any:
        return called(np.ravel, (self._of,), {}).copy()[index]

    def __setitem__(self, index: Any, value: Any) -> None:
        places = np.arange(len(self))[index]
        where = np.unravel_index(places, self._shape)
        size = np.size(raws(value))
        if np.ndim(places) and size not in (1, places.size):
            value = called(np.resize, (value, places.shape), {})
        elif np.ndim(places):
            value = called(np.ravel, (value,), {}) if is_recorded(value) else np.ravel(value)
        self._of[where] = value


_METHODS: dict[str, Callable] = {
    "item": _item, "tolist": _tolist, "sort": _sorted_into(np.sort), "fill": _fill, "put": _put,
    "partition": _sorted_into(np.partition), "setflags": set_flags,
}  # fmt: skip
_PLAIN = frozenset(("dtype", "itemsize", "nbytes", "ndim", "shape", "size", "strides", "device"))


def _attribute(self: Any, name: str) -> Any:
    a = raw(self)
    if name in _PLAIN:
        return getattr(a, name)
    if name.startswith("__") or not hasattr(a, name):
        _missing(a, name)
    if name in _CHANGING or (name in _TAKEN and has_history(self)):
        _refuse_taken(name)
    if name in _TAKEN:
        return getattr(a.copy(), name)
    if name in _METHODS:
        return _METHODS[name].__get__(self)
    match name:
        case "T":
            return called(np.transpose, (self,), {})
        case "mT":
            return called(np.matrix_transpose, (self,), {})
        case "real":
            return self
        case "imag":
            return a.imag
        case "flat":
            return Flat(self)
        case "flags":
            return Flags(self)
    return _bound(self, name, np.ndarray)


def _set_attribute(self: Any, name: str, value: Any) -> None:
    if name in RecordedArray.__slots__:
        object.__setattr__(self, name, value)
    elif name == "shape":
        a = raw(self)
        a.shape = value
        self._layout = self._memory.layout_of(a) or self._layout
    elif name == "flat":
        Flat(self)[:] = value
    elif name == "real":
        self[...] = value
    else:
        refuse(f"'.{name} =' of an array of the tape is not recorded")


for _name, _method in {
    "__getattr__": _attribute, "__setattr__": _set_attribute, "__getitem__": _getitem,
    "__setitem__": stored, "__iter__": _iter, "__len__": lambda self: len(raw(self)),
    "__hash__": None, "__contains__": lambda self, v: raws(v) in raw(self),
    "__pos__": lambda self: called(np.positive, (self,), {}),
    "__copy__": lambda self: self.copy(), "__deepcopy__": lambda self, memo: self.copy(),
    "__delitem__": lambda self, index: operator.delitem(raw(self), index),
}.items():  # fmt: skip
    setattr(RecordedArray, _name, _method)
