"""Which elements statements leave as zeros: by an allocation, a loop, or on each way of a branch.

Buffers of one axis that have no name but views. Never changes a statement.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import copysign

from srcgrad.ir.alias import alias_classes
from srcgrad.ir.nodes import Block, Const, Def, For, Function, If, Stmt, Var
from srcgrad.ir.summaries import Summaries
from srcgrad.ir.types import INT, Array, is_complex
from srcgrad.ir.walk import defined
from srcgrad.passes.dependence import touched
from srcgrad.passes.effects import is_scalar_operation, makes_buffer, may_raise
from srcgrad.passes.own_buffers import with_other_names
from srcgrad.passes.places import Places, Poly, constant, linear, plus, variables
from srcgrad.passes.tiles import Facts, Zeros
from srcgrad.primitives import elementwise, memory


class ZeroRegions:
    """The regions of zeros of a function."""

    def __init__(self, function: Function):
        self.classes, self.places = alias_classes(function), Places(function)
        self.touches = Summaries(self._touched)
        self.joined = with_other_names(function, self.classes)

    def _touched(self, s: Stmt, inner: list[set[Var]]) -> set[Var]:
        """The classes whose elements a statement reads or stores to."""
        own = {self.classes.of(x) for x in touched(s)} if isinstance(s, Def) else set[Var]()
        return own.union(*inner)

    def names(self, s: Stmt, root: Var) -> bool:
        return self.classes.of(root) in self.touches[s]

    def implied(self, s: If) -> Facts:
        """Polynomials that are not negative where a condition holds."""
        d = self.places.definition.get(s.cond) if isinstance(s.cond, Var) else None
        if d is None or d.op is not elementwise.ge or any(a.type != INT for a in d.args):
            return ()
        x, y = map(self.places.poly, d.args)
        return (plus(x, y, -1),)

    def zeroed(self, s: Stmt) -> Iterator[Zeros]:
        """The zeros that a statement leaves behind, of which it need not store all."""
        if isinstance(s, Def):
            if s.op is memory.zeros and s.var is not None and self.is_local(s.var):
                yield Zeros(s.var, {}, self.places.poly(s.args[0]))
        elif isinstance(s, For):
            z = None if s.params else self.zero_loop(s)
            own = [t for t in s.body if isinstance(t, Def) and not _is_zero_store(t)]
            if z is not None and all(is_scalar_operation(t) and not may_raise(t) for t in own):
                yield z
        elif isinstance(s, If):
            for block in (s.then, s.orelse):
                for t in block:
                    for z in self.zeroed(t):
                        if not isinstance(t, Def) and self.is_zero((s,), z):
                            yield z

    def zero_loop(self, s: For) -> Zeros | None:
        """The zeros that a loop stores, if it stores nothing else to their buffer."""
        found = [t for t in s.body if isinstance(t, Def) and _is_zero_store(t)]
        if len(found) != 1:
            return None
        place = self.place(found[0], (s,))
        parts = None if place is None else linear(place[1], s.index)
        if place is None or parts is None or parts[0] != constant(1):
            return None
        if variables(parts[1]) & defined((s,)) or not self.stores_once(s, found[0]):
            return None
        low, high = (plus(parts[1], self.places.poly(a)) for a in (s.start, s.stop))
        return Zeros(place[0], low, high)

    def stores_once(self, s: For, store: Def) -> bool:
        """Whether a store is the only one of a loop without inner loops to its class."""
        cls = self.classes.of(store.array)
        return all(isinstance(t, Def) for t in s.body) and not any(
            isinstance(t, Def)
            and t.op.writes
            and t is not store
            and self.classes.of(t.array) is cls
            for t in s.body
        )

    def place(self, s: Def, loops: tuple[For, ...]) -> tuple[Var, Poly] | None:
        """The buffer of one axis, and the coordinate, of an access to an element."""
        access = self.places.access(s, s.array, loops)
        if len(access.place) != 1 or access.place[0] is None or not self.is_local(access.root):
            return None
        return access.root, access.place[0]

    def is_local(self, root: Var) -> bool:
        d, t = self.places.definition.get(root), root.type
        return (
            d is not None
            and makes_buffer(d)
            and isinstance(t, Array)
            and len(t.dims) == 1
            and t.dtype[0] == "f"  # the zeros of complex numbers have two signs
            and self.classes.of(root) not in self.joined
        )

    def is_zero(self, block: Block, z: Zeros) -> bool:
        """Whether what a block does last to a buffer is to store these zeros."""
        for s in reversed(block):
            if isinstance(s, Def) and s.var is z.root:
                return s.op is memory.zeros
            if not self.names(s, z.root):
                continue
            if isinstance(s, If):
                return self.is_zero(s.then, z) and self.is_zero(s.orelse, z)
            return isinstance(s, For) and z.are(self.zero_loop(s))
        return False


def _is_zero_store(s: Stmt) -> bool:
    if not isinstance(s, Def) or s.op is not memory.store or not isinstance(a := s.args[-1], Const):
        return False
    real = not is_complex(a.type.dtype)
    return real and a.value == 0 and copysign(1.0, a.value) > 0
