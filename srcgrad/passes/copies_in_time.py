"""Finds the copies from new arrays to old ones in a loop over time that may become other names.

`u[1:-1] = un[1:-1]` at the end of each step is a *link* from `un` to `u`. Links of one region make
a *chain* a1 <- a2 <- ... <- am, of which the last one alone is stored to otherwise. If the names
a1 ... am get the buffers of a2 ... am and a1 instead, am has old elements, which must not be read:
the step stores them first, or no trip changes them and they are equal in all buffers. Never changes
a statement.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise

from srcgrad.ir.alias import AliasClasses
from srcgrad.ir.nodes import Block, Def, For, Function, Stmt, Var, atom
from srcgrad.ir.types import Array
from srcgrad.ir.walk import blocks, defined, uses, walk
from srcgrad.passes.dependence import touched
from srcgrad.passes.effects import classes_written, makes_buffer
from srcgrad.passes.own_buffers import with_other_names
from srcgrad.passes.places import Access, Places, Poly, constant, linear, plus, variables
from srcgrad.primitives import memory
from srcgrad.records import record

Box = tuple[tuple[Poly, Poly], ...]  # for each axis the first index, and the one after the last


@record(frozen=True, eq=False)
class Touch:
    """An access in a trip: in which statement of the body, how many before it, if surely."""

    access: Access
    index: int
    order: int
    sure: bool
    block: Block

    @property
    def statement(self) -> Def:
        return self.access.statement

    @property
    def root(self) -> Var:
        return self.access.root


@record(frozen=True, eq=False)
class Link:
    """A copy of one region from an array to another one."""

    to: Touch
    source: Touch
    box: Box


@record(frozen=True, eq=False)
class Chain:
    """Arrays that may take turns: each gets the next one's buffer where the copies are.

    `last` is where in the body the last copy is. `equal`: elements that no trip stores to are equal
    in all buffers before the loop; otherwise they have to be copied there.
    """

    arrays: tuple[Var, ...]
    links: tuple[Link, ...]
    last: int
    equal: bool

    @property
    def copies(self) -> set[Stmt]:
        return {k.to.statement for k in self.links}


class CopiesInTime:
    """The chains of a loop; `before` has the statements of its block that come before it."""

    def __init__(
        self, program: Function, classes: AliasClasses, places: Places, loop: For, before: Block
    ):
        self.program, self.classes, self.places = program, classes, places
        self.loop, self.before = loop, before
        self.bound = defined((loop,))
        self.inside, self.earlier = set(walk(loop.body)), set(walk(before))
        self.touches = list(self.reached(loop.body))

    # ---- accesses ----
    def reached(self, body: Block) -> Iterator[Touch]:
        count = 0

        def go(block: Block, loops: tuple[For, ...], at: int, sure: bool) -> Iterator[Touch]:
            nonlocal count
            for k, s in enumerate(block):
                index = k if at < 0 else at
                count += 1
                if isinstance(s, Def):
                    for x in touched(s):
                        access = self.places.access(s, x, loops)
                        yield Touch(access, index, count, sure, block)
                within = (*loops, s) if isinstance(s, For) else loops
                for b in blocks(s):
                    yield from go(b, within, index, sure and isinstance(s, For))

        yield from go(body, (), -1, True)

    def axes(self, t: Touch) -> list[tuple[Poly, int | None]] | None:
        """For each axis the first part of an index, and which loop it follows one by one."""
        out: list[tuple[Poly, int | None]] = []
        left = {s.index: k for k, s in enumerate(t.access.loops)}
        for p in t.access.place:
            if p is None:
                return None
            moving = [v for v in variables(p) if v in left]
            if len(moving) > 1:
                return None
            if not moving:
                out.append((p, None))
                continue
            parts = linear(p, moving[0])
            if parts is None or parts[0] != constant(1):
                return None
            out.append((parts[1], left.pop(moving[0])))
        return None if left else out

    def box(self, t: Touch) -> Box | None:
        """The region that an access touches in a trip, if that is the same one in all trips."""
        axes = self.axes(t)
        if axes is None:
            return None
        out: list[tuple[Poly, Poly]] = []
        for p, k in axes:
            low, high = p, plus(p, constant(1))
            if k is not None:
                s = t.access.loops[k]
                low, high = plus(p, self.places.poly(s.start)), plus(p, self.places.poly(s.stop))
            if (variables(low) | variables(high)) & self.bound:
                return None
            out.append((low, high))
        return tuple(out)

    def whole(self, root: Var) -> Box:
        assert isinstance(root.type, Array)
        return tuple((constant(0), self.places.poly(atom(n))) for n in root.type.dims)

    # ---- links ----
    def links(self) -> list[Link]:
        by_statement: dict[Stmt, list[Touch]] = {}
        for t in self.touches:
            by_statement.setdefault(t.statement, []).append(t)
        found: list[Link] = []
        for t in self.touches:
            s = t.statement
            source = self.source(s, t, by_statement)
            if source is not None and (k := self.link(t, source)) is not None:
                found.append(k)
        return found

    def source(self, s: Def, t: Touch, at: dict[Stmt, list[Touch]]) -> Touch | None:
        """The access that reads what a statement stores."""
        if s.op is memory.store and t.access.writes:
            d = self.places.definition.get(a) if isinstance(a := s.args[-1], Var) else None
            found = at.get(d, []) if d is not None and d.op is memory.load else []
            return found[0] if found and found[0].block is t.block else None
        if s.op is memory.assign and t.access.writes:
            return next((r for r in at[s] if not r.access.writes), None)
        return None

    def link(self, to: Touch, source: Touch) -> Link | None:
        box = self.box(to)
        if box is None or not to.sure or self.box(source) != box:
            return None
        if self.axes(to) != self.axes(source) or to.root.type != source.root.type:
            return None
        return Link(to, source, box)

    # ---- chains ----
    def chains(self) -> list[Chain]:
        links = self.links()
        many = Counter(x for k in links for x in ((k.to.root, True), (k.source.root, False)))
        links = [k for k in links if many[k.to.root, True] == many[k.source.root, False] == 1]
        to, sources = {k.to.root: k for k in links}, {k.source.root for k in links}
        found: list[Chain] = []
        for head in to:
            if head in sources:
                continue
            chain = [to[head]]
            while (more := to.get(chain[-1].source.root)) is not None:
                chain.append(more)
            made = self.chain(tuple(chain))
            if made is not None:
                found.append(made)
        return found

    def chain(self, links: tuple[Link, ...]) -> Chain | None:
        """The chain of some links, if its arrays may take turns."""
        arrays = (*(k.to.root for k in links), links[-1].source.root)
        own = {t for k in links for t in (k.to, k.source)}
        first, last = links[0].to.index, links[-1].to.index
        others = [t for t in self.touches if t.root in arrays and t not in own]
        stores = [t for t in others if t.access.writes]
        if not (self.are_ours(arrays) and self.in_turn(links) and stores):
            return None
        if any(first <= t.index <= last for t in others) or self.is_used_after(arrays[-1]):
            return None
        stored = max(t.index for t in stores)
        reads = [t for t in others if not t.access.writes and t.root is arrays[-1]]
        legal = all(t.root is arrays[-1] and self.is_inside(t, links) for t in stores) and all(
            stored < t.index < first for t in reads
        )
        if not (stored < first and legal):
            return None
        equal = self.are_equal(arrays)
        boxes = [b for t in stores if (b := self.box(t)) is not None]
        covered = _covers(links[0].box, boxes) and not reads
        if not equal and not (covered and len(arrays) == 2):
            return None
        return Chain(arrays, links, last, equal)

    def are_ours(self, arrays: tuple[Var, ...]) -> bool:
        """Whether these are distinct buffers of one type that have no name but views."""
        types = [a.type for a in arrays]
        return (
            len(set(arrays)) == len(arrays)
            and all(t == types[0] for t in types)
            and all(self.is_local(a) for a in arrays)
        )

    def is_local(self, a: Var) -> bool:
        d = self.places.definition.get(a)
        if d is None or not makes_buffer(d) or self.classes.of(a) in self.joined:
            return False
        return d in self.before and all(
            t.root is a for t in self.touches if self.classes.of(t.root) is self.classes.of(a)
        )

    @cached_property
    def joined(self) -> set[Var]:
        return with_other_names(self.program, self.classes)

    def in_turn(self, links: tuple[Link, ...]) -> bool:
        """Whether each copy reads its element before the next copy stores to it."""
        return all(k.box == links[0].box for k in links) and all(
            a.source.order < b.to.order and a.to.index <= b.to.index for a, b in pairwise(links)
        )

    def is_inside(self, t: Touch, links: tuple[Link, ...]) -> bool:
        """Whether a store takes place in each trip, and all that it stores is copied."""
        box = self.box(t)
        if box is None or not t.sure or t.statement.op not in (memory.store, memory.assign):
            return False
        whole = self.whole(t.root)
        return all(
            big == all_ or (_is_at_least(low, big[0]) and _is_at_least(big[1], high))
            for (low, high), big, all_ in zip(box, links[0].box, whole, strict=True)
        )

    def are_equal(self, arrays: tuple[Var, ...]) -> bool:
        """Whether all buffers have the same elements before the loop."""
        stored = classes_written(self.before, self.classes)
        firsts: set[Var] = set()
        for a in arrays:
            x, d = a, self.places.definition[a]
            while d is not None and d.op is memory.copy and (x is a or x in arrays):
                if self.classes.of(x) in stored:
                    return False
                x, d = d.array, self.places.definition.get(d.array)
            if self.classes.of(x) in stored:
                return False
            firsts.add(x)
        return len(firsts) == 1

    def is_used_after(self, a: Var) -> bool:
        """Whether anything after the loop names an array."""
        names = {a}
        for s in walk(self.program.body):
            if isinstance(s, Def) and s.op.view and s.var is not None and s.args[0] in names:
                names.add(s.var)
        return not names.isdisjoint(self.program.returns) or any(
            s not in self.inside and s not in self.earlier and not names.isdisjoint(uses(s))
            for s in walk(self.program.body)
        )


def _is_at_least(p: Poly, q: Poly) -> bool:
    gap = plus(p, q, -1)
    return not gap or (set(gap) == {()} and gap[()] > 0)


def _covers(box: Box, parts: list[Box]) -> bool:
    """Whether parts that differ on one axis follow each other through a region."""
    if box in parts:
        return True
    for k, (low, high) in enumerate(box):
        rest = [p for p in parts if p[:k] == box[:k] and p[k + 1 :] == box[k + 1 :]]
        while rest and low != high:
            after = next((p for p in rest if p[k][0] == low), None)
            if after is None:
                break
            rest.remove(after)
            low = after[k][1]
        if low == high:
            return True
    return False
