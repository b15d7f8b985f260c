"""Finds loop nests that sum products of two operands, and what has to hold for them to be one.

Two forms are found. In `y[i, j] += a[i, k] * b[k, j]` the sum is added to elements, in
`s += a[i, k] * b[k, j]` to a number that each trip of outer loops makes for itself. Outer loops may
do more. Loops are rectangular, operands are computed of memory that the nest leaves alone,
and places are checked ahead. Never changes a statement.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from srcgrad.ir.alias import AliasClasses
from srcgrad.ir.nodes import Atom, Const, Def, For, If, Stmt, Var, While
from srcgrad.ir.types import Scalar
from srcgrad.ir.walk import defined, walk
from srcgrad.passes.contractions.terms import DTYPES, Term, Values
from srcgrad.passes.effects import PLACE_CHECKS, classes_read, classes_written, is_observable
from srcgrad.passes.places import Places, Poly, linear, plus, replaced, variables
from srcgrad.primitives import attached, callbacks, draws, elementwise, memory, messages, tapes
from srcgrad.records import record

OUTSIDE = frozenset((
    tapes.tape, tapes.tape_like, tapes.reftape, tapes.ref_get, tapes.ref_put, tapes.reserve,
    callbacks.call_back, draws.draw, messages.report, messages.show, attached.attached,
))  # fmt: skip


@record(frozen=True)
class Check:
    """Places that have to be in bounds: 0 <= first <= last < length."""

    first: Poly
    last: Poly
    length: Poly


@record(frozen=True)
class Contraction:
    """A sum of products over loops, as the product of two matrices."""

    nest: Nest
    rows: tuple[For, ...]
    columns: tuple[For, ...]
    summed: tuple[For, ...]
    term: Term  # its first operand has the rows
    checks: tuple[Check, ...]
    target: Def | For  # the addition to an element, or the loop that sums a number
    inner: tuple[For, ...]  # the loops that do nothing else, outer first; of all trips around them

    @property
    def over(self) -> tuple[For, ...]:
        return (*self.rows, *self.columns, *self.summed)


class Nest:
    """A loop, and what may be a contraction in it."""

    def __init__(self, root: For, places: Places, classes: AliasClasses):
        self.root, self.places, self.classes = root, places, classes
        self.statements = walk((root,))
        self.loops = {s.index: s for s in self.statements if isinstance(s, For)}
        self.inside = defined((root,))
        self.values = Values(root.body, self.loops)
        self.values.inside = self.inside

    # ---- legality ----
    def contraction(self) -> Contraction | None:
        """The first contraction over this loop and loops inside it."""
        if not self.is_quiet():
            return None
        for target, around in self.candidates(self.root, ()):
            found = self.of(target, around)
            if found is not None:
                return found
        return None

    def is_quiet(self) -> bool:
        """Whether the nest only computes: its loops end, and nothing outside of it is called."""
        for s in self.statements:
            if isinstance(s, Def) and s.op in OUTSIDE:
                return False
            if isinstance(s, While) or (isinstance(s, For) and s.promised):
                return False
        return True

    def candidates(
        self, s: For, around: tuple[For, ...]
    ) -> Iterator[tuple[Def | For, tuple[For, ...]]]:
        """Additions to elements, and loops that sum numbers, with the loops around them."""
        around = (*around, s)
        for t in s.body:
            if isinstance(t, For) and len(t.params) == 1:
                yield t, around
            if isinstance(t, For):
                yield from self.candidates(t, around)
            elif isinstance(t, Def) and t.op is memory.add_at:
                yield t, around

    def of(self, target: Def | For, around: tuple[For, ...]) -> Contraction | None:
        if isinstance(target, Def):
            inner = tuple(s for s in around if self.does_only(s, target))
            around = tuple(s for s in around if s not in inner)
            at, value = target.args[1:-1], target.args[-1]
            if not inner or not self.is_named(target.array, inner[0]):
                return None
        else:
            chain = self.sum_of(target)
            if chain is None:
                return None
            inner, value = chain
            at = ()
        at = (*(s.index for s in around), *at)
        if value.type.dtype not in DTYPES:
            return None
        if isinstance(target, Def) and target.array.type.dtype != value.type.dtype:
            return None
        term = self.values.term(value)
        if term is None or not self.leaves_alone(term):
            return None
        return self.matrices(target, term, (around, inner), at)

    def does_only(self, nest: For, target: Def) -> bool:
        """Whether an addition to an element is all that a nest does, in its innermost loop."""
        statements = walk((nest,))
        for s in statements:
            if isinstance(s, For) and (s.params or sum(isinstance(t, For) for t in s.body) > 1):
                return False
            if isinstance(s, If) and not _only_checks(s):
                return False
            if isinstance(s, Def) and s is not target and (s.op.writes or may_fail(s)):
                return False
        last = [s for s in statements if isinstance(s, For)][-1]
        return target in last.body

    def is_named(self, x: Var, nest: For) -> bool:
        """Whether an array is from outside a nest, or a view that has no other way to be made."""
        return x not in defined((nest,)) or self.values.over(x) is not None

    def sum_of(self, s: For) -> tuple[tuple[For, ...], Atom] | None:
        """The loops that sum a number one inside the other, and what each trip adds."""
        loops: list[For] = []
        while True:
            loops.append(s)
            if len(s.params) != 1 or not isinstance(s.params[0].type, Scalar):
                return None
            (p,), (y,) = s.params, s.yields
            inner = [t for t in s.body if isinstance(t, For)]
            for t in s.body:
                if isinstance(t, If) and not _only_checks(t):
                    return None
                if isinstance(t, Def) and (t.op.writes or may_fail(t)):
                    return None
            if len(inner) > 1:
                return None
            if inner:
                if inner[0].inits != (p,) or inner[0].results != (y,):
                    return None
                s = inner[0]
                continue
            d = self.values.made.get(y) if isinstance(y, Var) else None
            if d is None or d.op is not elementwise.add or d not in s.body:
                return None
            rest = [a for a in d.args if a is not p]
            # the sum so far has one reader, for what depends on it is none of the values
            return (tuple(loops), rest[0]) if len(rest) == 1 else None

    def leaves_alone(self, term: Term) -> bool:
        """Whether the operands are computed of memory that the nest does not store to."""
        factors = (*(f for o in term.operands for f in o.factors), *term.numbers)
        written = classes_written((self.root,), self.classes)
        return not any(written & classes_read(d, self.classes) for d in self.values.needed(factors))

    # ---- the matrices ----
    def matrices(
        self, target: Def | For, term: Term, nests: tuple[tuple[For, ...], tuple[For, ...]],
        at: Sequence[Atom],
    ) -> Contraction | None:  # fmt: skip
        loops = (*nests[0], *nests[1])
        over = [self.values.over(a) for a in at]
        if any(v is None for v in over):
            return None
        kept = frozenset[Var]().union(*(v for v in over if v is not None))
        x, y = term.operands
        if (over[-1] or frozenset()) & (x.over - y.over):  # rows of sums are contiguous
            term = Term((y, x), term.numbers, term.negative)
        a, b = (o.over for o in term.operands)
        both = a & b
        indices = [s.index for s in loops]
        if frozenset(indices) != a | b or both & kept or not (a ^ b) <= kept:
            return None
        if not (a - both and b - both and both) or not all(map(self.is_fixed, loops)):
            return None
        checks = self.checks(self.of_product(term, nests[1], at))
        if checks is None:
            return None
        rows, columns, summed = (
            tuple(s for s in loops if s.index in part) for part in (a - both, b - both, both)
        )
        return Contraction(self, rows, columns, summed, term, checks, target, nests[1])

    def is_fixed(self, s: For) -> bool:
        """Whether a loop has the same range in each trip of the loops around it."""
        return not {s.start, s.stop} & self.inside

    def of_product(self, term: Term, inner: tuple[For, ...], at: Sequence[Atom]) -> list[Stmt]:
        """The statements whose places have to be right for the product, before its loops.

        Those of elements that are read otherwise stay where they are, and fail there.
        """
        values = (*(f for o in term.operands for f in o.factors), *term.numbers, *at)
        ranges = (s for s in self.statements if isinstance(s, Def) and s.op is memory.check_range)
        return [*walk((inner[0],)), *self.values.needed(values), *ranges]

    def checks(self, statements: Iterable[Stmt]) -> tuple[Check, ...] | None:
        """The places that statements check, over all trips; None if trips alone do not tell."""
        found: list[Check] = []
        checked = [s for s in statements if isinstance(s, Def) and s.op in PLACE_CHECKS]
        checked += self.values.needed(a for s in checked for a in s.args)  # are places themselves
        for s in dict.fromkeys(checked):
            if s.op not in PLACE_CHECKS:
                continue
            first, last, n = (s.args[0], *s.args) if s.op is memory.index else s.args
            low, high = self.extreme(first, -1), self.extreme(last, 1)
            length = self.places.poly(n)
            if low is None or high is None or variables(length) & self.inside:
                return None
            found.append(Check(low, high, length))
        return tuple(found)

    def poly(self, p: Poly) -> Poly:
        """A polynomial of indices instead of checked ones: their checks are made ahead."""
        for v in variables(p):
            d = self.values.made.get(v)
            if d is not None and d.op is memory.index:
                return self.poly(replaced(p, v, self.places.poly(d.args[0])))
        return p

    def extreme(self, a: Atom, side: int) -> Poly | None:
        """The least (-1) or the largest (1) value of an index over all trips."""
        p = self.poly(self.places.poly(a))
        while inside := [v for v in variables(p) if v in self.inside]:
            v = inside[0]
            s = self.loops.get(v)
            if s is None:
                return None
            parts = linear(p, v)
            if parts is None or set(parts[0]) - {()}:
                return None
            step = parts[0].get((), 0)
            at_end = (step > 0) == (side > 0)
            end = (
                plus(self.places.poly(s.stop), {(): 1}, -1) if at_end else self.places.poly(s.start)
            )
            p = replaced(p, v, end)
        return p


def may_fail(d: Def) -> bool:
    """Whether a definition does more than compute, other than to check a place."""
    return is_observable(d) and d.op not in PLACE_CHECKS


def _only_checks(s: If) -> bool:
    """Whether a branch does nothing but check places."""
    inner = walk((*s.then, *s.orelse))
    return not s.results and all(
        isinstance(t, Def) and (t.op in PLACE_CHECKS or not t.op.effect) for t in inner
    )


def is_zero(a: Atom) -> bool:
    return isinstance(a, Const) and a.value == 0
