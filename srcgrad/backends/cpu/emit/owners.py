"""Tracks the references owned at the point of a function that is written, and their slots.

Each counted reference lies in a slot of `%owned` while it is owned; what lies in no use is null.
So all failures of a function go on at one block, which releases what the slots hold.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from srcgrad.backends.cpu.emit.frame import Frame, Place
from srcgrad.ir.alias import AliasClasses
from srcgrad.ir.nodes import Atom, Block, Def, Function, While
from srcgrad.ir.types import Var
from srcgrad.ir.walk import blocks
from srcgrad.primitives import tapes
from srcgrad.records import record

EXIT, DONE = "exit", "done"  # the blocks where failures go on, and where a function ends


@record(frozen=True)
class Owned:
    """A counted reference: a MemInfo, or the name of the slot whose MemInfo may be replaced."""

    name: str
    var: Var
    slot: str


@record(frozen=True)
class Placed:
    """A buffer in the frame, and its size."""

    var: Var
    place: Place
    size: int


class Scope:
    """The references that a block owns, by alias class; a stretch of it may release all of them."""

    def __init__(self, outer: Scope | None = None) -> None:
        self.outer = outer  # of a stretch: what the block owns at its begin
        self.taken: list[Owned] = []  # of that: what the stretch has released
        self.held: dict[Var, list[Owned | Placed]] = {}
        self.new: dict[Var, None] = {}  # the classes of what was added since `added` was asked

    def __iter__(self) -> Iterator[Owned | Placed]:
        return chain.from_iterable(self.held.values())

    def add(self, of: Var, each: Owned | Placed) -> None:
        self.held.setdefault(of, []).append(each)
        self.new.setdefault(of)

    def take(self, of: Var) -> list[Owned | Placed]:
        """Removes and returns the references of an alias class, to be released."""
        found = self.held.pop(of, [])
        for each in self.outer.take(of) if self.outer else ():
            if isinstance(each, Owned):
                self.taken.append(each)
                # a name is known in its function only
                each = Owned(each.slot, each.var, each.slot)
            found.append(each)
        return found

    def added(self) -> list[Var]:
        new, self.new = self.new, {}
        return list(new)


class Owners:
    """The references and buffers owned at the point being written, by scope, outermost first."""

    def __init__(self, classes: AliasClasses) -> None:
        self.classes = classes
        self.scopes: list[Scope] = [Scope()]
        self.frame = Frame()
        self.carved = 0  # so many buffers; `%carved` has a MemInfo for each that did not fit
        self.canaries: list[str] = []  # guarded: where the end of what is carved is kept
        self.variables: list[str] = []  # what is in memory until the function returns: LLVM types
        self.slots = 0  # of `%owned`
        self.free: list[str] = []  # the slots that are null

    def own(self, each: Owned | Placed) -> None:
        self.scopes[-1].add(self.classes.of(each.var), each)

    def slot(self) -> str:
        """A slot for what is owned next."""
        if self.free:
            return self.free.pop()
        self.slots += 1
        return f"%o{self.slots - 1}"

    def variable(self, kind: str) -> str:
        """A place in memory, with a zero, until the function returns."""
        self.variables.append(kind)
        return f"%k{len(self.variables) - 1}"

    def fallback(self) -> str:
        """The slot of the MemInfo of a carved buffer that does not fit in the workspace."""
        self.carved += 1
        return f"%c{self.carved - 1}"

    def vacate(self, each: Owned | Placed) -> None:
        """Let others have the slot, or the place in the frame, of what was released."""
        if isinstance(each, Owned):
            self.free.append(each.slot)
        else:
            self.frame.give(each.place)


def outlived(function: Function) -> set[Var]:
    """The views of tapes that may grow while the view is in use: these own the memory they see."""
    out: set[Var] = set()

    def block(statements: Block) -> set[Atom]:
        """Looks at views within; the tapes that grow there."""
        grown: set[Atom] = set()
        for s in reversed(statements):
            if isinstance(s, Def) and s.op is tapes.tape_view and s.args[0] in grown:
                assert s.var is not None
                out.add(s.var)
            if isinstance(s, Def) and s.op is tapes.reserve:
                grown.add(s.args[0])
            # names bound by the test of a `while` are bound in its body too
            inside = (s.test + s.body,) if isinstance(s, While) else blocks(s)
            for each in inside:
                grown |= block(each)
        return grown

    block(function.body)
    return out
