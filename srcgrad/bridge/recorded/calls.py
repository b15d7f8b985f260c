"""Calls of NumPy's functions on recorded values.

NumPy computes the result. Integers and booleans of it are steps, what lies in an argument's memory
is a view of it, and the derivative of the rest is that of the primitive or of the compiled call.
"""

from __future__ import annotations

import inspect
import math
import types
from dataclasses import replace
from typing import Any

import numpy as np

from srcgrad.bridge.kernel import kernel_of
from srcgrad.bridge.node import applied
from srcgrad.bridge.recorded.memory import Memory
from srcgrad.bridge.recorded.refusals import refuse
from srcgrad.bridge.recorded.values import (
    RecordedArray,
    among,
    array,
    cast,
    has_history,
    is_recorded,
    operand,
    raw,
    raws,
    tensor_of,
    wrapped,
)
from srcgrad.eager.apply import recorded
from srcgrad.eager.tensor import Tensor, make
from srcgrad.errors import SrcgradError, UnsupportedError
from srcgrad.frontend.handlers.elementwise import NAMES
from srcgrad.frontend.powers import LARGEST_POWER
from srcgrad.primitives import REGISTRY, elementwise, indexing
from srcgrad.transforms.entry_points import compile
from srcgrad.tree import filled, is_leaf, leaves, mapped, paths, spelled

_NAMED = {f: REGISTRY[name] for name, functions in NAMES.items() for f in functions} | {
    np.power: elementwise.pow, np.log: elementwise.log, np.remainder: elementwise.mod,
    math.log: elementwise.log,
}  # fmt: skip
# an adjoint of zero stays zero beside an infinite partial, as where compiled code selects
PRIMITIVES: dict[Any, Any] = {
    f: replace(op, singular=True) for f, op in _NAMED.items() if op.kind == "derive"
}
SMALL_POWER = replace(elementwise.powi, singular=True)
# their results do not depend on what the array holds
BLANK = frozenset((np.zeros_like, np.ones_like, np.empty_like))
# they move elements: run on the positions of these, they tell where each one comes from
MOVING = frozenset((
    np.copy, np.delete, np.diagonal, np.expand_dims, np.flip, np.fliplr, np.flipud, np.moveaxis,
    np.ravel, np.repeat, np.reshape, np.resize, np.roll, np.rollaxis, np.rot90, np.squeeze,
    np.swapaxes, np.take, np.tile, np.transpose, np.ndarray.compress, np.ndarray.copy,
    np.ndarray.diagonal, np.ndarray.flatten, np.ndarray.ravel, np.ndarray.repeat,
    np.ndarray.reshape, np.ndarray.squeeze, np.ndarray.swapaxes, np.ndarray.take,
    np.ndarray.transpose,
))  # fmt: skip
WRITING = frozenset((np.copyto, np.put, np.place, np.putmask, np.put_along_axis, np.fill_diagonal))
# with `overwrite_input=True` they leave the elements of their argument in any order: here as it was
SCRAMBLING = frozenset((
    np.median, np.nanmedian, np.percentile, np.nanpercentile, np.quantile, np.nanquantile,
))  # fmt: skip
PLAIN_STORE = (
    "store to an array of the tape: np.zeros_like(x), np.zeros(n, like=x), collect the values and "
    "np.stack them, or call what stores as flow.compile(f)(...)"
)
_OTHERS = (int, float, complex, np.generic, str, bytes, type(None), type, np.dtype)


def elementwise_call(function: Any, inputs: tuple, result: Any) -> Any:
    """The result of a function that has a primitive, with its history."""
    op, params = PRIMITIVES[function], {}
    kind = result.dtype if isinstance(result, np.ndarray | np.generic) else np.dtype(float)
    args = [operand(v, kind) for v in inputs]
    if function is np.power and (n := _small_power(args[1])) is not None:
        op, args, params = SMALL_POWER, args[:1], {"n": n}
    t = recorded(op, tuple(args), params, np.asarray(result))
    return wrapped(result, t._node)


def _small_power(n: Any) -> int | None:
    whole = isinstance(n, int | float) and abs(n) <= LARGEST_POWER and n == int(n)
    return int(n) if whole else None


def is_float(v: Any) -> bool:
    """Whether a result of NumPy's has a derivative."""
    if isinstance(v, np.ndarray | np.generic):
        return v.dtype.kind in "fc"
    return isinstance(v, float | complex)


def name_of(function: Any) -> str:
    """The name of a function of NumPy's for error texts."""
    owner = getattr(function, "__self__", None)
    if isinstance(owner, np.ufunc):
        return f"np.{owner.__name__}.{function.__name__}"
    if getattr(function, "__objclass__", None) is not None:
        return f"the method {function.__name__}"
    module = (getattr(function, "__module__", None) or "numpy").replace("numpy", "np", 1)
    return f"{module}.{function.__name__}"


def called(function: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
    """A call of any function of NumPy's with recorded values among its arguments."""
    out = kwargs.get("out")
    if out is not None:
        return into(function, args, {k: v for k, v in kwargs.items() if k != "out"}, out)
    if is_writing(function):
        return written(function, args, kwargs)
    if function is np.nan_to_num and not bound(function, args, kwargs).get("copy", True):
        return replaced(args, kwargs)
    if function in SCRAMBLING:
        args, kwargs = (), bound(function, args, kwargs)
        kwargs.pop("overwrite_input", None)
    result = function(*raws(args), **raws(kwargs))
    plain = not kwargs and is_float(result) and all(map(is_leaf, args))
    if plain and function in PRIMITIVES and len(args) == PRIMITIVES[function].arity:
        check_real(function, result)
        return elementwise_call(function, args, result)
    return finished(function, args, kwargs, result)


def bound(function: Any, args: tuple, kwargs: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a call by their names."""
    return inspect.signature(function).bind(*args, **kwargs).arguments


def is_writing(function: Any) -> bool:
    """Whether a function writes into its first argument."""
    return function in WRITING or (
        function.__name__ == "at" and isinstance(getattr(function, "__self__", None), np.ufunc)
    )


def check_real(function: Any, result: Any) -> None:
    if np.iscomplexobj(result):
        refuse(
            f"{name_of(function)}() gives complex numbers, which have no derivative on the tape",
            "call the part that has them as flow.compile(f)(...), or leave out mode='tape'",
        )


def finished(function: Any, args: tuple, kwargs: dict[str, Any], result: Any) -> Any:
    """The result of NumPy's function with its history."""
    given = among((args, kwargs))
    found = [_known(v, args, kwargs, given) for v in leaves(result)]
    fresh = [v for v, known in zip(leaves(result), found, strict=True) if known is None]
    if not any(map(has_history, given)) or function in BLANK:
        made = [wrapped(v, None) if is_float(v) else v for v in fresh]
        for memory in [x._memory for x in given if type(x) is RecordedArray]:
            memory.shown |= any(_shares(v, memory) for v in fresh)
    elif function in MOVING and type(args[0] if args else None) is RecordedArray and fresh:
        made = [moved(function, args, kwargs, result)]
    elif not any(map(is_float, fresh)):
        made = [_step(function, v, given) for v in fresh]
    else:
        for v in fresh:
            check_real(function, v)
        derived = derivatives(function, args, kwargs, len(found))
        made = [
            _with_history(function, v, t) if is_float(v) else v
            for v, t, known in zip(leaves(result), derived, found, strict=True)
            if known is None
        ]
    rest = iter(made)
    each = iter([next(rest) if known is None else known[0] for known in found])
    return mapped(result, lambda v: next(each))


def moved(function: Any, args: tuple, kwargs: dict[str, Any], result: Any) -> Any:
    """The result of a function that moves the elements of its first argument."""
    memory = args[0]._memory
    places = function(memory.places(args[0]._layout), *raws(args[1:]), **raws(kwargs))
    at = places if np.ndim(places) else int(places)
    t = recorded(indexing.pick, (memory.flat(),), {"index": at}, np.asarray(result))
    return wrapped(result, t._node)


def _known(v: Any, args: tuple, kwargs: dict, given: list) -> tuple[Any] | None:
    """A part of a result that is in the memory of an argument; None for any other."""
    if type(v) is not np.ndarray:
        return None
    for x in given:
        if type(x) is RecordedArray and (at := x._memory.layout_of(v)) is not None:
            # asking a broadcast array of NumPy's whether it is writeable warns
            writeable = x._writeable and not at.repeats and v.flags.writeable
            same = at == x._layout and writeable == x._writeable
            return (x if same else array(x._memory, at, writeable),)
    plain = [a for a in leaves((args, kwargs)) if type(a) is np.ndarray]
    return (v,) if any(np.may_share_memory(v, a) for a in plain) else None


def _shares(v: Any, memory: Memory) -> bool:
    return isinstance(v, np.ndarray) and np.may_share_memory(v, memory.data)


def _step(function: Any, v: Any, given: list) -> Any:
    """A result without a derivative: integers, booleans, names."""
    if any(type(x) is RecordedArray and _shares(v, x._memory) for x in given):
        refuse(f"{name_of(function)}() shows the data in another dtype: its gradient would be lost")
    if isinstance(v, np.ndarray) and v.dtype.kind in "OV":
        refuse(f"{name_of(function)}() gives an array of objects: their gradient would be lost")
    if not isinstance(v, np.ndarray | bool) and not isinstance(v, _OTHERS):
        refuse(f"{name_of(function)}() gives {type(v).__name__}: its gradient would be lost")
    return v


def _with_history(function: Any, v: Any, t: Any) -> Any:
    """A floating result with the history of its tensor."""
    if not isinstance(t, Tensor) or t._node is None:
        return wrapped(v, None)
    if t._a.shape != np.shape(v):
        refuse(f"{name_of(function)}() has another shape in compiled code: {t._a.shape}")
    return wrapped(v, cast(t, np.asarray(v).dtype)._node)


# ---- derivatives by the compiler ----
def derivatives(function: Any, args: tuple, kwargs: dict[str, Any], count: int) -> list[Any]:
    """The floating parts of a call's result as tensors: the call compiled, as one node."""
    arguments = {"args": args, "kwargs": kwargs}
    try:
        try:
            made = _derived(function, arguments, integers=False)
        except UnsupportedError:
            made = _derived(function, arguments, integers=True)
    except SrcgradError as error:
        refuse(f"{name_of(function)}() on the tape: {error.reason}", error.way_out)
    if len(made) != count:
        refuse(f"{name_of(function)}() has {len(made)} results in compiled code, not {count}")
    return made


_COMPILED: dict[tuple[Any, bool], Any] = {}


def _derived(function: Any, arguments: dict[str, Any], integers: bool) -> list[Any]:
    """The parts of a call's result; `integers`: these are known when it is compiled."""
    key = function, integers
    if key not in _COMPILED:
        _COMPILED[key] = _compiled(function)
    compiled = _COMPILED[key]
    try:
        return compiled_call(compiled, arguments, integers)[1]
    except SrcgradError:
        del _COMPILED[key]  # what it takes for known, other calls may differentiate
        raise


def compiled_call(
    compiled: Any, arguments: dict[str, Any], integers: bool = False
) -> tuple[Any, list[Any]]:
    """The entry for a call of a compiled function, and the parts of its result as one node's."""
    given = [p for n, a in arguments.items() for p in paths(a, (n,))]
    plain = {n: raws(a) for n, a in arguments.items()}
    if integers:
        known = {p for p, v in given if type(v) is int}
        compiled._requirements.static_leaves.update(known)
    entry, captured = compiled._entry_for(plain, [(p, raw(v)) for p, v in given])
    values = {p: tensor_of(v) if is_recorded(v) else v for p, v in given}
    lost = [p for p, v in given if has_history(v) and p not in entry.program.inputs]
    if lost:
        raise UnsupportedError(
            f"{spelled(lost[0])} has to be known, and the gradient flows through it", None,
            "pass its value without a gradient: flow.stop_gradient",
        )  # fmt: skip
    inputs = [*(values[path] for path in entry.program.inputs), *captured]
    with np.errstate(all="ignore"):
        made = applied(kernel_of(entry), inputs)
    return entry, leaves(filled(entry.program.output, made))


def _compiled(function: Any) -> Any:
    if getattr(function, "__objclass__", None) is not None:  # a method
        name = function.__name__

        def call(args: tuple, kwargs: dict[str, Any]) -> Any:
            return getattr(args[0], name)(*args[1:], **kwargs)

    elif is_writing(function):

        def call(args: tuple, kwargs: dict[str, Any]) -> Any:
            target = args[0].copy()
            function(target, *args[1:], **kwargs)
            return target

    else:

        def call(args: tuple, kwargs: dict[str, Any]) -> Any:
            return function(*args, **kwargs)

    # in functions of srcgrad's arrays are tensors: this one is of no module
    elsewhere = {"__name__": "on_the_tape"}
    named = types.FunctionType(call.__code__, elsewhere, function.__name__, None, call.__closure__)
    return compile(named, target="python", cache=False)


def of_compiled(compiled: Any, arguments: dict[str, Any]) -> Any:
    """A call of a compiled function with recorded values among its arguments."""
    entry, parts = compiled_call(compiled, arguments)
    if entry.program.stored or entry.program.changed or entry.tensors:
        refuse(f"{compiled.__name__}() stores to its arguments", "call the function itself")
    result = compiled._run({n: raws(a) for n, a in arguments.items()}, {})
    rest = iter(parts)

    def at(v: Any) -> Any:
        t = next(rest)
        return _with_history(compiled, v, t) if is_float(v) else v

    return mapped(result, at)


# ---- stores ----
def stored(target: Any, index: Any, value: Any) -> None:
    """`target[index] = value` of a recorded array."""
    index = raws(index)
    if not is_recorded(value) and among(value):
        value = called(np.array, (value,), {})
    history = tensor_of(value) if is_recorded(value) else None
    new = raw(value)
    memory = target._memory
    memory.open()
    raw(target)[index] = new
    if history is None:
        history = make(np.asarray(new, memory.data.dtype))
    memory.store(memory.places(target._layout)[index], history)


def into(function: Any, args: tuple, kwargs: dict[str, Any], out: Any) -> Any:
    """A call with `out=`: the target itself, after the store."""
    target = out[0] if isinstance(out, tuple) and len(out) == 1 else out
    given = among((args, kwargs))
    if type(target) is not RecordedArray:
        if is_leaf(target) and not is_recorded(target):
            if any(map(has_history, given)):
                refuse(
                    f"{name_of(function)}() writes into a plain array, which would lose the "
                    "gradient", PLAIN_STORE,
                )  # fmt: skip
            return function(*raws(args), **raws(kwargs), out=out)
        refuse(f"{name_of(function)}() with several out= is not recorded", "call it without out=")
    where = kwargs.pop("where", True) if isinstance(function, np.ufunc) else True
    with np.errstate(all="ignore"):
        value = called(function, args, kwargs)
    history = tensor_of(value) if is_recorded(value) else make(np.asarray(value))
    memory = target._memory
    memory.open()
    masked = {} if where is True else {"where": where}
    function(*raws(args), **raws(kwargs), **masked, out=raw(target))
    places = memory.places(target._layout)
    if where is not True:
        mask = np.broadcast_to(where, places.shape)
        value = value if type(value) is RecordedArray else wrapped(np.asarray(value), None)
        whole = called(np.broadcast_to, (value, places.shape), {})
        history, places = tensor_of(whole[mask]), places[mask]
    memory.store(places, history)
    return target


def written(function: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
    """A call of a function that writes into its first argument."""
    target = args[0] if args else None
    if type(target) is not RecordedArray:
        return _into_plain(function, args, kwargs)
    new = derivatives(function, args, kwargs, 1)[0]
    memory = target._memory
    memory.open()
    function(*raws(args), **raws(kwargs))
    if isinstance(new, Tensor):
        memory.store(memory.places(target._layout), new)
    return None


def replaced(args: tuple, kwargs: dict[str, Any]) -> Any:
    """`np.nan_to_num` with `copy=False`: the array itself, after the store."""
    given = bound(np.nan_to_num, args, kwargs)
    target = given["x"]
    if type(target) is not RecordedArray:
        return _into_plain(np.nan_to_num, args, kwargs)
    stored(target, ..., called(np.nan_to_num, (), {**given, "copy": True}))
    return target


def _into_plain(function: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
    """A call that writes into an array of NumPy's what has no history."""
    if any(map(has_history, among((args, kwargs)))):
        refuse(
            f"{name_of(function)}() writes into a plain array, which would lose the gradient",
            PLAIN_STORE,
        )
    return function(*raws(args), **raws(kwargs))
