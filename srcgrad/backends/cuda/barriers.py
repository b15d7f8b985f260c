"""Places barriers for the threads of a block within a trip that they run together.

Every thread runs the statements of a trip; only one of them stores, and of the loops that they
share each runs a part. A barrier precedes a statement that reads memory that other threads have
stored to, or stores where others have read or stored, since the last one. Memory is compared by
alias classes. All threads reach a barrier: conditions of a trip are equal in all of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from srcgrad.backends.cuda.checks import may_fail
from srcgrad.backends.cuda.spread import Spread
from srcgrad.ir.alias import AliasClasses
from srcgrad.ir.nodes import Block, Def, For, If, Stmt, Var, While
from srcgrad.ir.walk import blocks, walk
from srcgrad.passes.effects import classes_read, classes_written, is_write

Classes = frozenset[Var]
NONE: Classes = frozenset()


@dataclass(frozen=True)
class Touched:
    """The alias classes accessed since a barrier."""

    read: Classes = NONE  # by any thread
    stored: Classes = NONE  # by the first thread
    spread: Classes = NONE  # by any thread, in a loop that they share

    def __or__(self, other: Touched) -> Touched:
        return Touched(
            self.read | other.read, self.stored | other.stored, self.spread | other.spread
        )

    def precedes(self, after: Touched) -> bool:
        """Whether these accesses and later ones need a barrier between them."""
        written = self.stored | self.spread
        return bool(
            after.read & written
            or after.stored & (self.read | self.spread)
            or after.spread & (self.read | written)
        )


class Barriers:
    """The statements of a trip before which its threads wait: `before`."""

    def __init__(self, body: Block, spread: Mapping[For, Spread], classes: AliasClasses):
        self.spread, self.classes = spread, classes
        self.before: set[Stmt] = set()
        self.block(body, Touched())

    def block(self, block: Block, since: Touched) -> Touched:
        for s in block:
            since = self.statement(s, since)
        return since

    def statement(self, s: Stmt, since: Touched) -> Touched:
        match s:
            case Def():
                return self.touch(s, self.touched(s), since)
            case For() if s in self.spread:
                after = self.touch(s, self.touched(s), since)
                return Touched() if ends_with_a_barrier(self.spread[s]) else after
            case If():
                return self.block(s.then, since) | self.block(s.orelse, since)
            case For() | While():
                return since | self.trips(s, since)

    def touch(self, s: Stmt, touched: Touched, since: Touched) -> Touched:
        if not since.precedes(touched):
            return since | touched
        self.before.add(s)
        return touched

    def trips(self, s: For | While, since: Touched) -> Touched:
        """Walks a loop, any trip of which may come after another one."""
        body = tuple(t for b in blocks(s) for t in b)
        return self.block(body, since | self.all_of(body))

    def all_of(self, block: Block) -> Touched:
        found = Touched()
        for s in block:
            found |= self.touched(s)
            for b in () if s in self.spread else blocks(s):
                found |= self.all_of(b)
        return found

    def touched(self, s: Stmt) -> Touched:
        """The classes that a statement accesses by itself; a shared loop with its body."""
        if isinstance(s, Def):
            written = {self.classes.of(s.array)} if is_write(s) else NONE
            return Touched(frozenset(classes_read(s, self.classes)), frozenset(written))
        if s not in self.spread:
            return Touched()
        inside = walk(blocks(s)[0])
        read = (classes_read(t, self.classes) for t in inside if isinstance(t, Def))
        written = classes_written(blocks(s)[0], self.classes)
        return Touched(NONE.union(*read), spread=frozenset(written))


def ends_with_a_barrier(s: Spread) -> bool:
    """Whether threads wait after a loop that they share: for its sums, or for failures."""
    return bool(s.combined) or can_fail(s.loop)


def can_fail(s: For) -> bool:
    return any(isinstance(t, Def) and may_fail(t) for t in walk(s.body))
