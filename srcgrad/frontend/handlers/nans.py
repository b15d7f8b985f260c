"""Functions that pass over NaN: fmax, fmin, the nan-reductions, nan_to_num."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from srcgrad.frontend.handlers.elementwise import operands, positive
from srcgrad.frontend.handlers.reductions import reduce, root
from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.values import is_array, is_number
from srcgrad.ir.nodes import atom
from srcgrad.ir.types import Scalar, is_complex, is_float, np_dtype


def _extremum(f: Any, name: str) -> None:
    def handler(it: Any, node: Any, a: Any, c: Any) -> Any:
        if is_number(a) and is_number(c):
            return f(a, c)
        a, c = operands(it, node, (a, c), f.__name__)
        best = it.emit(node, name, a, c)
        if not is_float(atom(best).type.dtype):
            return best
        best = it.emit(node, "where", it.b("isnan", c), a, best)
        return it.emit(node, "where", it.b("isnan", a), c, best)

    implements(f)(handler)


_extremum(np.fmax, "maximum")
_extremum(np.fmin, "minimum")


def without_nan(it: Any, x: Any, instead: float) -> Any:
    """`x` with a number in the places of NaN."""
    return it.b("where", it.b("isnan", x), instead, x) if is_float(atom(x).type.dtype) else x


def _counted(it: Any, node: Any, x: Any, axis: Any, keepdims: Any) -> Any:
    """How many numbers there are along the axes, as a float of the dtype of `x`."""
    ones = it.b.cast(it.b("logical_not", it.b("isnan", x)), Scalar(x.type.dtype))
    return reduce(it, node, "sum", ones, axis, keepdims)


def _array(it: Any, node: Any, x: Any, f: Any) -> Any:
    (x,) = operands(it, node, (x,), f.__name__)
    if not is_array(x):
        it.refuse(node, f"{f.__name__} of a number is not supported")
    return x


def _filled_reduction(f: Any, whole: Any, neutral: float) -> None:
    def handler(it: Any, node: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
        return it.call_numpy(whole, [without_nan(it, _array(it, node, x, f), neutral), *args],
                             kwargs, node)  # fmt: skip

    implements(f)(handler)


_filled_reduction(np.nansum, np.sum, 0.0)
_filled_reduction(np.nanprod, np.prod, 1.0)
_filled_reduction(np.nancumsum, np.cumsum, 0.0)
_filled_reduction(np.nancumprod, np.cumprod, 1.0)


def _nan_extremum(f: Any, name: str, whole: Any, neutral: float) -> None:
    def handler(it: Any, node: Any, x: Any, axis: Any = None, keepdims: Any = False) -> Any:
        x = _array(it, node, x, f)
        if not is_float(x.type.dtype):
            return reduce(it, node, name, x, axis, keepdims)
        best = reduce(it, node, name, without_nan(it, x, neutral), axis, keepdims)
        # where there are only NaNs there is no extremum
        nothing = it.b("eq", _counted(it, node, x, axis, keepdims), 0.0)
        return it.emit(node, "where", nothing, math.nan, best)

    implements(f)(handler)


_nan_extremum(np.nanmax, "max", np.max, -math.inf)
_nan_extremum(np.nanmin, "min", np.min, math.inf)


@implements(np.nanmean)
def nanmean(it: Any, node: Any, x: Any, axis: Any = None, keepdims: Any = False) -> Any:
    x = _array(it, node, x, np.nanmean)
    if not is_float(x.type.dtype):
        return it.call_numpy(np.mean, [x], {"axis": axis, "keepdims": keepdims}, node)
    total = reduce(it, node, "sum", without_nan(it, x, 0.0), axis, keepdims)
    return it.emit(node, "div", total, _counted(it, node, x, axis, keepdims))


@implements(np.nanvar)
def nanvar(
    it: Any, node: Any, x: Any, axis: Any = None, ddof: Any = 0, keepdims: Any = False
) -> Any:
    x = _array(it, node, x, np.nanvar)
    if not is_float(x.type.dtype):
        kwargs = {"axis": axis, "ddof": ddof, "keepdims": keepdims}
        return it.call_numpy(np.var, [x], kwargs, node)
    gap = it.b("sub", x, nanmean(it, node, x, axis, keepdims=True))
    gap = it.b("where", it.b("isnan", x), 0.0, gap)
    total = reduce(it, node, "sum", it.b("mul", gap, gap), axis, keepdims)
    degrees = it.b("sub", _counted(it, node, x, axis, keepdims), ddof)
    degrees = it.b("where", it.b("gt", degrees, 0.0), degrees, math.nan)
    return it.emit(node, "div", total, degrees)


@implements(np.nanstd)
def nanstd(it: Any, node: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
    return root(it, it.call_numpy(np.nanvar, [x, *args], kwargs, node))


@implements(np.nan_to_num)
def nan_to_num(
    it: Any, node: Any, x: Any, copy: Any = True, nan: Any = 0.0, posinf: Any = None,
    neginf: Any = None,
) -> Any:  # fmt: skip
    if not copy:
        it.refuse(node, "nan_to_num with copy=False is not supported", "use x[...] = ...")
    (x,) = operands(it, node, (x,), "nan_to_num")
    if not is_float(atom(x).type.dtype):
        return positive(it, node, x)
    if is_complex(atom(x).type.dtype):
        it.refuse(node, "nan_to_num of complex numbers is not supported", "take their parts")
    big = float(np.finfo(np_dtype(atom(x).type.dtype)).max)
    above, below = big if posinf is None else posinf, -big if neginf is None else neginf
    y = it.b("where", it.b("isnan", x), nan, x)
    y = it.b("where", it.b("eq", x, math.inf), above, y)
    return it.emit(node, "where", it.b("eq", x, -math.inf), below, y)
