"""Which values of a program depend on its inputs: by data, or by what decides on their making.

Integers, conditions and lengths count as well as floats, indices as well as what is read there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from srcgrad.autodiff.activity import reachable
from srcgrad.ir.alias import AliasClasses
from srcgrad.ir.nodes import Atom, Def, For, Function, If, Stmt, Var, While
from srcgrad.ir.types import is_reference
from srcgrad.ir.walk import walk
from srcgrad.primitives import memory, tapes

LENGTHS = (memory.dim, tapes.slots)  # of a reference: they do not depend on what it holds


class Unknown:
    """Whether an atom depends on the inputs; memory that is stored to counts by alias class."""

    def __init__(self, function: Function, inputs: Sequence[Var], classes: AliasClasses):
        self.classes = classes
        edges = [edge for s in walk(function.body) for edge in self._flows(s)]
        keyed = [(self._key(a), self._key(v)) for a, v in edges if isinstance(a, Var)]
        self.found = reachable(map(self._key, inputs), keyed)

    def __call__(self, a: Atom) -> bool:
        return isinstance(a, Var) and self._key(a) in self.found

    def _key(self, v: Var) -> Var:
        return self.classes.of(v) if is_reference(v.type) and not self.classes.is_pure(v) else v

    def _flows(self, s: Stmt) -> Iterator[tuple[Atom, Var]]:
        match s:
            case Def(var=None):
                if s.op.writes:
                    yield from ((a, s.array) for a in s.args[1:])
            case Def(var=Var() as v):
                if s.op not in LENGTHS:
                    yield from ((a, v) for a in s.args)
            case For() | While():
                for p, init, new, r in zip(s.params, s.inits, s.yields, s.results, strict=True):
                    yield from ((init, p), (new, p), (p, r))
                decides = (s.start, s.stop) if isinstance(s, For) else (s.cond,)
                index = (s.index,) if isinstance(s, For) else ()
                made = (*index, *s.params, *s.results, *written(s))
                yield from ((a, v) for a in decides for v in made)
            case If():
                for r, a, b in zip(s.results, s.then_yields, s.else_yields, strict=True):
                    yield from ((a, r), (b, r))
                yield from ((s.cond, v) for v in (*s.results, *written(s)))
            case _:
                pass


def written(s: Stmt) -> Iterator[Var]:
    """The references that a statement stores to."""
    for inner in walk((s,)):
        if isinstance(inner, Def) and inner.op.writes:
            yield inner.array
