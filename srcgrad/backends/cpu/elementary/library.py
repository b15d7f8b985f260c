"""The machine code of the elementary functions: compiled once per machine, loaded by symbol."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from srcgrad.backends import cache as files
from srcgrad.backends.cpu.elementary import exponentials, logarithms, trigonometric
from srcgrad.backends.cpu.elementary.lanes import Lanes
from srcgrad.backends.cpu.elementary.symbols import PURE, WIDTHS, symbol, symbols
from srcgrad.backends.cpu.environment import environment
from srcgrad.primitives import Primitive
from srcgrad.primitives import elementwise as e
from srcgrad.records import record

Formula = Callable[[Lanes, str], str]


@record(frozen=True)
class Elementary:
    """A formula, and the lanes that the mathematical library computes instead."""

    formula: Formula
    excluded: Formula | None = None


FUNCTIONS: dict[Primitive, Elementary] = {
    e.exp: Elementary(exponentials.exp, exponentials.exp_excluded),
    e.expm1: Elementary(exponentials.expm1, exponentials.expm1_excluded),
    e.tanh: Elementary(exponentials.tanh),
    e.log: Elementary(logarithms.log, logarithms.log_excluded),
    e.log1p: Elementary(logarithms.log1p, logarithms.log1p_excluded),
    e.sin: Elementary(trigonometric.sin, trigonometric.excluded),
    e.cos: Elementary(trigonometric.cos, trigonometric.excluded),
}


def text(op: Primitive, fused: bool) -> str:
    """The module of one function: of a double, and of vectors of them.

    Where the processor has no fused multiplication and addition, all is left to the library.
    """
    declared, functions = {f"declare double @{op.name}(double) {PURE}"}, []
    for n in (1, *WIDTHS):
        w = Lanes(n)
        head = f"define {w.doubles} @{symbol(op, n)}({w.doubles} %x) {PURE} {{"
        if fused:
            _computed(w, op)
        else:
            _called(w, op.name)
        functions += [head, *w.lines, "}"]
        declared |= w.declared
    for n in WIDTHS:
        w = Lanes(n)
        _where(w, op)
        head = (
            f"define {w.doubles} @{symbol(op, n, masked=True)}({w.doubles} %x, {w.booleans} %where)"
        )
        functions += [f"{head} {PURE} {{", *w.lines, "}"]
    return "\n".join([*sorted(declared), *functions])


def _computed(w: Lanes, op: Primitive) -> None:
    """Computes by the formula, unless it excludes a lane."""
    function = FUNCTIONS[op]
    if function.excluded:
        excluded = w.any(function.excluded(w, "%x"))
        w.put(f"br i1 {excluded}, label %one_by_one, label %together")
        w.start("together")
    w.put(f"ret {w.doubles} {function.formula(w, '%x')}")
    if function.excluded:
        w.start("one_by_one")
        _called(w, op.name if w.n == 1 else symbol(op))


def _called(w: Lanes, function: str) -> None:
    """Computes each lane by a function of one double."""
    y = "poison"
    for k in range(w.n):
        value = w.do(f"call double @{function}(double {w.lane('%x', k)})")
        y = w.with_lane(y, k, value)
    w.put(f"ret {w.doubles} {y}")


def _where(w: Lanes, op: Primitive) -> None:
    """The lanes of a branch that is taken; the others need no value, and no library."""
    taken = w.any("%where")
    w.put(f"br i1 {taken}, label %some, label %none")
    w.start("some")
    x = w.do(f"select {w.booleans} %where, {w.doubles} %x, {w.doubles} {w.double(1.0)}")
    w.put(f"ret {w.doubles} {w.do(f'call {w.doubles} @{symbol(op, w.n)}({w.doubles} {x})')}")
    w.start("none")
    w.put(f"ret {w.doubles} %x")


@cache
def ready(op: Primitive) -> None:
    """Compiles a function, or finds its machine code, and gives its symbols their addresses."""
    from srcgrad.backends.cpu import loading

    processor = loading.processor()
    triple, features = processor[0], processor[-1]
    module = text(
        op, fused="+fma" in features.split(",") or triple.startswith(("aarch64", "arm64"))
    )
    file = f"{files.module_name(module, (*processor, *environment()))}.o"
    code = files.kept_bytes(file)
    if code is None:
        from srcgrad.backends.cpu.emit import numba_internals as inside

        code = inside.object_code(inside.parsed(module))
        files.keep_bytes(file, code)
    loading.name_functions(code, symbols(op))
