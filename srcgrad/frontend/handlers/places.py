"""Index arrays and values on a scale: ix_, triu_indices, fill_diagonal, logspace, geomspace."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.frontend.handlers.creation import dims_of, linspace, ranges
from srcgrad.frontend.handlers.elementwise import operands, scalar_type
from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.handlers.shapes import nonzero, ravel
from srcgrad.frontend.values import Slice, is_array


@implements(np.logspace)
def logspace(
    it: Any, node: Any, start: Any, stop: Any, num: Any = 50, endpoint: Any = True,
    base: Any = 10.0, dtype: Any = None,
) -> Any:  # fmt: skip
    out = it.power(base, linspace(it, node, start, stop, num, endpoint), node)
    return out if dtype is None else it.b.cast(out, scalar_type(it, node, dtype))


@implements(np.geomspace)
def geomspace(
    it: Any, node: Any, start: Any, stop: Any, num: Any = 50, endpoint: Any = True,
    dtype: Any = None,
) -> Any:  # fmt: skip
    fraction = linspace(it, node, 0.0, 1.0, num, endpoint)
    ratio = it.emit(node, "div", stop, start)
    out = it.emit(node, "mul", start, it.power(ratio, fraction, node))
    return out if dtype is None else it.b.cast(out, scalar_type(it, node, dtype))


@implements(slice)
def slice_(it: Any, node: Any, *bounds: Any) -> Any:
    lower, upper, step = (None, *bounds, None) if len(bounds) == 1 else (*bounds, None)[:3]
    return Slice(lower, upper, step)


@implements(np.ix_)
def ix_(it: Any, node: Any, *xs: Any) -> Any:
    """Index vectors, each along an axis of its own."""
    out = []
    for k, x in enumerate(operands(it, node, xs, "ix_")):
        if not is_array(x) or x.type.ndim != 1:
            it.refuse(node, "ix_ takes vectors", like=ValueError)
        (places,) = nonzero(it, node, x) if x.type.dtype == "bool" else (x,)
        spec = tuple(":" if a == k else "n" for a in range(len(xs)))
        out.append(it.b("view", places, spec=spec))
    return tuple(out)


def _triangle(name: str, f: Any, of_array: Any) -> None:
    def handler(it: Any, node: Any, n: Any, k: Any = 0, m: Any = None) -> Any:
        dims = dims_of(it, node, (n, n if m is None else m))
        rows, cols = ranges(it, *dims)
        inside = it.b(name, it.b("add", rows, k), cols)
        return tuple(it.mask_places(inside, inside.type.dims))

    def handler_of_array(it: Any, node: Any, x: Any, k: Any = 0) -> Any:
        if not is_array(x) or x.type.ndim != 2:
            it.fail("ValueError", "input array must be 2-d")
        return handler(it, node, x.type.dims[0], k, x.type.dims[1])

    implements(f)(handler)
    implements(of_array)(handler_of_array)


_triangle("ge", np.tril_indices, np.tril_indices_from)
_triangle("le", np.triu_indices, np.triu_indices_from)


@implements(np.diag_indices)
def diag_indices(it: Any, node: Any, n: Any, ndim: Any = 2) -> Any:
    places = it.b("iota", *dims_of(it, node, n))
    return (places,) * it.static_int(ndim, node, "the number of axes")


@implements(np.fill_diagonal)
def fill_diagonal(it: Any, node: Any, a: Any, value: Any, wrap: Any = False) -> None:
    if not is_array(a) or a.type.ndim != 2 or wrap:
        wrong = ValueError if is_array(a) and a.type.ndim < 2 else None
        it.refuse(node, "fill_diagonal takes a matrix, and wrap=True is not supported", like=wrong)
    (value,) = operands(it, node, (value,), "fill_diagonal")
    places = it.b("iota", it.b.dim(it.b("minimum", *a.type.dims)))
    if is_array(value):
        # NumPy repeats values that are too few and drops those that are too many
        value = ravel(it, node, value)
        value = it.read(value, [it.b("mod", places, value.type.dims[0])], node)
    it.write(a, [places, places], value, node)
