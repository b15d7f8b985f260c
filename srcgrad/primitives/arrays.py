"""Primitives that make whole arrays from others: ranges, joins, matrix products."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.operation import Stated
from srcgrad.primitives.memory import load, transpose, view
from srcgrad.primitives.registry import linear, multilinear, nondiff
from srcgrad.primitives.rules import shape


def expand_dims(x: Any, axes: tuple[int, ...]) -> Any:
    """A view with new axes of length 1 at `axes` of the result."""
    n = len(shape(x)) + len(axes)
    return view(x, spec=tuple("n" if k in axes else ":" for k in range(n)))


def matrix_transpose(x: Any) -> Any:
    n = len(shape(x))
    return transpose(x, perm=(*range(n - 2), n - 1, n - 2))


iota = nondiff(
    "iota",
    np.arange,
    typing=lambda b, n: ("i64", b.dims((n,))),
    fresh=True,
)


def _concatenate_typing(b: Any, *xs: Any, axis: int) -> Stated:
    dims = list(xs[0].type.dims)
    dims[axis] = b.total([x.type.dims[axis] for x in xs])
    return xs[0].type.dtype, tuple(dims)


class _Pieces:
    """The transposes of a join, one per argument: the piece of `g` that the argument became."""

    def __getitem__(self, k: int) -> Any:
        def piece(g: Any, y: Any, *xs: Any, axis: int) -> Any:
            start: Any = 0
            for x in xs[:k]:
                start = start + shape(x)[axis]
            n = len(shape(g))
            spec = tuple("s" if a == axis else ":" for a in range(n))
            return view(g, start, shape(xs[k])[axis], 1, spec=spec)

        return piece


def _concatenate(*xs: Any, axis: int) -> Any:
    return np.concatenate(xs, axis=axis)


concatenate = linear(
    "concatenate",
    _concatenate,
    typing=_concatenate_typing,
)
object.__setattr__(concatenate, "rules", _Pieces())


# ---- matrix product, of matrices and stacks of matrices with the same leading dims ----
def _matmul_typing(b: Any, x: Any, z: Any) -> Stated:
    return x.type.dtype, (*x.type.dims[:-1], z.type.dims[-1])


matmul = multilinear(
    "matmul",
    np.matmul,
    lambda g, y, a, b: matmul(g, matrix_transpose(b)),
    lambda g, y, a, b: matmul(matrix_transpose(a), g),
    typing=_matmul_typing,
)
vecdot = multilinear(
    "vecdot",
    lambda a, b: np.dot(a, b),
    lambda g, y, a, b: b * g,
    lambda g, y, a, b: a * g,
    typing=lambda b, x, z: (x.type.dtype, ()),
)
matvec = multilinear(
    "matvec",
    lambda a, x: np.dot(a, x),
    lambda g, y, a, x: expand_dims(g, (1,)) * expand_dims(x, (0,)),
    lambda g, y, a, x: matvec(transpose(a, perm=(1, 0)), g),
    typing=lambda b, a, x: (a.type.dtype, (a.type.dims[0],)),
)


# ---- an array of scalars ----
class _Places:
    """The transposes of `pack`: the k-th scalar gets the k-th element of `g`."""

    def __getitem__(self, k: int) -> Any:
        def place(g: Any, y: Any, *xs: Any, dims: Any = None) -> Any:
            return load(g, *packed_at(k, dims))

        return place


def packed_at(k: int, dims: tuple[int, ...] | None) -> tuple[int, ...]:
    """The indices of the k-th scalar in a `pack` with these dims; None: a vector."""
    return (k,) if dims is None else tuple(int(i) for i in np.unravel_index(k, dims))


def _pack(*xs: Any, dims: tuple[int, ...] | None = None) -> Any:
    packed = np.array(xs)
    return packed if dims is None else packed.reshape(dims)


def _pack_typing(b: Any, *xs: Any, dims: tuple[int, ...] | None = None) -> Stated:
    return xs[0].type.dtype, (len(xs),) if dims is None else dims


pack = linear(
    "pack",
    _pack,
    typing=_pack_typing,
)
object.__setattr__(pack, "rules", _Places())
