"""A `Rewriter` that knows ranges of integers: facts follow the scopes of the program.

Facts from a loop's bounds, a branch's condition or a passed check hold in the statements after it
and inside it, and no longer. Changes a statement only where an override does.
"""

from __future__ import annotations

from srcgrad.ir.nodes import Atom, Block, For, Function, If, Stmt, While, altered, kept_tuple
from srcgrad.passes.ranges import Ranges
from srcgrad.passes.rewrite import Rewriter


class Ranged(Rewriter):
    """A rewriter that knows the ranges at each statement it comes to."""

    def __init__(self, function: Function):
        super().__init__()
        self.ranges = Ranges(function)

    def block(self, block: Block) -> Block:
        out: list[Stmt] = []
        with self.ranges.scope():
            for s in block:
                for t in self.statement(s):
                    self.ranges.learn(t)
                    out.append(t)
        return kept_tuple(block, out)

    def rebuilt(self, s: Stmt) -> Stmt:
        with self.ranges.scope():
            match s:
                case For():
                    start, stop = self.atom(s.start), self.atom(s.stop)
                    self.ranges.enter(altered(s, start=start, stop=stop))
                case While():
                    self.ranges.enter(s)
                case _:
                    pass
            blocks = iter(self.conditions(s))

            def inner(block: Block) -> Block:
                cond, holds = next(blocks)
                with self.ranges.scope():
                    if cond is not None:
                        self.ranges.assume(self.atom(cond), holds)
                    return self.block(block)

            return self.mapped(s, inner)

    def conditions(self, s: Stmt) -> tuple[tuple[Atom | None, bool], ...]:
        """For each block of a statement, the condition that holds in it."""
        match s:
            case If():
                return (s.cond, True), (s.cond, False)
            case While():
                return (None, True), (s.cond, True)
            case _:
                return ((None, True),)
