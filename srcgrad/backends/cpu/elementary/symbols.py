"""The names of the elementary functions, and the declarations of a module that calls them."""

from __future__ import annotations

from collections.abc import Iterable
from operator import attrgetter

from srcgrad.backends.cpu.elementary.lanes import Lanes
from srcgrad.operation import Primitive

WIDTHS = (4, 8)  # of vectors; no loop of two lanes was met, and a variant takes 3 ms to compile
PURE = "nounwind willreturn memory(none)"


def symbol(op: Primitive, n: int = 1, masked: bool = False) -> str:
    """The function of `n` doubles; `masked`: of those where a second operand is true."""
    return f"srcgrad_{op.name}" if n == 1 else f"srcgrad_{op.name}_{n}{'m' * masked}"


def symbols(op: Primitive) -> list[str]:
    """The names of a function of one double and of its vector variants."""
    return [symbol(op), *[symbol(op, n, masked) for n in WIDTHS for masked in (False, True)]]


def declarations(ops: Iterable[Primitive]) -> list[str]:
    """The declarations by which LLVM may call the vector variants of these functions."""
    lines, vectors = [], []
    for op in sorted(ops, key=attrgetter("name")):
        scalar = symbol(op)
        variants = []
        for n in WIDTHS:
            w, plain, masked = Lanes(n), symbol(op, n), symbol(op, n, masked=True)
            variants += [
                f"_ZGV_LLVM_N{n}v_{scalar}({plain})",
                f"_ZGV_LLVM_M{n}v_{scalar}({masked})",
            ]
            lines.append(f"declare {w.doubles} @{plain}({w.doubles}) {PURE}")
            lines.append(f"declare {w.doubles} @{masked}({w.doubles}, {w.booleans}) {PURE}")
            vectors += [f"ptr @{plain}", f"ptr @{masked}"]
        mapping = f'"vector-function-abi-variant"="{",".join(variants)}"'
        lines.append(f"declare double @{scalar}(double) {PURE} {mapping}")
    if vectors:
        # nothing calls them before the loops are vectorised
        kept = f"[{len(vectors)} x ptr] [{', '.join(vectors)}]"
        lines.append(f'@llvm.compiler.used = appending global {kept}, section "llvm.metadata"')
    return lines
