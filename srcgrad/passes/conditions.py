"""Derives comparisons inside a branch from the branch's condition on the same numbers."""

from __future__ import annotations

from srcgrad.ir.nodes import Atom, Const, Def, Var
from srcgrad.ir.types import is_float
from srcgrad.operation import Primitive
from srcgrad.primitives.elementwise import eq, ge, gt, le, lt, ne, neg

Key = tuple[Primitive, Atom, Atom]

MIRRORED = {lt: gt, le: ge, gt: lt, ge: le, eq: eq, ne: ne}
# the comparisons that one implies to hold, and not to hold; NaN makes all but `ne` false
IMPLIED: dict[Primitive, tuple[tuple[Primitive, ...], tuple[Primitive, ...]]] = {
    lt: ((lt, le, ne), (gt, ge, eq)),
    gt: ((gt, ge, ne), (lt, le, eq)),
    eq: ((eq, le, ge), (ne, lt, gt)),
    le: ((le,), (gt,)),
    ge: ((ge,), (lt,)),
}


class Conditions:
    """Comparisons known at the current statement, and numbers that are negatives of others."""

    def __init__(self) -> None:
        self.known: dict[Key, bool] = {}
        self.compared: dict[Atom, Key] = {}
        self.negatives: dict[Atom, Atom] = {}

    def value(self, d: Def, v: Var) -> Atom | None:
        """Records a definition of `v`; returns its value if it is known."""
        if d.op is neg:
            (a,) = d.args
            self.negatives[v] = a
            inner = self.negatives.get(a)
            return inner if inner is not None and inner.type == v.type else None
        if d.op not in MIRRORED:
            return None
        a, b = d.args
        self.compared[v] = key = (d.op, a, b)
        return Const(self.known[key], v.type) if key in self.known else None

    def turned(self, d: Def) -> Def:
        """A comparison of `-a` with a constant, as one of `a`."""
        if d.op not in MIRRORED:
            return d
        a, b = d.args
        inner = self.negatives.get(a)
        if inner is None or not isinstance(b, Const) or not is_float(inner.type.dtype):
            return d
        args = (inner, Const(0.0 - b.value, b.type))  # no -0.0, which compares as 0.0 does
        return Def(d.var, MIRRORED[d.op], args, d.params, d.loc)

    def entered(self, cond: Atom, holds: bool) -> dict[Key, bool]:
        """Adds what a condition implies on one side; returns the facts before, to be restored."""
        before = self.known
        if cond in self.compared:
            op, a, b = self.compared[cond]
            true, false = IMPLIED.get(op, ((), ())) if holds else ((), (op,))
            facts = {(o, a, b): o in true for o in (*true, *false)}
            mirrored = {(MIRRORED[o], b, a): v for (o, _, _), v in facts.items()}
            self.known = {**before, **facts, **mirrored}
        return before
