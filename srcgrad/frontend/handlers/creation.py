"""Functions that make arrays: zeros, array, arange, linspace, eye and similar ones."""

from __future__ import annotations

import enum
from typing import Any

import numpy as np

from srcgrad.frontend.calls import strong
from srcgrad.frontend.casts import as_integer, cast, check_same_kind
from srcgrad.frontend.comprehensions import is_long, loop_over
from srcgrad.frontend.conversion import as_array, element, items_in_dtype
from srcgrad.frontend.handlers.elementwise import operands, scalar_type
from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.rank_zero import in_shell, is_shell
from srcgrad.frontend.stores import assign_array, stored_value
from srcgrad.frontend.trees import function_at
from srcgrad.frontend.values import (
    Range,
    describe,
    is_array,
    is_integer,
    is_number,
    plain,
)
from srcgrad.frontend.versions import raised
from srcgrad.ir.nodes import Atom, Var, atom
from srcgrad.ir.types import (
    BOOL,
    COMPLEX,
    FLOAT,
    INT,
    Scalar,
    is_complex,
)

# whether copyto, and with it np.full, casts an integer that does not fit: until NumPy 2.1
COPIES_WRAP = raised(np.copyto, np.zeros(1, np.int8), 300) is None


def dims_of(it: Interpreter, node: Node, shape: Any) -> list[Any]:
    """A shape argument as dims: ints and run-time integers."""
    if is_array(shape) and shape.type.ndim == 1:
        shape = it.static_items(shape, node)
    if isinstance(shape, Range | range):
        shape = tuple(it.static_items(shape, node))
    parts = list(shape) if isinstance(shape, tuple | list) else [shape]
    out = []
    p: Any
    for p in parts:
        if is_array(p) and not p.type.dims:
            p = it.b.load(p)
        if not is_integer(p):
            it.refuse(node, f"a shape is made of integers, not {describe(p)}", like=TypeError)
        if is_number(p) and int(p) < 0:  # type: ignore[arg-type]  (a number)
            it.wrong(node, "negative dimensions are not allowed", ValueError)
        if isinstance(p, Var) and not is_length(it, p):
            negative = plain(it.b.lt(p, 0))
            it.fail_if(negative, "ValueError", "negative dimensions are not allowed")
        out.append(int(p) if is_number(p) else p)  # type: ignore[arg-type]  (a number)
    return out


def is_length(it: Interpreter, v: Atom) -> bool:
    """Whether a run-time integer is known not to be negative."""
    definition = it.definition(v)
    if definition is None:
        return False
    match definition.op.name, definition.args:
        case (("dim" | "count_nonzero" | "trips"), _):
            return True
        case "maximum", (_, c) if is_number(plain(c)) and plain(c) >= 0:
            return True
        case (("add" | "mul"), args):
            return all(plain(a) >= 0 if is_number(plain(a)) else is_length(it, a) for a in args)
    return False


def _dtype(it: Interpreter, node: Node, dtype: Any, default: str = "f64") -> str:
    return default if dtype is None else scalar_type(it, node, dtype).dtype


def filled(it: Interpreter, dims: list[Any], value: Any, dtype: str) -> Any:
    """A new array with every element `value`, or with an array of values broadcast to it."""
    value = it.b.value(atom(value)) if is_array(value) else value
    if is_array(value):
        it.b.check_assign(*dims, *value.type.dims, split=len(dims))
        return it.b.broadcast_to(it.b.cast(value, Scalar(dtype)), *dims)
    # a Python float is cast, as NumPy does it here
    checked = atom(value).type == INT and not COPIES_WRAP
    convert = cast if checked else lambda it, v, target: it.b.cast(v, target)
    value = convert(it, value, Scalar(dtype))
    if not dims:
        out = it.b.zeros(dtype=dtype)
        if not (is_number(plain(value)) and plain(value) == 0):
            it.b.store(out, value)
        return out
    if is_number(plain(value)) and plain(value) == 0:
        return it.b.zeros(*dims, dtype=dtype)
    return it.b.broadcast_to(value, *dims)


@implements(np.zeros)
def zeros(it: Interpreter, node: Node, shape: Any, dtype: Any = None, order: Any = "C") -> Any:
    made = filled(it, dims_of(it, node, shape), 0, _dtype(it, node, dtype))
    return _ordered(it, made, it.order_of(node, order, "CF"))


@implements(np.ones)
def ones(it: Interpreter, node: Node, shape: Any, dtype: Any = None, order: Any = "C") -> Any:
    made = filled(it, dims_of(it, node, shape), 1, _dtype(it, node, dtype))
    return _ordered(it, made, it.order_of(node, order, "CF"))


@implements(np.empty)
def empty(it: Interpreter, node: Node, shape: Any, dtype: Any = None, order: Any = "C") -> Any:
    # zeros, so that a read of an element never written is at least the same every time
    made = filled(it, dims_of(it, node, shape), 0, _dtype(it, node, dtype))
    return _ordered(it, made, it.order_of(node, order, "CF"))


@implements(np.ndarray)
def ndarray(it: Interpreter, node: Node, shape: Any, dtype: Any = None, *, order: Any = "C") -> Any:
    """A call of the class for memory; a buffer or strides of the caller's are refused."""
    return empty(it, node, shape, dtype, order)


@implements(np.full)
def full(
    it: Interpreter, node: Node, shape: Any, fill_value: Any, dtype: Any = None, order: Any = "C"
) -> Any:
    dims = dims_of(it, node, shape)
    if dtype is not None:
        fill_value = element(it, fill_value, _dtype(it, node, dtype), node)
    (value,) = operands(it, node, (fill_value,), "full")
    made = filled(it, dims, value, _dtype(it, node, dtype, atom(value).type.dtype))
    return _ordered(it, made, it.order_of(node, order, "CF"))


def _like(
    it: Interpreter, node: Node, x: Any, value: Any, dtype: Any, order: Any, shape: Any
) -> Any:
    order = it.order_of(node, order)
    if isinstance(x, list | tuple):
        x = array(it, node, x)
    dims = list(x.type.dims) if is_array(x) else []
    if shape is not None:
        dims = dims_of(it, node, shape)
    kind = _dtype(it, node, dtype, atom(x).type.dtype)
    (value,) = operands(it, node, (element(it, value, kind, node),), "full")
    made = filled(it, dims, value, kind)
    if order in ("K", "A") and is_array(x) and is_array(made) and made.type.ndim == x.type.ndim:
        it.orders[made] = x
        return made
    return _ordered(it, made, "C" if order == "K" else order)


@implements(np.zeros_like, np.empty_like)
def zeros_like(
    it: Interpreter, node: Node, x: Any, dtype: Any = None, order: Any = "K", subok: Any = True,
    shape: Any = None,
) -> Any:  # fmt: skip
    return _like(it, node, x, 0, dtype, order, shape)


@implements(np.ones_like)
def ones_like(
    it: Interpreter, node: Node, x: Any, dtype: Any = None, order: Any = "K", subok: Any = True,
    shape: Any = None,
) -> Any:  # fmt: skip
    return _like(it, node, x, 1, dtype, order, shape)


@implements(np.full_like)
def full_like(
    it: Interpreter, node: Node, x: Any, fill_value: Any, dtype: Any = None, order: Any = "K",
    subok: Any = True, shape: Any = None,
) -> Any:  # fmt: skip
    return _like(it, node, x, fill_value, dtype, order, shape)


@implements(np.eye)
def eye(
    it: Interpreter, node: Node, N: Any, M: Any = None, k: Any = 0, dtype: Any = None,
    order: Any = "C",
) -> Any:  # fmt: skip
    n, m = dims_of(it, node, (N, N if M is None else M))
    rows, cols = ranges(it, n, m)
    diagonal = it.b.eq(it.b.add(rows, k), cols)
    made = it.b.cast(diagonal, Scalar(_dtype(it, node, dtype)))
    return _ordered(it, made, it.order_of(node, order, "CF"))


def ranges(it: Interpreter, n: Any, m: Any) -> tuple[Any, Any]:
    """Row numbers as a column and column numbers as a row."""
    rows = it.b.view(it.b.iota(n), spec=(":", "n"))
    cols = it.b.view(it.b.iota(m), spec=("n", ":"))
    return rows, cols


# ---- array and similar functions ----
def copy_mode(copy: Any) -> bool | None:
    """An argument `copy=`, also one of NumPy's enum: None is a copy where one is needed."""
    if isinstance(copy, enum.Enum):
        copy = None if copy.name == "IF_NEEDED" else copy.value
    return copy if copy is None else bool(copy)


def _copies(it: Interpreter, x: Any, copy: Any, wanted: Scalar | None) -> bool:
    """Whether to copy; raises where a copy is needed and none may be made."""
    mode = copy_mode(copy)
    cast_is_needed = wanted is not None and is_array(x) and x.type.dtype != wanted.dtype
    if mode is False and (isinstance(x, list | tuple) or cast_is_needed):
        it.fail("ValueError", "Unable to avoid copy while creating an array as requested.")
    return bool(mode)


@implements(np.array)
def array(
    it: Interpreter, node: Node, x: Any, dtype: Any = None, copy: Any = True, ndmin: Any = 0,
    order: Any = None, subok: Any = False,
) -> Any:  # fmt: skip
    wanted = None if dtype is None else scalar_type(it, node, dtype)
    x = x if wanted is None else items_in_dtype(it, x, wanted.dtype, node)
    copied = _copies(it, x, copy, wanted)
    out = as_array(it, node, x, copied, wanted)
    if wanted is not None:
        out = cast(it, out, wanted)
    order = it.order_of(node, order)
    if copied and order not in ("K", "A"):
        out = _ordered(it, out, order)
    else:
        out = _in_order(it, node, x, out, order)
    missing = ndmin - (out.type.ndim if is_array(out) else 0)
    if missing > 0 and is_array(out):
        out = it.b.view(out, spec=("n",) * missing + (":",) * out.type.ndim)
    elif missing > 0:
        out = it.b.broadcast_to(out, *([1] * missing))
    return out


@implements(np.asarray, np.asanyarray)
def asarray(
    it: Interpreter, node: Node, x: Any, dtype: Any = None, order: Any = None, *, copy: Any = None
) -> Any:
    wanted = None if dtype is None else scalar_type(it, node, dtype)
    x = x if wanted is None else items_in_dtype(it, x, wanted.dtype, node)
    out = as_array(it, node, x, _copies(it, x, copy, wanted), wanted)
    if wanted is not None and atom(out).type.dtype != wanted.dtype:
        out = cast(it, out, wanted)
    return _in_order(it, node, x, out, it.order_of(node, order))


def _in_order(it: Interpreter, node: Node, x: Any, out: Any, order: Any) -> Any:
    """The array made of `x`, in C or Fortran order: itself if it is, else a copy."""
    if order in ("K", "A") or not is_array(out) or not out.type.dims:
        return out
    if order == "F":
        return _columns_first(it, node, x, out)
    return it.call_numpy(np.ascontiguousarray, [out], {}, node)


@implements(np.asfortranarray)
def asfortranarray(it: Interpreter, node: Node, x: Any, dtype: Any = None) -> Any:
    made = asarray(it, node, x, dtype, "F")
    if is_array(made) and made.type.dims:
        return made
    return it.call_numpy(np.ascontiguousarray, [made], {}, node)


def _columns_first(it: Interpreter, node: Node, x: Any, out: Any) -> Any:
    """An array in Fortran order: itself if it is, else a copy."""
    dims = [d for d in out.type.dims if isinstance(d, Var) or d != 1]
    if len(dims) < 2:  # it is in both orders
        return it.call_numpy(np.ascontiguousarray, [out], {}, node)
    if out is not x:
        return _ordered(it, out, "F")
    made = _ordered(it, it.b.copy(x), "F")
    if not it.in_c_order(x) or sum(map(it.b.never_one, dims)) < 2:
        it.stands_for_view(made, x, "an array in Fortran order", node, writable=True)
    return made


@implements(np.copy)
def copy(it: Interpreter, node: Node, x: Any, order: Any = "K") -> Any:
    return _ordered(it, as_array(it, node, x, copy=True), it.order_of(node, order))


@implements(method="copy")
def copy_method(it: Interpreter, node: Node, x: Any, order: Any = "C") -> Any:
    if is_shell(it, x):
        return in_shell(it, x)
    return _ordered(it, as_array(it, node, x, copy=True), it.order_of(node, order))


def _ordered(it: Interpreter, made: Any, order: Any) -> Any:
    """A new array, recorded as in C order if that is requested, else as in any order."""
    if isinstance(made, Var) and order != "K":
        it.orders[made] = order == "C"
    return made


@implements(np.copyto)
def copyto(
    it: Interpreter, node: Node, dst: Any, src: Any, casting: Any = "same_kind", where: Any = True
) -> None:
    if casting != "same_kind":
        it.refuse(node, f"copyto with casting={casting!r} is not supported", "use .astype")
    (src,) = operands(it, node, (src,), "copyto")
    src = strong(it, src) if COPIES_WRAP else src
    value = src if where is True else it.emit(node, "where", where, src, dst)
    if not is_array(dst):
        it.refuse(node, f"copyto() stores to an array, not to {describe(dst)}", like=TypeError)
    check_same_kind(it, node, "copyto", atom(value).type.dtype, dst.type.dtype, "with copyto")
    assign_array(it, dst, stored_value(it, dst, value, node, by_value=False))


@implements(method="astype")
def astype(it: Interpreter, node: Node, x: Any, dtype: Any, copy: Any = True) -> Any:
    target = scalar_type(it, node, dtype)
    if isinstance(copy, enum.Enum):
        it.fail("ValueError", "_CopyMode enum is not allowed for astype function.")
    if is_array(x) and x.type.dtype == target.dtype:
        return it.b.copy(x) if copy else x
    return plain(it.b.cast(x, target))


@implements(method="fill")
def fill(it: Interpreter, node: Node, x: Any, value: Any) -> None:
    if is_array(value) and value.type.dims:
        it.fail("ValueError", "setting an array element with a sequence.")
    assign_array(it, x, stored_value(it, x, value, node))


@implements(method="item")
def item(it: Interpreter, node: Node, x: Any, *index: Any) -> Any:
    if not is_array(x):
        return _of_python(it, x)
    if len(index) == 1 and isinstance(index[0], tuple):
        index = index[0]
    if len(index) == 1 and x.type.ndim > 1:
        x = it.call_numpy(np.ravel, [x], {}, node)
    if index:
        if len(index) != x.type.ndim:
            it.refuse(node, "incorrect number of indices for array", like=ValueError)
        return _of_python(it, it.read(x, list(index), node))
    for d in x.type.dims:
        if isinstance(d, Var):
            it.b.check_equal(
                d,
                1,
                message="can only convert an array of size 1 to a Python scalar",
            )
        elif d != 1:
            it.refuse(
                node, "can only convert an array of size 1 to a Python scalar", like=ValueError
            )
    return _of_python(it, it.b.load(x, *([0] * x.type.ndim)))


LISTING_NUMBERS = """\
def tolist(array):
    made = []
    for v in array:
        made.append(v.item())
    return made
"""


@implements(method="tolist")
def tolist(it: Interpreter, node: Node, x: Any) -> Any:
    if not is_array(x):
        return _of_python(it, x)
    if x.type.ndim == 1 and is_long(it, x, node):
        return loop_over(it, function_at(node, LISTING_NUMBERS), [x], node)
    return [tolist(it, node, v) for v in it.static_items(x, node)]


def _of_python(it: Interpreter, x: Any) -> Any:
    """A number as Python's: it does not change the dtype of other operands."""
    if not isinstance(x, Var):
        return x.item() if isinstance(x, np.generic) else x
    if x.type.weak:
        return x
    if x.type.dtype == "bool":
        return plain(it.b.retyped(x, BOOL))
    if x.type.dtype[0] in "iu":
        return as_integer(it, x)
    return plain(it.b.retyped(x, COMPLEX if is_complex(x.type.dtype) else FLOAT))
