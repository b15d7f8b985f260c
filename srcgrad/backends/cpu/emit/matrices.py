"""Linear algebra and orderings: calls of routines, whose machine code has symbols.

The caller makes the memory of the result, and releases its references where a routine fails.
"""

from __future__ import annotations

from srcgrad.backends.cpu.calls import CALLS
from srcgrad.backends.cpu.emit.buffers import made
from srcgrad.backends.cpu.emit.conversions import converted
from srcgrad.backends.cpu.emit.failures import fail_words, guard, leave_again
from srcgrad.backends.cpu.emit.products import inside
from srcgrad.backends.cpu.emit.symbols import Routine
from srcgrad.backends.cpu.emit.values import Number, Ref, not_emitted, size_of
from srcgrad.backends.cpu.emit.writer import Writer
from srcgrad.ir.nodes import Def
from srcgrad.ir.types import Array, Atom, Scalar, is_float


def call(w: Writer, s: Def) -> Ref | Number:
    """Calls a routine; its result."""
    if w.owners is None:
        raise not_emitted(f"{s.op.name} in a nest")
    assert s.var is not None
    type = s.var.type
    if isinstance(type, Scalar):
        out = Ref(w.alloca("[2 x double]"), type.dtype, (), ())
    else:
        out = made(w, s, w.dims(type), type.dtype)
    kinds, given = zip(_matrix(w, out), *(_operand(w, a) for a in s.args), strict=True)
    routine = Routine(s.op, kinds, tuple(sorted(s.params.items())), w.program.guarded)
    w.program.compiled.add(routine)
    words = [word for words in given for word in words]
    types = ", ".join(word.split()[0] for word in words)
    w.declare(f"i32 @{routine.symbol}({types})")
    code = w.do(f"call i32 @{routine.symbol}({', '.join(words)})")
    guard(w, w.do(f"icmp ne i32 {code}, 0"), lambda: _failed(w, s, code))
    return w.read(out.data, type.dtype) if isinstance(type, Scalar) else out


def _operand(w: Writer, a: Atom) -> tuple[str, list[str]]:
    """The kind of an operand, and the words that are passed for it."""
    if isinstance(a.type, Array):
        if w.program.guarded:
            inside(w, w.ref(a))
        return _matrix(w, w.ref(a))
    if is_float(a.type.dtype):
        return "f64", [f"double {converted(w, w.value(a), a.type.dtype, 'f64')}"]
    return "i64", [f"i64 {w.whole(a)}"]


def _matrix(w: Writer, r: Ref) -> tuple[str, list[str]]:
    """An array as one of two axes, without an owner: a vector is one of one column."""
    missing, strided = 2 - len(r.dims), r.layout != "C"
    lengths = [*r.dims, *["1"] * missing]
    if strided:
        lengths += [*r.strides, *[str(size_of(r.dtype))] * missing]
    kind = r.dtype + "mvn"[missing] + "s" * strided
    return kind, [f"ptr {w.pointer(r)}", "ptr null", "ptr null", *(f"i64 {n}" for n in lengths)]


def _failed(w: Writer, s: Def, code: str) -> None:
    """Hands on a code of the emitter; reports a routine's number, which comes negated."""
    if CALLS[s.op].error:
        guard(w, w.do(f"icmp sgt i32 {code}, 0"), lambda: leave_again(w, code))
        number = w.do(f"sub i64 0, {w.do(f'sext i32 {code} to i64')}")
        fail_words(w, s, [number], ["i64"])
    else:
        leave_again(w, code)
