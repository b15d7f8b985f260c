"""What the point of a function that is being written owns; where a failure there goes on."""

from __future__ import annotations

from srcgrad.backends.cpu.emit.frame import Frame, Place
from srcgrad.ir.nodes import Block, Def, Function, While
from srcgrad.ir.types import Var
from srcgrad.ir.walk import blocks, walk
from srcgrad.primitives import tapes
from srcgrad.records import record


@record(frozen=True)
class Owned:
    """A counted reference: a MemInfo, or (`kept`) the place where the MemInfo is kept."""

    name: str
    var: Var
    kept: bool = False


@record(frozen=True)
class Placed:
    """A buffer in the frame; where its bytes end, if that is watched."""

    var: Var
    place: Place
    data: str
    end: str = ""


class Owners:
    """What the point that is being written owns, scope by scope, the outermost first."""

    def __init__(self) -> None:
        self.scopes: list[list[Owned | Placed]] = [[]]
        self.frame = Frame()
        self.carved = 0  # so many buffers; `%carved` has a MemInfo for each that did not fit
        self.canaries: list[str] = []  # guarded: where the end of what is carved is kept
        self.exits: dict[tuple[Owned, ...], str] = {}

    def own(self, each: Owned | Placed) -> None:
        self.scopes[-1].append(each)

    def exit(self) -> str:
        """The block where a failure here goes on."""
        owned = [each for scope in self.scopes for each in scope]
        return self.exit_of(tuple(each for each in owned if isinstance(each, Owned)))

    def exit_of(self, owned: tuple[Owned, ...]) -> str:
        return self.exits.setdefault(owned, f"exit{len(self.exits)}")


def outlived(function: Function) -> set[Var]:
    """The views of tapes that may grow while the view is in use: these own the memory they see."""
    out: set[Var] = set()

    def block(statements: Block) -> None:
        grown: set[Var] = set()
        for s in reversed(statements):
            if isinstance(s, Def) and s.op is tapes.tape_view and s.args[0] in grown:
                assert s.var is not None
                out.add(s.var)
            for inner in walk((s,)):
                if isinstance(inner, Def) and inner.op is tapes.reserve:
                    assert isinstance(inner.args[0], Var)
                    grown.add(inner.args[0])
        for s in statements:
            # what the test of a `while` binds is bound in its body too
            inside = (s.test + s.body,) if isinstance(s, While) else blocks(s)
            for each in inside:
                block(each)

    block(function.body)
    return out
