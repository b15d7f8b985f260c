"""Facts of statements and of those inside them, found once for each statement.

A walk over the blocks of every statement takes time that grows with the square of the depth: a
chain of `elif`s is as deep as it is long. Only for programs that stay as they are meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from srcgrad.ir.nodes import Block, Def, Stmt, Var
from srcgrad.ir.walk import blocks, inner_definitions, results, uses

T = TypeVar("T")


class Summaries(Generic[T]):
    """A fact of each statement, made of it and of the facts of the statements in its blocks."""

    def __init__(self, made: Callable[[Stmt, list[T]], T]):
        self.made = made
        self.known: dict[Stmt, T] = {}

    def __getitem__(self, s: Stmt) -> T:
        if s not in self.known and isinstance(s, Def):
            self.known[s] = self.made(s, [])
        elif s not in self.known:
            for t in reversed(self._unknown(s)):
                self.known[t] = self.made(t, [self.known[u] for b in blocks(t) for u in b])
        return self.known[s]

    def _unknown(self, s: Stmt) -> list[Stmt]:
        """The statement and those inside it whose facts are not known, outer before inner."""
        out: list[Stmt] = []
        rest = [s]
        while rest:
            t = rest.pop()
            out.append(t)
            rest += [u for b in blocks(t) for u in b if u not in self.known]
        return out


def _free(s: Stmt, inner: list[dict[Var, None]]) -> dict[Var, None]:
    out = dict.fromkeys(uses(s))
    for found in inner:
        out |= found
    for v in (*results(s), *inner_definitions(s), *_made(*blocks(s))):
        out.pop(v, None)
    return out


def _made(*inside: Block) -> list[Var]:
    """The variables that blocks bind, without those of blocks inside them."""
    return [v for block in inside for s in block for v in results(s)]


class FreeVariables:
    """The variables that statements and blocks read and do not bind, in order of first use."""

    def __init__(self) -> None:
        self.of: Summaries[dict[Var, None]] = Summaries(_free)

    def of_block(self, block: Block) -> list[Var]:
        out: dict[Var, None] = {}
        for s in block:
            out |= self.of[s]
        for v in _made(block):
            out.pop(v, None)
        return list(out)
