"""A rewriter that emits through a builder: promotion, casts, folding and sharing are the builder's.

Changes only what a subclass overrides.
"""

from __future__ import annotations

from srcgrad.ir.build import Builder
from srcgrad.ir.facts import definitions
from srcgrad.ir.nodes import Block, Function, kept_tuple
from srcgrad.passes.rewrite import Rewriter
from srcgrad.primitives import REGISTRY


def builder_for(function: Function) -> Builder:
    """A builder that knows the function's definitions."""
    b = Builder(REGISTRY)
    b.definition.update(definitions(function))
    return b


class Emitter(Rewriter):
    """A rewriter whose output goes through a builder."""

    def __init__(self, b: Builder):
        super().__init__()
        self.b = b

    def block(self, block: Block) -> Block:
        with self.b.block() as out:
            for s in block:
                for new in self.statement(s):
                    self.b.append(new)
        return kept_tuple(block, out)
