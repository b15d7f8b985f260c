"""The machine code of the elementary functions: compiled once per machine, loaded by symbol."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache

from srcgrad.backends import cache as files
from srcgrad.backends.cpu.elementary import exponentials, logarithms, trigonometric
from srcgrad.backends.cpu.elementary.lanes import Lanes
from srcgrad.records import record

Formula = Callable[[Lanes, str], str]
WIDTHS = (2, 4, 8)  # of vectors
PURE = "nounwind willreturn memory(none)"


@record(frozen=True)
class Elementary:
    """A formula, and the lanes for which the mathematical library is called instead."""

    formula: Formula
    excluded: Formula | None = None


FUNCTIONS: dict[str, Elementary] = {
    "exp": Elementary(exponentials.exp, exponentials.exp_excluded),
    "expm1": Elementary(exponentials.expm1, exponentials.expm1_excluded),
    "tanh": Elementary(exponentials.tanh),
    "log": Elementary(logarithms.log, logarithms.log_excluded),
    "log1p": Elementary(logarithms.log1p, logarithms.log1p_excluded),
    "sin": Elementary(trigonometric.sin, trigonometric.excluded),
    "cos": Elementary(trigonometric.cos, trigonometric.excluded),
}


def symbol(name: str, n: int = 1) -> str:
    return f"srcgrad_{name}" if n == 1 else f"srcgrad_{name}_{n}"


def declarations(names: Iterable[str]) -> list[str]:
    """What a module declares so that LLVM may call the vector variants of these functions."""
    lines, vectors = [], []
    for name in sorted(names):
        scalar = symbol(name)
        variants = ",".join(f"_ZGV_LLVM_N{n}v_{scalar}({symbol(name, n)})" for n in WIDTHS)
        mapping = f'"vector-function-abi-variant"="{variants}"'
        lines.append(f"declare double @{scalar}(double) {PURE} {mapping}")
        for n in WIDTHS:
            doubles = Lanes(n).doubles
            lines.append(f"declare {doubles} @{symbol(name, n)}({doubles}) {PURE}")
            vectors.append(f"ptr @{symbol(name, n)}")
    if vectors:
        # nothing calls them before the loops are vectorised
        kept = f"[{len(vectors)} x ptr] [{', '.join(vectors)}]"
        lines.append(f'@llvm.compiler.used = appending global {kept}, section "llvm.metadata"')
    return lines


def text(name: str, fused: bool) -> str:
    """The module of one function: of a double, and of vectors of them.

    Where the processor has no fused multiplication and addition, all is left to the library.
    """
    declared, functions = {f"declare double @{name}(double) {PURE}"}, []
    for n in (1, *WIDTHS):
        w = Lanes(n)
        head = f"define {w.doubles} @{symbol(name, n)}({w.doubles} %x) {PURE} {{"
        if fused:
            _computed(w, name, FUNCTIONS[name])
        else:
            _called(w, name)
        functions += [head, *w.lines, "}"]
        declared |= w.declared
    return "\n".join([*sorted(declared), *functions])


def _computed(w: Lanes, name: str, function: Elementary) -> None:
    """By the formula, unless there is a lane that it excludes."""
    if function.excluded:
        excluded = w.any(function.excluded(w, "%x"))
        w.put(f"br i1 {excluded}, label %one_by_one, label %together")
        w.start("together")
    w.put(f"ret {w.doubles} {function.formula(w, '%x')}")
    if function.excluded:
        w.start("one_by_one")
        _called(w, name if w.n == 1 else symbol(name))


def _called(w: Lanes, function: str) -> None:
    """Each lane by a function of one double."""
    y = "poison"
    for k in range(w.n):
        value = w.do(f"call double @{function}(double {w.lane('%x', k)})")
        y = w.with_lane(y, k, value)
    w.put(f"ret {w.doubles} {y}")


@cache
def ready(name: str) -> None:
    """Compile a function, or find its machine code, and give its symbols their addresses."""
    from srcgrad.backends.cpu.emit import numba_internals as inside

    processor = inside.processor()
    module = text(
        name, fused="+fma" in processor[-1] or processor[0].startswith(("aarch64", "arm64"))
    )
    file = f"{files.module_name(module, processor)}.o"
    code = files.kept_bytes(file)
    if code is None:
        code = inside.object_code(module)
        files.keep_bytes(file, code)
    inside.name_functions(code, [symbol(name, n) for n in (1, *WIDTHS)])
