"""Products of matrices, of matrices and vectors, of vectors: BLAS called from the emitted module.

A module has one function per dtype for products of matrices, and one for those with vectors, whose
short lengths are constants that LLVM specialises it for. An operand goes to BLAS in place if one of
its two steps is the item's size; else it is copied, matrix by matrix, into one buffer. Loops do
the rest: integers, lengths beyond 32 bits, small or empty operands, and the product of two
vectors with other steps.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from string import Template

from srcgrad.backends.cpu.capsules import LETTERS
from srcgrad.backends.cpu.emit import blas
from srcgrad.backends.cpu.emit.buffers import made
from srcgrad.backends.cpu.emit.failures import NO_MEMORY, OUTSIDE, guard, leave, leave_again
from srcgrad.backends.cpu.emit.state import Program
from srcgrad.backends.cpu.emit.values import Number, Ref, parts_of, size_of
from srcgrad.backends.cpu.emit.views import at
from srcgrad.backends.cpu.emit.writer import Writer
from srcgrad.ir.nodes import Def, Function
from srcgrad.ir.parse import parse
from srcgrad.ir.types import Scalar
from srcgrad.primitives import REGISTRY, arrays

Written = Callable[[Function, str, str], str]
LITTLE = 64  # multiplications; a call of BLAS takes more instructions before its first one


def product(w: Writer, s: Def) -> Ref | Number:
    """Writes one call, for a stack of matrices too; the result's buffer is the only one."""
    assert s.var is not None
    a, b = (w.ref(x) for x in s.args)
    out = _result(w, s, a.dtype)
    if w.program.guarded:
        for r in (a, b):
            inside(w, r)
    lead, shape, steps = _shape(s, a, b)
    axes = w.alloca(f"[{3 * len(lead)} x i64]") if lead else "null"
    for k, words in enumerate(zip(lead, a.strides, b.strides, strict=False)):
        for j, word in enumerate(words):
            w.put(f"store i64 {word}, ptr {at(w, axes, 3 * k + j)}, align 8")
    place = out.data if isinstance(out, Ref) else out
    given = [f"ptr {w.pointer(a)}", f"ptr {w.pointer(b)}", f"ptr {place}", f"ptr {axes}"]
    given += [f"i64 {v}" for v in (len(lead), w.items(lead), *shape, *steps)]
    kind = "matrices" if s.op is arrays.matmul else "vectors"
    w.program.products.add((a.dtype, kind))
    w.program.halves |= a.dtype == "f16"
    code = w.do(f"call i32 @{kind}.{a.dtype}({', '.join(given)})")
    guard(w, w.do(f"icmp ne i32 {code}, 0"), lambda: leave_again(w, code))
    return out if isinstance(out, Ref) else w.read(out, a.dtype)


def _result(w: Writer, s: Def, dtype: str) -> Ref | str:
    """The buffer of the result, or the slot of a number."""
    assert s.var is not None
    if isinstance(s.var.type, Scalar):
        return w.alloca(f"[2 x {parts_of(dtype)[0]}]")
    return made(w, s, w.dims(s.var.type), dtype)


Words = tuple[str, ...]


def _shape(s: Def, a: Ref, b: Ref) -> tuple[Words, Words, Words]:
    """The stack's axes; rows, inner length and columns; the steps of two matrices."""
    if s.op is arrays.vecdot:
        return (), ("1", a.dims[0], "1"), ("0", a.strides[0], b.strides[0], "0")
    if s.op is arrays.matvec:
        return (), (*a.dims, "1"), (*a.strides, b.strides[0], "0")
    return a.dims[:-2], (*a.dims[-2:], b.dims[-1]), (*a.strides[-2:], *b.strides[-2:])


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


# ---- the functions of a module for products of one dtype ----
LOOPS = Template("""
def loops(a: $t.strided[m, k], b: $t.strided[k, n], out: $t[m, n]):
    m: int = dim(a, axis=0)
    k: int = dim(a, axis=1)
    n: int = dim(b, axis=1)
    for i in range(0, m):
        for j in range(0, n):
            sum: $w = $w(0.0)
            for l in range(0, k):
                x: $t = load(a, i, l)
                y: $t = load(b, l, j)
                x1: $w = cast(x, dtype='$w')
                y1: $w = cast(y, dtype='$w')
                xy: $w = mul(x1, y1)
                sum1: $w = add(sum, xy)
                sum = sum1
            total: $t = cast(sum, dtype='$t')
            store(out, i, j, total)
    return ()
""")
COPY = Template("""
def copy(a: $t.strided[m, n], out: $t[m, n]):
    m: int = dim(a, axis=0)
    n: int = dim(a, axis=1)
    for i in range(0, m):
        for j in range(0, n):
            x: $t = load(a, i, j)
            store(out, i, j, x)
    return ()
""")

# a matrix in BLAS's form: with rows that are contiguous (`turned`: columns) at a distance in items;
# 0 if neither are. Rows at less than their length, or backwards, are not a matrix to it
SHARED = """
define internal i64 @leading(i64 %far, i64 %near, i64 %rows, i64 %columns, i64 %item) nounwind {
  %unit = icmp eq i64 %near, %item
  %narrow = icmp eq i64 %columns, 1
  %close = or i1 %unit, %narrow
  %apart = sdiv i64 %far, %item
  %rest = srem i64 %far, %item
  %whole = icmp eq i64 %rest, 0
  %clear = icmp sge i64 %apart, %columns
  %fits = icmp sle i64 %apart, 2147483647
  %a = and i1 %whole, %clear
  %b = and i1 %a, %fits
  %many = select i1 %b, i64 %apart, i64 0
  %single = icmp eq i64 %rows, 1
  %found = select i1 %single, i64 %columns, i64 %many
  %out = select i1 %close, i64 %found, i64 0
  ret i64 %out
}

define internal { i64, i1 } @seen(
    i64 %down, i64 %right, i64 %rows, i64 %columns, i64 %item, i1 %vector) nounwind {
  %r = call i64 @leading(i64 %down, i64 %right, i64 %rows, i64 %columns, i64 %item)
  %t = call i64 @leading(i64 %right, i64 %down, i64 %columns, i64 %rows, i64 %item)
  %no = icmp eq i64 %r, 0
  %turn = or i1 %no, %vector
  %out = select i1 %turn, i64 %t, i64 %r
  %there = icmp ne i64 %out, 0
  %turned = and i1 %turn, %there
  %s = insertvalue { i64, i1 } undef, i64 %out, 0
  %both = insertvalue { i64, i1 } %s, i1 %turned, 1
  ret { i64, i1 } %both
}

define internal i1 @room(i1 %wanted, i64 %items, i64 %item, ptr %slot) nounwind {
  br i1 %wanted, label %make, label %fine
make:
  %size = call i64 @product(i64 %items, i64 %item)
  %p = call ptr @fresh(i64 %size, ptr %slot)
  %missing = icmp eq ptr %p, null
  ret i1 %missing
fine:
  ret i1 false
}
"""
CALL = Template("""
  call void @blas.$t(ptr %x, ptr %y, ptr %to, i64 %m, i64 %k, i64 %n,
    i64 %a.ld, i64 %b.ld, i1 %a.turned, i1 %b.turned)""")

PACKED = Template("""
define internal ptr @packed.$t(
    ptr %slot, ptr %from, i64 %rows, i64 %columns, i64 %down, i64 %right) nounwind {
  %mi = load ptr, ptr %slot
  %as.is = icmp eq ptr %mi, null
  br i1 %as.is, label %there, label %copy
there:
  ret ptr %from
copy:
  %p = getelementptr inbounds i8, ptr %mi, i64 24
  %data = load ptr, ptr %p
  call void @copy.$t(ptr %from, ptr null, ptr null, i64 %rows, i64 %columns, i64 %down, i64 %right,
    ptr %data, ptr null, ptr null, i64 %rows, i64 %columns)
  ret ptr %data
}

""")

PRODUCT = Template("""
define internal i32 @$kind.$t(
    ptr %a, ptr %b, ptr noalias %out, ptr %axes, i64 %lead, i64 %count, i64 %m, i64 %k, i64 %n,
    i64 %a.down, i64 %a.right, i64 %b.down, i64 %b.right) noinline nounwind {
entry:
  %a.slot = alloca ptr
  %b.slot = alloca ptr
  store ptr null, ptr %a.slot
  store ptr null, ptr %b.slot
  %mk = call i64 @product(i64 %m, i64 %k)
  %kn = call i64 @product(i64 %k, i64 %n)
  %work = call i64 @product(i64 %mk, i64 %n)
  %little = icmp ule i64 %work, $little
  %mork = or i64 %m, %k
  %lengths = or i64 %mork, %n
  %long = icmp ugt i64 %lengths, 2147483647
  %row = icmp eq i64 %m, 1
  %column = icmp eq i64 %n, 1
  %number = and i1 %row, %column
  %a.steps = icmp ne i64 %a.right, $item
  %b.steps = icmp ne i64 %b.down, $item
  %steps = or i1 %a.steps, %b.steps
  %apart = and i1 %number, %steps
  %or.long = or i1 %little, %long
  %or.apart = or i1 %or.long, %apart
  %loops = or i1 %or.apart, $whole
  %blas = xor i1 %loops, true
  %a.seen = call { i64, i1 } @seen(
    i64 %a.down, i64 %a.right, i64 %m, i64 %k, i64 $item, i1 false)
  %b.seen = call { i64, i1 } @seen(
    i64 %b.down, i64 %b.right, i64 %k, i64 %n, i64 $item, i1 %column)
  %a.found = extractvalue { i64, i1 } %a.seen, 0
  %b.found = extractvalue { i64, i1 } %b.seen, 0
  %a.turned = extractvalue { i64, i1 } %a.seen, 1
  %b.turned = extractvalue { i64, i1 } %b.seen, 1
  %a.none = icmp eq i64 %a.found, 0
  %b.none = icmp eq i64 %b.found, 0
  %a.ld = select i1 %a.none, i64 %k, i64 %a.found
  %b.ld = select i1 %b.none, i64 %n, i64 %b.found
  %a.copy = and i1 %a.none, %blas
  %b.copy = and i1 %b.none, %blas
  %a.bad = call i1 @room(i1 %a.copy, i64 %mk, i64 $item, ptr %a.slot)
  br i1 %a.bad, label %done, label %one
one:
  %b.bad = call i1 @room(i1 %b.copy, i64 %kn, i64 $item, ptr %b.slot)
  br i1 %b.bad, label %done, label %head
head:
  %t = phi i64 [ 0, %one ], [ %t.next, %next ]
  %to = phi ptr [ %out, %one ], [ %to.next, %next ]
  %more = icmp slt i64 %t, %count
  br i1 %more, label %place, label %done
place:
  %axis = phi i64 [ %lead, %head ], [ %axis.next, %step ]
  %rest = phi i64 [ %t, %head ], [ %rest.next, %step ]
  %a.at = phi ptr [ %a, %head ], [ %a.next, %step ]
  %b.at = phi ptr [ %b, %head ], [ %b.next, %step ]
  %placed = icmp eq i64 %axis, 0
  br i1 %placed, label %matrix, label %step
step:
  %axis.next = sub i64 %axis, 1
  %word = mul i64 %axis.next, 3
  %w0 = getelementptr i64, ptr %axes, i64 %word
  %w1 = getelementptr i64, ptr %w0, i64 1
  %w2 = getelementptr i64, ptr %w0, i64 2
  %length = load i64, ptr %w0
  %a.step = load i64, ptr %w1
  %b.step = load i64, ptr %w2
  %index = urem i64 %rest, %length
  %rest.next = udiv i64 %rest, %length
  %a.by = mul i64 %index, %a.step
  %b.by = mul i64 %index, %b.step
  %a.next = getelementptr i8, ptr %a.at, i64 %a.by
  %b.next = getelementptr i8, ptr %b.at, i64 %b.by
  br label %place
matrix:
  br i1 %loops, label %plain, label %call
plain:
  call void @$kind.loops.$t(
    ptr %a.at, ptr null, ptr null, i64 %m, i64 %k, i64 %a.down, i64 %a.right,
    ptr %b.at, ptr null, ptr null, i64 %k, i64 %n, i64 %b.down, i64 %b.right,
    ptr %to, ptr null, ptr null, i64 %m, i64 %n)
  br label %next
call:
  %x = call ptr @packed.$t(
    ptr %a.slot, ptr %a.at, i64 %m, i64 %k, i64 %a.down, i64 %a.right)
  %y = call ptr @packed.$t(
    ptr %b.slot, ptr %b.at, i64 %k, i64 %n, i64 %b.down, i64 %b.right)$call
  br label %next
next:
  %t.next = add i64 %t, 1
  %mn = mul i64 %m, %n
  %bytes = mul i64 %mn, $item
  %to.next = getelementptr i8, ptr %to, i64 %bytes
  br label %head
done:
  %out.code = phi i32 [ $memory, %entry ], [ $memory, %one ], [ 0, %head ]
  %a.mi = load ptr, ptr %a.slot
  %b.mi = load ptr, ptr %b.slot
  call void @down(ptr %a.mi)
  call void @down(ptr %b.mi)
  ret i32 %out.code
}
""")


def subroutines(program: Program, written: Written) -> str:
    """The functions that the products of a module call; `written` writes a lowered one."""
    if not program.products:
        return ""
    out = [SHARED, blas.CONSTANTS]
    for t in sorted({t for t, _ in program.products}):
        if t in LETTERS:
            out.append(blas.calls(program, t))
        out.append(_packed(t, program.flags, written))
    out += [_of_kind(t, kind, program.flags, written) for t, kind in sorted(program.products)]
    return "\n".join(out)


@lru_cache(maxsize=32)
def _packed(t: str, flags: str, written: Written) -> str:
    copy = parse(COPY.substitute(t=t), REGISTRY)
    return written(copy, f"copy.{t}", flags) + "\n" + PACKED.substitute(t=t)


@lru_cache(maxsize=32)
def _of_kind(t: str, kind: str, flags: str, written: Written) -> str:
    wide = "f32" if t == "f16" else t  # of the sums, as in NumPy
    loops = parse(LOOPS.substitute(t=t, w=wide), REGISTRY)
    has = t in LETTERS
    values = {
        "t": t, "kind": kind, "item": size_of(t), "little": LITTLE, "memory": NO_MEMORY,
        "whole": str(not has).lower(), "call": CALL.substitute(t=t) if has else "",
    }  # fmt: skip
    return written(loops, f"{kind}.loops.{t}", flags) + "\n" + PRODUCT.substitute(values)
