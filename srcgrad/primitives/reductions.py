"""Reductions over a static tuple of axes; the axes vanish from the result.

Ties of max and min share the adjoint evenly. `sum_to` undoes broadcasting. The product is in
`scans`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.operation import Stated
from srcgrad.primitives import numpy_fast_paths
from srcgrad.primitives.elementwise import eq
from srcgrad.primitives.libraries import copied
from srcgrad.primitives.memory import view
from srcgrad.primitives.registry import Operators, custom, linear, nondiff
from srcgrad.primitives.rules import select, shape


def reduced(b: Any, x: Any, axes: tuple[int, ...]) -> Stated:
    return x.type.dtype, tuple(d for k, d in enumerate(x.type.dims) if k not in axes)


def _reduced_bool(b: Any, x: Any, axes: tuple[int, ...]) -> Stated:
    return "bool", reduced(b, x, axes)[1]


def _reduced_int(b: Any, x: Any, axes: tuple[int, ...]) -> Stated:
    return "i64", reduced(b, x, axes)[1]


def _is_array(x: Any) -> bool:
    return isinstance(x, np.ndarray | np.generic)


def keep(y: Any, x: Any, axes: tuple[int, ...]) -> Any:
    """`y` with the reduced axes back as axes of length 1 (a scalar stays one)."""
    n = len(shape(x))
    if len(axes) == n:
        return y
    return view(y, spec=tuple("n" if k in axes else ":" for k in range(n)))


def _to_shape(g: Any, *dims: Any) -> Any:
    """`g` broadcast; for an array a view, which is never written to."""
    return np.broadcast_to(g, dims) if _is_array(g) else broadcast_to(g, *dims)


def _spread(g: Any, x: Any, axes: tuple[int, ...]) -> Any:
    return _to_shape(keep(g, x, axes), *shape(x))


def _sum(x: Any, axes: tuple[int, ...]) -> Any:
    y = numpy_fast_paths.summed(x, axes)
    return np.add.reduce(x, axis=axes, dtype=x.dtype) if y is None else y


sum = linear(
    "sum",
    _sum,
    lambda g, y, x, axes: _spread(g, x, axes),
    typing=reduced,
)


def _sum_to(x: Any, *dims: Any) -> Any:
    """Sums over the axes along which an array of shape `dims` was broadcast to `x`."""
    dims = tuple(int(d) for d in dims)
    lead = np.ndim(x) - len(dims)
    axes = tuple(k for k, d in enumerate(dims, lead) if d == 1 and x.shape[k] != 1)
    return np.add.reduce(x, axis=(*range(lead), *axes)).reshape(dims)[()]


def _sum_to_back(g: Any, y: Any, x: Any, *dims: Any) -> Any:
    return _to_shape(g, *shape(x))


def _to_dims(b: Any, x: Any, *dims: Any) -> Stated:
    return x.type.dtype, b.dims(dims)


def _expand(x: Any, *dims: Any) -> Any:
    return np.broadcast_to(x, dims)


def _broadcast_to(x: Any, *dims: Any) -> Any:
    return copied(np.broadcast_to(x, dims))


def _summed_back(g: Any, y: Any, x: Any, *dims: Any) -> Any:
    return sum_to(g, *shape(x))


sum_to = linear("sum_to", _sum_to, _sum_to_back, typing=_to_dims)
broadcast_to = linear("broadcast_to", _broadcast_to, _summed_back, typing=_to_dims, exact=True)
# the same as a read-only view: `expand` of a tensor
expand = linear("expand", _expand, _summed_back)


# ---- extrema: the winners share ----
def _winners(y: Any, x: Any, axes: tuple[int, ...]) -> tuple[Any, ...]:
    """1 where an element is the extremum, else 0; and how many of them share it."""
    won = select(eq(x, keep(y, x, axes)), 1.0, 0.0)
    mask: np.ndarray | Operators = won.c
    if isinstance(mask, np.ndarray):
        exact = np.float32 if mask.size < 2**24 else np.float64
        return won, np.asarray(numpy_fast_paths.counted(mask, axes), exact)
    return won, sum(won, axes=axes)


def _extremum_vjp(g: Any, y: Any, x: Any, axes: tuple[int, ...]) -> Any:
    won, count = _winners(y, x, axes)
    return won * keep(g / count, x, axes)


def _extremum_jvp(ts: tuple[Any, ...], y: Any, x: Any, axes: tuple[int, ...]) -> Any:
    won, count = _winners(y, x, axes)
    return sum(select(won.c, ts[0], 0.0), axes=axes) / count


max = custom(
    "max", lambda x, axes: np.max(x, axis=axes), _extremum_jvp, _extremum_vjp, typing=reduced,
    raises=True, exact=True, ordered=True,
)  # fmt: skip
min = custom(
    "min", lambda x, axes: np.min(x, axis=axes), _extremum_jvp, _extremum_vjp, typing=reduced,
    raises=True, exact=True, ordered=True,
)  # fmt: skip


def _first(f: Any) -> Any:
    def impl(x: Any, axes: tuple[int, ...]) -> Any:
        return f(x) if len(axes) == np.ndim(x) else f(x, axis=axes[0])

    return impl


argmax = nondiff(
    "argmax", _first(np.argmax), typing=_reduced_int, raises=True, decides=True, ordered=True
)
argmin = nondiff(
    "argmin", _first(np.argmin), typing=_reduced_int, raises=True, decides=True, ordered=True
)
any = nondiff("any", lambda x, axes: np.any(x, axis=axes), typing=_reduced_bool, decides=True)
all = nondiff("all", lambda x, axes: np.all(x, axis=axes), typing=_reduced_bool, decides=True)


def _count_nonzero(x: Any) -> int:
    return int(np.count_nonzero(x))


count_nonzero = nondiff(
    "count_nonzero", _count_nonzero, typing=lambda b, x: ("int", ()), decides=True
)
# the flat positions of the n true places of a mask
nonzero = nondiff(
    "nonzero",
    lambda x, n: np.flatnonzero(x),
    typing=lambda b, x, n: ("i64", b.dims((n,))),
    decides=True,
)
