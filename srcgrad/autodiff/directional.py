"""Puts a direction in place of the tangents of a program in forward mode.

A direction has the dtype and the layout of what is passed for it. Its shape is compared with that
of its primal when the program runs; it is cast to the primal's dtype, and never stored to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from srcgrad.autodiff.seeds import Derivative, builder_after, dims_of
from srcgrad.ir.build import Builder
from srcgrad.ir.nodes import Atom, Function, If, Var
from srcgrad.ir.types import Array, Scalar
from srcgrad.ir.walk import rename
from srcgrad.primitives import memory
from srcgrad.records import record


@record(frozen=True)
class Direction:
    """A parameter that holds the direction of another one, and what errors call the two."""

    param: Var  # its dims are set by `along`
    shape: tuple[int, ...]  # 1: known to be that; 0: unknown, and may be 1
    name: str
    of: str


def along(
    tangent: Function, given: Sequence[Direction | None], table: Mapping[str, Any]
) -> Function:
    """The function with the given directions as its last parameters; None means zero."""
    d = Derivative.of(tangent, len(given), 0)
    b = builder_after(d.before, table)
    values: dict[Var, Any] = {}
    for dot, direction in zip(d.seeds, given, strict=True):
        values[dot] = _zero(b, dot) if direction is None else _fitted(b, dot, direction)
    params = (*d.params, *(g.param for g in given if g is not None))
    made = Function(tangent.name, params, (*b.out, *d.after), tangent.returns)
    return rename(made, values)


def _zero(b: Builder, dot: Var) -> Atom:
    t = dot.type
    return b.zeros(*t.dims, dtype=t.dtype) if isinstance(t, Array) else b.cast(0.0, t)


def _fitted(b: Builder, dot: Var, direction: Direction) -> Any:
    """A direction with the shape and the dtype of its primal, in memory of its own."""
    v, dims = direction.param, dims_of(dot.type)
    if isinstance(v.type, Array):
        v.type = Array(v.type.dtype, _lengths(b, direction), v.type.layout)
        _check_shape(b, dims, direction)
    if not isinstance(dot.type, Array):
        return b.cast(b.load(v) if isinstance(v.type, Array) else v, dot.type)
    own = b.cast(b.copy(v) if isinstance(v.type, Array) else v, Scalar(dot.type.dtype))
    return b.reshape(own, *dims) if isinstance(v.type, Array) else b.broadcast_to(own, *dims)


def _lengths(b: Builder, direction: Direction) -> tuple[Any, ...]:
    """The lengths of a direction as it is passed."""
    dims: list[Any] = []
    for axis, n in enumerate(direction.shape):
        known: dict[str, Any] = {"axis": axis} if n else {"axis": axis, "may_be_one": True}
        dims.append(1 if n == 1 else b(memory.dim, direction.param, **known))
    return tuple(dims)


def _check_shape(b: Builder, dims: tuple[Any, ...], direction: Direction) -> None:
    """Emits a check that a direction has the shape of its primal."""
    own = direction.param.type.dims
    message = f"{direction.name} has the shape {_text(own)}, {direction.of} has {_text(dims)}"
    if len(dims) == 1:
        b.check_equal(own[0], dims[0], message=message)
    if len(dims) < 2:
        return
    differs: Any = False
    for m, n in zip(own, dims, strict=True):
        differs = b.logical_or(differs, b.ne(m, n))
    with b.block() as failing:
        b.fail(*own, *dims, kind="ValueError", message=message)
    b.append(If(differs, tuple(failing), (), (), (), ()))


def _text(dims: tuple[Any, ...]) -> str:
    """A shape in which lengths are filled in later."""
    return f"({', '.join('{}' for _ in dims)}{',' * (len(dims) == 1)})"
