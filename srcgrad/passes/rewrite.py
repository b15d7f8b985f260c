"""The top-down rewriter that passes share: substitutes variables, one method per statement form.

`new` maps variables to their replacements, in operands and in the dims of types, from there on.
The types of variables are updated in place; statements are never changed, only rebuilt. The result
is the input itself where nothing is replaced.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from srcgrad import interrupts
from srcgrad.ir.nodes import (
    Atom,
    Block,
    Def,
    For,
    Function,
    If,
    Stmt,
    Var,
    While,
    altered,
    kept_tuple,
    type_vars,
)
from srcgrad.ir.walk import map_atoms, map_type, refresh_types
from srcgrad.primitives import memory


class Rewriter:
    """Rebuilds a function; a pass overrides `definition`, `loop` or `branch`."""

    def __init__(self) -> None:
        self.new: dict[Var, Atom] = {}
        self.params: list[Var] = []  # with lengths that the body computes, as cotangents have

    def refresh(self, s: Stmt) -> None:
        """Replaces lengths in the types of what a statement binds, and of such parameters."""
        refresh_types(s, self.atom)
        for p in self.params:
            p.type = map_type(p.type, self.atom)

    def atom(self, a: Atom) -> Atom:
        while isinstance(a, Var) and a in self.new:
            a = self.new[a]
        return a

    def function(self, f: Function) -> Function:
        given = {s.var for s in f.body if isinstance(s, Def) and s.op is memory.dim}
        self.params = [p for p in f.params if not given.issuperset(type_vars(p.type))]
        body = self.block(f.body)
        for p in f.params:
            p.type = map_type(p.type, self.atom)
        return f.with_body(body, kept_tuple(f.returns, [self.atom(a) for a in f.returns]))

    def block(self, block: Block) -> Block:
        out: list[Stmt] = []
        for s in block:
            interrupts.answer()
            out.extend(self.statement(s))
        return kept_tuple(block, out)

    def statement(self, s: Stmt) -> Iterable[Stmt]:
        if isinstance(s, Def):
            return self.definition(self.substituted(s))
        return self.branch(s) if isinstance(s, If) else self.loop(s)

    def substituted(self, s: Def) -> Def:
        """The definition with the variables in its operands and in its type's dims replaced."""
        if self.new:
            self.refresh(s)
            for a in s.args:
                if isinstance(a, Var) and a in self.new:
                    return altered(s, args=tuple(map(self.atom, s.args)))
        return s

    def definition(self, s: Def) -> Iterable[Stmt]:
        """The statements that replace a definition whose operands are already replaced."""
        return (s,)

    def loop(self, s: For | While) -> Iterable[Stmt]:
        yield self.rebuilt(s)

    def branch(self, s: If) -> Iterable[Stmt]:
        yield self.rebuilt(s)

    def rebuilt(self, s: Stmt) -> Stmt:
        """A loop or branch with its atoms replaced and its blocks rewritten."""
        return self.mapped(s, self.block)

    def mapped(self, s: Stmt, inner: Callable[[Block], Block]) -> Stmt:
        """The same, with `inner` to rewrite its blocks."""
        refresh_types(s, self.atom)  # again below: the blocks may have put more into `new`
        new = map_atoms(s, self.atom, inner)
        refresh_types(new, self.atom)
        return new
