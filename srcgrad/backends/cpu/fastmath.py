"""Maps the `fastmath` option to LLVM's fast-math flags.

`False` sets no flag: operations are computed in the order written. By default LLVM may reassociate
(`reassoc`), without which a sum does not vectorise. It then splits reductions into partial sums and
products, combines loop-invariant and constant factors, distributes constant factors over sums, and
rewrites `x**a * x` to `x**(a + 1)`, or the repeated addition of one value to a product.
Results differ by rounding, and by more where an intermediate result overflows or underflows in one
grouping only: `x * a * b` where `a * b` is infinite. `True` sets all flags: fused multiply-adds,
reciprocals, and no guarantees for NaN, infinities and signed zeros. Additions
go without `nsz`: with it LLVM sorts the operands of each chain of them, and the number that a
recurrence waits for need not come last any more.

Runtime helpers called by generated code are compiled without flags whatever the program's setting:
they are compiled once for all programs, and must recognise NaN.
"""

from __future__ import annotations

HELPERS = False  # explicit: else a helper inherits the flags of its first caller
# of floating-point instructions
FLAGS = {None: "reassoc ", True: "fast ", False: ""}
FLAGS_OF_SUMS = {"fast ": "reassoc nnan ninf arcp contract afn "}  # where they differ


def meaning(fastmath: bool | None) -> str:
    """Describes the setting for `explain`."""
    if fastmath is None:
        return "unset: sums and products may be regrouped"
    if fastmath:
        return "True: regrouped, and no regard for NaN, infinities and signed zeros"
    return "False: every operation in the order written"
