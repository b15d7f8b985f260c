"""Finds the statements in a trip of a serial loop that depend on no other trip: they may run ahead.

A loop is *serial* if its trips wait for each other, by a number that is carried or by an element of
memory. Only innermost loops in which nothing may raise are looked at. Never changes a statement.
"""

from __future__ import annotations

from functools import cached_property

from srcgrad.ir.alias import alias_classes
from srcgrad.ir.nodes import Atom, Def, For, Function, Stmt, Var, While
from srcgrad.ir.types import Scalar
from srcgrad.ir.walk import defined, uses, walk
from srcgrad.passes.combining import reads_of_statements
from srcgrad.passes.dependence import Dependence, touched
from srcgrad.passes.effects import classes_written, observable_within
from srcgrad.passes.loops_in_chunks import VECTORISED
from srcgrad.passes.places import Access, Poly, linear, plus, variables
from srcgrad.passes.strips.candidates import INLINE, recurs
from srcgrad.passes.verdicts import Dependent
from srcgrad.primitives import memory

FLOATS = ("f32", "f64")
MANY = 6  # operations that are worth a number in memory
MOST = 400  # numbers that are looked at


class SerialLoops:
    """The loops of a function whose trips wait for each other."""

    def __init__(self, function: Function):
        self.program, self.classes = function, alias_classes(function)
        self.reads = reads_of_statements()

    @cached_property
    def facts(self) -> Dependence:
        return Dependence(self.program)

    def ahead(self, s: For) -> Ahead | None:
        """The part of a serial loop that may run ahead; None for other loops."""
        if s.promised or any(isinstance(t, For | While) for t in walk(s.body)):
            return None
        if any(map(observable_within, s.body)):
            return None
        return Ahead(s, self) if recurs(s, self.reads) or self.is_serial(s) else None

    def is_serial(self, s: For) -> bool:
        """Whether trips touch one element of memory, so that their order matters."""
        verdict = self.facts.of(s)
        return isinstance(verdict, Dependent) and verdict.sure

    def reads_old(self, s: For, load: Def) -> bool:
        """Whether no store of the loop that runs before a load is to the element that it reads."""
        at = self.facts.places.access(load, load.array, (s,))
        for a in self.facts.accesses(s):
            if a.writes and self.classes.of(a.root) is self.classes.of(at.root):
                if a.root is not at.root or a.statement.op not in (memory.store, memory.add_at):
                    return False
                if not any(_is_later(s, a, at, k) for k in range(len(at.place))):
                    return False
        return True


def _is_later(s: For, store: Access, load: Access, axis: int) -> bool:
    """Whether coordinates differ, or a store to the element that is read comes after the load."""
    found = _distance(s, store.place[axis], load.place[axis])
    if found is None:
        return False
    step, gap = found
    if step == 0 or gap % step:
        return gap != 0
    trips = gap // step * (-1 if s.reverse else 1)
    if trips:
        return trips > 0
    where = [t for t in s.body if any(u in (store.statement, load.statement) for u in walk((t,)))]
    return where[0] is load.statement and len(where) == 2


def _distance(s: For, p: Poly | None, q: Poly | None) -> tuple[int, int] | None:
    """The step per trip that two coordinates share, and q - p in one trip."""
    if p is None or q is None:
        return None
    parts, gap = linear(p, s.index), plus(q, p, -1)
    if parts is None or set(parts[0]) - {()} or set(gap) - {()}:
        return None
    if variables(parts[1]) & (defined(s.body) | set(s.params)):
        return None
    return parts[0].get((), 0), gap.get((), 0)


class Ahead:
    """The statements of a trip that need nothing of other trips."""

    def __init__(self, loop: For, serial: SerialLoops):
        self.loop, self.serial, self.classes = loop, serial, serial.classes
        self.inside = defined(loop.body) | {*loop.params}
        self.written = classes_written(loop.body, self.classes)
        self.free: dict[Var, Def] = {}  # numbers that are the same ahead of the loop
        self.slow: dict[Var, Def] = {}  # results of dear functions, and what is computed of them
        for s in loop.body:
            if isinstance(s, Def) and s.var is not None and self.is_free(s):
                self.free[s.var] = s
                if is_function(s) or any(a in self.slow for a in s.args):
                    self.slow[s.var] = s
        functions = dict(self.slow)
        self.slow |= self.long()
        self.moved: list[Def] = []
        self.complete()
        if len(self.slow) > len(functions) and not self.is_worth_its_memory():
            self.slow = functions
            self.complete()

    def complete(self) -> None:
        """Adds the stores that go along, and what has to be computed once."""
        self.moved = [s for s in self.loop.body if isinstance(s, Def) and self.may_move(s)]
        # floats are computed once: written twice, they might be rounded in two ways
        self.slow |= {s.var: s for s in self.statements() if s.var is not None and _rounds(s)}

    def is_worth_its_memory(self) -> bool:
        """Whether the rest of a trip reads few numbers for the operations that run ahead."""
        work = sum(MANY if is_function(s) else _rounds(s) for s in self.slow.values())
        return work >= MANY * len(self.results())

    def long(self) -> dict[Var, Def]:
        """The numbers that the rest of a trip reads, each the result of many operations."""
        made: dict[Atom, frozenset[Var]] = {}
        if len(self.free) > MOST:
            return {}
        for v, s in self.free.items():
            made[v] = frozenset[Var]().union(*(made.get(a, ()) for a in s.args))
            if _rounds(s):
                made[v] |= {v}
        rest = [s for s in self.loop.body if not (isinstance(s, Def) and s.var in self.free)]
        read = {*self.loop.yields, *(v for s in rest for t in walk((s,)) for v in uses(t))}
        found = {v: s for v, s in self.free.items() if v in read and len(made[v]) >= MANY}
        every = frozenset[Var]().union(*(made[v] for v in found))
        return found if len(every) >= MANY * max(len(found), 2) else {}

    def is_free(self, s: Def) -> bool:
        """Whether a number is computed of indices, of memory that stays, and of such numbers."""
        assert s.var is not None
        if not isinstance(s.var.type, Scalar) or not all(map(self.is_known, s.args)):
            return False
        if s.op is memory.load:
            return self.classes.of(s.array) not in self.written or self.serial.reads_old(
                self.loop, s
            )
        return s.op in INLINE or s.op in VECTORISED

    def is_known(self, a: Atom) -> bool:
        return a not in self.inside or a in self.free

    def may_move(self, s: Def) -> bool:
        """Whether a store of such a number is all that a trip does to that memory."""
        if s.op is not memory.store or s.args[-1] not in self.slow:
            return False
        cls = self.classes.of(s.array)
        others = [t for t in walk(self.loop.body) if isinstance(t, Def) and t is not s]
        return all(map(self.is_known, s.args)) and not any(
            self.classes.of(x) is cls for t in others for x in touched(t)
        )

    @property
    def in_any_order(self) -> bool:
        """Whether the trips of this part may run upwards: no last store to an element counts."""
        return not self.moved

    @property
    def gone(self) -> set[Stmt]:
        return {*self.slow.values(), *self.moved}

    def rest(self) -> list[Stmt]:
        """The statements that do not run ahead."""
        gone = self.gone
        return [s for s in self.loop.body if s not in gone]

    def results(self) -> list[Var]:
        """The numbers that the rest of a trip reads."""
        read = {*self.loop.yields, *(v for t in walk(self.rest()) for v in uses(t))}
        return [v for v in self.slow if v in read]

    def statements(self) -> list[Def]:
        """The statements that run ahead, in the order of the trip."""
        gone = self.gone
        needed: set[Atom] = {a for s in gone if isinstance(s, Def) for a in s.args}
        out: list[Def] = []
        for s in reversed(self.loop.body):
            if isinstance(s, Def) and (s in gone or (s.var in self.free and s.var in needed)):
                needed |= set(s.args)
                out.append(s)
        return out[::-1]


def _rounds(s: Def) -> bool:
    """Whether a statement computes floats."""
    return s.op is not memory.load and s.var.type.dtype[0] in "fc"  # type: ignore[union-attr]  (it has a result)


def computes_much(s: For) -> bool:
    """Whether a trip computes enough floats for a part of them to run ahead."""
    made = [t for t in s.body if isinstance(t, Def) and t.var is not None]
    return sum(isinstance(t.var.type, Scalar) and _rounds(t) for t in made) >= 2 * MANY  # type: ignore[union-attr]  (it has a result)


def is_function(s: Def) -> bool:
    """Whether a number is the result of a dear function that has a vector form."""
    return s.op in VECTORISED and s.op not in INLINE and s.var.type.dtype in FLOATS  # type: ignore[union-attr]  (it has a result)
