"""Accesses: the element of an operand that a step of a nest touches.

Axes are matched from the right, as NumPy broadcasts. An operand axis of constant length 1 has no
index; one that may turn out to be 1 long has its index multiplied by a flag.
"""

from __future__ import annotations

from srcgrad.ir.build import Builder
from srcgrad.ir.nodes import Atom, Const, Var
from srcgrad.ir.types import INT, Dim, Dims, same_dim
from srcgrad.records import record

ZERO = Const(0, INT)


@record(frozen=True)
class Place:
    """An index: that of the nest's axis (None: 0), times a flag if there is one."""

    axis: int | None
    flag: Atom | None = None


Access = tuple[Place, ...]


def aligned(b: Builder, dims: Dims, nest: Dims, first: int = 0) -> Access:
    """The access to an operand with `dims` in a nest whose axes from `first` on are `nest`."""
    lead = len(nest) - len(dims)
    return tuple(
        ONE_LONG if k + lead < 0 else place(b, d, nest[k + lead], first + k + lead)
        for k, d in enumerate(dims)
    )


def place(b: Builder, dim: Dim, of_nest: Dim, axis: int) -> Place:
    if not isinstance(dim, Var) and dim == 1:
        return ONE_LONG
    if same_dim(dim, of_nest) or b.never_one(dim):
        return Place(axis)
    return Place(axis, b.cast(b.ne(dim, 1), INT))


ONE_LONG = Place(None)


def identity(rank: int) -> Access:
    return tuple(Place(k) for k in range(rank))


def is_exact(access: Access, nest: Dims) -> bool:
    """Whether an access is at the nest's own index."""
    return len(access) == len(nest) and all(
        p.flag is None and (p.axis == k or (p.axis is None and same_dim(nest[k], 1)))
        for k, p in enumerate(access)
    )


def depth(access: Access) -> int:
    """The number of the nest's loops that must be open before the element is known."""
    return max((p.axis + 1 for p in access if p.axis is not None), default=0)


def index(b: Builder, access: Access, indices: list[Atom]) -> list[Atom]:
    """The indices of an access; an axis whose loop is not open is known to be 1 long."""
    out: list[Atom] = []
    for p in access:
        at = indices[p.axis] if p.axis is not None and p.axis < len(indices) else ZERO
        out.append(at if p.flag is None else b.mul(at, p.flag))
    return out
