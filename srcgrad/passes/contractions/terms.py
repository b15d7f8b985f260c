"""Splits a value of a loop nest into two operands, by the indices that each depends on.

The factors of a product are grouped: one whose indices another has as well joins it. What depends
on no index is a number. Never looks at memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set

from srcgrad.ir.nodes import Atom, Block, Def, Var
from srcgrad.ir.types import Scalar
from srcgrad.ir.walk import walk
from srcgrad.passes.effects import is_observable
from srcgrad.primitives import elementwise, memory
from srcgrad.records import record

DTYPES = ("f32", "f64")


@record(frozen=True)
class Operand:
    """Factors that are multiplied, and the indices that their values depend on."""

    factors: tuple[Atom, ...]
    over: frozenset[Var]  # indices


@record(frozen=True)
class Term:
    """A product of two operands and of numbers."""

    operands: tuple[Operand, Operand]
    numbers: tuple[Atom, ...]
    negative: bool


class Values:
    """The values in a block, by what they depend on."""

    def __init__(self, body: Block, indices: Iterable[Var]):
        self.made = {s.var: s for s in walk(body) if isinstance(s, Def) and s.var is not None}
        self.place = {v: k for k, v in enumerate(self.made)}
        self.indices = frozenset(indices)
        self.known: dict[Var, frozenset[Var] | None] = {}
        self.inside: Set[Var] = frozenset()  # what is bound here and no definition makes

    def over(self, a: Atom) -> frozenset[Var] | None:
        """The indices that a value depends on; None if it depends on more than elements at them."""
        if not isinstance(a, Var):
            return frozenset()
        if a not in self.known:
            self.known[a] = self._over(a)
        return self.known[a]

    def _over(self, v: Var) -> frozenset[Var] | None:
        if v in self.indices:
            return frozenset((v,))
        d = self.made.get(v)
        if d is None:
            return None if v in self.inside else frozenset()
        if not _is_value(d):
            return None
        found: frozenset[Var] = frozenset()
        for a in d.args:
            part = self.over(a)
            if part is None:
                return None
            found |= part
        return found

    def needed(self, atoms: Iterable[Atom]) -> list[Def]:
        """The definitions that values are computed by, in order."""
        found: set[Var] = set()
        rest = list(atoms)
        while rest:
            a = rest.pop()
            if isinstance(a, Var) and a in self.made and a not in found:
                found.add(a)
                rest += self.made[a].args
        return [self.made[v] for v in sorted(found, key=self.place.__getitem__)]

    def factors(self, a: Atom) -> tuple[list[Atom], bool]:
        """The factors of a value, and whether their product is negated."""
        d = self.made.get(a) if isinstance(a, Var) else None
        if d is not None and d.op is elementwise.neg:
            found, negative = self.factors(d.args[0])
            return found, not negative
        if d is not None and d.op is elementwise.mul:
            parts = [self.factors(x) for x in d.args]
            return [f for found, _ in parts for f in found], parts[0][1] != parts[1][1]
        return [a], False

    def term(self, a: Atom) -> Term | None:
        """A value as a product of two operands; None if it is not one."""
        factors, negative = self.factors(a)
        if any(f.type.dtype != a.type.dtype for f in factors if isinstance(f, Var)):
            return None
        numbers: list[Atom] = []
        groups: list[Operand] = []
        for f in factors:
            over = self.over(f)
            if over is None:
                return None
            if over:
                groups.append(Operand((f,), over))
            else:
                numbers.append(f)
        groups = _joined(groups)
        if len(groups) != 2:
            return None
        return Term((groups[0], groups[1]), tuple(numbers), negative)


def _joined(groups: Sequence[Operand]) -> list[Operand]:
    """The operands, those that depend on no more than another one multiplied into it."""
    out: list[Operand] = []
    for g in sorted(groups, key=lambda g: -len(g.over)):
        for k, wide in enumerate(out):
            if g.over <= wide.over:
                out[k] = Operand((*wide.factors, *g.factors), wide.over)
                break
        else:
            out.append(g)
    return out


def _is_value(d: Def) -> bool:
    """Whether a definition computes a number of elements, or names some, and cannot fail.

    The check of an index can: it is made before.
    """
    if d.op in (memory.index, memory.load, memory.view, memory.transpose):
        return True
    plain = d.op.elementwise and d.var is not None and isinstance(d.var.type, Scalar)
    return plain and not is_observable(d)
