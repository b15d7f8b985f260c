"""Whether the arrays that a loop carries begin in buffers that have no other name.

Which alias classes have names but views. `Following` is the base class of passes that test this; it
changes nothing itself.
"""

from __future__ import annotations

from collections.abc import Sequence

from srcgrad.ir.alias import AliasClasses
from srcgrad.ir.facts import definitions
from srcgrad.ir.nodes import Atom, Block, Def, For, Function, Loop, Stmt, Var, While, kept_tuple
from srcgrad.ir.types import Array, is_reference
from srcgrad.ir.walk import uses, walk
from srcgrad.passes.effects import makes_buffer
from srcgrad.passes.rewrite import Rewriter
from srcgrad.primitives.schedules import OF_LOOPS


class Following(Rewriter):
    """A rewriter that knows which statements of the same block come before each one."""

    def __init__(self) -> None:
        super().__init__()
        self.before: Block = ()

    def block(self, block: Block) -> Block:
        outer, out = self.before, list[Stmt]()
        for k, s in enumerate(block):
            self.before = block[:k]
            out.extend(self.statement(s))
        self.before = outer
        return kept_tuple(block, out)


def with_other_names(function: Function, classes: AliasClasses) -> set[Var]:
    """The classes that the caller stores, loops carry, branches join or lists hold."""
    found: list[Atom] = [*function.params]
    for s in walk(function.body):
        if not isinstance(s, Def):
            found += uses(s)
        elif s.op.holds:
            found += s.args
    return {classes.of(v) for v in found if isinstance(v, Var) and is_reference(v.type)}


def keeps_its_trips(s: For | While) -> bool:
    """Whether the user has given a loop a promise or a schedule."""
    test = s.test if isinstance(s, While) else ()
    marked = any(isinstance(t, Def) and t.op in OF_LOOPS for t in (*test, *s.body))
    return marked or (isinstance(s, For) and s.promised)


def carried(s: Stmt) -> list[int]:
    """The positions of the arrays that a loop carries; elements in 0-d arrays are left out."""
    if not isinstance(s, Loop):
        return []
    return [k for k, p in enumerate(s.params) if isinstance(p.type, Array) and p.type.dims]


def begins_alone(function: Function, s: For | While, at: Sequence[int], before: Block) -> bool:
    """Whether these arrays begin in distinct buffers that only the loop and its results name.

    They are made in the block of the loop, by statements in `before`, and nothing reads another
    name of them but statements there.
    """
    made = definitions(function)
    inits = [s.inits[k] for k in at]
    firsts = {a for a in inits if isinstance(a, Var)}
    if len(firsts) < len(at) or not all(
        (d := made.get(a)) is not None and makes_buffer(d) and d in before for a in firsts
    ):
        return False
    names = set(firsts)
    body = walk(function.body)
    for t in body:
        if isinstance(t, Def) and t.op.view and t.args[0] in names and t.var is not None:
            names.add(t.var)
    earlier = set(walk(before))
    others = [a for k, a in enumerate(s.inits) if k not in at]
    if not names.isdisjoint([*function.returns, *others, *s.yields]):
        return False
    return all(
        t is s or (isinstance(t, Def) and t in earlier and not t.op.holds)
        for t in body
        if not names.isdisjoint(uses(t))
    )
