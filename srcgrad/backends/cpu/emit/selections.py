"""Selections as instructions: both sides are values. Lengths and indices are selected too.

None carries fast-math flags: a selection recognises NaN.
"""

from __future__ import annotations

from srcgrad.backends.cpu.emit.functions import intrinsic, libm
from srcgrad.backends.cpu.emit.operands import Emit, dtype_of, is_real, values
from srcgrad.backends.cpu.emit.values import KINDS, Number, is_constant, literal, parts_of, signed
from srcgrad.backends.cpu.emit.writer import Writer
from srcgrad.ir.nodes import Def
from srcgrad.ir.types import is_complex, is_float
from srcgrad.primitives import Primitive, memory
from srcgrad.primitives import elementwise as e


def _where(w: Writer, s: Def) -> Number | None:
    c, a, b = values(w, s)
    kinds = parts_of(dtype_of(s))
    if len(kinds) == 2:
        return w.choose(c, a[0], b[0], kinds[0]), w.choose(c, a[1], b[1], kinds[1])
    return w.choose(c, a, b, kinds[0])


def _extreme(w: Writer, dtype: str, a: str, b: str, more: bool) -> str:
    """A NaN on either side wins; of zeros the second."""
    kind, name = KINDS[dtype], "gt" if more else "lt"
    if dtype == "bool":
        return w.do(f"{'or' if more else 'and'} i1 {a}, {b}")
    if is_float(dtype):  # one instruction, and a selection that need not wait for b
        better = w.choose(w.do(f"fcmp o{name} {kind} {a}, {b}"), a, b, kind)
        return w.choose(w.do(f"fcmp uno {kind} {a}, {a}"), a, better, kind)
    else:
        first = w.do(f"icmp {'s' if signed(dtype) else 'u'}{name} {kind} {a}, {b}")
    return w.choose(first, a, b, kind)


def _extremes(more: bool) -> Emit:
    def emit(w: Writer, s: Def) -> Number | None:
        a, b = values(w, s)
        return None if is_complex(dtype_of(s)) else _extreme(w, dtype_of(s), a, b, more)

    return emit


def _better(more: bool) -> Emit:
    """Python's: the second unless the first compares as better."""

    def emit(w: Writer, s: Def) -> Number | None:
        (a, b), dtype = values(w, s), dtype_of(s)
        if is_complex(dtype):
            return None
        if not is_float(dtype):
            return _extreme(w, dtype, a, b, more)
        kind, name = KINDS[dtype], "ogt" if more else "olt"
        return w.choose(w.do(f"fcmp {name} {kind} {a}, {b}"), a, b, kind)

    return emit


def _clip(w: Writer, s: Def) -> Number | None:
    dtype = dtype_of(s)
    if is_complex(dtype):
        return None
    a, low, high = values(w, s)
    return _extreme(w, dtype, high, _extreme(w, dtype, low, a, True), False)


def _relu(w: Writer, s: Def) -> Number | None:
    (a,), dtype = values(w, s), dtype_of(s)
    if signed(dtype):
        return w.choose(w.do(f"icmp slt {KINDS[dtype]} {a}, 0"), "0", a, KINDS[dtype])
    if not is_real(dtype):
        return a if dtype[0] == "u" else None
    kind, zero = KINDS[dtype], literal(0.0, dtype)
    return w.choose(w.do(f"fcmp ole {kind} {a}, {zero}"), str(zero), a, kind)


def _sign(w: Writer, s: Def) -> Number | None:
    dtype = dtype_of(s)
    if dtype == "bool" or is_complex(dtype):
        return None
    (a,), kind = values(w, s), KINDS[dtype]
    if not is_float(dtype):
        positive = w.do(f"zext i1 {w.do(f'icmp ne {kind} {a}, 0')} to {kind}")
        if not signed(dtype):
            return positive
        return w.choose(w.do(f"icmp slt {kind} {a}, 0"), "-1", positive, kind)
    zero, one, minus = (str(literal(x, dtype)) for x in (0.0, 1.0, -1.0))
    other = w.do(f"fadd {kind} {a}, {zero}")
    low = w.choose(w.do(f"fcmp olt {kind} {a}, {zero}"), minus, other, kind)
    return w.choose(w.do(f"fcmp ogt {kind} {a}, {zero}"), one, low, kind)


def _abs(w: Writer, s: Def) -> Number | None:
    (a,), dtype = values(w, s), dtype_of(s)
    if is_complex(dtype):
        return libm(w, "hypot", "f32" if dtype == "c64" else "f64", *a)
    if is_float(dtype):
        return intrinsic(w, "fabs", dtype, a)
    if not signed(dtype):
        return a
    kind = KINDS[dtype]
    return w.choose(w.do(f"icmp slt {kind} {a}, 0"), w.do(f"sub {kind} 0, {a}"), a, kind)


def _wrap(w: Writer, s: Def) -> Number | None:
    i, n = map(w.whole, s.args)
    return w.choose(w.do(f"icmp slt i64 {i}, 0"), w.do(f"add i64 {i}, {n}"), i)


def _slice_end(w: Writer, s: Def) -> Number | None:
    i, n, step = map(w.whole, s.args)
    if is_constant(step):
        low, high = ("0", n) if int(step) > 0 else ("-1", w.do(f"sub i64 {n}, 1"))
    else:
        up = w.do(f"icmp sgt i64 {step}, 0")
        low, high = w.choose(up, "0", "-1"), w.choose(up, n, w.do(f"sub i64 {n}, 1"))
    back = w.do(f"add i64 {i}, {n}")
    below = w.choose(w.do(f"icmp sgt i64 {back}, {low}"), back, low)
    above = w.choose(w.do(f"icmp slt i64 {i}, {high}"), i, high)
    return w.choose(w.do(f"icmp slt i64 {i}, 0"), below, above)


def _broadcast_dim(w: Writer, s: Def) -> Number | None:
    a, b = map(w.whole, s.args)
    return w.choose(w.do(f"icmp eq i64 {a}, 1"), b, a)


SELECTIONS: dict[Primitive, Emit] = {
    e.where: _where, e.maximum: _extremes(more=True), e.minimum: _extremes(more=False),
    e.larger: _better(more=True), e.smaller: _better(more=False),
    e.clip: _clip, e.relu: _relu, e.sign: _sign, e.abs: _abs,
    memory.wrap: _wrap, memory.slice_start: _slice_end, memory.slice_stop: _slice_end,
    memory.broadcast_dim: _broadcast_dim,
}  # fmt: skip
