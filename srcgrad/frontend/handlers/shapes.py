"""Functions that change shapes and keep elements: reshape, transpose, squeeze, repeat, tile."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.frontend.formulas.arrays import repeated
from srcgrad.frontend.handlers.creation import copy_mode, dims_of
from srcgrad.frontend.handlers.elementwise import operands
from srcgrad.frontend.handlers.new_shapes import lengths_of
from srcgrad.frontend.handlers.reductions import axes_of, axis_of, in_order, place_of_axis, vector
from srcgrad.frontend.handlers.registry import implements, method
from srcgrad.frontend.indexing import mask_places
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import Known, is_array, is_number, ndim
from srcgrad.frontend.versions import raised
from srcgrad.ir.nodes import Var
from srcgrad.ir.types import Array

NUMBERS_HAVE_PLACES = raised(np.nonzero, 1.0) is None  # until NumPy 2.1
UNSQUEEZABLE = "cannot select an axis to squeeze out which has size not equal to one"
UNKNOWN_RANK = (
    "squeeze() drops an axis whose length is 1 in this call and is not known when compiling: "
    "name the axis, squeeze(axis=...)"
)
OPEN_AXES = 2  # so many lengths of the run give arrays of three ranks at most


def _array(it: Interpreter, node: Node, x: Any, what: str) -> Any:
    (x,) = operands(it, node, (x,), what)
    if not is_array(x):
        return it.b.broadcast_to(x, 1)
    return x


def reshaped(it: Interpreter, node: Node, x: Any, dims: list[Any]) -> Any:
    """A view of a contiguous array, a reshaped copy of another."""
    if x.type.layout != "C":
        source, x = x, _in_order(it, x)
        if not (len(dims) == 1 and _transposed(it, source)):
            what = "a reshape of an array that is not contiguous"
            it.stands_for_view(x, source, what, node, writable=True)
    if not dims:
        return it.b.load(x, *([0] * x.type.ndim))
    made = it.b.reshape(x, *dims)
    it.is_reshape(made, x, "a reshape", node)
    return made


def _in_order(it: Interpreter, x: Any) -> Any:
    """A copy in C order."""
    made = it.b.copy(x)
    it.orders[made] = True
    return made


def _transposed(it: Interpreter, x: Any) -> bool:
    """Whether an array is a contiguous one with its axes in another order."""
    made = it.definition(x)
    if made is None or made.op.name != "transpose" or not it.in_c_order(made.args[0]):
        return False
    inner = made.args[0].type
    assert isinstance(inner, Array)
    return inner.layout == "C" and all(isinstance(d, Var) or d != 1 for d in inner.dims)


def _has_gaps(it: Interpreter, x: Any) -> bool:
    """Whether an array is certainly not contiguous when it runs."""
    return x in it.captures.given or _transposed(it, x)  # a slice may have length 1


def _without_gaps(it: Interpreter, x: Any) -> Any:
    """A contiguous array: a copy if NumPy's ravel copies too."""
    gaps = is_array(x) and x.type.layout != "C" and _has_gaps(it, x)
    return _in_order(it, x) if gaps else x


@implements(np.reshape)
def reshape(
    it: Interpreter, node: Node, x: Any, shape: Any = None, order: Any = "C",
    newshape: Any = None, *, copy: Any = None,
) -> Any:  # fmt: skip
    (x,) = operands(it, node, (x,), "reshape")
    shape = newshape if shape is None else shape
    if copy_mode(copy) is False and not _reshapes_to_views(it, x, order):
        it.refuse(
            node, "whether a reshape with copy=False is possible is not known", "leave it out"
        )
    if str(order).upper() == "K":
        it.wrong(node, "order 'K' is not permitted for reshaping", ValueError)
    columns_first = order_of(it, node, x, order, "reshape") == "F"
    if not is_array(x):
        x = it.b.broadcast_to(x, 1)
    b = it.b
    size = b.size(x.type.dims)
    dims = lengths_of(it, node, size, shape)
    total = b.size(dims)
    if total is not size and not (is_number(total) and is_number(size) and total == size):
        if is_number(total) and is_number(size):
            from srcgrad.errors import ShapeError

            raise ShapeError(
                f"cannot reshape array of size {size} into shape {tuple(dims)}",
                it.frame.source.location(node),
            )
        b.check_equal(size, total, message="cannot reshape array of size {} into size {}")
    if not dims:
        return b.view(x, *([0] * x.type.ndim), spec=("i",) * x.type.ndim)
    dims = [int(d) if is_number(d) else d for d in dims]
    if columns_first:
        turned = reshaped(it, node, transpose(it, node, x), dims[::-1])
        made = transpose(it, node, turned)
    else:
        made = reshaped(it, node, x, dims)
    return it.b.copy(made) if copy_mode(copy) else made


def _reshapes_to_views(it: Interpreter, x: Any, order: Any) -> bool:
    """Whether any reshape of an array is known to be a view in NumPy."""
    if not is_array(x) or x.type.ndim < 2:
        return True
    return x.type.layout == "C" and it.in_c_order(x) and str(order).upper() == "C"


def order_of(it: Interpreter, node: Node, x: Any, order: Any, what: str) -> str:
    """The order in which elements are read, "C" or "F", of an `order=` that may say any."""
    order = it.order_of(node, "C" if order is None else order)
    if order in ("C", "F"):
        return order
    if not it.in_c_order(x):
        it.refuse(
            node, f"{what} with order={order!r}: in which order the elements lie is not known",
            "say order='C' or order='F'",
        )  # fmt: skip
    return "C"


@method("array", "reshape")
def reshape_method(
    it: Interpreter, node: Node, x: Any, *shape: Any, order: Any = "C", copy: Any = None
) -> Any:
    return reshape(it, node, x, shape[0] if len(shape) == 1 else shape, order, copy=copy)


@implements(np.ravel, method="ravel")
def ravel(it: Interpreter, node: Node, x: Any, order: Any = "C") -> Any:
    (x,) = operands(it, node, (x,), "ravel")
    if order_of(it, node, x, order, "ravel") == "F":
        x = transpose(it, node, x)
    return reshape(it, node, _without_gaps(it, x), -1)


@implements(np.ascontiguousarray)
def ascontiguousarray(it: Interpreter, node: Node, x: Any, dtype: Any = None) -> Any:
    array = it.call_numpy(np.asarray, [x], {} if dtype is None else {"dtype": dtype}, node)
    if not is_array(array):
        return vector(it, array)
    if not array.type.dims:
        return it.b.view(array, spec=("n",))
    if array.type.layout == "C":
        it.is_reshape(array, array, "what ascontiguousarray gives", node)
        return array
    made = _in_order(it, array)
    if not _has_gaps(it, array):
        it.stands_for_view(made, array, "what ascontiguousarray gives", node, writable=True)
    return made


@implements(method="flatten")
def flatten(it: Interpreter, node: Node, x: Any, order: Any = "C") -> Any:
    return it.b.copy(ravel(it, node, x, order))


@implements(np.transpose)
def transpose(it: Interpreter, node: Node, x: Any, axes: Any = None) -> Any:
    (x,) = operands(it, node, (x,), "transpose")
    n = x.type.ndim if is_array(x) else 0
    if n < 2 and axes is None:
        return _another(it, x, node)
    perm = (
        tuple(reversed(range(n)))
        if axes is None
        else tuple(place_of_axis(it, node, a, n) for a in in_order(it, node, axes, ValueError))
    )
    if sorted(perm) != list(range(n)):
        it.wrong(node, "axes don't match array", ValueError)
    if n < 2:
        return _another(it, x, node)
    return it.b.transpose(x, perm=perm)


def _another(it: Interpreter, x: Any, node: Node) -> Any:
    """The same array as another object; a number itself."""
    return it.read(x, [...], node) if is_array(x) else x


@method("array", "transpose")
def transpose_method(it: Interpreter, node: Node, x: Any, *axes: Any) -> Any:
    if len(axes) == 1 and isinstance(axes[0], tuple | list):
        axes = tuple(axes[0])
    return transpose(it, node, x, axes or None)


@implements(np.swapaxes, method="swapaxes")
def swapaxes(it: Interpreter, node: Node, x: Any, axis1: Any, axis2: Any) -> Any:
    (x,) = operands(it, node, (x,), "swapaxes")
    perm = list(range(ndim(x)))
    i, j = axis_of(it, node, x, axis1), axis_of(it, node, x, axis2)
    perm[i], perm[j] = perm[j], perm[i]
    return transpose(it, node, x, perm)


@implements(np.moveaxis)
def moveaxis(it: Interpreter, node: Node, x: Any, source: Known, destination: Known) -> Any:
    (x,) = operands(it, node, (x,), "moveaxis")
    n = x.type.ndim if is_array(x) else 0
    src = [place_of_axis(it, node, a, n) for a in _many(source)]
    dst = [place_of_axis(it, node, a, n) for a in _many(destination)]
    perm = [k for k in range(n) if k not in src]
    for d, s in sorted(zip(dst, src, strict=True)):
        perm.insert(d, s)
    return transpose(it, node, x, perm)


def _many(v: Any) -> list[Any]:
    return list(v) if isinstance(v, tuple | list) else [v]


@implements(np.squeeze, method="squeeze")
def squeeze(it: Interpreter, node: Node, x: Any, axis: Any = None) -> Any:
    (x,) = operands(it, node, (x,), "squeeze")
    if not is_array(x) or not x.type.dims:
        axes_of(it, node, x, axis, scalars=True)
        return x
    dims = x.type.dims
    if axis is None:
        axes = tuple(k for k, d in enumerate(dims) if is_number(d) and d == 1)
        return _squeezed_by_length(it, node, x, axes)
    axes = axes_of(it, node, x, axis)
    for k in axes:
        if is_number(dims[k]) and dims[k] != 1:
            it.refuse(node, UNSQUEEZABLE, like=ValueError)
        if not is_number(dims[k]):
            it.b.check_equal(dims[k], 1, message=UNSQUEEZABLE)
    return _without_axes(it, x, axes)


def _squeezed_by_length(it: Interpreter, node: Node, x: Any, axes: tuple[int, ...]) -> Any:
    """The array without `axes` and those whose length is 1 when it runs, of several ranks."""
    lengths = x.type.dims
    unknown = [k for k, d in enumerate(lengths) if isinstance(d, Var) and not it.b.never_one(d)]
    if len(unknown) > OPEN_AXES:
        for k in unknown:
            it.b.check_equal(it.b.eq(lengths[k], 1), False, message=UNKNOWN_RANK)
        unknown = []

    def squeezed(rest: list[int], dropped: tuple[int, ...]) -> Any:
        if not rest:
            return _without_axes(it, x, dropped)
        k, *others = rest
        return it.branch(
            it.b.eq(lengths[k], 1),
            lambda: squeezed(others, (*dropped, k)), lambda: squeezed(others, dropped),
            node, live_rest=True, several=True,
        )  # fmt: skip

    return squeezed(unknown, axes)


def _without_axes(it: Interpreter, x: Any, axes: tuple[int, ...]) -> Any:
    """A view of an array without axes of length 1."""
    if not axes:
        return x
    spec = tuple("i" if k in axes else ":" for k in range(x.type.ndim))
    return it.b.view(x, *([0] * len(axes)), spec=spec)


@implements(np.expand_dims)
def expand_dims(it: Interpreter, node: Node, x: Any, axis: Any) -> Any:
    (x,) = operands(it, node, (x,), "expand_dims")
    if not is_array(x):
        return it.b.broadcast_to(x, *([1] * len(_many(axis))))
    n = x.type.ndim + len(_many(axis))
    new = {place_of_axis(it, node, a, n) for a in _many(axis)}
    return it.b.view(x, spec=tuple("n" if k in new else ":" for k in range(n)))


def _at_least(n: int, *functions: Any) -> None:
    def handler(it: Interpreter, node: Node, *xs: Any) -> Any:
        if len(xs) != 1:
            return tuple(handler(it, node, x) for x in xs)
        (x,) = xs
        (x,) = operands(it, node, (x,), "atleast")
        if not is_array(x):
            return it.b.broadcast_to(x, *([1] * n))
        missing = n - x.type.ndim
        return x if missing <= 0 else it.b.view(x, spec=("n",) * missing + (":",) * x.type.ndim)

    implements(*functions)(handler)


_at_least(1, np.atleast_1d)
_at_least(2, np.atleast_2d)


# ---- repetition ----
def with_dims(it: Interpreter, x: Var, dims: tuple) -> Var:
    """The same contiguous array, with dims that are known to be equal to its own."""
    return it.b.reshape(x, *dims)


@implements(np.repeat, method="repeat")
def repeat(it: Interpreter, node: Node, x: Any, repeats: Any, axis: Any = None) -> Any:
    (x,) = operands(it, node, (x,), "repeat")
    x = vector(it, x)
    if axis is None:
        x, axis = ravel(it, node, x), 0
    k = axis_of(it, node, x, axis)
    if isinstance(repeats, list | tuple) and len(repeats) == 1:
        (repeats,) = repeats
    if ndim(repeats) or isinstance(repeats, list | tuple):
        places = it.call(repeated, [x.type.dims[k], repeats], {}, node)
        return it.call_numpy(np.take, [x, places], {"axis": k}, node)
    b, n = it.b, x.type.ndim
    (repeats,) = dims_of(it, node, repeats)
    inner = b.view(
        x,
        spec=tuple(":" if a <= k else "" for a in range(k + 1)) + ("n",) + (":",) * (n - k - 1),
    )
    dims = list(x.type.dims)
    wide = b.broadcast_to(inner, *dims[: k + 1], repeats, *dims[k + 1 :])
    dims[k] = b.dim(b.mul(dims[k], repeats))
    return b.reshape(wide, *dims)


@implements(np.tile)
def tile(it: Interpreter, node: Node, x: Any, reps: Any) -> Any:
    (x,) = operands(it, node, (x,), "tile")
    counts = dims_of(it, node, reps)
    if not is_array(x):
        x = it.b.broadcast_to(x, 1)
    b = it.b
    missing = len(counts) - x.type.ndim
    if missing > 0:
        x = b.view(x, spec=("n",) * missing + (":",) * x.type.ndim)
    counts = [1] * -missing + counts if missing < 0 else counts
    n = x.type.ndim
    inner = b.view(x, spec=("n", ":") * n)
    wide = [d for c, m in zip(counts, x.type.dims, strict=True) for d in (c, m)]
    dims = [b.dim(b.mul(c, m)) for c, m in zip(counts, x.type.dims, strict=True)]
    return b.reshape(b.broadcast_to(inner, *wide), *dims)


# ---- places ----
@implements(np.nonzero, method="nonzero")
def nonzero(it: Interpreter, node: Node, x: Any) -> Any:
    (x,) = operands(it, node, (x,), "nonzero")
    if not is_array(x) or not x.type.dims:
        if not NUMBERS_HAVE_PLACES:
            it.fail("ValueError", "nonzero takes arrays of at least one axis")
        x = it.call_numpy(np.atleast_1d, [x], {}, node)
    mask = x if x.type.dtype == "bool" else it.b.ne(x, 0)
    return tuple(mask_places(it, mask, mask.type.dims))
