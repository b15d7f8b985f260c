"""Sums, products, quotients and powers as instructions.

A program's integers wrap, as NumPy's do; those of a routine are lengths and places, which do not.
Instructions carry the program's fast-math flags.
"""

from __future__ import annotations

from srcgrad.backends.cpu.emit.comparisons import truth
from srcgrad.backends.cpu.emit.division import complex_quotient, fmod, whole
from srcgrad.backends.cpu.emit.operands import Emit, dtype_of, is_real, values
from srcgrad.backends.cpu.emit.values import KINDS, Number, literal, parts_of
from srcgrad.backends.cpu.emit.writer import Writer
from srcgrad.ir.nodes import Def
from srcgrad.ir.types import is_complex, is_float
from srcgrad.primitives import Primitive
from srcgrad.primitives import elementwise as e


def _sum(integer: str, real: str, of_bools: str) -> Emit:
    def emit(w: Writer, s: Def) -> Number | None:
        a, b = values(w, s)
        dtype = dtype_of(s)
        if dtype == "bool":
            return w.do(f"{of_bools} i1 {a}, {b}") if of_bools else None
        if is_complex(dtype):
            return _part(w, real, dtype, a[0], b[0]), _part(w, real, dtype, a[1], b[1])
        return _part(w, real if is_float(dtype) else integer, dtype, a, b)

    return emit


def _part(w: Writer, name: str, dtype: str, a: str, b: str, flags: str | None = None) -> str:
    kind = parts_of(dtype)[0]
    if flags is None:
        flags = w.program.flags if name[0] == "f" else w.program.no_wrap
        flags = w.program.flags_of_sums if name in ("fadd", "fsub") else flags
    return w.do(f"{name} {flags}{kind} {a}, {b}")


def _mul(w: Writer, s: Def) -> Number | None:
    a, b = values(w, s)
    return _product(w, dtype_of(s), a, b)


def _product(w: Writer, dtype: str, a: Number, b: Number, flags: str | None = None) -> Number:
    if dtype == "bool":
        return w.do(f"and i1 {a}, {b}")
    if not is_complex(dtype):
        assert isinstance(a, str) and isinstance(b, str)
        return _part(w, "fmul" if is_float(dtype) else "mul", dtype, a, b)
    (p, q), (r, t) = a, b

    def times(x: str, y: str) -> str:
        return _part(w, "fmul", dtype, x, y, flags)

    real = _part(w, "fsub", dtype, times(p, r), times(q, t), flags)
    return real, _part(w, "fadd", dtype, times(p, t), times(q, r), flags)


def _div(w: Writer, s: Def) -> Number | None:
    (a, b), dtype = values(w, s), dtype_of(s)
    if is_complex(dtype):
        return complex_quotient(w, dtype, a, b)
    return _part(w, "fdiv", dtype, a, b) if is_float(dtype) else None


def _neg(w: Writer, s: Def) -> Number | None:
    (a,), dtype = values(w, s), dtype_of(s)
    if dtype == "bool":
        return None
    if not is_float(dtype):
        return w.do(f"sub {w.program.no_wrap}{KINDS[dtype]} 0, {a}")
    kind, flags = parts_of(dtype)[0], w.program.flags
    if is_complex(dtype):
        return w.do(f"fneg {flags}{kind} {a[0]}"), w.do(f"fneg {flags}{kind} {a[1]}")
    return w.do(f"fneg {flags}{kind} {a}")


def _powi(w: Writer, s: Def) -> Number | None:
    n, dtype = s.params["n"], dtype_of(s)
    if dtype == "bool" or (n < 0 and not is_float(dtype)):
        return None
    if n == 0:
        return literal(1, dtype)
    square, out, k = w.value(s.args[0]), None, abs(n)
    while k:
        if k & 1:
            out = square if out is None else _product(w, dtype, out, square)
        k >>= 1
        if k:
            square = _product(w, dtype, square, square)
    assert out is not None
    if n < 0 and is_complex(dtype):
        return complex_quotient(w, dtype, literal(1.0, dtype), out)
    if n < 0:
        assert isinstance(out, str)
        return _part(w, "fdiv", dtype, str(literal(1.0, dtype)), out)
    return out


def _absorb(w: Writer, s: Def) -> Number | None:
    (g, p), dtype = values(w, s), dtype_of(s)
    if is_complex(dtype):
        there, flags = truth(w, g, dtype), ""
        made, kind = _product(w, dtype, g, p, flags), parts_of(dtype)[0]
        return w.choose(there, made[0], g[0], kind), w.choose(there, made[1], g[1], kind)
    if not is_real(dtype):
        return None
    kind = KINDS[dtype]
    there = w.do(f"fcmp une {kind} {g}, {literal(0.0, dtype)}")
    return w.choose(there, w.do(f"fmul {kind} {g}, {p}"), g, kind)


ARITHMETIC: dict[Primitive, Emit] = {
    e.add: _sum("add", "fadd", "or"), e.sub: _sum("sub", "fsub", ""), e.mul: _mul, e.div: _div,
    e.neg: _neg, e.powi: _powi, e.absorb: _absorb, e.mod: whole(quotient=False),
    e.floordiv: whole(quotient=True), e.fmod: fmod,
}  # fmt: skip
