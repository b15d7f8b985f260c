"""Statistics of samples: quantiles, covariances, correlations."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.frontend.formulas.statistics import weighted_cov
from srcgrad.frontend.handlers.calculus import part
from srcgrad.frontend.handlers.elementwise import operands, to_out
from srcgrad.frontend.handlers.products import product
from srcgrad.frontend.handlers.reductions import (
    axes_of,
    freedom,
    keep,
    mean,
    reduce,
)
from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.handlers.shapes import ravel, reshape, transpose
from srcgrad.frontend.values import Known, Slice, is_array, is_number, is_scalar, plain
from srcgrad.ir.nodes import Var
from srcgrad.ir.types import INT, Scalar, is_float

# alpha and beta of Hyndman and Fan (1996): where a quantile lies between the sorted values
BETWEEN = {
    "linear": (1.0, 1.0), "weibull": (0.0, 0.0), "hazen": (0.5, 0.5),
    "interpolated_inverted_cdf": (0.0, 1.0), "median_unbiased": (1.0 / 3.0, 1.0 / 3.0),
    "normal_unbiased": (3.0 / 8.0, 3.0 / 8.0),
}  # fmt: skip
# the place among the sorted values that is taken, by the primitive that rounds it
ROUNDED = {"lower": ("floor",), "higher": ("ceil",), "nearest": ("rint",),
           "midpoint": ("floor", "ceil")}  # fmt: skip


def _lanes(it: Any, node: Any, x: Any, axis: Any) -> tuple[Any, int, tuple[int, ...]]:
    """The array with the reduced axes as one, that axis, and the axes as they were."""
    axes = axes_of(it, node, x, axis)
    if axis is None:
        return ravel(it, node, x), 0, axes
    if len(axes) == 1:
        return x, axes[0], axes
    rest = [k for k in range(x.type.ndim) if k not in axes]
    moved = transpose(it, node, x, [*rest, *axes])
    many = it.b.dim(it.b.size([x.type.dims[k] for k in axes]))
    return reshape(it, node, moved, (*moved.type.dims[: len(rest)], many)), len(rest), axes


def _sorted_floats(it: Any, node: Any, x: Any, axis: Any, what: str) -> tuple[Any, Any, int, tuple]:
    (x,) = operands(it, node, (x,), what)
    if not is_array(x) or not x.type.dims:
        it.refuse(node, f"the {what} of a number is not supported")
    if x.type.dtype == "bool":
        it.refuse(
            node, f"the {what} of booleans is not supported", "use .astype(float)", like=TypeError
        )
    x = x if is_float(x.type.dtype) else it.b.cast(x, Scalar("f64"))
    lanes, k, axes = _lanes(it, node, x, axis)
    return x, it.call_numpy(np.sort, [lanes], {"axis": k}, node), k, axes


def _pick(it: Any, node: Any, ordered: Any, axis: int, place: Any) -> Any:
    items: list[Any] = [Slice(None, None, None) for _ in ordered.type.dims]
    items[axis] = plain(place)
    return it.read(ordered, items, node)


@implements(np.median)
def median(
    it: Any, node: Any, x: Any, axis: Any = None, out: Any = None, overwrite_input: Any = False,
    keepdims: Any = False,
) -> Any:  # fmt: skip
    _refuse_overwriting(it, node, overwrite_input)
    x, ordered, k, axes = _sorted_floats(it, node, x, axis, "median")
    b, n = it.b, ordered.type.dims[k]
    low, high = b("floordiv", b("sub", n, 1), 2), b("floordiv", n, 2)
    middle = part(it, node, ordered, k, b.dim(b("maximum", low, 0)), b.dim(b("add", high, 1)))
    value = mean(it, node, middle, k)  # of one or two, or of nothing
    value = _without_order(it, node, ordered, k, value)
    return to_out(it, node, keep(it, x, value, axes, keepdims), out)


def _refuse_overwriting(it: Any, node: Any, overwrite_input: Any) -> None:
    if overwrite_input is not False:
        it.refuse(node, "overwrite_input is not supported", "leave it out")


def _without_order(it: Any, node: Any, ordered: Any, axis: int, value: Any) -> Any:
    """NaNs are sorted to the end; with one there is no order."""
    last = reduce(it, node, "sum", part(it, node, ordered, axis, -1, None), axis, False)
    return it.emit(node, "where", it.b("isnan", last), last, value)


@implements(np.quantile)
def quantile(
    it: Any, node: Any, x: Any, q: Any, axis: Any = None, out: Any = None,
    overwrite_input: Any = False, method: Any = "linear", keepdims: Any = False,
) -> Any:  # fmt: skip
    _refuse_overwriting(it, node, overwrite_input)
    if method not in BETWEEN and method not in ROUNDED:
        it.refuse(node, f"the method {method!r} of a quantile is not supported", "use 'linear'")
    for v in [q] if is_number(q) else q if isinstance(q, list | tuple) else []:
        if is_number(v) and not 0 <= v <= 1:
            it.refuse(node, "Quantiles must be in the range [0, 1]", like=ValueError)
    x, ordered, k, axes = _sorted_floats(it, node, x, axis, "quantile")

    def one(v: Any) -> Any:
        return keep(it, x, _at_quantile(it, node, ordered, k, v, method), axes, keepdims)

    if is_scalar(q):
        return to_out(it, node, one(q), out)
    # NumPy makes an array of the q: its float64 is that of the result
    many = [one(v) for v in it.static_items(q, node)]
    result = it.call_numpy(np.stack, [[it.b.cast(v, Scalar("f64")) for v in many]], {}, node)
    return to_out(it, node, result, out)


def _at_quantile(it: Any, node: Any, ordered: Any, axis: int, q: Any, method: str) -> Any:
    """The value at the fraction `q` of the way along a sorted axis."""
    b, n = it.b, ordered.type.dims[axis]
    if isinstance(q, Var):
        outside = b("logical_or", b("lt", q, 0.0), b("gt", q, 1.0))
        it.fail_if(plain(outside), "ValueError", "Quantiles must be in the range [0, 1]")
    last = b("sub", n, 1)
    if method in ROUNDED:
        at = b("mul", q, b.cast(last, Scalar("f64", True)))
        places = [b.cast(b(name, at), INT) for name in ROUNDED[method]]
        picked = [_pick(it, node, ordered, axis, place) for place in places]
        value = picked[0] if len(picked) == 1 else b("mul", b("add", *picked), 0.5)
        return _without_order(it, node, ordered, axis, value)
    alpha, beta = BETWEEN[method]
    if method == "linear":
        at = b("mul", q, b.cast(last, Scalar("f64", True)))
    else:
        at = b("mul", b.cast(n, Scalar("f64", True)), q)
        at = b("add", at, b("add", alpha - 1.0, b("mul", q, 1.0 - alpha - beta)))
        at = b("minimum", b("maximum", at, 0.0), b.cast(last, Scalar("f64", True)))
    low = b("maximum", b.cast(b("floor", at), INT), 0)
    high = b("minimum", b("add", low, 1), last)
    weight = b.cast(b("sub", at, low), Scalar(ordered.type.dtype))
    below, above = (_pick(it, node, ordered, axis, place) for place in (low, high))
    value = b("add", below, b("mul", b("sub", above, below), weight))
    return _without_order(it, node, ordered, axis, value)


@implements(np.percentile)
def percentile(it: Any, node: Any, x: Any, q: Any, *args: Any, **kwargs: Any) -> Any:
    if is_scalar(q):
        fractions = it.emit(node, "div", q, 100.0)
    else:
        fractions = [it.emit(node, "div", v, 100.0) for v in it.static_items(q, node)]
    return it.call_numpy(np.quantile, [x, fractions, *args], kwargs, node)


@implements(np.cov)
def cov(
    it: Any, node: Any, m: Any, y: Any = None, rowvar: Any = True, bias: Known = False,
    ddof: Any = None, fweights: Any = None, aweights: Any = None, *, dtype: Any = None,
) -> Any:  # fmt: skip
    x = _variables(it, node, m, rowvar)
    if y is not None:
        other = _variables(it, node, y, rowvar)
        x = it.call_numpy(np.concatenate, [[x, other]], {}, node)
    b = it.b
    free = (0 if bias else 1) if ddof is None else ddof
    if dtype is not None:
        it.refuse(node, "cov with a dtype is not supported")
    if fweights is not None or aweights is not None:
        weights = [1.0 if w is None else w for w in (fweights, aweights)]
        return it.call(weighted_cov, [x, *weights, aweights is not None, free], {}, node)
    gap = b("sub", x, mean(it, node, x, 1, keepdims=True))
    total = product(it, node, gap, transpose(it, node, gap))
    c = it.emit(node, "div", total, freedom(it, node, x.type.dims[1], free))
    one = all(is_number(d) and d == 1 for d in c.type.dims)
    return b("load", c, 0, 0) if one else c


def _variables(it: Any, node: Any, x: Any, rowvar: Any) -> Any:
    """Samples as rows of float64, one row per variable."""
    (x,) = operands(it, node, (x,), "cov")
    if not is_array(x) or x.type.ndim > 2:
        it.refuse(node, "the covariance takes vectors and matrices", like=ValueError)
    x = it.b.cast(x, Scalar("f64"))
    if x.type.ndim == 1:
        return it.b("view", x, spec=("n", ":"))
    return x if rowvar else transpose(it, node, x)


@implements(np.corrcoef)
def corrcoef(it: Any, node: Any, x: Any, y: Any = None, rowvar: Any = True) -> Any:
    c = cov(it, node, x, y, rowvar)
    if not is_array(c):
        return it.emit(node, "div", c, c)
    b = it.b
    deviation = b("sqrt", it.call_numpy(np.diagonal, [c], {}, node))
    column, row = b("view", deviation, spec=(":", "n")), b("view", deviation, spec=("n", ":"))
    return it.emit(node, "clip", b("div", b("div", c, column), row), -1.0, 1.0)
