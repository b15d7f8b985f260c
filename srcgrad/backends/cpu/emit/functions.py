"""Functions of floats: those with vector variants, LLVM's intrinsics, the mathematical library."""

from __future__ import annotations

import math
from collections.abc import Callable

from srcgrad.backends.cpu.elementary.symbols import symbol as symbol_of
from srcgrad.backends.cpu.emit.complex_functions import complex_function
from srcgrad.backends.cpu.emit.operands import Emit, dtype_of, is_real, values
from srcgrad.backends.cpu.emit.values import INTRINSIC, KINDS, Number, literal
from srcgrad.backends.cpu.emit.writer import Writer
from srcgrad.ir.nodes import Def
from srcgrad.ir.types import is_complex
from srcgrad.primitives import Primitive, arcs
from srcgrad.primitives import elementwise as e


def intrinsic(w: Writer, name: str, dtype: str, *values: str) -> str:
    kind = KINDS[dtype]
    symbol = f"@llvm.{name}.{INTRINSIC[kind]}"
    w.declare(f"{kind} {symbol}({', '.join([kind] * len(values))})")
    return w.do(f"call {kind} {symbol}({', '.join(f'{kind} {v}' for v in values)})")


def libm(w: Writer, name: str, dtype: str, *values: str) -> str:
    kind = KINDS[dtype]
    symbol = f"@{name}{'f' if dtype == 'f32' else ''}"
    pure = "nounwind willreturn memory(none)"
    w.declare(f"{kind} {symbol}({', '.join([kind] * len(values))}) {pure}")
    return w.do(f"call {kind} {symbol}({', '.join(f'{kind} {v}' for v in values)})")


def elementary(w: Writer, op: Primitive, dtype: str, a: str) -> str:
    """Calls a function that has vector variants; a float32 is computed as a double.

    Routines, which need few values, call the mathematical library: their code names less of ours.
    """
    if w.program.is_routine:
        return libm(w, op.name, dtype, a)
    w.program.elementary.add(op)
    a = w.do(f"fpext float {a} to double") if dtype == "f32" else a
    y = w.do(f"call double @{symbol_of(op)}(double {a})")
    return w.do(f"fptrunc double {y} to float") if dtype == "f32" else y


def _function(call: Callable[..., str], name: str | Primitive) -> Emit:
    def emit(w: Writer, s: Def) -> Number | None:
        dtype = dtype_of(s)
        if is_complex(dtype):
            return complex_function(w, s)
        return call(w, name, dtype, *values(w, s)) if is_real(dtype) else None

    return emit


def _rounding(name: str) -> Emit:
    """The emitter of a rounding; NumPy rounds integers to themselves."""

    def emit(w: Writer, s: Def) -> Number | None:
        (a,), dtype = values(w, s), dtype_of(s)
        return intrinsic(w, name, dtype, a) if is_real(dtype) else a

    return emit


def _sigmoid(w: Writer, s: Def) -> Number | None:
    dtype = dtype_of(s)
    if not is_real(dtype):
        return None
    (a,), kind, one = values(w, s), KINDS[dtype], literal(1.0, dtype)
    power = elementary(w, e.exp, dtype, w.do(f"fneg {kind} {a}"))
    return w.do(f"fdiv {kind} {one}, {w.do(f'fadd {kind} {one}, {power}')}")


def _logaddexp(w: Writer, s: Def) -> Number | None:
    """The larger number plus a correction, which is log 2 for equal ones, infinite ones too."""
    dtype = dtype_of(s)
    if not is_real(dtype):
        return None
    (a, b), kind = values(w, s), KINDS[dtype]
    apart, zero = w.do(f"fsub {kind} {a}, {b}"), literal(0.0, dtype)
    size = intrinsic(w, "fabs", dtype, apart)
    larger = w.choose(w.do(f"fcmp ogt {kind} {apart}, {zero}"), a, b, kind)
    power = elementary(w, e.exp, dtype, w.do(f"fneg {kind} {size}"))
    unequal = w.do(f"fadd {kind} {larger}, {elementary(w, e.log1p, dtype, power)}")
    equal = w.do(f"fadd {kind} {a}, {literal(math.log(2.0), dtype)}")
    return w.choose(w.do(f"fcmp oeq {kind} {a}, {b}"), equal, unequal, kind)


FUNCTIONS: dict[Primitive, Emit] = {
    e.floor: _rounding("floor"), e.ceil: _rounding("ceil"), e.trunc: _rounding("trunc"),
    e.rint: _rounding("rint"), e.sigmoid: _sigmoid,
    **{op: _function(intrinsic, op.name) for op in
       (e.exp2, e.log2, e.log10, e.sqrt, e.pow, e.copysign)},
    **{op: _function(elementary, op) for op in
       (e.exp, e.expm1, e.log, e.log1p, e.sin, e.cos, e.tanh)},
    **{op: _function(libm, name) for op, name in (
        (e.cbrt, "cbrt"), (e.tan, "tan"),
        (arcs.arcsin, "asin"), (arcs.arccos, "acos"), (e.arctan, "atan"), (e.arctan2, "atan2"),
        (e.sinh, "sinh"), (e.cosh, "cosh"), (arcs.arcsinh, "asinh"),
        (arcs.arccosh, "acosh"), (e.arctanh, "atanh"), (e.erf, "erf"), (e.erfc, "erfc"),
        (e.hypot, "hypot"))},
    e.logaddexp: _logaddexp,
}  # fmt: skip
