"""Divides a trip into rows of statements, which become loops over lanes, and the loops around them.

A loop of the trip that has a recurrence goes around the lanes, as do the loops in it; another one
is a row of its own, for its trips are vectorised as they are. Never writes a statement.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from srcgrad.ir.nodes import Atom, Block, Def, For, Stmt, Var, While
from srcgrad.passes.combining import reads_of_statements
from srcgrad.passes.strips.candidates import recurrences
from srcgrad.passes.strips.uniform import Uniform
from srcgrad.records import record

Moves = Sequence[tuple[Var, Atom]]  # a buffer, and the value of each lane to put there


@record(frozen=True)
class Once:
    """A statement that is the same for all lanes."""

    statement: Stmt


@record(frozen=True)
class Row:
    """Statements for one lane after the other, and the values that go to buffers then."""

    statements: tuple[Stmt, ...]
    moves: Moves


@record(frozen=True)
class Around:
    """A loop around the lanes."""

    loop: For
    parts: tuple[Part, ...]


@record(frozen=True)
class Masked:
    """A `while` whose trips run for all lanes."""

    loop: While


@record(frozen=True)
class Made:
    """A buffer of the trip's own, for all lanes."""

    statement: Def


Part = Once | Row | Around | Masked | Made


class Plan:
    """The parts of a trip; `buffers` are those of the values that its inner loops carry."""

    def __init__(self, uniform: Uniform, buffers: Mapping[Var, Var]):
        self.uniform, self.buffers = uniform, buffers

    def parts(self, block: Block, moves: Moves, inside: bool = False) -> tuple[Part, ...]:
        """`moves` come last; `inside`: whether a loop around the block goes around the lanes."""
        out: list[Part] = []
        row: list[Stmt] = []

        def close(moves: Moves = ()) -> None:
            if row or moves:
                out.append(Row(tuple(row), moves))
                row.clear()

        for s in block:
            if self.uniform.is_uniform(s):
                out.append(Once(s))
            elif isinstance(s, Def) and self.uniform.own.makes(s):
                if s.var in self.uniform.own.buffers:
                    close()
                    out.append(Made(s))
            elif goes_around(s, self.uniform, inside):
                assert isinstance(s, For | While)
                close(self.moved(s, s.inits))
                out.append(self.around(s))
            elif isinstance(s, For):
                close()
                out.append(Row((s,), ()))
            else:
                row.append(s)
        close(moves)
        return tuple(out)

    def around(self, s: For | While) -> Part:
        if isinstance(s, While):
            return Masked(s)
        return Around(s, self.parts(s.body, self.moved(s, s.yields), inside=True))

    def moved(self, s: For | While, values: Sequence[Atom]) -> Moves:
        """The values that a loop carries, given for its first or its next trip."""
        pairs = zip(s.params, values, strict=True)
        return [(self.buffers[p], a) for p, a in pairs if p in self.buffers and a is not p]


def goes_around(s: Stmt, uniform: Uniform, inside: bool) -> bool:
    """Whether a statement of a trip that is not uniform is a loop that goes around the lanes."""
    if isinstance(s, For):
        found = recurrences((s,), reads_of_statements())
        return inside or uniform.around or next(found, None) is not None
    return isinstance(s, While)


def loops_around(block: Block, uniform: Uniform, inside: bool = False) -> Iterator[For | While]:
    """The loops of a trip that go around the lanes, inner ones included."""
    for s in block:
        if not uniform.is_uniform(s) and goes_around(s, uniform, inside):
            assert isinstance(s, For | While)
            yield s
            if isinstance(s, For):
                yield from loops_around(s.body, uniform, inside=True)


def side_by_side(block: Block, uniform: Uniform) -> Iterator[Def]:
    """The definitions that a loop over lanes runs itself: in no branch, nor in a loop of a lane."""
    yield from (s for s in block if isinstance(s, Def))
    for s in loops_around(block, uniform):
        if isinstance(s, For):
            yield from (t for t in s.body if isinstance(t, Def))


def rows(parts: Sequence[Part]) -> Iterator[Row]:
    """The rows among these parts, and in their loops."""
    for p in parts:
        match p:
            case Row():
                yield p
            case Around():
                yield from rows(p.parts)
            case _:
                pass
