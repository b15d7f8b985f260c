"""Joins neighbouring loops over one range if each trip needs only the same trip of the others.

>>> show(join_loops(parse('''
... def f(x: f64[n, m], t: f64[n], y: f64[n, m]):
...     n: int = dim(x, axis=0)
...     m: int = dim(x, axis=1)
...     for i in range(0, n):
...         s: f64 = f64(0.0)
...         for j in range(0, m):
...             v: f64 = load(x, i, j)
...             s1: f64 = add(s, v)
...             s = s1
...         store(t, i, s)
...     for k in range(0, n):
...         for l in range(0, m):
...             w: f64 = load(x, k, l)
...             d: f64 = load(t, k)
...             q: f64 = div(w, d)
...             store(y, k, l, q)
...     return ()
... ''')))
def f(x: f64[n, m], t: f64[n], y: f64[n, m]):
    n: int = dim(x, axis=0)
    m: int = dim(x, axis=1)
    for i in range(0, n):
        s: f64 = f64(0.0)
        for j in range(0, m):
            v: f64 = load(x, i, j)
            s1: f64 = add(s, v)
            s = s1
        store(t, i, s)
        for l in range(0, m):
            w: f64 = load(x, i, l)
            d: f64 = load(t, i)
            q: f64 = div(w, d)
            store(y, i, l, q)
    return ()

Both loops are independent, and so is the joined one: then no element that one loop stores to is
touched by another trip of the other, and a trip runs the two parts in their order. Statements in
between move before the first loop, or after the second. Two loops that may both raise are not
joined; where the first may, the second stores to nothing that the caller sees, and relies on no
check but that of its own trip. Loops inside are joined in turn. Never joins loops around calls of a
library.

`join_loops` is for devices that launch each loop. A map of several axes stays one, unless a buffer
flows between the loops: then at most one axis is left to the loops inside. `join_flows` is for the
cpu: the second loop reads what the first one stores, both are nests or neither is, neither may
raise, the joined one adds to no neighbouring places, and no function that vector loops have joins
one that they have not (erf).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from srcgrad.ir.facts import contents
from srcgrad.ir.nodes import Block, Def, For, Function, Stmt, Var, While, altered
from srcgrad.ir.types import is_reference
from srcgrad.ir.walk import defined, inner_definitions, map_atoms, rename
from srcgrad.passes.dependence import Dependence
from srcgrad.passes.effects import makes_buffer, may_raise
from srcgrad.passes.footprint import Footprint
from srcgrad.passes.forward_stores import forward_stores
from srcgrad.passes.independent_loops import may_be_marked
from srcgrad.passes.loop_shapes import Shape, shape_of
from srcgrad.passes.places import Access, Poly, variables
from srcgrad.passes.verdicts import Dependent, Independent
from srcgrad.primitives import elementwise, memory

FAR = 64  # how many statements back a loop may be joined


def join_loops(function: Function, in_order: bool = False, launches: bool = True) -> Function:
    """The function with its loops joined; `in_order`: additions keep their order.

    `launches`: as many as possible, otherwise those between which elements flow.
    """
    if contents(function).loops < 2:
        return function
    joining = (_JoinLaunches if launches else _JoinLoops)(function, in_order)
    body = joining.block(function.body)
    if not joining.index:
        return function
    return rename(function.with_body(body), dict(joining.index))


def join_flows(function: Function, in_order: bool = False) -> Function:
    """The function with loops joined for a cpu, and elements handed on within their trips."""
    joined = join_loops(function, in_order, launches=False)
    return function if joined is function else forward_stores(joined, indexed=True)


class _JoinLoops:
    """Joins loops where one reads what the other stores: then it is in a cache, or a register."""

    def __init__(self, function: Function, in_order: bool):
        self.facts, self.in_order = Dependence(function), in_order
        of = self.facts.classes.of
        self.visible = {of(p) for p in function.params if is_reference(p.type)}
        self.index: dict[Var, Var] = {}  # of a joined loop: the index of the other one
        self.footprints: dict[Stmt, Footprint] = {}
        self.verdicts: dict[For, Independent | Dependent] = {}
        self.shapes: dict[For, Shape] = {}
        self.indices: dict[For, tuple[Var, ...]] = {}  # those that a joined loop replaces

    def block(self, block: Block) -> Block:
        out: list[Stmt] = []
        for s in block:
            self.add(out, s if isinstance(s, Def) else map_atoms(s, lambda a: a, self.block))
        return tuple(out)

    def add(self, out: list[Stmt], s: Stmt) -> None:
        """Appends a statement, or joins a loop with one before it if possible."""
        if isinstance(s, For):
            for k in reversed(range(max(len(out) - FAR, 0), len(out))):
                early = out[k]
                if isinstance(early, For) and self.may_be_joined(early, s):
                    new = self.joined_with(early, out[k + 1 :], s)
                    if new is not None:
                        out[k:] = new
                        return
        out.append(s)

    def may_be_joined(self, early: For, late: For) -> bool:
        """Whether nothing about the two loops alone forbids to join them; the quick tests first."""
        return (
            self.is_one_range(early, late)
            and self.is_candidate(early, late)
            and self.direction(early, late) is not None
            and (self.shape(early) + self.shape(late)).fits
            and self.keep_errors(early, late)
        )

    def is_candidate(self, early: For, late: For) -> bool:
        """Whether the second loop reads what the first one stores, and both are as vectorised.

        A loop without loops inside would not be vectorised in the trips of one that has some.
        """
        first, second = self.footprint(early), self.footprint(late)
        if first.observable or second.observable:  # a check would not be vectorised either
            return False
        if first.effects.writes.isdisjoint(second.effects.reads):
            return False
        return self.shape(early).is_as_vectorised(self.shape(late))

    def is_one_range(self, early: For, late: For) -> bool:
        poly = self.facts.places.poly
        return poly(early.start) == poly(late.start) and self.stop(early) == self.stop(late)

    def stop(self, s: For) -> Poly:
        """The end of a loop: one over max(n, 0) has the trips of one over n."""
        places = self.facts.places
        d = places.definition.get(s.stop) if isinstance(s.stop, Var) else None
        if d is not None and d.op is elementwise.maximum and not places.poly(s.start):
            a, b = map(places.poly, d.args)
            return a if not b else places.poly(s.stop)
        return places.poly(s.stop)

    def shape(self, s: For) -> Shape:
        if s not in self.shapes:
            self.shapes[s] = shape_of(s)
        return self.shapes[s]

    # ---- the statements in between ----
    def footprint(self, s: Stmt) -> Footprint:
        if s not in self.footprints:
            self.footprints[s] = Footprint.of(s, self.facts.classes, self.in_order)
        return self.footprints[s]

    def joined_with(self, early: For, between: Sequence[Stmt], late: For) -> list[Stmt] | None:
        """The statements in between, divided by one loop that replaces the two."""
        before: list[Stmt] = []
        after: list[Stmt] = []
        first, rest = self.footprint(early), Footprint()
        for s in between:
            own = self.footprint(s)
            seen = own.observable and (self.is_seen(first) or self.is_seen(rest))
            if not seen and own.passes(first) and own.passes(rest):
                before.append(s)
            else:
                after.append(s)
                rest |= own
        if not self.footprint(late).passes(rest) or not self.are_alike(early, late):
            return None
        new = self.joined(early, late)
        return None if new is None else [*before, new, *after]

    def is_seen(self, footprint: Footprint) -> bool:
        """Whether memory of the caller is changed, which an error would leave changed."""
        return bool(footprint.effects.changes & self.visible)

    # ---- two loops ----
    def joined(self, early: For, late: For) -> For | None:
        down, known = self.direction(early, late), len(self.index)
        self.make_one(early.index, late)
        carried = {f: getattr(early, f) + getattr(late, f) for f in CARRIED}
        new = altered(early, body=early.body + late.body, reverse=down, promised=False, **carried)
        verdict = self.verdict_of_both(early, late, new)
        if self.may_be_one(verdict):
            body = list(early.body)
            for s in late.body:
                self.add(body, s)
            new = altered(new, body=tuple(body))
            self.verdicts[new] = verdict  # that of the trips before loops inside them were joined
            self.footprints[new] = self.footprint(early) | self.footprint(late)
            gone = len(self.index) - known - 1  # loops inside that were joined
            self.shapes[new] = self.shape(early) + self.shape(late) - gone
            if self.pays(early, late, new):
                replaced = (late.index, *self.indices.get(late, ()))
                self.indices[new] = self.indices.get(early, ()) + replaced
                return new
        self.make_two(late, list(self.index)[known:])
        return None

    def make_one(self, index: Var, late: For) -> None:
        """Makes places in the trips of a loop places of another loop's index."""
        places = self.facts.places
        self.forget(late)
        self.index[late.index] = index
        for v in (late.index, *self.indices.get(late, ())):
            places.known[v] = {(index,): 1}

    def make_two(self, late: For, indices: Iterable[Var]) -> None:
        """Undoes `make_one` for a loop, and for loops inside it, which have these indices."""
        self.forget(late)
        for v in indices:
            del self.index[v]
            self.facts.places.known.pop(v, None)
        for v in self.indices.get(late, ()):
            self.facts.places.known[v] = {(late.index,): 1}

    def forget(self, s: For) -> None:
        for v in defined(s.body):
            self.facts.places.known.pop(v, None)

    def direction(self, early: For, late: For) -> bool | None:
        """Whether the trips of both may run downwards; None if neither loop may be turned."""
        if early.reverse == late.reverse or self.may_turn(late):
            return early.reverse
        return late.reverse if self.may_turn(early) else None

    def may_turn(self, s: For) -> bool:
        return not s.params and not self.footprint(s).observable

    def keep_errors(self, early: For, late: For) -> bool:
        """Whether errors, and what is stored before them, stay the same."""
        first, second = self.footprint(early), self.footprint(late)
        if not second.uses.isdisjoint(first.makes):
            return False
        if not first.observable:
            return True
        hidden = not second.observable and not self.is_seen(second)
        return hidden and self.checks_itself(early, late)

    def checks_itself(self, early: For, late: For) -> bool:
        """Whether data-dependent places are those that the same trip of the first loop stored."""
        stored = self.footprint(early).effects.writes
        inside = defined(late.body) | set(late.params)
        return all(self.is_checked(a, inside, stored) for a in self.facts.accesses(late))

    def is_checked(self, a: Access, inside: set[Var], stored: frozenset[Var]) -> bool:
        of, definition = self.facts.classes.of, self.facts.places.definition
        inside = inside - {s.index for s in a.loops}
        for v in (v for p in a.place if p is not None for v in variables(p) & inside):
            d = definition.get(v)
            if d is None or d.op is not memory.load or of(d.array) not in stored:
                return False
        return None not in a.place

    def verdict(self, s: For) -> Independent | Dependent:
        if s not in self.verdicts:
            self.verdicts[s] = self.facts.of(s)
        return self.verdicts[s]

    def are_alike(self, early: For, late: For) -> bool:
        """Whether both loops have independent trips that add to no neighbouring places."""
        found = (self.verdict(early), self.verdict(late))
        return all(isinstance(f, Independent) and not f.near for f in found)

    def verdict_of_both(self, early: For, late: For, new: For) -> Independent | Dependent:
        first, second = self.verdict(early), self.verdict(late)
        assert isinstance(first, Independent) and isinstance(second, Independent)
        if early.promised or late.promised:
            return self.verdict(new)
        effects = self.footprint(early).effects | self.footprint(late).effects
        both = effects.changes & self.named(early) & self.named(late)
        return self.facts.of_joined(new, first, second, both)

    def named(self, s: For) -> set[Var]:
        """The alias classes that a loop names."""
        of = self.facts.classes.of
        return {of(v) for v in self.footprint(s).uses if is_reference(v.type)}

    def may_be_one(self, found: Independent | Dependent) -> bool:
        """Whether the trips of a joined loop are independent."""
        if not isinstance(found, Independent):
            return False
        return not (self.in_order and (found.shared or found.near))

    def pays(self, early: For, late: For, new: For) -> bool:
        """Whether the joined loop can be vectorised: it adds to no neighbouring places."""
        found = self.verdict(new)
        return isinstance(found, Independent) and not found.near


class _JoinLaunches(_JoinLoops):
    """Joins loops that a device would launch one after the other."""

    def is_candidate(self, early: For, late: For) -> bool:
        return True

    def is_marked(self, s: For) -> bool:
        return may_be_marked(s, self.verdict(s), self.in_order, sharing=True)

    def are_alike(self, early: For, late: For) -> bool:
        """Whether both loops have independent trips, and both are launches or neither is."""
        found = (self.verdict(early), self.verdict(late))
        alike = self.is_marked(early) == self.is_marked(late)
        return alike and all(isinstance(f, Independent) for f in found)

    def pays(self, early: For, late: For, new: For) -> bool:
        """Whether a launch keeps its axes, or gives one up for a buffer and has loops to share."""
        grids = [self.grid(s) for s in (early, late, new)]
        first, second, both = ({self.is_shared(s) for s in g[-1].body} - {None} for g in grids)
        lost = max(map(len, grids[:2])) - len(grids[2])
        flows = not self.footprint(early).effects.commutes(self.footprint(late).effects)
        if lost > 0:
            return lost == 1 and flows and False not in both
        return False not in both or {True} not in (first, second)

    def grid(self, s: For) -> list[For]:
        """A loop and those inside it, each the whole body of the one around it."""
        loops = [s]
        while (inner := self.only_loop(loops)) is not None:
            loops.append(inner)
        return loops

    def only_loop(self, loops: list[For]) -> For | None:
        outer = loops[-1]
        before, inner = outer.body[:-1], outer.body[-1] if outer.body else None
        if not isinstance(inner, For) or not self.is_marked(inner):
            return None
        made = {v for g in loops for v in inner_definitions(g)} | defined(before)
        again = all(isinstance(s, Def) and _may_be_done_again(s) for s in before)
        hands_on = len(outer.params) == len(inner.params) and set(outer.params) == set(inner.inits)
        return inner if again and hands_on and not {inner.start, inner.stop} & made else None

    def is_shared(self, s: Stmt) -> bool | None:
        """Whether threads may share a loop of a trip; None for other statements."""
        if isinstance(s, For):
            return self.is_marked(s)
        return False if isinstance(s, While) else None


CARRIED = ("params", "inits", "yields", "results")


def _may_be_done_again(s: Def) -> bool:
    return s.var is not None and not (s.op.effect or may_raise(s) or makes_buffer(s))
