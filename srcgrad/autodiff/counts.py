"""The count of one result: to `dependence` what the tangent of a definition is to forward mode.

A count is not negative and has the dims and the dtype of its value; none at all is zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

from srcgrad.autodiff.rules import converted, depends, same_dims
from srcgrad.autodiff.traced import scalar_of
from srcgrad.autodiff.unknown import Unknown
from srcgrad.errors import Location, UnsupportedError, located
from srcgrad.ir.alias import AliasClasses
from srcgrad.ir.build import Builder
from srcgrad.ir.nodes import Atom, Def, Var, type_vars
from srcgrad.ir.types import Array, RefTape, Scalar, Tape, Type, float_type, is_reference
from srcgrad.primitives import arrays, indexing, memory, reductions, scans
from srcgrad.primitives.raising import name_of

# linear operations whose coefficients are not negative
COUNTING = frozenset((
    memory.copy, memory.load, memory.gather, memory.take_last, arrays.concatenate, arrays.pack,
    reductions.sum, reductions.sum_to, reductions.broadcast_to, reductions.expand, indexing.pick,
    indexing.put, indexing.patch, indexing.erase, indexing.diagonal, indexing.from_diagonal,
    scans.cumsum,
))  # fmt: skip
REDUCING = (reductions.max, reductions.min, scans.product)
READS = (memory.load, memory.gather, memory.take_last)  # at indices
WAY_OUT = "pass the sparsity, or use jacfwd or jacrev"
DEPENDS = "the length of an array depends on the inputs"
LIMIT = name_of(UnsupportedError)  # raised by programs


def text(reason: str) -> str:
    return f"the sparsity cannot be found: {reason}"


def refused(reason: str, location: Location | None) -> UnsupportedError:
    return UnsupportedError(text(reason), location, WAY_OUT)


class Counts:
    """The counts of values, and how they follow from one another."""

    def __init__(self, b: Builder, unknown: Unknown, classes: AliasClasses):
        self.b, self.unknown, self.classes = b, unknown, classes
        self.count: dict[Atom, Atom] = {}  # none: zero
        self.anywhere: dict[Atom, Var] = {}  # views at unknown indices: of which array
        # integers that unknown branches leave, which are known if these are equal
        self.equal: dict[Atom, list[tuple[Atom, Atom]]] = {}

    def is_buffer(self, v: Var) -> bool:
        return is_reference(v.type) and self.unknown(v) and not self.classes.is_pure(v)

    def of(self, a: Atom) -> Atom | None:
        """The count of an atom; None if it is zero."""
        if a in self.anywhere:
            return self.spread(self.total(self.count.get(self.anywhere[a])), a.type)
        return self.count.get(a)

    def explicit(self, t: Atom | None, type: Type) -> Atom:
        if t is not None:
            return t
        if isinstance(type, Array):
            self.check_lengths(type)
            return self.b.zeros(*type.dims, dtype=type.dtype)
        if isinstance(type, Tape | RefTape):
            raise self.refused("what a list holds depends on the inputs")
        return self.b.cast(0.0, scalar_of(type))

    def total(self, *counts: Atom | None) -> Atom | None:
        """The sum of all elements of counts."""
        numbers: list[Any] = []
        for t in counts:
            if t is not None and isinstance(t.type, Tape | RefTape):
                raise self.refused("an index into a list that grows depends on the inputs")
            if t is not None and isinstance(t.type, Array):
                t = self.b.sum(t, axes=tuple(range(t.type.ndim)))
                t = self.b.load(t) if isinstance(t.type, Array) else t
            numbers += [] if t is None else [converted(self.b, t, Scalar("f64"))]
        return reduce(self.b.add, numbers) if numbers else None

    def spread(self, t: Atom | None, type: Type) -> Atom | None:
        """A count with the dims and the dtype of a value, in memory of its own."""
        if t is None:
            return None
        if not isinstance(type, Array):
            return converted(self.b, t, scalar_of(type))
        self.check_lengths(type)
        return self.b.broadcast_to(converted(self.b, t, Scalar(type.dtype)), *type.dims)

    def together(self, counts: Sequence[Atom | None], type: Type) -> Atom | None:
        """The sum of counts that broadcast to a type, element by element."""
        present = [self.fitted(t, type) for t in counts if t is not None]
        return reduce(self.b.add, present) if present else None

    def fitted(self, t: Any, type: Any) -> Any:
        """A count with the dtype of a value, and its dims if it has other ones."""
        t = converted(self.b, t, Scalar(type.dtype))
        if not isinstance(type, Array):
            return self.b.load(t) if isinstance(t.type, Array) else t
        self.check_lengths(type)
        fits = isinstance(t.type, Array) and same_dims(t.type.dims, type.dims)
        return t if fits else self.b.broadcast_to(t, *type.dims)

    def equalities(self, *numbers: Atom) -> list[tuple[Atom, Atom]] | None:
        """The pairs that have to be equal for numbers to be known; None if they never are."""
        unknown = [a for a in numbers if self.unknown(a)]
        if not all(a in self.equal for a in unknown):
            return None
        return list(dict.fromkeys(pair for a in unknown for pair in self.equal[a]))

    def check_lengths(self, type: Type) -> None:
        pairs = self.equalities(*type_vars(type))
        if pairs is None:
            raise self.refused(DEPENDS)
        for one, other in pairs:
            self.b.check_equal(
                one, other, message=located(text(DEPENDS), None, WAY_OUT), kind=LIMIT
            )

    def refused(self, reason: str) -> UnsupportedError:
        return refused(reason, self.b.loc)

    def derived(self, s: Def, v: Var) -> Atom | None:
        """The count of a result."""
        op, rest = s.op, s.args[1:]
        if op.fresh:
            if isinstance(v.type, Array) and not self.is_buffer(v):
                return None
            self.check_lengths(v.type)
            return self.b("zeros" if op is memory.empty else op, *s.args, **s.params)
        if op.view and (s.array in self.anywhere or any(map(self.unknown, rest))):
            self.anywhere[v] = self.anywhere.get(s.array, s.array)
            return None
        if op in READS and any(map(self.unknown, rest)):
            return self.spread(self.total(self.of(s.array)), v.type)
        terms = [self.of(a) if depends(s, k) else None for k, a in enumerate(s.args)]
        if not any(t is not None for t in terms):
            return None
        if op.view or op in READS:
            return self.b(op, terms[0], *rest, **s.params)
        if op.elementwise:
            return self.together(terms, v.type)
        if op in COUNTING:
            given = [
                self.explicit(t, a.type) if float_type(a.type) else a
                for a, t in zip(s.args, terms, strict=True)
            ]
            return self.b(op, *given, **s.params)
        if op.kind == "multilinear":
            return self.product(s, terms, v.type)
        if op.along or op in REDUCING:
            return self.along(s, terms[0], v.type)
        return self.spread(self.total(*terms), v.type)

    def product(self, s: Def, terms: list[Atom | None], type: Type) -> Atom | None:
        made: list[Atom | None] = []
        for k, t in enumerate(terms):
            if t is not None:
                ones = [self._ones(a.type) for a in s.args]
                made.append(self.b(s.op, *ones[:k], t, *ones[k + 1 :], **s.params))
        return self.together(made, type)

    def _ones(self, type: Any) -> Atom:
        return self.b.broadcast_to(self.b.cast(1.0, scalar_of(type)), *type.dims)

    def along(self, s: Def, t: Any, type: Type) -> Atom | None:
        """Each element of a line depends on the whole line."""
        axes = s.params["axes"] if "axes" in s.params else (s.params["axis"],)
        sums = self.b.sum(t, axes=axes)
        if s.op in REDUCING:
            return sums
        spec = tuple("n" if k in axes else ":" for k in range(t.type.ndim))
        if isinstance(sums.type, Array):
            return self.together([self.b.view(sums, spec=spec)], type)
        return self.spread(sums, type)
