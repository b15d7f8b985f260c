"""Comparisons, logic, bits and tests of numbers as instructions; none carries fast-math flags."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcgrad.backends.cpu.emit.functions import intrinsic
from srcgrad.backends.cpu.emit.operands import Emit, dtype_of, values
from srcgrad.backends.cpu.emit.values import KINDS, Number, literal, parts_of, signed
from srcgrad.backends.cpu.emit.writer import Writer
from srcgrad.ir.nodes import Def
from srcgrad.ir.types import is_complex, is_float, real_dtype
from srcgrad.primitives import Primitive
from srcgrad.primitives import elementwise as e


def _compare(name: str, real: str) -> Emit:
    def emit(w: Writer, s: Def) -> Number | None:
        (a, b), dtype = values(w, s), dtype_of(s)
        if is_complex(dtype):
            if name not in ("eq", "ne"):
                return None
            kind = parts_of(dtype)[0]
            parts = [w.do(f"fcmp {real} {kind} {x}, {y}") for x, y in zip(a, b, strict=True)]
            return w.do(f"{'and' if name == 'eq' else 'or'} i1 {', '.join(parts)}")
        if is_float(dtype):
            return w.do(f"fcmp {real} {KINDS[dtype]} {a}, {b}")
        sign = "" if name in ("eq", "ne") else "s" if signed(dtype) else "u"
        return w.do(f"icmp {sign}{name} {KINDS[dtype]} {a}, {b}")

    return emit


def truth(w: Writer, value: Number, dtype: str) -> str:
    """Whether a number is not zero."""
    if dtype == "bool":
        return str(value)
    if is_complex(dtype):
        kind = parts_of(dtype)[0]
        parts = [w.do(f"fcmp une {kind} {x}, {literal(0.0, 'f64')}") for x in value]
        return w.do(f"or i1 {', '.join(parts)}")
    if is_float(dtype):
        return w.do(f"fcmp une {KINDS[dtype]} {value}, {literal(0.0, dtype)}")
    return w.do(f"icmp ne {KINDS[dtype]} {value}, 0")


def _logic(how: str) -> Emit:
    def emit(w: Writer, s: Def) -> Number | None:
        bits = [truth(w, w.value(a), a.type.dtype) for a in s.args]
        return w.do(f"{how} i1 {', '.join(bits)}")

    return emit


def _not(w: Writer, s: Def) -> Number | None:
    return w.do(f"xor i1 {truth(w, w.value(s.args[0]), dtype_of(s))}, true")


def _bits(how: str) -> Emit:
    def emit(w: Writer, s: Def) -> Number | None:
        a, b = values(w, s)
        return w.do(f"{how} {KINDS[dtype_of(s)]} {a}, {b}")

    return emit


def _invert(w: Writer, s: Def) -> Number | None:
    kind = KINDS[dtype_of(s)]
    return w.do(f"xor {kind} {w.value(s.args[0])}, {'true' if kind == 'i1' else '-1'}")


def _shift(left: bool) -> Emit:
    """A shift; by 64 places and more only the sign is left."""

    def emit(w: Writer, s: Def) -> Number | None:
        dtype = dtype_of(s)
        if dtype[0] not in "iu":
            return None
        kind = KINDS[dtype]
        if kind == "i64":
            return places(w, dtype, *values(w, s))
        how = "sext" if signed(dtype) else "zext"
        a, b = (w.do(f"{how} {kind} {v} to i64") for v in values(w, s))
        return w.do(f"trunc i64 {places(w, dtype, a, b)} to {kind}")

    def places(w: Writer, dtype: str, a: str, b: str) -> str:
        inside = w.do(f"icmp ult i64 {b}, 64")
        by = w.choose(inside, b, "0")
        if left:
            return w.choose(inside, w.do(f"shl i64 {a}, {by}"), "0")
        if not signed(dtype):
            return w.choose(inside, w.do(f"lshr i64 {a}, {by}"), "0")
        return w.choose(inside, w.do(f"ashr i64 {a}, {by}"), w.do(f"ashr i64 {a}, 63"))

    return emit


def _of_parts(how: str, test: Callable[[Writer, str, Any], str]) -> Emit:
    """A test of a number; of a complex one that of both its parts."""

    def emit(w: Writer, s: Def) -> Number | None:
        (a,), dtype = values(w, s), dtype_of(s)
        if not is_complex(dtype):
            return test(w, dtype, a)
        found = [test(w, real_dtype(dtype), part) for part in a]
        return w.do(f"{how} i1 {', '.join(found)}")

    return emit


def _isnan(w: Writer, dtype: str, a: str) -> str:
    return w.do(f"fcmp uno {KINDS[dtype]} {a}, {a}") if is_float(dtype) else "false"


def _size_test(predicate: str, otherwise: str) -> Callable[[Writer, str, Any], str]:
    """A test of the size of a number against infinity."""

    def test(w: Writer, dtype: str, a: str) -> str:
        if not is_float(dtype):
            return otherwise
        size, infinity = intrinsic(w, "fabs", dtype, a), literal(float("inf"), dtype)
        return w.do(f"fcmp {predicate} {KINDS[dtype]} {size}, {infinity}")

    return test


def _signbit(w: Writer, s: Def) -> Number | None:
    (a,), dtype = values(w, s), dtype_of(s)
    if is_complex(dtype) or dtype == "bool":
        return None
    if not is_float(dtype):
        return w.do(f"icmp slt {KINDS[dtype]} {a}, 0") if signed(dtype) else "false"
    bits = "i32" if dtype == "f32" else "i64"
    return w.do(f"icmp slt {bits} {w.do(f'bitcast {KINDS[dtype]} {a} to {bits}')}, 0")


COMPARISONS: dict[Primitive, Emit] = {
    e.eq: _compare("eq", "oeq"), e.ne: _compare("ne", "une"), e.lt: _compare("lt", "olt"),
    e.le: _compare("le", "ole"), e.gt: _compare("gt", "ogt"), e.ge: _compare("ge", "oge"),
    e.logical_and: _logic("and"), e.logical_or: _logic("or"), e.logical_xor: _logic("xor"),
    e.logical_not: _not, e.bit_and: _bits("and"), e.bit_or: _bits("or"), e.bit_xor: _bits("xor"),
    e.invert: _invert, e.shift_left: _shift(left=True), e.shift_right: _shift(left=False),
    e.isnan: _of_parts("or", _isnan), e.isinf: _of_parts("or", _size_test("oeq", "false")),
    e.isfinite: _of_parts("and", _size_test("one", "true")),
    e.signbit: _signbit,
}  # fmt: skip
