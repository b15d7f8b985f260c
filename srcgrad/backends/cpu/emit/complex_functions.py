"""Functions of complex numbers: NumPy's own loops, each called for one number.

Numba's, which follow CPython's `cmath`, raise for some numbers and miss the signs of some zeros.
"""

from __future__ import annotations

from typing import Any

from srcgrad.backends.cpu.emit.operands import dtype_of, values
from srcgrad.backends.cpu.emit.values import Number, parts_of
from srcgrad.backends.cpu.emit.writer import Writer
from srcgrad.backends.cpu.ufuncs import LETTERS
from srcgrad.ir.nodes import Def
from srcgrad.primitives.elementwise import pow

# a loop stores into the memory of this function alone, and sets the flags of the processor
HEAD = "noinline nounwind willreturn memory(inaccessiblemem: readwrite)"


def complex_function(w: Writer, s: Def) -> Number:
    """A call of the loop of NumPy's that an operation names."""
    dtype = dtype_of(s)
    name = f"{'power' if s.op is pow else s.op.impl.__name__}_{LETTERS[dtype]}"
    loop = w.program.routine("ufunc", name, ["ptr"] * 4)
    data = w.program.routine("ufunc_data", name, [])
    kind = parts_of(dtype)[0]
    text = _text(loop, data, kind, len(s.args))
    called = w.program.function_named(text, "numpy")
    given = ", ".join(f"{kind} {part}" for v in values(w, s) for part in _parts(v))
    made = w.do(f"call {{ {kind}, {kind} }} @{called}({given})")
    real, imag = (w.do(f"extractvalue {{ {kind}, {kind} }} {made}, {k}") for k in (0, 1))
    return real, imag


def _parts(v: Any) -> tuple[str, str]:
    real, imag = v
    return real, imag


def _text(loop: str, data: str, kind: str, arity: int) -> str:
    """A function of numbers that calls a loop for one of them."""
    pair = f"{{ {kind}, {kind} }}"
    params = ", ".join(f"{kind} %r{k}, {kind} %i{k}" for k in range(arity))
    lines = [
        f"%args = alloca [{arity + 1} x ptr], align 8",
        "%count = alloca i64, align 8",
        f"%steps = alloca [{arity + 1} x i64], align 8",
        "store i64 1, ptr %count",
        f"store [{arity + 1} x i64] zeroinitializer, ptr %steps",
    ]
    for k in range(arity + 1):
        lines.append(f"%v{k} = alloca {pair}, align 16")
        lines.append(f"%at{k} = getelementptr [{arity + 1} x ptr], ptr %args, i64 0, i64 {k}")
        lines.append(f"store ptr %v{k}, ptr %at{k}")
    for k in range(arity):
        # one store, from which the loop's load of both parts need not wait for the memory
        lines.append(f"%half{k} = insertelement <2 x {kind}> poison, {kind} %r{k}, i64 0")
        lines.append(f"%whole{k} = insertelement <2 x {kind}> %half{k}, {kind} %i{k}, i64 1")
        lines.append(f"store <2 x {kind}> %whole{k}, ptr %v{k}")
    lines += [
        f"call void @{loop}(ptr %args, ptr %count, ptr %steps, ptr @{data})",
        f"%made = load {pair}, ptr %v{arity}",
        f"ret {pair} %made",
    ]
    body = "\n".join(f"  {line}" for line in lines)
    return f"{pair} @NEST({params}) {HEAD} {{\n{body}\n}}"
