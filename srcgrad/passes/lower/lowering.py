"""Replaces array operations by loops, following a plan of which operations share a nest.

>>> show(lower(parse('''
... def f(x: f64[n]):
...     n: int = dim(x, axis=0)
...     y: f64[n] = mul(x, 2.0)
...     return (y,)
... ''')))
def f(x: f64[n]):
    n: int = dim(x, axis=0)
    y: f64[n] = empty(n, dtype='f64')
    for i in range(0, n):
        x1: f64 = load(x, i)
        y1: f64 = mul(x1, f64(2.0))
        store(y, i, y1)
    return (y,)

Library calls, views and allocation stay whole. Scalar operations are not touched.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager

from srcgrad.ir.build import Builder
from srcgrad.ir.facts import contents
from srcgrad.ir.nodes import Atom, Block, Const, Def, For, Function, Stmt, Var, While
from srcgrad.ir.types import Array, Scalar
from srcgrad.ir.walk import map_atoms
from srcgrad.operation import Primitive
from srcgrad.passes.dependence import Dependence
from srcgrad.passes.emitter import Emitter, builder_for
from srcgrad.passes.lower.expand import LATE, early, expands, late
from srcgrad.passes.lower.nest import Nest
from srcgrad.passes.lower.step import MOVES, REDUCTIONS, STORES, Step, step_of
from srcgrad.passes.verdicts import Independent
from srcgrad.primitives import memory, reductions

# those that loops are made of, beside what works element by element
ARRAY_OPERATIONS = frozenset((*MOVES, *REDUCTIONS, *STORES, *LATE))
# a statement that stays alone, or the statements that share a nest
Plan = Callable[[Block], Sequence[Stmt | tuple[Def, ...]]]
Stored = Callable[[Sequence[Var], Sequence[Step]], set[Var]]


def lower(function: Function, library: frozenset[Primitive] = frozenset()) -> Function:
    """The function with a nest of loops for each array operation.

    Those of `library` stay whole, except in trips of a loop that may run concurrently.
    """
    function = expanded(function)
    if not has_array_operations(function):
        return function
    whole = Whole(function, library)
    return Lowering(builder_for(function), lambda block: block, always, whole).function(function)


def expanded(function: Function) -> Function:
    """Joins as stores into pieces, extrema with their checks: the input of every plan."""
    return _Expand(builder_for(function)).function(function) if expands(function) else function


def has_array_operations(function: Function) -> bool:
    """Whether a lowered form of an expanded function differs from it."""
    inside = contents(function)
    return inside.on_arrays or not inside.operations.isdisjoint(ARRAY_OPERATIONS)


def always(made: Sequence[Var], steps: Sequence[Step]) -> set[Var]:
    return set(made)


class _Expand(Emitter):
    def definition(self, s: Def) -> Iterable[Stmt]:
        if not early(self.b, s):
            yield s


class Whole:
    """Tells which operations stay whole for a device's library: none in a trip that is a thread."""

    def __init__(self, function: Function, library: frozenset[Primitive]):
        self.library = library
        self.facts = Dependence(function) if library else None
        self.trips = 0  # the number of such loops around

    def __call__(self, s: Def) -> bool:
        return s.op in self.library and not self.trips

    @contextmanager
    def inside(self, s: For | While) -> Generator[None]:
        at_once = False
        if self.facts is not None and isinstance(s, For):
            at_once = isinstance(self.facts.of(s), Independent)
        self.trips += at_once
        yield
        self.trips -= at_once


class Lowering(Emitter):
    """`stored(made, steps)` tells which of the arrays made in a nest have to exist in memory."""

    def __init__(self, b: Builder, plan: Plan, stored: Stored, whole: Whole):
        super().__init__(b)
        self.plan, self.stored, self.whole = plan, stored, whole

    def loop(self, s: For | While) -> Iterable[Stmt]:
        with self.whole.inside(s):
            new = self.rebuilt(s)
        yield new

    def block(self, block: Block) -> Block:
        with self.b.block() as out:
            for item in self.plan(block):
                if isinstance(item, tuple):
                    self.nest([self._substituted(s) for s in item])
                    continue
                for new in self.statement(item):
                    self.b.append(new)
        return tuple(out)

    def _substituted(self, s: Def) -> Def:
        self.refresh(s)
        new = map_atoms(s, self.atom, self.block)
        assert isinstance(new, Def)
        return new

    def nest(self, statements: Sequence[Def]) -> None:
        steps = [step for s in statements if (step := step_of(self.b, s)) is not None]
        assert len(steps) == len(statements)
        made = [s.var for s in statements if s.var is not None and isinstance(s.var.type, Array)]
        self.new.update(Nest(self.b, steps, self.stored(made, steps)).emit())

    def definition(self, s: Def) -> Iterable[Stmt]:
        b = self.b
        b.loc = s.loc
        if self.whole(s):
            yield s
        elif _is_number_of(s):
            assert s.var is not None
            self.new[s.var] = self._number(s.args[0], s.var)
        elif step_of(b, s) is not None:
            self.nest([s])
        else:
            value = late(b, s)
            if value is False:
                yield s
            elif s.var is not None and isinstance(value, Var | Const):
                self.new[s.var] = value

    def _number(self, x: Atom, v: Var) -> Atom:
        return self.b.load(x, name=v.name) if isinstance(x.type, Array) else x


def _is_number_of(s: Def) -> bool:
    """Whether a definition copies or broadcasts to no axes: its result is the number itself."""
    scalar = s.var is not None and isinstance(s.var.type, Scalar)
    return scalar and s.op in (memory.copy, reductions.broadcast_to)


__all__ = ["Lowering", "Whole", "builder_for", "expanded", "has_array_operations", "lower"]
