"""NumPy's conversion to arrays: of numbers, and of nests of numbers and arrays."""

from __future__ import annotations

import inspect
from functools import reduce
from typing import Any

import numpy as np

from srcgrad.frontend.casts import cast
from srcgrad.frontend.grown_lists import GrownTable, Ragged, array_of
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.lists_of_rows import NO_ITEMS, stacked_rows
from srcgrad.frontend.maybe_none import in_dtype
from srcgrad.frontend.ragged_lists import INHOMOGENEOUS, stacked_arrays
from srcgrad.frontend.rank_zero import is_shell
from srcgrad.frontend.special_methods import class_of_instance, special
from srcgrad.frontend.tables import table_as_array
from srcgrad.frontend.values import (
    GrownList,
    Iterated,
    Range,
    describe,
    is_array,
    is_number,
    is_scalar,
    is_value,
    plain,
)
from srcgrad.frontend.watches import watch_inherited
from srcgrad.ir.nodes import Var, atom
from srcgrad.ir.types import Scalar, is_complex, is_int, join_scalars, np_dtype

# what NumPy looks for before it calls `__array__`
BEFORE_ARRAY = ("__buffer__", "__array_struct__", "__array_interface__")


def as_array(it: Interpreter, node: Node, x: Any, copy: bool, dtype: Scalar | None = None) -> Any:
    """NumPy's conversion: arrays, numbers, nested sequences of them.

    Only `__array__` of an instance is called with the dtype.
    """
    if is_array(x):
        return it.b.copy(x) if copy else x
    if is_scalar(x):
        return _strong(it, x)
    if isinstance(x, Ragged):
        return stacked_arrays(it, x, node, NO_ITEMS, INHOMOGENEOUS)
    if isinstance(x, GrownTable):
        return table_as_array(it, x, node)
    if isinstance(x, GrownList):
        return array_of(it, x) if x.of_numbers else stacked_rows(it, x, node, NO_ITEMS)
    if isinstance(x, Range | range):
        return it.call_numpy(np.arange, [x.start, x.stop, x.step], {}, node)
    if isinstance(x, Iterated):
        it.refuse(node, "an array of an iterator", "make a list of it: list(...)")
    if isinstance(x, list | tuple):
        return _stacked(it, node, x)
    if (made := _by_its_method(it, node, x, copy, dtype)) is not None:
        return made
    said = "make a list or an array of it outside, and pass that as an argument"
    it.refuse(node, f"{describe(x)} cannot be made an array", said)


def items_in_dtype(it: Interpreter, x: Any, dtype: str, node: Node) -> Any:
    """The items of a sequence as NumPy converts each to a dtype: to integers by value."""
    if not isinstance(x, list | tuple):
        return element(it, x, dtype, node)
    items = [items_in_dtype(it, v, dtype, node) for v in x]
    if not is_int(dtype):
        return items
    return [cast(it, v, Scalar(dtype), by_value=True) if is_scalar(v) else v for v in items]


def element(it: Interpreter, v: Any, dtype: str, node: Node) -> Any:
    """The value that NumPy stores in an array of a dtype, of None and of numbers of a class.

    NumPy calls `float` or `int` of an instance that is not an array or a sequence.
    """
    wanted = int if is_int(dtype) else float
    if is_complex(dtype) or dtype == "bool" or special(v, f"__{wanted.__name__}__") is None:
        return in_dtype(it, v, dtype, node)
    others = (*BEFORE_ARRAY, "__array__", "__getitem__")
    if any(hasattr(class_of_instance(v), name) for name in others):
        return v
    return it.call(wanted, [v], {}, node)


def _by_its_method(it: Interpreter, node: Node, x: Any, copy: bool, dtype: Scalar | None) -> Any:
    """The array that `__array__` of an instance makes; None where NumPy takes another way."""
    method = special(x, "__array__")
    if method is None or any(hasattr(class_of_instance(x), name) for name in BEFORE_ARRAY):
        return None
    watch_inherited(it.captures, x, "__array__")
    takes = inspect.signature(method).parameters.values()
    trusted = copy and any(p.name == "copy" or p.kind is p.VAR_KEYWORD for p in takes)
    of_dtype = [] if dtype is None else [np_dtype(dtype.dtype)]
    made = it.call(method, [x, *of_dtype], {"copy": True} if trusted else {}, node)
    if not is_array(made) and not is_shell(it, made):
        it.wrong(node, "object __array__ method not producing an array", ValueError)
    return it.b.copy(made) if copy and not trusted and is_array(made) else made


def _strong(it: Interpreter, x: Any) -> Any:
    t = atom(x).type
    return plain(it.b.cast(x, Scalar(t.dtype))) if is_number(x) else x


def _stacked(it: Interpreter, node: Node, xs: Any) -> Any:
    """An array of a sequence: of numbers, or of arrays and sequences of one shape."""
    dims = _dims_of_numbers(xs)
    if dims is not None:
        for _ in dims[1:]:
            xs = [item for x in xs for item in x]
        return _packed(it, xs, dims)
    parts = [p if is_value(p) else as_array(it, node, p, copy=False) for p in xs]
    parts = [it.b.load(p) if is_array(p) and not p.type.dims else p for p in parts]
    if not parts:
        return it.b.zeros(0, dtype="f64")
    if not any(is_array(p) for p in parts):
        return _packed(it, parts, (len(parts),))
    if not all(is_array(p) and p.type.ndim == parts[0].type.ndim for p in parts):
        it.wrong(node, "the parts of an array have different shapes", ValueError)
    kind = _kind(parts)
    rows = [it.b.view(it.b.cast(p, kind), spec=("n",) + (":",) * p.type.ndim) for p in parts]
    for r in rows[1:]:
        same_dims(it, node, rows[0], r, range(1, rows[0].type.ndim))
    return it.b.concatenate(*rows, axis=0)


def _dims_of_numbers(x: Any) -> tuple[int, ...] | None:
    """The dims of a nest of numbers; None for an empty one, a ragged one, and other values."""
    if is_scalar(x):
        return ()
    inner = {_dims_of_numbers(item) for item in x} if isinstance(x, list | tuple) else set()
    only = inner.pop() if len(inner) == 1 else None
    return None if only is None else (len(x), *only)


def _packed(it: Interpreter, numbers: Any, dims: tuple[int, ...]) -> Any:
    """An array of numbers in the order of its elements."""
    kind = _kind(numbers)
    strong = Scalar(kind.dtype)
    made = [it.b.cast(it.b.cast(p, kind), strong) for p in numbers]
    shape: dict[str, Any] = {} if len(dims) == 1 else {"dims": dims}
    return it.b.pack(*made, name="array", **shape)


def _kind(parts: Any) -> Scalar:
    """The common dtype of the elements: np.array makes a Python number float64 or int64."""
    return reduce(join_scalars, [Scalar(atom(p).type.dtype) for p in parts])


def same_dims(it: Interpreter, node: Node, a: Var, c: Var, axes: Any) -> None:
    """Checks that two arrays agree along axes."""
    for axis in axes:
        m, n = a.type.dims[axis], c.type.dims[axis]
        if m is n or (not isinstance(m, Var) and not isinstance(n, Var) and m == n):
            continue
        if not isinstance(m, Var) and not isinstance(n, Var):
            it.refuse(
                node,
                f"all input array dimensions must match exactly: {m} against {n}",
                like=ValueError,
            )
        it.b.check_equal(m, n, message=(
            f"all the input array dimensions except for the concatenation axis must match exactly, "
            f"but along dimension {axis}, the array at index 0 has size {{}} and the array at "
            f"index 1 has size {{}}"))  # fmt: skip
