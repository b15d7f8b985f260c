"""Gathers what the trips of a loop add to neighbouring elements: each element is added to once.

>>> show(gather_additions(parse('''
... def f(x: f64[n], y: f64[n]):
...     n: int = dim(x, axis=0)
...     m: int = sub(n, 1)
...     for i in range(0, m):
...         v: f64 = load(x, i)
...         j: int = add(i, 1)
...         w: f64 = mul(v, v)
...         add_at(y, j, w)
...         add_at(y, i, v)
...     return ()
... ''')))
def f(x: f64[n], y: f64[n]):
    n: int = dim(x, axis=0)
    m: int = sub(n, 1)
    enough: bool = ge(m, 1)
    if enough:
        v: f64 = load(x, 0)
        add_at(y, 0, v)
        t: int = add(m, -1)
        for i in range(0, t):
            v1: f64 = load(x, i)
            j: int = add(i, 1)
            w: f64 = mul(v1, v1)
            t1: int = sub(i, -1)
            v2: f64 = load(x, t1)
            t2: f64 = add(w, v2)
            add_at(y, j, t2)
        t3: int = sub(m, 1)
        v3: f64 = load(x, t3)
        j1: int = add(t3, 1)
        w1: f64 = mul(v3, v3)
        add_at(y, j1, w1)
    else:
        for i1 in range(0, m):
            v4: f64 = load(x, i1)
            j2: int = add(i1, 1)
            w2: f64 = mul(v4, v4)
            add_at(y, j2, w2)
            add_at(y, i1, v4)
    return ()

The reverse sweep of a stencil adds to neighbouring places in each trip: an addition then waits for
the store of the last trip, and the loop cannot be vectorised. Element r is added to by trip r - d,
for each distance d of a place from the first one; an addend of another trip is computed again there
if it is a few products and sums of values that the loop leaves alone. Elements that some place does
not reach, next to the ends, are added to by straight-line code. The loop may only add to the
memory, must not raise, and carries nothing but sums. Zeros that it stores to values that such
addends read are stored afterwards. Sums are added in another order; every other statement runs once
per trip, in the order of the program. Additions to several rows of one array stay as they are:
straight-line code at both ends of each row takes longer than the loop gains.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce

from srcgrad.ir.alias import alias_classes
from srcgrad.ir.build import Builder
from srcgrad.ir.clone import anew
from srcgrad.ir.nodes import Atom, Const, Def, For, Function, If, Stmt, Var, While, altered
from srcgrad.ir.types import INT
from srcgrad.passes.added_rows import Row, is_short
from srcgrad.passes.neighbours import Neighbours, Plan
from srcgrad.passes.places import Places
from srcgrad.passes.ranged import Ranged
from srcgrad.primitives import REGISTRY, elementwise

Values = dict[Atom, Atom]  # what variables are in another trip


def gather_additions(function: Function) -> Function:
    return _GatherAdditions(function).function(function)


class _GatherAdditions(Ranged):
    def __init__(self, function: Function):
        super().__init__(function)
        self.classes, self.places = alias_classes(function), Places(function)

    def loop(self, s: For | While) -> Iterable[Stmt]:
        new = self.rebuilt(s)
        plan = self.plan(new) if isinstance(new, For) else None
        if plan is None:
            yield new
        else:
            assert isinstance(new, For)
            yield from _Gathered(new, plan).statements()

    def plan(self, s: For) -> Plan | None:
        """The additions to gather of a loop that is not known to be short."""
        if is_short(s, self.ranges):
            return None
        return Neighbours(s, self.classes, self.places).plan()


class _Gathered:
    """Rewrites one loop."""

    def __init__(self, loop: For, plan: Plan):
        self.s, self.plan = loop, plan
        self.low, self.high = plan.low, plan.high
        self.span = plan.high - plan.low
        self.made = {t.var: t for t in loop.body if isinstance(t, Def) and t.var is not None}
        self.b = Builder(REGISTRY)
        moved = {*plan.late, *(t for row in plan.rows for t in row.additions)}
        self.own = [t for t in loop.body if isinstance(t, Def) and t.op.writes and t not in moved]

    def statements(self) -> Sequence[Stmt]:
        s, b = self.s, self.b
        b.loc = s.loc
        enough = b.ge(s.stop, b.add(s.start, self.span), name="enough")
        with b.block() as then:
            sums = self.gathered()
        if isinstance(enough, Const):
            return [
                *b.out,
                *then,
                *(self.named(r, a) for r, a in zip(s.results, sums, strict=True)),
            ]
        results = anew(s.results)
        whole = altered(s, results=results)
        b.append(If(enough, tuple(then), (whole,), tuple(sums), results, s.results, s.loc))
        return b.out

    def named(self, result: Var, a: Atom) -> Def:
        return Def(result, elementwise.cast, (a,), {"dtype": result.type.dtype}, self.s.loc)

    def gathered(self) -> list[Atom]:
        """The trips in straight-line code and the loop between them; the carried sums."""
        sums: list[Atom] = list(self.s.inits)
        parts = [self.first_trips, self.middle, self.last_trips]
        for part in reversed(parts) if self.s.reverse else parts:
            sums = part(sums)
        for t in self.plan.late:
            self.b.append(self.later(t))
        return sums

    def order(self) -> Sequence[int]:
        return range(self.span - 1, -1, -1) if self.s.reverse else range(self.span)

    def first_trips(self, sums: list[Atom]) -> list[Atom]:
        """Trips, and parts of trips, that add to elements below those of the loop."""
        for k in self.order():
            adds = [t for t, d in self.additions() if k + d < self.high]
            sums = self.trip(self.b.add(self.s.start, k), adds, k < self.high, sums)
        return sums

    def last_trips(self, sums: list[Atom]) -> list[Atom]:
        """Trips, and parts of trips, that add to elements above those of the loop."""
        first = self.b.sub(self.s.stop, self.span)
        for k in self.order():
            adds = [t for t, d in self.additions() if k + d >= self.span + self.low]
            sums = self.trip(self.b.add(first, k), adds, k >= self.span + self.low, sums)
        return sums

    def additions(self) -> list[tuple[Def, int]]:
        pairs = [zip(row.additions, row.distances, strict=True) for row in self.plan.rows]
        return [pair for row in pairs for pair in row]

    def trip(self, i: Atom, adds: list[Def], own: bool, sums: list[Atom]) -> list[Atom]:
        """A trip in straight-line code: these additions and, if `own`, all else that it does."""
        new = self.again(i, adds, own, sums)
        for t in adds:
            self.b.append(altered(t, args=tuple([new.get(a, a) for a in t.args])))
        return [new.get(a, a) for a in self.s.yields] if own else sums

    def middle(self, sums: list[Atom]) -> list[Atom]:
        """The loop over the elements that all places reach."""
        s, b = self.s, self.b
        i, params = Var(s.index.name, INT), anew(s.params)
        with b.block() as body:
            of: dict[int, Values] = {}
            for d in sorted({d for _, d in self.additions()}, key=abs):
                adds = [t for t, e in self.additions() if e == d]
                of[d] = self.again(b.sub(i, d), adds, not d, [] if d else params)
            for row in self.plan.rows:
                self.add(row, of)
        yields = tuple([of[0].get(a, a) for a in s.yields])
        results = [Var(p.name, p.type) for p in params]
        start, stop = b.add(s.start, self.high), b.add(s.stop, self.low)
        b.append(
            altered(
                s, index=i, start=start, stop=stop, params=tuple(params), inits=tuple(sums),
                body=tuple(body), yields=yields, results=tuple(results),
            )
        )  # fmt: skip
        return list(results)

    def add(self, row: Row, of: dict[int, Values]) -> None:
        """The addition of one row in a trip of the loop."""
        first = row.additions[0]
        self.b.loc = first.loc
        pairs = zip(row.additions, row.distances, strict=True)
        addends: list[Atom] = [of[d].get(t.args[-1], t.args[-1]) for t, d in pairs]
        total: Atom = reduce(self.b.add, addends)
        *place, _ = first.args
        self.b.add_at(*(of[0].get(a, a) for a in place), total)

    def again(self, i: Atom, adds: list[Def], own: bool, params: Sequence[Atom]) -> Values:
        """Computes in trip `i` what additions add, and if `own` does all else of a trip."""
        roots = [a for t in adds for a in t.args]
        if own:
            roots += [*(a for t in self.own for a in t.args), *self.s.yields]
        needed = self.needed(roots)
        new: Values = {self.s.index: i}
        if own:
            new |= zip(self.s.params, params, strict=True)
        for t in self.s.body:
            assert isinstance(t, Def)
            if t in needed or (own and t in self.own):
                self.copy(t, new)
        return new

    def needed(self, roots: Iterable[Atom]) -> set[Def]:
        found: set[Def] = set()
        todo = list(roots)
        while todo:
            d = self.made.get(a) if isinstance(a := todo.pop(), Var) else None
            if d is not None and d not in found:
                found.add(d)
                todo += d.args
        return found

    def copy(self, t: Def, new: Values) -> None:
        """A statement of another trip; indices are folded."""
        args = tuple([new.get(a, a) for a in t.args])
        if t.var is not None and t.var.type == INT and t.op.elementwise:
            self.b.loc = t.loc
            new[t.var] = self.b(t.op, *args, name=t.var.name, **t.params)
            return
        v = None if t.var is None else Var(t.var.name, t.var.type)
        self.b.append(altered(t, var=v, args=args))
        if t.var is not None:
            assert v is not None
            new[t.var] = v

    def later(self, t: Def) -> For:
        """The loop of a store that comes after all reads."""
        s, i = self.s, Var(self.s.index.name, INT)
        with self.b.block() as body:
            new = self.again(i, [t], False, [])
            self.b.append(altered(t, args=tuple([new.get(a, a) for a in t.args])))
        return For(i, s.start, s.stop, (), (), tuple(body), (), (), loc=t.loc)
