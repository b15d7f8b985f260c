"""The names of the elementary functions, and what a module that calls them declares."""

from __future__ import annotations

from collections.abc import Iterable
from operator import attrgetter

from srcgrad.backends.cpu.elementary.lanes import Lanes
from srcgrad.operation import Primitive

WIDTHS = (2, 4, 8)  # of vectors
PURE = "nounwind willreturn memory(none)"
SPECULATED = f"{PURE} speculatable"  # LLVM may call them where the program does not


def symbol(op: Primitive, n: int = 1) -> str:
    """The name of the function of `n` doubles."""
    return f"srcgrad_{op.name}" if n == 1 else f"srcgrad_{op.name}_{n}"


def declarations(ops: Iterable[Primitive]) -> list[str]:
    """What a module declares so that LLVM may call the vector variants of these functions."""
    lines, vectors = [], []
    for op in sorted(ops, key=attrgetter("name")):
        scalar = symbol(op)
        variants = ",".join(f"_ZGV_LLVM_N{n}v_{scalar}({symbol(op, n)})" for n in WIDTHS)
        mapping = f'"vector-function-abi-variant"="{variants}"'
        lines.append(f"declare double @{scalar}(double) {SPECULATED} {mapping}")
        for n in WIDTHS:
            doubles = Lanes(n).doubles
            lines.append(f"declare {doubles} @{symbol(op, n)}({doubles}) {SPECULATED}")
            vectors.append(f"ptr @{symbol(op, n)}")
    if vectors:
        # nothing calls them before the loops are vectorised
        kept = f"[{len(vectors)} x ptr] [{', '.join(vectors)}]"
        lines.append(f'@llvm.compiler.used = appending global {kept}, section "llvm.metadata"')
    return lines
