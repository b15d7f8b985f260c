"""Products of matrices, of matrices and vectors, of vectors: calls of shared machine code.

The functions that are called (`machine_products.py`) are compiled once per machine.
"""

from __future__ import annotations

from srcgrad.backends.cpu.emit.buffers import made
from srcgrad.backends.cpu.emit.failures import OUTSIDE, guard, leave, leave_again
from srcgrad.backends.cpu.emit.symbols import Product
from srcgrad.backends.cpu.emit.values import Number, Ref, parts_of
from srcgrad.backends.cpu.emit.views import at
from srcgrad.backends.cpu.emit.writer import Writer
from srcgrad.ir.nodes import Def
from srcgrad.ir.types import Scalar
from srcgrad.primitives import arrays


def product(w: Writer, s: Def) -> Ref | Number:
    """Writes one call, for a stack of matrices too; the result's buffer is the only one."""
    assert s.var is not None
    a, b = (w.ref(x) for x in s.args)
    out = _result(w, s, a.dtype)
    if w.program.guarded:
        for r in (a, b):
            inside(w, r)
    kind, words = _words(w, s, a, b)
    called = Product(kind, a.dtype, w.program.flags)
    w.program.products.add(called)
    symbol = called.symbol
    place = out.data if isinstance(out, Ref) else out
    given = ["ptr"] * 3 + [k for k, _ in words]
    w.program.declared.add(f"declare i32 @{symbol}({', '.join(given)}) nounwind")
    pointers = (f"ptr {p}" for p in (w.pointer(a), w.pointer(b), place))
    passed = ", ".join((*pointers, *(f"{k} {v}" for k, v in words)))
    code = w.do(f"call i32 @{symbol}({passed})")
    guard(w, w.do(f"icmp ne i32 {code}, 0"), lambda: leave_again(w, code))
    return out if isinstance(out, Ref) else w.read(out, a.dtype)


def _result(w: Writer, s: Def, dtype: str) -> Ref | str:
    """The buffer of the result, or the slot of a number."""
    assert s.var is not None
    if isinstance(s.var.type, Scalar):
        return w.alloca(f"[2 x {parts_of(dtype)[0]}]")
    return made(w, s, w.dims(s.var.type), dtype)


def _words(w: Writer, s: Def, a: Ref, b: Ref) -> tuple[str, list[tuple[str, str]]]:
    """The kind of the product, and its parameters after the pointers: lengths, then steps."""
    if s.op is arrays.vecdot:
        return "vectors", [("i64", x) for x in (a.dims[0], a.strides[0], b.strides[0])]
    if s.op is arrays.matvec:
        return "vector", [("i64", x) for x in (*a.dims, *a.strides, b.strides[0])]
    lead = a.dims[:-2]
    lengths, steps = (*a.dims[-2:], b.dims[-1]), (*a.strides[-2:], *b.strides[-2:])
    matrices = [("i64", x) for x in (*lengths, *steps)]
    if not lead:
        return "matrices", matrices
    axes = w.alloca(f"[{3 * len(lead)} x i64]")
    for k, words in enumerate(zip(lead, a.strides, b.strides, strict=False)):
        for j, word in enumerate(words):
            w.put(f"store i64 {word}, ptr {at(w, axes, 3 * k + j)}, align 8")
    return "stacks", [("ptr", axes), ("i64", str(len(lead))), ("i64", w.items(lead)), *matrices]


def inside(w: Writer, r: Ref) -> None:
    """Guarded: checks that an operand with elements is inside its buffer, which is not released."""
    low, high = w.extent(r)
    (first, last), off = r.bounds, r.off
    under = w.do(f"icmp slt i64 {w.plus(off, low)}, {first}")
    over = w.do(f"icmp sgt i64 {w.plus(off, high)}, {last}")
    wrong = w.do(f"or i1 {under}, {over}")
    if r.mi != "null":
        wrong = w.do(f"or i1 {wrong}, {w.do(f'call i1 @given_up(ptr {r.mi})')}")
    some = w.do(f"icmp ne i64 {w.items(r.dims)}, 0")
    guard(w, w.do(f"and i1 {some}, {wrong}"), lambda: leave(w, OUTSIDE))
