"""Makes additions to shared arrays atomic, and fills buffers of zeros by a loop.

An addition is a load, a sum and a store of one element, of which only the sum's other operand is
left. Never decides which arrays trips share.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from srcgrad.ir.nodes import Atom, Block, Def, For, If, Stmt, Var, While, altered
from srcgrad.ir.walk import walk
from srcgrad.passes.hoist_allocations import stored_zeros
from srcgrad.passes.places import Places
from srcgrad.primitives import memory


class Additions:
    """Makes the additions to arrays that trips share atomic ones."""

    def __init__(self, places: Places, shared: Collection[Var]):
        self.places, self.shared = places, shared
        self.dropped: set[Def] = set()
        self.atomic: list[Def] = []

    def block(self, block: Block) -> tuple[Block, list[Def]]:
        for s in walk(block):
            if isinstance(s, Def) and s.op is memory.store and self.is_shared(s):
                self.dropped.update(self.parts(s)[:2])
        return self.rebuilt(block), self.atomic

    def is_shared(self, s: Def) -> bool:
        return self.places.place(s.array, (None,) * (len(s.args) - 2))[0] in self.shared

    def parts(self, s: Def) -> tuple[Def, Def, Atom]:
        """The parts of a store that adds to an element: the load, the sum and the rest."""
        assert isinstance(s.args[-1], Var)  # the stored value is a sum, as was proved
        total = self.places.definition[s.args[-1]]
        found = [self.places.definition.get(a) for a in total.args if isinstance(a, Var)]
        old = next(
            d for d in found
            if d is not None and d.op is memory.load and d.args == s.args[:-1]
        )  # fmt: skip
        rest = total.args[1] if total.args[0] is old.var else total.args[0]
        return old, total, rest

    def rebuilt(self, block: Block) -> Block:
        out: list[Stmt] = []
        for s in block:
            match s:
                case Def():
                    out += self.definition(s)
                case For():
                    out.append(altered(s, body=self.rebuilt(s.body)))
                case While():
                    out.append(altered(s, test=self.rebuilt(s.test), body=self.rebuilt(s.body)))
                case If():
                    then, orelse = self.rebuilt(s.then), self.rebuilt(s.orelse)
                    out.append(altered(s, then=then, orelse=orelse))
        return tuple(out)

    def definition(self, s: Def) -> Iterator[Stmt]:
        if s in self.dropped:
            return
        if s.op is memory.zeros and s.var is not None:
            yield altered(s, op=memory.empty)
            for nest in stored_zeros(s.var, s.loc):
                yield altered(nest, independent=True) if isinstance(nest, For) else nest
            return
        if s.op in (memory.store, memory.add_at) and self.is_shared(s):
            if s.op is memory.store:
                s = altered(s, op=memory.add_at, args=(*s.args[:-1], self.parts(s)[2]))
            self.atomic.append(s)
        yield s
