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

For lowered programs, on devices that launch each loop. Both loops are independent, and so is the
joined one: then no element that one loop stores to is touched by another trip of the other, and a
trip runs the two parts in their order. Statements in between move before the first loop, or after
the second. Two loops that may both raise are not joined; where the first may, the second stores to
nothing that the caller sees, and relies on no check but that of its own trip. Loops inside are
joined in turn. A map of several axes stays one, unless a buffer flows between the loops: then at
most one axis is left to the loops inside. Never joins loops around calls of a library.
"""

from __future__ import annotations

from collections.abc import Sequence

from srcgrad.ir.nodes import Block, Def, For, Function, Stmt, Var, While, altered
from srcgrad.ir.types import Scalar, is_reference
from srcgrad.ir.walk import defined, inner_definitions, map_atoms, rename, walk
from srcgrad.passes.dependence import Dependence, Dependent, Independent
from srcgrad.passes.effects import is_scalar_operation, makes_buffer, may_raise
from srcgrad.passes.footprint import Footprint
from srcgrad.passes.independent_loops import may_be_marked
from srcgrad.passes.places import ELEMENTS, Access, Poly, variables
from srcgrad.primitives import elementwise, memory

FAR = 64  # how many statements back a loop may be joined
MOST = 400  # statements of a joined loop


def join_loops(function: Function, in_order: bool = False) -> Function:
    """The function with its loops joined; `in_order`: additions keep their order."""
    joining = _JoinLoops(function, in_order)
    body = joining.block(function.body)
    return rename(function.with_body(body), dict(joining.index))


class _JoinLoops:
    def __init__(self, function: Function, in_order: bool):
        self.facts, self.in_order = Dependence(function), in_order
        of = self.facts.classes.of
        self.visible = {of(p) for p in function.params if is_reference(p.type)}
        self.index: dict[Var, Var] = {}  # of a joined loop: the index of the other one
        self.footprints: dict[Stmt, Footprint] = {}
        self.verdicts: dict[For, Independent | Dependent] = {}

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
                if isinstance(early, For) and self.is_one_range(early, s):
                    new = self.joined_with(early, out[k + 1 :], s)
                    if new is not None:
                        out[k:] = new
                        return
        out.append(s)

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
            own, ahead = self.footprint(s), first | rest
            if own.passes(ahead) and not (own.observable and self.is_seen(ahead)):
                before.append(s)
            else:
                after.append(s)
                rest |= own
        if not self.footprint(late).passes(rest):
            return None
        new = self.joined(early, late)
        return None if new is None else [*before, new, *after]

    def is_seen(self, footprint: Footprint) -> bool:
        """Whether memory of the caller is changed, which an error would leave changed."""
        return bool(footprint.effects.changes & self.visible)

    # ---- two loops ----
    def joined(self, early: For, late: For) -> For | None:
        down = self.direction(early, late)
        size = len(walk(early.body)) + len(walk(late.body))
        if down is None or size > MOST or not self.keep_errors(early, late):
            return None
        if not self.are_alike(early, late):
            return None
        known = len(self.index)
        self.set_index({**self.index, late.index: early.index})
        carried = {f: getattr(early, f) + getattr(late, f) for f in CARRIED}
        new = altered(early, body=early.body + late.body, reverse=down, promised=False, **carried)
        if self.may_be_one(new):
            body = list(early.body)
            for s in late.body:
                self.add(body, s)
            new = altered(new, body=tuple(body))
            if self.pays(early, late, new):
                return new
        self.set_index(dict(list(self.index.items())[:known]))
        return None

    def set_index(self, index: dict[Var, Var]) -> None:
        """Sets the index map, so that places of joined loops are places of one index."""
        self.index = index
        self.facts.places.known = {v: {(self.root(v),): 1} for v in index}

    def root(self, v: Var) -> Var:
        while v in self.index:
            v = self.index[v]
        return v

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

    def is_marked(self, s: For) -> bool:
        return may_be_marked(s, self.verdict(s), self.in_order, sharing=True)

    def are_alike(self, early: For, late: For) -> bool:
        """Whether both loops have independent trips, and both are launches or neither is."""
        found = (self.verdict(early), self.verdict(late))
        alike = self.is_marked(early) == self.is_marked(late)
        return alike and all(isinstance(f, Independent) for f in found)

    def may_be_one(self, new: For) -> bool:
        """Whether the trips of the joined loop are independent."""
        found = self.verdict(new)
        if not isinstance(found, Independent) or not _is_plain(new):
            return False
        return not (self.in_order and (found.shared or found.near))

    # ---- whether it is worth it ----
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


def _is_plain(loop: For) -> bool:
    """Whether a loop only computes with scalars, elements and memory of its own."""
    return all(
        is_scalar_operation(s) or s.op in ELEMENTS or s.op.view
        or s.op in (memory.empty, memory.zeros) or _is_check(s)
        for s in walk(loop.body) if isinstance(s, Def)
    )  # fmt: skip


def _is_check(s: Def) -> bool:
    return s.var is None and s.op.raises and all(isinstance(a.type, Scalar) for a in s.args)


def _may_be_done_again(s: Def) -> bool:
    return s.var is not None and not (s.op.effect or may_raise(s) or makes_buffer(s))
