"""The top-down walk that passes share: substitution of variables, one method per statement form.

What a pass puts into `new` is replaced in everything that comes after; the dims in types too.
Never changes a statement that no override changes.
"""

from __future__ import annotations

from collections.abc import Iterable

from srcgrad.ir.nodes import Atom, Block, Def, For, Function, If, Stmt, Var, While, altered
from srcgrad.ir.walk import map_atoms, map_type, refresh_types


class Rewriter:
    """Rebuilds a function; a pass overrides `definition`, `loop` or `branch`."""

    def __init__(self) -> None:
        self.new: dict[Var, Atom] = {}

    def atom(self, a: Atom) -> Atom:
        while isinstance(a, Var) and a in self.new:
            a = self.new[a]
        return a

    def function(self, f: Function) -> Function:
        body = self.block(f.body)
        for p in f.params:
            p.type = map_type(p.type, self.atom)
        return f.with_body(body, tuple(self.atom(a) for a in f.returns))

    def block(self, block: Block) -> Block:
        out: list[Stmt] = []
        for s in block:
            out.extend(self.statement(s))
        return tuple(out)

    def statement(self, s: Stmt) -> Iterable[Stmt]:
        if isinstance(s, Def):
            return self.definition(self.replaced(s))
        return self.branch(s) if isinstance(s, If) else self.loop(s)

    def replaced(self, s: Def) -> Def:
        """The definition with its operands and the lengths in its type replaced."""
        if self.new:
            refresh_types(s, self.atom)
            if any(isinstance(a, Var) and a in self.new for a in s.args):
                return altered(s, args=tuple(self.atom(a) for a in s.args))
        return s

    def definition(self, s: Def) -> Iterable[Stmt]:
        """A definition whose operands are already replaced."""
        return (s,)

    def loop(self, s: For | While) -> Iterable[Stmt]:
        yield self.inside(s)

    def branch(self, s: If) -> Iterable[Stmt]:
        yield self.inside(s)

    def inside(self, s: Stmt) -> Stmt:
        """A compound statement with its atoms and blocks rewritten."""
        refresh_types(s, self.atom)
        new = map_atoms(s, self.atom, self.block)
        refresh_types(new, self.atom)
        return new
