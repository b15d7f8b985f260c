"""Index checks: drops those that cannot fail, and makes others once before the loop.

>>> show(hoist_bounds_checks(parse('''
... def f(x: f64[n], y: f64[m]):
...     n: int = dim(x, axis=0)
...     m: int = dim(y, axis=0)
...     for i in range(0, n):
...         j: int = index(i, n, axis=0)
...         v: f64 = load(x, j)
...         k: int = index(i, m, axis=0)
...         store(y, k, v)
...     return ()
... ''')))
def f(x: f64[n], y: f64[m]):
    n: int = dim(x, axis=0)
    m: int = dim(y, axis=0)
    last: int = sub(n, 1)
    check_range(0, last, m, axis=0)
    for i in range(0, n):
        v: f64 = load(x, i)
        store(y, i, v)
    return ()

Also dropped are the check of an index array 0, 1, ... that is in bounds, the clipping of the end of
a slice that is within its axis, and the maximum, minimum, choice or remainder of integers that is
known to be one of them, or apart from it by the divisor. A check moves before a counted loop if
every trip makes it, its operands are fixed or rise by one per trip, as the index does and counters
do, and all that the loop may raise is IndexError. A program that raised still does, a little
earlier: of several failing checks another may be named, and what the trips before the failing one
would have stored is not stored. Never moves a check that a branch guards (unless the branch holds
nothing else), nor one whose index may be negative and varies.
"""

from __future__ import annotations

from collections.abc import Iterable

from srcgrad.ir.alias import alias_classes
from srcgrad.ir.build import Builder
from srcgrad.ir.facts import contents
from srcgrad.ir.nodes import (
    Atom,
    Block,
    Const,
    Def,
    For,
    Function,
    If,
    Stmt,
    Var,
    While,
    altered,
    atom,
    changed,
    kept_tuple,
)
from srcgrad.ir.types import BOOL, INT
from srcgrad.ir.walk import defined, inner_definitions, rename, walk
from srcgrad.passes.bounds import is_int64
from srcgrad.passes.effects import PLACE_CHECKS, is_observable, is_scalar_operation
from srcgrad.passes.ranged import Ranged
from srcgrad.passes.ranges import Ranges
from srcgrad.primitives import REGISTRY, Primitive, arrays, elementwise, identities, memory
from srcgrad.records import record

# operations that known ranges replace by an operand, or that are checks which move
POSITIONS = PLACE_CHECKS | {
    memory.wrap, memory.indices, memory.slice_start, memory.broadcast_dim, elementwise.maximum,
}  # fmt: skip


def hoist_bounds_checks(function: Function) -> Function:
    inside = contents(function)
    if not inside.branches and inside.operations.isdisjoint(POSITIONS):
        return function
    rewriter = _HoistBoundsChecks(function)
    return rename(rewriter.function(function), rewriter.new)


class _HoistBoundsChecks(Ranged):
    def __init__(self, function: Function):
        super().__init__(function)
        self.classes = alias_classes(function)

    def definition(self, s: Def) -> Iterable[Stmt]:
        if s.var is not None and (same := self.operand(s, s.var)) is not None:
            self.new[s.var] = same
            return
        if s.op is memory.index:
            i, n = s.args
            least = self.ranges.lower(n)
            if isinstance(i, Const) and i.value < 0 and least is not None and -i.value <= least:
                yield Def(s.var, REGISTRY["add"], (n, i), {}, s.loc)
                return
        if s.op is elementwise.mod and (turned := self.turned(*s.args)) is not None:
            yield Def(s.var, turned, s.args, {}, s.loc)
            return
        yield s

    def turned(self, i: Atom, n: Atom) -> Primitive | None:
        """How a remainder by n is found without a division: n is added or subtracted."""
        least = self.ranges.lower(i)
        if not (is_int64(i) and is_int64(n)) or least is None:
            return None
        if least < 0 and self.ranges.at_most(i, Const(-1, INT)):
            return elementwise.add if self.ranges.at_most(Const(-least, INT), n) else None
        base, offset = self.ranges.form(n)
        twice = any(
            b is base and 0 <= o - offset < (self.ranges.lower(n) or 0)
            for b, o in self.ranges.uppers(i)
        )
        return elementwise.sub if twice and self.ranges.at_most(n, i) else None

    def operand(self, s: Def, v: Var) -> Atom | None:
        """The operand that a definition equals, given the known ranges."""
        match s.op, s.args:
            case ((memory.index | elementwise.mod), (i, n)) if is_int64(i) and self.ranges.contains(
                i, n
            ):
                return i
            case memory.wrap, (i, _) if is_int64(i) and self.ranges.is_length(i):
                return i
            case memory.slice_start, (i, n, Const(value=1)) if is_int64(i) and (
                self.ranges.is_length(i) and self.ranges.at_most(i, n)
            ):
                return i
            case memory.indices, (Var() as places, n) if self.are_places(places, v, n):
                return places
            case elementwise.maximum, (a, b) if is_int64(v):
                low, high = (a, b) if self.ranges.at_most(a, b) else (b, a)
                return high if high.type == v.type and self.ranges.at_most(low, high) else None
            case elementwise.minimum, (a, b) if is_int64(v):
                low, high = (a, b) if self.ranges.at_most(a, b) else (b, a)
                return low if low.type == v.type and self.ranges.at_most(low, high) else None
            case elementwise.where, (cond, a, b) if (known := self.ranges.decide(cond)) is not None:
                same = a if known else b
                return same if same.type == v.type else None
            case memory.broadcast_dim, (a, b):  # lengths may have become one, or the number 1
                return identities.BROADCAST(a, b)
            case _:
                return None

    def are_places(self, places: Var, checked: Var, n: Atom) -> bool:
        """Whether an array 0, 1, ... has indices below n only, and need not be copied."""
        d = self.ranges.definition.get(places)
        counts = d is not None and d.op is arrays.iota and self.ranges.at_most(d.args[0], n)
        return counts and self.classes.is_pure(places) and self.classes.is_pure(checked)

    def branch(self, s: If) -> Iterable[Stmt]:
        known = self.ranges.decide(self.atom(s.cond))
        if known is None:
            yield self.rebuilt(s)
            return
        block, yields = (s.then, s.then_yields) if known else (s.orelse, s.else_yields)
        yield from self.block(block)
        for r, a in zip(s.results, [self.atom(a) for a in yields], strict=True):
            self.new[r] = Const(a.value, r.type) if isinstance(a, Const) else a

    def loop(self, s: For | While) -> Iterable[Stmt]:
        new = self.rebuilt(s)
        if not (isinstance(new, For) and _only_places_fail(new.body)):
            yield new
            return
        with self.ranges.scope():
            self.ranges.enter(new)
            lift = _Lift(new, self)
            body = lift.run()
        yield from lift.before
        yield changed(new, body=body)


def _only_places_fail(body: Block) -> bool:
    return all(
        s.op in PLACE_CHECKS or not is_observable(s) for s in walk(body) if isinstance(s, Def)
    )


@record(frozen=True)
class Check:
    """A check that a block makes: `made` by a definition if `go` holds.

    `result` is the position it finds, `otherwise` the position used if `go` does not hold.
    """

    made: Def
    go: Atom
    result: Var | None
    otherwise: Atom | None = None

    @staticmethod
    def of(s: Stmt) -> Check | None:
        """The check that a statement makes, also as the only statement of a branch."""
        match s:
            case Def() if s.op in PLACE_CHECKS:
                return Check(s, Const(True, BOOL), s.var)
            case If(then=(Def() as d,), orelse=()) if d.op in PLACE_CHECKS:
                if not s.results:
                    return Check(d, s.cond, d.var)
                if s.then_yields == (d.var,):
                    return Check(d, s.cond, s.results[0], s.else_yields[0])
                return None
            case _:
                return None


class _Lift:
    """Moves the checks of one loop's body before the loop."""

    def __init__(self, loop: For, bounds: _HoistBoundsChecks):
        self.loop, self.new = loop, bounds.new
        self.ranges: Ranges = bounds.ranges
        self.inner = defined(loop.body) | set(inner_definitions(loop))
        self.build = Builder(REGISTRY)
        self.counters = self.counted()

    def counted(self) -> dict[Atom, Atom]:
        """The values before the loop of integers that each trip passes on as one more."""
        found: dict[Atom, Atom] = {}
        s = self.loop
        for p, x, y in zip(s.params, s.inits, s.yields, strict=True):
            base, step = self.ranges.form(y) if is_int64(p) and not s.reverse else (None, 0)
            if base is p and step == 1:
                found[p] = x
        return found

    @property
    def before(self) -> list[Stmt]:
        return self.build.out

    def run(self) -> Block:
        kept: list[Stmt] = []
        for s in self.loop.body:
            check = Check.of(s)
            if check is None or not self.lift(check):
                kept.append(s)
        return kept_tuple(self.loop.body, kept)

    # ---- operands ----
    def motion(self, a: Atom) -> str:
        """The motion of an operand over the trips: "fixed", "rises" by one, or neither ("")."""
        a = self.resolved(a)
        if a is self.loop.index or a in self.counters:
            return "rises"
        if isinstance(a, Const) or a not in self.inner:
            return "fixed"
        d = self.ranges.definition.get(a)
        if d is None or not is_scalar_operation(d) or is_observable(d):
            return ""
        match d.op, [self.motion(x) for x in d.args]:
            case _, motions if set(motions) <= {"fixed"}:
                return "fixed"
            case elementwise.add, ["rises", "fixed"] | ["fixed", "rises"]:
                return "rises"
            case elementwise.sub, ["rises", "fixed"]:
                return "rises"
            case _:
                return ""

    def resolved(self, a: Atom) -> Atom:
        while isinstance(a, Var) and a in self.new:
            a = self.new[a]
        return a

    def at(self, a: Atom, place: Atom) -> Atom:
        """An operand computed before the loop, for the trip whose index is `place`."""
        a = self.resolved(a)
        if a is self.loop.index:
            return place
        if isinstance(a, Var) and a in self.counters:
            passed = self.build.sub(place, self.loop.start)
            return self.build.add(self.counters[a], passed, name=a.name)
        if isinstance(a, Const) or a not in self.inner:
            return a
        d = self.ranges.definition[a]
        args = [self.at(x, place) for x in d.args]
        return self.build(d.op, *args, name=a.name, **d.params)

    # ---- checks ----
    def lift(self, check: Check) -> bool:
        """Makes the check before the loop; returns whether that was possible."""
        d = check.made
        self.build.loc = d.loc
        if self.motion(check.go) != "fixed" or self.motion(d.args[-1]) != "fixed":
            return False
        motions = [self.motion(a) for a in d.args[:-1]]
        if "" in motions:
            return False
        if d.op is memory.index:
            return self.lift_index(check, motions[0])
        return self.lift_range(check, motions)

    def lift_index(self, check: Check, motion: str) -> bool:
        d = check.made
        i = d.args[0]
        if check.otherwise is not None or not self.ranges.is_length(i, exact=True):
            return motion == "fixed" and self.lift_fixed(check)
        if motion == "fixed":
            self.emit_range(check, i, i)
        else:
            first, last = self.at(i, self.loop.start), self.at(i, self.last())
            if self.loop.reverse:  # counting down, the first place out of range is the last one
                self.emit_range(check, last, last)
            if not (self.loop.reverse and self.ranges.is_length(i)):
                self.emit_range(check, first, last, self.loop.reverse)
        if check.result is not None:
            self.new[check.result] = i
        return True

    def lift_fixed(self, check: Check) -> bool:
        """A fixed index that may be negative: its place is computed before the loop."""
        d, start = check.made, self.loop.start
        otherwise = atom(0) if check.otherwise is None else check.otherwise
        if self.motion(otherwise) != "fixed":
            return False
        args = [self.at(a, start) for a in d.args]
        assert check.result is not None and d.var is not None
        go = self.guard(check, True)
        if isinstance(go, Const):
            self.build.append(altered(d, var=check.result, args=tuple(args)))
            return True
        place = Var(d.var.name, d.var.type)
        made = altered(d, var=place, args=tuple(args))
        yields = ((place,), (self.at(otherwise, start),))
        self.build.append(If(go, (made,), (), *yields, (check.result,), d.loc))
        self.inner.discard(check.result)
        return True

    def lift_range(self, check: Check, motions: list[str]) -> bool:
        """Checks the ranges of all trips as one, if that fails just as the first of them does."""
        first, last, _ = check.made.args
        start, stop = self.loop.start, self.loop.stop
        if motions != ["fixed", "fixed"] and self.loop.reverse:
            return False
        # the distance from the first place to the last one of all trips must not wrap around
        small = self.ranges.is_small(stop) and self.ranges.is_small(last)
        begin = self.at(first, start)
        if motions == ["rises", "rises"]:
            (base, c), (other, d) = self.ranges.form(first), self.ranges.form(last)
            if base is not other or c > d:
                return False
            if c < d and not small:
                end = self.at(last, start)
                self.emit_range(check, begin, end)
                begin = end
        elif motions == ["fixed", "rises"] and not (small or self.begins_empty(first, last)):
            return False
        self.emit_range(check, begin, self.at(last, self.last()))
        return True

    def begins_empty(self, first: Atom, last: Atom) -> bool:
        """Whether the range that the first trip checks has at most one place."""
        base, offset = self.ranges.form(last)
        start = self.loop.start
        if base is not self.loop.index or not isinstance(start, Const):
            return False
        return self.ranges.at_most(Const(start.value + offset, start.type), first)

    def last(self) -> Atom:
        return self.build.sub(self.loop.stop, 1, name="last")

    def guard(self, check: Check, unless_empty: bool) -> Atom:
        """The condition under which the loop makes the check at all."""
        go = self.at(check.go, self.loop.start)
        if unless_empty:
            runs = self.build.lt(self.loop.start, self.loop.stop, name="runs")
            go = self.build.logical_and(go, runs, name="runs")
        return go

    def emit_range(self, check: Check, first: Atom, last: Atom, unless_empty: bool = True) -> None:
        d = check.made
        first, last, n = (self.at(a, self.loop.start) for a in (first, last, d.args[-1]))
        go = self.guard(check, unless_empty)
        if isinstance(go, Const):
            if go.value:
                self.build.check_range(first, last, n, **d.params)
            return
        with self.build.block() as then:
            self.build.check_range(first, last, n, **d.params)
        self.build.append(If(go, tuple(then), (), (), (), (), d.loc))
