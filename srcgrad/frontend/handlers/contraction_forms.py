"""The ways to sum over axes of two arrays as products of matrices, and the cheapest of them.

Axes are letters. A form says which are the rows, the summed ones and the columns of the matrices,
and along which there is a stack of products. All forms compute the same sums; they differ in the
elements that have to be moved before, and in the order of the axes of the result.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import prod
from typing import Any

from srcgrad.records import record

LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
UNKNOWN = 32  # taken for a length that only the run knows
TRANSPOSED, CALL = 4, 400  # costs in units of an element that is copied in its order
FEW = 16  # columns or rows that are not worth a product of their own


@record(frozen=True)
class Form:
    """The rows are axes of operand `first`, the columns of the other; both have the others."""

    first: int
    lead: str
    rows: str
    inner: str
    columns: str

    @property
    def result(self) -> str:
        return self.lead + self.rows + self.columns

    def matrices(self) -> tuple[tuple[int, str, str], tuple[int, str, str]]:
        """The operands of the product: which one, and the axes down and across its matrices."""
        return (self.first, self.rows, self.inner), (1 - self.first, self.inner, self.columns)


def best(
    terms: tuple[str, str], summed: str, wanted: str | None, dims: Mapping[str, Any],
    in_order: tuple[bool, bool],
) -> Form:  # fmt: skip
    """The form that moves the fewest elements, the first one of several.

    `in_order`: whether operands are contiguous. `wanted`: the order of the axes of the result, if
    it matters.
    """

    def cost(form: Form) -> int:
        out = CALL * _size(form.lead, dims)
        for k, down, across in form.matrices():
            out += _moved(terms[k], in_order[k], form.lead, (down, across), dims)
        if wanted is not None and form.result != wanted:
            out += TRANSPOSED * _size(form.result, dims)
        return out

    return min(forms(terms, summed, wanted, dims), key=cost)


def forms(
    terms: tuple[str, str], summed: str, wanted: str | None, dims: Mapping[str, Any]
) -> Iterator[Form]:
    """All forms, the one with its axes in the order of the operands first."""
    s, t = terms
    along = "".join(c for c in s if c in t and c not in summed)
    leads = [along] if wanted is None else [along, *_stacks(terms, along, wanted, dims)]
    for first in (0, 1):
        for lead in leads:
            for inner in dict.fromkeys(_of(term, summed) for term in terms):
                for order in (s + t, wanted or s + t):
                    x, z = (
                        "".join(c for c in order if c in terms[k] and c not in summed + lead)
                        for k in (first, 1 - first)
                    )
                    yield Form(first, lead, x, inner, z)


def _stacks(
    terms: tuple[str, str], along: str, wanted: str, dims: Mapping[str, Any]
) -> Iterator[str]:
    """The axes in front that may be a stack, beside those that both operands have."""
    for k in range(len(wanted) + 1):
        lead = wanted[:k]
        if not set(along) <= set(lead):
            continue
        own = [c for c in lead if c not in along]
        for term in terms:
            rest = [c for c in term if c in wanted and c not in lead]
            enough = rest and not (_is_known(rest, dims) and _size("".join(rest), dims) < FEW)
            if not own or (set(own) <= set(term) and enough):
                yield lead
                break


def _moved(
    term: str, contiguous: bool, lead: str, groups: tuple[str, str], dims: Mapping[str, Any]
) -> int:
    """The cost of making an operand a stack of matrices, which BLAS takes in either order."""
    size = _size(term, dims)
    absent = _size("".join(c for c in lead if c not in term), dims)
    out = size * absent if absent > 1 else 0
    if not is_grouped(term, groups) or (term and term[-1] in lead and len(term) > 1):
        return out + TRANSPOSED * size
    return out + (0 if contiguous or all(len(g) == 1 for g in groups) else size)


def is_grouped(term: str, groups: Iterable[str]) -> bool:
    """Whether the axes of each group follow each other in an operand."""
    return all(g in term for g in groups)


def _of(term: str, letters: str) -> str:
    return "".join(c for c in term if c in letters)


def _is_known(letters: Any, dims: Mapping[str, Any]) -> bool:
    return all(isinstance(dims[c], int) for c in letters)


def _size(letters: str, dims: Mapping[str, Any]) -> int:
    return prod(dims[c] if isinstance(dims[c], int) else UNKNOWN for c in letters)
