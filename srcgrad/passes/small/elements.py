"""Scalar expansions of operations on small arrays.

Elements are atoms in NumPy arrays of objects, of the operation's dtype and strong. Sums and
products add in the order of the elements; single precision is added in double, as nests do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce
from math import prod
from typing import Any

import numpy as np

from srcgrad.ir.build import Builder
from srcgrad.ir.nodes import Atom, Const, Def
from srcgrad.ir.types import Array, Dims, Scalar, atom_dims
from srcgrad.operation import Primitive
from srcgrad.primitives import arrays, memory, reductions

Elements = np.ndarray[Any, Any]  # of atoms; of one atom and no axis where the operand is a scalar
MOST = 16  # elements of a small array
WIDE = {"f16": "f64", "f32": "f64", "c64": "c128"}  # accumulator types of narrow numbers


def constant(dims: Dims) -> tuple[int, ...] | None:
    """The dims if none of them is a variable."""
    known = tuple(d for d in dims if isinstance(d, int))
    return known if len(known) == len(dims) else None


def is_small(type: Any) -> bool:
    dims = constant(type.dims) if isinstance(type, Array) else None
    return dims is not None and 0 < prod(dims) <= MOST


def made_dims(s: Def) -> tuple[int, ...]:
    """The constant dims of a definition's result."""
    assert s.var is not None
    dims = constant(atom_dims(s.var))
    assert dims is not None
    return dims


def filled(dims: tuple[int, ...], atoms: Iterable[Atom]) -> Elements:
    """Atoms in the order of the elements."""
    out: Elements = np.empty(dims, object)
    for at, a in zip(np.ndindex(dims), atoms, strict=True):
        out[at] = a
    return out


def elementwise(b: Builder, s: Def, given: list[Elements]) -> Elements:
    assert s.var is not None
    dims = made_dims(s)
    spread = [np.broadcast_to(x, dims) for x in given]
    made = [
        b(s.op, *(x[at] for x in spread), name=s.var.name, **s.params) for at in np.ndindex(dims)
    ]
    return filled(dims, made)


def _pack(b: Builder, s: Def, given: list[Elements]) -> Elements:
    return filled(made_dims(s), [x.item() for x in given])


def _iota(b: Builder, s: Def, given: list[Elements]) -> Elements:
    assert s.var is not None
    kind = Scalar(s.var.type.dtype)
    return filled(made_dims(s), [b.cast(k, kind) for k in range(*made_dims(s))])


def _zeros(b: Builder, s: Def, given: list[Elements]) -> Elements:
    dims = made_dims(s)
    kind = Scalar(s.params["dtype"])
    return filled(dims, [b.cast(0, kind)] * int(np.prod(dims)))


def _empty(b: Builder, s: Def, given: list[Elements]) -> Elements:
    dims, dtype = made_dims(s), s.params["dtype"]
    nothing = memory.unwritten((), dtype).item()
    return filled(dims, [Const(nothing, Scalar(dtype))] * int(np.prod(dims)))


def _copy(b: Builder, s: Def, given: list[Elements]) -> Elements:
    return given[0].copy()


def _broadcast_to(b: Builder, s: Def, given: list[Elements]) -> Elements:
    return np.broadcast_to(given[0], made_dims(s)).copy()


def _concatenate(b: Builder, s: Def, given: list[Elements]) -> Elements:
    return np.concatenate(given, axis=s.params["axis"])


def _sum(b: Builder, s: Def, given: list[Elements]) -> Elements:
    return _summed(b, given[0], s.params["axes"])


def _sum_to(b: Builder, s: Def, given: list[Elements]) -> Elements:
    (x,), dims = given, made_dims(s)
    lead = x.ndim - len(dims)
    repeated = [k for k, d in enumerate(dims, lead) if d == 1 and x.shape[k] != 1]
    return _summed(b, x, (*range(lead), *repeated)).reshape(dims)


def _matmul(b: Builder, s: Def, given: list[Elements]) -> Elements:
    x, z = given
    out: Elements = np.empty((*x.shape[:-1], z.shape[-1]), object)
    for *stack, i, j in np.ndindex(out.shape):
        out[(*stack, i, j)] = _dot(b, x[(*stack, i)], z[(*stack, slice(None), j)])
    return out


def _matvec(b: Builder, s: Def, given: list[Elements]) -> Elements:
    a, x = given
    return filled(a.shape[:1], [_dot(b, row, x) for row in a])


def _vecdot(b: Builder, s: Def, given: list[Elements]) -> Elements:
    return filled((), [_dot(b, *given)])


ELEMENTS: dict[Primitive, Callable[[Builder, Def, list[Elements]], Elements]] = {
    arrays.pack: _pack,
    arrays.concatenate: _concatenate,
    arrays.iota: _iota,
    arrays.matmul: _matmul,
    arrays.matvec: _matvec,
    arrays.vecdot: _vecdot,
    memory.zeros: _zeros,
    memory.empty: _empty,
    memory.copy: _copy,
    reductions.broadcast_to: _broadcast_to,
    reductions.sum: _sum,
    reductions.sum_to: _sum_to,
}


def _summed(b: Builder, x: Elements, axes: tuple[int, ...]) -> Elements:
    kept = [k for k in range(x.ndim) if k not in axes]
    dims = tuple(x.shape[k] for k in kept)
    rows = x.transpose(*kept, *axes).reshape(*dims, -1)
    return filled(dims, [_added(b, list(rows[at])) for at in np.ndindex(dims)])


def _dot(b: Builder, x: Elements, z: Elements) -> Atom:
    return reduce(lambda p, q: b.add(p, q), [b.mul(p, q) for p, q in zip(x, z, strict=True)])


def _added(b: Builder, xs: list[Atom]) -> Atom:
    wide = Scalar(WIDE.get(xs[0].type.dtype, xs[0].type.dtype))
    return reduce(lambda p, q: b.add(p, q), [b.cast(x, wide) for x in xs])
