"""Shared tapes: what a trip saves lies on one tape, a row for each trip.

>>> show(shared_tapes(parse('''
... def f(x: f64[n]):
...     n: int = dim(x, axis=0)
...     a_tape: tape[f64] = tape(16, dtype='f64')
...     b_tape: tape[f64] = tape(16, dtype='f64')
...     for i in range(0, n):
...         v: f64 = load(x, i)
...         m: int = add(i, 1)
...         reserve(a_tape, m)
...         store(a_tape, i, v)
...         w: f64 = exp(v)
...         reserve(b_tape, m)
...         store(b_tape, i, w)
...     return ()
... '''), fewest=2))
def f(x: f64[n]):
    n: int = dim(x, axis=0)
    a_tape: tape[f64] = tape(32, dtype='f64')
    for i in range(0, n):
        v: f64 = load(x, i)
        m: int = add(i, 1)
        t: int = mul(m, 2)
        reserve(a_tape, t)
        t1: int = mul(i, 2)
        store(a_tape, t1, v)
        w: f64 = exp(v)
        t2: int = add(t1, 1)
        store(a_tape, t2, w)
    return ()

Each tape that grows costs some forty machine instructions where it is made, grown, remembered and
released, and two registers in between. Tapes are shared that reverse mode made and that grow at
once, in one block and to one size: none becomes longer than it was. Fewer than `fewest` stay apart:
a short trip may be vectorised, which rows of a tape would prevent.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count
from typing import Any

from srcgrad.ir.build import Builder
from srcgrad.ir.facts import contents
from srcgrad.ir.nodes import Atom, Block, Const, Def, Function, Stmt, Var, altered
from srcgrad.ir.types import INT
from srcgrad.ir.walk import blocks, uses
from srcgrad.passes.emitter import Emitter, builder_for
from srcgrad.primitives import memory, tapes
from srcgrad.records import record

FEWEST = 16  # tapes that become one: trips with ten take 1.04 times as long by rows
LONG = 48  # of those that are made longer before a loop: trips of that length are not vectorised


def shared_tapes(function: Function, fewest: int = FEWEST) -> Function:
    if tapes.reserve not in contents(function).operations:
        return function
    rows = _growing_together(function, fewest)
    return _Shared(builder_for(function), rows).function(function) if rows else function


@record()
class _Tape:
    """A tape, and the numbers of the blocks that make it, make it longer and store to it."""

    made: Def
    block: int
    reserve: Def | None = None
    growing: int = 0
    storing: int = 0

    @property
    def together(self) -> tuple[Any, ...]:
        """The key of the tapes that grow with it."""
        assert self.reserve is not None and self.made.var is not None
        dtype = self.made.var.type.dtype
        places = self.block, self.growing, self.storing
        return *places, self.reserve.args[1], dtype, self.made.args


def _growing_together(function: Function, fewest: int) -> list[list[Var]]:
    """The tapes that are read and written by element, by the one place where they grow."""
    found: dict[Atom, _Tape] = {}
    others: set[Atom] = set(function.returns)
    numbers = count(1)

    def look(block: Block) -> None:
        here = next(numbers)
        for s in block:
            if isinstance(s, Def) and _is_saved(s):
                assert s.var is not None
                found[s.var] = _Tape(s, here)
            elif isinstance(s, Def) and s.op is tapes.reserve and s.args[0] in found:
                tape = found[s.args[0]]
                if tape.reserve is not None:
                    others.add(s.args[0])
                tape.reserve, tape.growing = s, here
            elif isinstance(s, Def) and s.op is memory.store and s.args[0] in found:
                tape = found[s.args[0]]
                if tape.storing:
                    others.add(s.args[0])
                tape.storing = here
            elif not isinstance(s, Def) or s.op is not memory.load:
                others.update(uses(s))
            for inner in blocks(s):
                look(inner)

    look(function.body)
    groups: dict[Any, list[Var]] = {}
    for v, tape in found.items():
        if isinstance(v, Var) and v not in others and tape.reserve is not None:
            groups.setdefault(tape.together, []).append(v)
    return [g for at, g in groups.items() if len(g) >= (fewest if at[1] == at[2] else LONG)]


def _is_saved(s: Def) -> bool:
    """Whether a statement makes a tape that grows, for values that the reverse sweep reads."""
    grows = s.op is tapes.tape and isinstance(s.args[0], Const) and not s.params.get("scratch")
    return grows and s.var is not None and s.var.name.endswith(tapes.SAVED)


class _Shared(Emitter):
    def __init__(self, b: Builder, rows: list[list[Var]]):
        super().__init__(b)
        self.column = {tape: (row, k) for row in rows for k, tape in enumerate(row)}
        self.with_room: set[Var] = set()

    def definition(self, s: Def) -> Iterable[Stmt]:
        of = s.var if s.op is tapes.tape else s.args[0] if s.args else None
        row, k = self.column.get(of, ((), 0)) if isinstance(of, Var) else ((), 0)
        if not row:
            yield s
        elif s.op is tapes.tape:
            if not k:
                yield altered(s, args=(Const(s.args[0].value * len(row), INT),))  # type: ignore[union-attr]  (a constant)
        elif s.op is not tapes.reserve:
            place = self.b.add(self.b.mul(s.args[1], len(row)), k)
            yield altered(s, args=(row[0], place, *s.args[2:]))
        elif row[0] not in self.with_room:
            self.with_room.add(row[0])
            yield altered(s, args=(row[0], self.b.mul(s.args[1], len(row))))
