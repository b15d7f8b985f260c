"""The shapes of loops: the facts that decide whether loops may be joined, and stay vectorised."""

from __future__ import annotations

from collections.abc import Sequence

from srcgrad.ir.nodes import Def, For, Stmt, While
from srcgrad.ir.types import Scalar, is_float
from srcgrad.ir.walk import walk
from srcgrad.passes.ahead import is_function
from srcgrad.passes.effects import is_scalar_operation
from srcgrad.passes.loops_in_chunks import VECTORISED
from srcgrad.passes.places import ELEMENTS
from srcgrad.passes.strips.candidates import INLINE
from srcgrad.primitives import memory
from srcgrad.records import record

MOST = 400  # statements of a joined loop


@record(frozen=True)
class Shape:
    """A loop's statements: how many, whether loops are among them, whether all are plain.

    `quick`, `slow`: whether a function is among them that vector loops have, or one that keeps a
    loop from being vectorised.
    """

    size: int
    nested: bool
    plain: bool
    quick: bool
    slow: bool

    def __add__(self, other: Shape) -> Shape:
        return Shape(
            self.size + other.size, self.nested or other.nested, self.plain and other.plain,
            self.quick or other.quick, self.slow or other.slow,
        )  # fmt: skip

    def __sub__(self, gone: int) -> Shape:
        return Shape(self.size - gone, self.nested, self.plain, self.quick, self.slow)

    @property
    def fits(self) -> bool:
        """Whether such a loop may be one that is joined."""
        return self.plain and self.size <= MOST

    def is_as_vectorised(self, other: Shape) -> bool:
        """Whether both loops are nests, or neither is, and no function would lose its vectors."""
        if self.nested or other.nested:
            return self.nested and other.nested
        return self.slow == other.slow or not (self.quick if other.slow else other.quick)


def shape_of(s: For) -> Shape:
    inside = walk(s.body)
    nested = any(isinstance(t, For | While) for t in inside)
    made = [t for t in inside if isinstance(t, Def) and t.var is not None]
    quick = any(map(is_function, made))
    return Shape(len(inside), nested, _is_plain(inside), quick, any(map(_is_slow, made)))


def _is_plain(inside: Sequence[Stmt]) -> bool:
    """Whether statements only compute with scalars, elements and memory of their own."""
    return all(
        is_scalar_operation(s) or s.op in ELEMENTS or s.op.view
        or s.op in (memory.empty, memory.zeros) or _is_check(s)
        for s in inside if isinstance(s, Def)
    )  # fmt: skip


def _is_check(s: Def) -> bool:
    return s.var is None and s.op.raises and all(isinstance(a.type, Scalar) for a in s.args)


def _is_slow(s: Def) -> bool:
    """Whether a float is made by a call that no vector loop has."""
    if not is_scalar_operation(s) or s.op in INLINE or s.op in VECTORISED:
        return False
    return is_float(s.var.type.dtype)  # type: ignore[union-attr]  (it has a result)
