"""Conversions between dtypes, and the parts of complex numbers."""

from __future__ import annotations

from collections.abc import Callable

from srcgrad.backends.cpu.emit.comparisons import truth
from srcgrad.backends.cpu.emit.halves import narrowed, widened
from srcgrad.backends.cpu.emit.operands import Emit, dtype_of, is_real, values
from srcgrad.backends.cpu.emit.values import (
    KINDS,
    Number,
    is_constant,
    literal,
    parts_of,
    signed,
    size_of,
)
from srcgrad.backends.cpu.emit.writer import Writer
from srcgrad.ir.nodes import Def
from srcgrad.ir.types import is_complex, is_float
from srcgrad.primitives import Primitive
from srcgrad.primitives import elementwise as e


def _of_parts(choose: Callable[[Writer, tuple, str], Number], zero: bool = False) -> Emit:
    """The emitter of a function of a number's parts; a real one gives itself, or (`zero`) 0."""

    def real(a: Number, s: Def) -> Number:
        return literal(0, dtype_of(s)) if zero else a

    def emit(w: Writer, s: Def) -> Number | None:
        a = w.value(s.args[0])
        return choose(w, a, parts_of(dtype_of(s))[0]) if isinstance(a, tuple) else real(a, s)

    return emit


def _to_complex(w: Writer, s: Def) -> Number | None:
    a, b = values(w, s)
    return (a, b) if is_real(dtype_of(s)) else None


def _cast(w: Writer, s: Def) -> Number | None:
    source, target = s.args[0].type.dtype, s.params["dtype"]
    return converted(w, w.value(s.args[0]), source, target)


def converted(w: Writer, value: Number, source: str, target: str) -> Number | None:
    if source == target:
        return value
    if source == "f16":
        return converted(w, widened(w, str(value)), "f32", target)
    if target == "f16" and not is_complex(source):
        wide = source if source == "f64" else "f32"
        return narrowed(w, str(converted(w, value, source, wide)), KINDS[wide])
    if target == "bool":
        return truth(w, value, source)
    if is_complex(target):
        part = "f64" if target == "c128" else "f32"
        if not is_complex(source):
            real = converted(w, value, source, part)
            return None if real is None else (str(real), str(literal(0.0, part)))
        parts = [converted(w, v, "f64" if source == "c128" else "f32", part) for v in value]
        return str(parts[0]), str(parts[1])
    if is_complex(source):
        return None
    assert isinstance(value, str)
    f, t = KINDS[source], KINDS[target]
    if f == t:
        return value
    unsigned = source == "bool" or not signed(source)
    if is_float(source):
        if not is_float(target):
            return _whole(w, str(value), f, target)
        how = "fpext" if t == "double" else "fptrunc"
    elif is_float(target):
        how = "uitofp" if unsigned else "sitofp"
    elif source != "bool" and size_of(target) < size_of(source):
        how = "trunc"
    else:
        how = "zext" if unsigned else "sext"
    if f == "i1" and is_constant(value):
        whole = str(int(value == "true"))
        return whole if not is_float(target) else literal(float(whole), target)
    made = w.do(f"{how} {f} {value} to {t}")
    if (f, t) == ("i1", "i64"):  # a step of 0 or 1: a nest has to know that it has no other value
        w.recipes[made] = (_bit, (value,))
    return made


def _whole(w: Writer, value: str, kind: str, target: str) -> str:
    """A float without its fraction; unsigned integers wrap, as in NumPy."""
    if signed(target):
        return w.do(f"fptosi {kind} {value} to {KINDS[target]}")
    if target != "u64":
        return w.do(f"trunc i64 {w.do(f'fptosi {kind} {value} to i64')} to {KINDS[target]}")
    half = str(literal(2.0**63, "f64"))
    large = w.do(f"fcmp oge {kind} {value}, {half}")
    below = w.choose(large, w.do(f"fsub {kind} {value}, {half}"), value, kind)
    low = w.do(f"fptosi {kind} {below} to i64")
    return w.choose(large, w.do(f"xor i64 {low}, {-(2**63)}"), low)


def _bit(w: Writer, bit: str) -> str:
    return w.once(("bit", bit), lambda: w.do(f"zext i1 {bit} to i64"))


def _same(w: Writer, s: Def) -> Number | None:
    return w.value(s.args[0])


CONVERSIONS: dict[Primitive, Emit] = {
    e.cast: _cast, e.stop_gradient: _same, e.before_rounding: _same, e.to_complex: _to_complex,
    e.real: _of_parts(lambda w, a, kind: a[0]),
    e.imag: _of_parts(lambda w, a, kind: a[1], zero=True),
    e.conj: _of_parts(lambda w, a, kind: (a[0], w.do(f"fneg {kind} {a[1]}"))),
}  # fmt: skip
