"""The settings of `fastmath`: what LLVM may do to the order of operations, and what that changes.

`False` allows nothing: every operation is computed in the order in which it is written. Unset, LLVM
may regroup (`reassoc`), else a sum does not vectorise. It then splits sums and products over loops
and takes factors that a loop does not change, or constants, together. It multiplies a sum with a
constant out, makes `exp(a) * exp(b)` an `exp(a + b)` and a sum of equal steps a multiple. Results
differ by rounding; where an intermediate result overflows or underflows in one grouping only, by
more: `x * a * b` with `a * b` beyond the largest number. `True` allows everything, with fused
multiply-adds, reciprocals, and no regard for NaN, infinities and signed zeros.

The helpers that generated code calls are compiled strictly, whatever the program's setting: they
are compiled once for all programs, and tell NaN from numbers.
"""

from __future__ import annotations

from typing import Any

HELPERS = False  # said to Numba, or a helper has the flags of the first program that calls it


def flags(fastmath: bool | None) -> Any:
    """What Numba is given."""
    return {"reassoc"} if fastmath is None else fastmath


def meaning(fastmath: bool | None) -> str:
    """The setting in words, for `explain`."""
    if fastmath is None:
        return "unset: sums and products may be regrouped"
    if fastmath:
        return "True: regrouped, and no regard for NaN, infinities and signed zeros"
    return "False: every operation in the order written"
