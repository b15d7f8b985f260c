"""Alias classes: the references that may name one buffer, by union over views and joins.

A class that no statement stores to is *pure*: its arrays behave as values. Each parameter is in a
class of its own: correct for those that are stored to (`nodes.Function`), and of no consequence
for the others.
"""

from __future__ import annotations

from typing import TypeGuard

from srcgrad.ir.facts import fact
from srcgrad.ir.nodes import Atom, Def, For, Function, If, Var, While
from srcgrad.ir.types import RefTape, is_reference
from srcgrad.ir.walk import walk


def _tracked(a: Atom) -> TypeGuard[Var]:
    return is_reference(a.type)


class AliasClasses:
    """May-alias classes of a function's references, and which of them are written."""

    def __init__(self, function: Function):
        self._parent: dict[Var, Var] = {}
        stored: list[Atom] = []
        for s in walk(function.body):
            match s:
                case Def():
                    if s.op.view and s.var is not None:
                        self._union(s.var, s.args[0])
                    elif s.op.holds:
                        self._union(s.args[0], s.args[-1])
                    if s.op.writes:
                        stored.append(s.args[0])
                case For() | While():
                    for group in zip(s.params, s.inits, s.yields, s.results, strict=True):
                        self._unite(group)
                case If():
                    for group in zip(s.results, s.then_yields, s.else_yields, strict=True):
                        self._unite(group)
        self._root = {v: self._find(v) for v in list(self._parent)}
        self.written: set[Var] = set(map(self.of, stored))

    def of(self, v: Atom) -> Var:
        """The representative of a reference's class."""
        assert isinstance(v, Var)
        return self._root.get(v, v)

    def is_pure(self, v: Atom) -> bool:
        return self.of(v) not in self.written

    def _unite(self, group: tuple[Atom, ...]) -> None:
        for other in group[1:]:
            self._union(group[0], other)

    def _union(self, a: Atom, b: Atom) -> None:
        if _tracked(a) and _tracked(b):
            ra, rb = self._find(a), self._find(b)
            if ra is not rb:
                self._parent[ra] = rb

    def _find(self, v: Var) -> Var:
        """The representative as far as it is known; the way to it becomes shorter."""
        root = v
        while (up := self._parent.get(root, root)) is not root:
            root = up
        while (up := self._parent.get(v, v)) is not root:
            self._parent[v] = root
            v = up
        return root


@fact
def alias_classes(function: Function) -> AliasClasses:
    """The alias classes of a function."""
    return AliasClasses(function)


def holders(function: Function, source: Var) -> set[Var]:
    """The variables that may name the memory of `source`, followed from definitions to uses.

    Unlike a class, it leaves out a buffer that meets this memory in a loop or a branch. What one
    name of a list holds, its other names hold as well.
    """
    flows: dict[Atom, list[Atom]] = {}

    def flow(source: Atom, to: Atom) -> None:
        flows.setdefault(source, []).append(to)
        if isinstance(source.type, RefTape) and isinstance(to.type, RefTape):
            flows.setdefault(to, []).append(source)

    for s in walk(function.body):
        match s:
            case Def():
                if s.op.view and s.var is not None:
                    flow(s.args[0], s.var)
                elif s.op.holds:
                    flow(s.args[-1], s.args[0])
            case For() | While():
                for p, i, y, r in zip(s.params, s.inits, s.yields, s.results, strict=True):
                    for given, met in ((i, p), (i, r), (y, p), (y, r)):
                        flow(given, met)
            case If():
                for r, a, b in zip(s.results, s.then_yields, s.else_yields, strict=True):
                    flow(a, r)
                    flow(b, r)
    found, left = {source}, [source]
    while left:
        new = [v for v in flows.get(left.pop(), ()) if isinstance(v, Var) and v not in found]
        found.update(new)
        left += new
    return found
