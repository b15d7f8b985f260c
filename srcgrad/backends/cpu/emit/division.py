"""Quotients and remainders as instructions; division by 0 gives NumPy's result.

None carries fast-math flags: each recognises zeros, signs or NaN.
"""

from __future__ import annotations

from srcgrad.backends.cpu.emit.functions import intrinsic, libm
from srcgrad.backends.cpu.emit.operands import Emit, dtype_of, is_real, values
from srcgrad.backends.cpu.emit.values import KINDS, Number, literal, parts_of, signed
from srcgrad.backends.cpu.emit.writer import Writer
from srcgrad.ir.nodes import Def


def complex_quotient(w: Writer, dtype: str, a: Number, b: Number) -> Number:
    """Smith's algorithm, by the larger part of the divisor; by 0 each part is divided by +0."""
    kind, part = parts_of(dtype)[0], "f32" if dtype == "c64" else "f64"
    (p, q), (r, t) = a, b
    zero = str(literal(0.0, part))

    def do(name: str, x: str, y: str) -> str:
        return w.do(f"{name} {kind} {x}, {y}")

    def choose(condition: str, x: str, y: str) -> str:
        return w.choose(condition, x, y, kind)

    size = [intrinsic(w, "fabs", part, x) for x in (r, t)]
    turned = w.do(f"fcmp ult {kind} {size[0]}, {size[1]}")
    large, small = choose(turned, t, r), choose(turned, r, t)
    ratio = do("fdiv", small, large)
    by = do("fadd", large, do("fmul", small, ratio))
    of_p, of_q = do("fmul", p, ratio), do("fmul", q, ratio)
    real = do("fadd", choose(turned, of_p, p), choose(turned, q, of_q))
    imag = do("fsub", choose(turned, of_q, q), choose(turned, p, of_p))
    nothing = w.do(f"fcmp oeq {kind} {do('fadd', *size)}, {zero}")
    by = choose(nothing, zero, by)
    return do("fdiv", choose(nothing, p, real), by), do("fdiv", choose(nothing, q, imag), by)


def whole(quotient: bool) -> Emit:
    """The emitter of division rounded down: `//`, or its remainder."""

    def emit(w: Writer, s: Def) -> Number | None:
        (a, b), dtype = values(w, s), dtype_of(s)
        if is_real(dtype):
            return _of_floats(w, dtype, a, b, quotient)
        if dtype[0] == "u":
            return _of_unsigned(w, KINDS[dtype], a, b, quotient)
        return _of_signed(w, KINDS[dtype], a, b, quotient) if signed(dtype) else None

    return emit


def _of_floats(w: Writer, dtype: str, a: str, b: str, quotient: bool) -> str:
    kind, zero = KINDS[dtype], str(literal(0.0, dtype))
    rest = libm(w, "fmod", dtype, a, b)
    some = w.do(f"fcmp une {kind} {rest}, {zero}")
    below = [w.do(f"fcmp olt {kind} {x}, {zero}") for x in (rest, b)]
    correct = w.do(f"and i1 {some}, {w.do(f'xor i1 {below[0]}, {below[1]}')}")
    if not quotient:
        left = w.choose(correct, w.do(f"fadd {kind} {rest}, {b}"), rest, kind)
        return w.choose(some, left, intrinsic(w, "copysign", dtype, zero, b), kind)
    plain = w.do(f"fdiv {kind} {a}, {b}")
    near = w.do(f"fdiv {kind} {w.do(f'fsub {kind} {a}, {rest}')}, {b}")
    one, half = (str(literal(x, dtype)) for x in (1.0, 0.5))
    near = w.choose(correct, w.do(f"fsub {kind} {near}, {one}"), near, kind)
    down = intrinsic(w, "floor", dtype, near)
    above = w.do(f"fcmp ogt {kind} {w.do(f'fsub {kind} {near}, {down}')}, {half}")
    down = w.choose(above, w.do(f"fadd {kind} {down}, {one}"), down, kind)
    none = w.do(f"fcmp oeq {kind} {near}, {zero}")
    down = w.choose(none, intrinsic(w, "copysign", dtype, zero, plain), down, kind)
    return w.choose(w.do(f"fcmp oeq {kind} {b}, {zero}"), plain, down, kind)


def _of_unsigned(w: Writer, kind: str, a: str, b: str, quotient: bool) -> str:
    nothing = w.do(f"icmp eq {kind} {b}, 0")
    by = w.choose(nothing, "1", b, kind)
    if not quotient:  # by 1 the remainder is 0
        return w.do(f"urem {kind} {a}, {by}")
    return w.choose(nothing, "0", w.do(f"udiv {kind} {a}, {by}"), kind)


def _of_signed(w: Writer, kind: str, a: str, b: str, quotient: bool) -> str:
    """Signed division: by 0 it gives 0; the smallest number by -1 is itself."""
    nothing, minus, by = _guarded(w, kind, b)
    rest = w.do(f"srem {kind} {a}, {by}")
    left = w.do(f"icmp ne {kind} {rest}, 0")
    apart = w.do(f"icmp slt {kind} {w.do(f'xor {kind} {rest}, {by}')}, 0")
    correct = w.do(f"and i1 {left}, {apart}")
    if not quotient:  # by 1, -1 and 0 the remainder is 0
        return w.choose(correct, w.do(f"add {kind} {rest}, {by}"), rest, kind)
    raw = w.do(f"sdiv {kind} {a}, {by}")
    down = w.do(f"sub {kind} {raw}, {w.do(f'zext i1 {correct} to {kind}')}")
    back = w.choose(minus, w.do(f"sub {kind} 0, {a}"), down, kind)
    return w.choose(nothing, "0", back, kind)


def _guarded(w: Writer, kind: str, b: str) -> tuple[str, str, str]:
    """Whether the divisor is 0; whether it is -1; a divisor that is neither."""
    nothing, minus = w.do(f"icmp eq {kind} {b}, 0"), w.do(f"icmp eq {kind} {b}, -1")
    return nothing, minus, w.choose(w.do(f"or i1 {nothing}, {minus}"), "1", b, kind)


def fmod(w: Writer, s: Def) -> Number | None:
    """The remainder with the sign of the dividend; for integers 0 if the divisor is 0."""
    (a, b), dtype = values(w, s), dtype_of(s)
    if is_real(dtype):
        return libm(w, "fmod", dtype, a, b)
    if dtype[0] == "u":
        return _of_unsigned(w, KINDS[dtype], a, b, quotient=False)
    if not signed(dtype):
        return None
    return w.do(f"srem {KINDS[dtype]} {a}, {_guarded(w, KINDS[dtype], b)[2]}")
