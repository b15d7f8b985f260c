"""Reductions of NumPy: primitives of their names; mean and variance by their definitions."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from srcgrad.frontend.calls import strong
from srcgrad.frontend.formulas import indices
from srcgrad.frontend.handlers.elementwise import operands, scalar_type, to_out
from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import describe, is_array, is_number, is_scalar, plain
from srcgrad.ir.nodes import atom
from srcgrad.ir.rows import RowName
from srcgrad.ir.types import Scalar, is_complex, is_float, real_dtype


def axis_of(it: Interpreter, node: Node, x: Any, axis: Any) -> int:
    """One axis of an array, counted from the first; a number has none."""
    return place_of_axis(it, node, axis, x.type.ndim if is_array(x) else 0)


def axes_of(
    it: Interpreter, node: Node, x: Any, axis: Any, scalars: bool = False
) -> tuple[int, ...]:
    """An axis argument as sorted places; with `scalars` axis 0 of a number is accepted."""
    n = x.type.ndim if is_array(x) else 0
    if axis is None:
        return tuple(range(n))
    many = axis if isinstance(axis, tuple | list) else (axis,)
    out = [place_of_axis(it, node, a, n, scalars) for a in many]
    if len(set(out)) != len(out):
        it.refuse(node, "duplicate value in 'axis'", like=ValueError)
    return tuple(sorted(out))


def in_order(
    it: Interpreter, node: Node, axes: Any, like: type[Exception] | None = TypeError
) -> list[Any]:
    """Axes given as a sequence, in its order."""
    if not isinstance(axes, tuple | list | range):
        it.refuse(node, f"axes= takes a tuple of axes, not {describe(axes)}", like=like)
    return list(axes)


def place_of_axis(it: Interpreter, node: Node, axis: Any, n: int, scalars: bool = False) -> int:
    """One axis of `n`, counted from the first; with `scalars` a number has one."""
    k = it.static_int(axis, node, "an axis")
    bound = max(n, 1) if scalars else n
    if not -bound <= k < bound:
        said = f"axis {k} is out of bounds for array of dimension {n}"
        way_out = "" if n else "this is a number; of a list make an array: np.array(...)"
        it.wrong(node, said, np.exceptions.AxisError, way_out)
    return k % bound


def keep(it: Interpreter, x: Any, y: Any, axes: tuple[int, ...], keepdims: Any) -> Any:
    """The result, with the reduced axes as axes of length 1 if requested."""
    if not keepdims or not is_array(x):
        return y
    n = x.type.ndim
    if is_scalar(y):
        return it.b.broadcast_to(y, *([1] * n))
    return it.b.view(y, spec=tuple("n" if k in axes else ":" for k in range(n)))


def reduce(
    it: Interpreter, node: Node, name: str, x: Any, axis: Any, keepdims: Any, out: Any = None
) -> Any:
    (x,) = operands(it, node, (x,), name)
    if not is_array(x) or not x.type.dims:
        axes_of(it, node, x, axis, scalars=True)
        if name in ("argmax", "argmin"):
            return np.int64(0)
        return it.b.load(x) if is_array(x) else strong(it, x)
    axes = axes_of(it, node, x, axis)
    result = plain(it.b(name, x, axes=axes)) if axes else it.b.copy(x)
    return to_out(it, node, keep(it, x, result, axes, keepdims), out)


@implements(np.sum, method="sum")
def sum_(
    it: Interpreter, node: Node, x: Any, axis: Any = None, dtype: Any = None, out: Any = None,
    keepdims: Any = False, initial: Any = 0, where: Any = None,
) -> Any:  # fmt: skip
    (x,) = operands(it, node, (x,), "sum")
    if dtype is not None:
        x = plain(it.b.cast(x, scalar_type(it, node, dtype)))
    else:
        x = summed(it, x)
    if where is not None:
        x = it.b.where(where, x, 0)
    result = reduce(it, node, "sum", x, axis, keepdims)
    if not (is_number(initial) and initial == 0):
        result = it.emit(node, "add", result, _initial(it, initial, x))
    return to_out(it, node, result, out)


def _initial(it: Interpreter, initial: Any, x: Any) -> Any:
    """The initial value of a reduction, in the dtype of its computation."""
    return it.b.cast(initial, Scalar(atom(x).type.dtype))


def summed(it: Interpreter, x: Any) -> Any:
    """Small integers widened, as sums and products widen them."""
    dtype = atom(x).type.dtype
    if dtype in ("bool", "i8", "i16", "i32"):
        return plain(it.b.cast(x, Scalar("i64")))
    return plain(it.b.cast(x, Scalar("u64"))) if dtype in ("u8", "u16", "u32") else x


def vector(it: Interpreter, x: Any) -> Any:
    """A number as the array of one element that NumPy makes of it along an axis."""
    return x if is_array(x) and x.type.dims else it.b.broadcast_to(strong(it, x), 1)


def count(it: Interpreter, x: Any, axes: tuple[int, ...]) -> Any:
    """The number of elements reduced over."""
    return it.b.size([x.type.dims[a] for a in axes])


def floats(it: Interpreter, x: Any) -> Any:
    return x if is_float(atom(x).type.dtype) else plain(it.b.cast(x, Scalar("f64")))


def _averaged(it: Interpreter, node: Node, x: Any, dtype: Any, what: str) -> Any:
    """The operand of a mean or a variance, in the dtype of its computation."""
    if dtype is None:
        return floats(it, x)
    kind = scalar_type(it, node, dtype)
    if not is_float(kind.dtype) or (what == "var" and is_complex(kind.dtype)):
        it.refuse(node, f"{what} computed in {kind.dtype} is not supported", "use .astype()")
    return plain(it.b.cast(x, kind))


@implements(np.mean, method="mean")
def mean(
    it: Interpreter, node: Node, x: Any, axis: Any = None, dtype: Any = None, out: Any = None,
    keepdims: Any = False, where: Any = None,
) -> Any:  # fmt: skip
    (x,) = operands(it, node, (x,), "mean")
    axes_of(it, node, x, axis)
    x = _averaged(it, node, x, dtype, "mean")
    if not is_array(x):
        return x
    total = sum_(it, node, x, axis, keepdims=keepdims, where=where)
    number = _number_of(it, node, x, axis, keepdims, where)
    return to_out(it, node, it.emit(node, "div", total, number), out)


def _number_of(it: Interpreter, node: Node, x: Any, axis: Any, keepdims: Any, where: Any) -> Any:
    """The number of reduced elements; one number for each place where some are left out."""
    if where is None:
        return count(it, x, axes_of(it, node, x, axis))
    (where,) = operands(it, node, (where,), "where=")
    mask = it.b.broadcast_to(where, *x.type.dims)
    return it.b.cast(
        sum_(it, node, mask, axis, keepdims=keepdims), Scalar(real_dtype(x.type.dtype))
    )


def squared_size(it: Interpreter, x: Any) -> Any:
    """x², or |x|² of complex numbers."""
    b = it.b
    if not is_complex(atom(x).type.dtype):
        return b.mul(x, x)
    re, im = b.real(x), b.imag(x)
    return b.add(b.mul(re, re), b.mul(im, im))


@implements(np.var, method="var")
def var(
    it: Interpreter, node: Node, x: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof:
    Any = 0, keepdims: Any = False, where: Any = None, mean: Any = None, correction: Any = None,
) -> Any:  # fmt: skip
    (x,) = operands(it, node, (x,), "var")
    axes_of(it, node, x, axis)
    x = _averaged(it, node, x, dtype, "var")
    about = _mean(it, node, x, axis, keepdims=True, where=where) if mean is None else mean
    centred = it.emit(node, "sub", x, about)
    square = squared_size(it, centred)
    if not is_array(square):
        degrees: Any = 1
        total = square
    else:
        total = sum_(it, node, square, axis, keepdims=keepdims, where=where)
        degrees = _number_of(it, node, x, axis, keepdims, where)
    degrees = freedom(it, node, degrees, ddof if correction is None else correction)
    return to_out(it, node, it.emit(node, "div", total, degrees), out)


def freedom(it: Interpreter, node: Node, count: Any, lost: Any) -> Any:
    """The remaining degrees of freedom, at least 0."""
    if is_number(lost) and lost <= 0:
        return it.emit(node, "sub", count, lost)
    return it.emit(node, "maximum", it.emit(node, "sub", count, lost), 0)


_mean = mean


@implements(np.std, method="std")
def std(
    it: Interpreter, node: Node, x: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof:
    Any = 0, keepdims: Any = False, where: Any = None, mean: Any = None, correction: Any = None,
) -> Any:  # fmt: skip
    variance = var(it, node, x, axis, dtype, None, ddof, keepdims, where, mean, correction)
    return to_out(it, node, root(it, variance), out)


NEUTRAL = {"any": False, "all": True}


def none_of(it: Interpreter, dims: Any) -> Any:
    """Whether an array of this shape is empty."""
    zeros = [it.b.eq(d, 0) for d in dims if not is_number(d) or d == 0]
    return plain(functools.reduce(lambda p, q: it.b.logical_or(p, q), zeros, False))


def largest_of(
    it: Interpreter, node: Node, x: Any, axis: Any, keepdims: Any, of_nothing: float = 0.0
) -> Any:
    """The maximum along the axes; `of_nothing` if they are empty."""
    axes = axes_of(it, node, x, axis)
    return it.branch(
        none_of(it, [x.type.dims[k] for k in axes]),
        lambda: it.emit(node, "add", reduce(it, node, "sum", x, axes, keepdims), of_nothing),
        lambda: reduce(it, node, "max", x, axes, keepdims),
        node,
        live_rest=True,
    )


def _plain_reduction(name: str, *functions: Any) -> None:
    def handler(
        it: Interpreter, node: Node, x: Any, axis: Any = None, out: Any = None, keepdims: Any =
        False, initial: Any = None, where: Any = None,
    ) -> Any:  # fmt: skip
        (x,) = operands(it, node, (x,), name)
        if name in NEUTRAL and atom(x).type.dtype != "bool":
            x = it.b.ne(x, 0)
        if where is not None:
            if name in NEUTRAL:
                first: Any = NEUTRAL[name]
            elif initial is None:
                it.refuse(node, f"{name} with where= needs initial=, as in NumPy", like=ValueError)
            else:
                first = _initial(it, initial, x)
            x = it.emit(node, "where", where, x, first)
        if initial is None:
            result = reduce(it, node, name, x, axis, keepdims)
        elif is_array(x) and x.type.dims:
            result = _with_initial(it, node, name, x, axis, keepdims, initial)
        else:
            only = reduce(it, node, name, x, axis, False)
            better: RowName = "maximum" if name == "max" else "minimum"
            result = it.emit(node, better, only, _initial(it, initial, x))
        return to_out(it, node, result, out)

    implements(*functions, method=name)(handler)


def _with_initial(
    it: Interpreter, node: Node, name: str, x: Any, axis: Any, keepdims: Any, initial: Any
) -> Any:
    """Reduces the initial value with the others: it is the extremum of an empty array."""
    axes = axes_of(it, node, x, axis)
    for k in axes:
        dims = list(x.type.dims)
        dims[k] = 1
        first = it.b.broadcast_to(_initial(it, initial, x), *dims)
        x = it.b.concatenate(first, x, axis=k)
    return reduce(it, node, name, x, axis, keepdims)


_plain_reduction("max", np.max, np.amax)
_plain_reduction("min", np.min, np.amin)
_plain_reduction("any", np.any)
_plain_reduction("all", np.all)


def _places(name: str, f: Any) -> None:
    def handler(
        it: Interpreter, node: Node, x: Any, axis: Any = None, out: Any = None, keepdims: Any =
        False,
    ) -> Any:  # fmt: skip
        (x,) = operands(it, node, (x,), name)
        if is_complex(atom(x).type.dtype):
            last = it.call(indices.last_in_order, [x, axis, name == "argmin"], {}, node)
            return reduce(it, node, "argmax", last, axis, keepdims, out)
        return reduce(it, node, name, x, axis, keepdims, out)

    implements(f, method=name)(handler)


_places("argmax", np.argmax)
_places("argmin", np.argmin)


def in_proportion(name: str) -> Any:
    """A handler for softmax or log_softmax along axes; without axes each element is alone."""

    def handler(it: Interpreter, node: Node, x: Any, axis: Any = None) -> Any:
        (x,) = operands(it, node, (x,), name)
        x, axes = floats(it, x), axes_of(it, node, x, axis, scalars=True)
        if is_array(x) and x.type.dims and axes:
            return it.b(name, x, axes=axes)
        alone = it.emit(node, "sub", x, x)
        return it.emit(node, "exp", alone) if name == "softmax" else alone

    return handler


# ---- products ----
@implements(np.prod, method="prod")
def prod(
    it: Interpreter, node: Node, x: Any, axis: Any = None, dtype: Any = None, out: Any = None,
    keepdims: Any = False, initial: Any = None, where: Any = None,
) -> Any:  # fmt: skip
    (x,) = operands(it, node, (x,), "prod")
    x = summed(it, x) if dtype is None else plain(it.b.cast(x, scalar_type(it, node, dtype)))
    if where is not None:
        x = it.emit(node, "where", where, x, 1)
    axes = axes_of(it, node, x, axis, scalars=True)
    if not is_array(x) or not x.type.dims:
        result = it.b.load(x) if is_array(x) else strong(it, x)
    else:
        result = x
        for axis in reversed(axes):
            result = it.b.product(result, axes=(axis,))
        result = keep(it, x, result, axes, keepdims)
    if initial is not None:
        result = it.emit(node, "mul", result, _initial(it, initial, x))
    return to_out(it, node, result, out)


def _running(name: str, f: Any) -> None:
    def handler(
        it: Interpreter, node: Node, x: Any, axis: Any = None, dtype: Any = None, out: Any = None
    ) -> Any:
        (x,) = operands(it, node, (x,), name)
        x = vector(it, x)
        if axis is None and x.type.ndim != 1:
            x = it.call_numpy(np.ravel, [x], {}, node)
        x = summed(it, x) if dtype is None else it.b.cast(x, scalar_type(it, node, dtype))
        k = axis_of(it, node, x, 0 if axis is None else axis)
        if name == "cumsum":
            return to_out(it, node, it.b.cumsum(x, axis=k, reverse=False), out)
        before = it.b.running_product(x, axis=k, reverse=False)
        return to_out(it, node, it.b.mul(before, x), out)

    implements(f, method=name)(handler)


_running("cumsum", np.cumsum)
_running("cumprod", np.cumprod)


def root(it: Interpreter, total: Any) -> Any:
    """The square root of a sum of squares; its derivative at 0 is defined as 0."""
    b = it.b
    zero = b.eq(total, 0.0)
    return plain(b.where(zero, 0.0, b.sqrt(b.where(zero, 1.0, total))))
