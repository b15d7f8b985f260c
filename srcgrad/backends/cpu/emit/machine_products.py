"""The machine code of products: compiled once per machine, called by symbol.

A module for each kind of product and dtype. An operand goes to BLAS in place
if one of its two steps is the item's size; else it is copied, matrix by matrix, into one buffer.
Loops do the rest: integers, lengths beyond 32 bits, small or empty operands, and the product of two
vectors with other steps.
"""

from __future__ import annotations

from string import Template

from srcgrad import collector
from srcgrad.backends.cpu import llvm
from srcgrad.backends.cpu.capsules import LETTERS
from srcgrad.backends.cpu.emit import blas, linked, machine_dots
from srcgrad.backends.cpu.emit.control import statements
from srcgrad.backends.cpu.emit.failures import NO_MEMORY
from srcgrad.backends.cpu.emit.halves import functions as conversions
from srcgrad.backends.cpu.emit.program import parameters
from srcgrad.backends.cpu.emit.state import Program
from srcgrad.backends.cpu.emit.support import support
from srcgrad.backends.cpu.emit.symbols import Product
from srcgrad.backends.cpu.emit.values import size_of
from srcgrad.backends.cpu.emit.writer import Writer
from srcgrad.ir.parse import parse
from srcgrad.primitives import REGISTRY

# multiplications of matrices, and with a vector; BLAS takes less time for more
LITTLE, LITTLE_OF_VECTORS = 64, 100
LOOPS = Template("""
def loops(a: $t.strided[m, k], b: $t.strided[k, n], out: $t[m, n]):
    m: int = dim(a, axis=0)
    k: int = dim(a, axis=1)
    n: int = dim(b, axis=1)
    fours: int = floordiv($length, 4)
    after: int = mul(fours, 4)
    rest: int = sub($length, after)
    pairs: int = floordiv(rest, 2)
    paired: int = mul(pairs, 2)
    last: int = add(after, paired)
    for $other in range(0, $others):
        for four in range(0, fours):
            first: int = mul(four, 4)
$four
        for pair in range(0, pairs):
$pair
        for single in range(last, $length):
$single
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
  call void @blas.$t(ptr %$a, ptr %$b, ptr %$to, i64 %m, i64 %k, i64 %n,
    i64 %a.$ld, i64 %b.$ld, i1 %a.turned, i1 %b.turned)""")

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

# how BLAS sees the operands (`found` 0: not as they are), and whether two vectors have other steps
SEEN = Template("""
  %row = icmp eq i64 %m, 1
  %column = icmp eq i64 %n, 1
  %number = and i1 %row, %column
  %a.steps = icmp ne i64 %a.right, $item
  %b.steps = icmp ne i64 %b.down, $item
  %steps = or i1 %a.steps, %b.steps
  %apart = and i1 %number, %steps
  %a.seen = call { i64, i1 } @seen(
    i64 %a.down, i64 %a.right, i64 %m, i64 %k, i64 $item, i1 false)
  %b.seen = call { i64, i1 } @seen(
    i64 %b.down, i64 %b.right, i64 %k, i64 %n, i64 $item, i1 %column)
  %a.found = extractvalue { i64, i1 } %a.seen, 0
  %b.found = extractvalue { i64, i1 } %b.seen, 0
  %a.turned = extractvalue { i64, i1 } %a.seen, 1
  %b.turned = extractvalue { i64, i1 } %b.seen, 1
  %a.none = icmp eq i64 %a.found, 0
  %b.none = icmp eq i64 %b.found, 0""")

PRODUCT = Template("""
define internal i32 @product.$t(
    ptr %a, ptr %b, ptr noalias %out, ptr %axes, i64 %lead, i64 %count, i64 %m, i64 %k, i64 %n,
    i64 %a.down, i64 %a.right, i64 %b.down, i64 %b.right) noinline $rare nounwind {
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
  %long = icmp ugt i64 %lengths, 2147483647$seen
  %or.long = or i1 %little, %long
  %or.apart = or i1 %or.long, %apart
  %loops = or i1 %or.apart, $whole
  %blas = xor i1 %loops, true
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
  call void @loops.$t(
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

STEPS = "i64 %a.down, i64 %a.right, i64 %b.down, i64 %b.right"
MATRICES = f"i64 %m, i64 %k, i64 %n, {STEPS}"
WHOLE = f"ptr %axes, i64 %lead, i64 %count, {MATRICES}"
# one product: no stack, and no copy of an operand; `@product` does the others
SINGLE = Template("""
define internal i32 @single.$loops.$t(
    ptr %a, ptr %b, ptr noalias %out, i64 %m, i64 %k, i64 %n,
    i64 %a.down, i64 %a.right, i64 %b.down, i64 %b.right) alwaysinline nounwind {
  %mork = or i64 %m, %k
  %lengths = or i64 %mork, %n
  %short = icmp ule i64 %lengths, $little
  %mk = mul i64 %m, %k
  %work = mul i64 %mk, %n
  %few = icmp ule i64 %work, $little
  %little = and i1 %short, %few
  br i1 %little, label %plain, label %large
plain:
  call void @$loops.$t(
    ptr %a, ptr null, ptr null, i64 %m, i64 %k, i64 %a.down, i64 %a.right,
    ptr %b, ptr null, ptr null, i64 %k, i64 %n, i64 %b.down, i64 %b.right,
    ptr %out, ptr null, ptr null, i64 %m, i64 %n)
  ret i32 0
large:
  %long = icmp ugt i64 %lengths, 2147483647
  %none = icmp eq i64 %work, 0
  %or.none = or i1 %long, %none
  %or.whole = or i1 %or.none, $whole
  br i1 %or.whole, label %other, label %see
see:$seen
  %copies = or i1 %a.none, %b.none
  %or.apart = or i1 %copies, %apart
  br i1 %or.apart, label %other, label %call
call:$single
  ret i32 0
other:
  %code = call i32 @product.$t(ptr %a, ptr %b, ptr noalias %out, ptr null, i64 0, i64 1,
    i64 %m, i64 %k, i64 %n, i64 %a.down, i64 %a.right, i64 %b.down, i64 %b.right)
  ret i32 %code
}
""")
# what is called by symbol: its parameters after the pointers, the function that it calls, the words
# that this is given, the loops of the module: those for a single product come last
KINDS = {
    "vector": (
        "i64 %m, i64 %k, i64 %a.down, i64 %a.right, i64 %b.down",
        "single.column",
        "i64 %m, i64 %k, i64 1, i64 %a.down, i64 %a.right, i64 %b.down, i64 0",
        ("loops", "column"),
    ),
    "matrices": (MATRICES, "single.loops", MATRICES, ("loops",)),
    "stacks": (WHOLE, "product", WHOLE, ("loops",)),
}
CALLED = Template("""
define i32 @$symbol(ptr %a, ptr %b, ptr noalias %out, $params) nounwind {
  %code = call i32 @$called.$t(ptr %a, ptr %b, ptr noalias %out, $words)
  ret i32 %code
}
""")


def ready(p: Product, texts: tuple[str, ...]) -> None:
    """Compiles a product, or finds its code, and gives its symbol an address."""
    linked.ready(p, texts, lambda: compiled(p))


def compiled(p: Product) -> linked.Made:
    """The machine code of a product; loops that only do what is small need not be fast."""
    from srcgrad.backends.cpu.emit import numba_internals as inside

    text, program = emit_product(p)
    with inside.lock, llvm.options(program.function), collector.gc_paused():
        code = inside.object_code(inside.optimised(text, briefly=p.dtype in LETTERS))
    return code, program.routines, ()


def emit_product(p: Product) -> tuple[str, Program]:
    """The module of a product: its functions return 0, or a code of the emitter's."""
    t, has = p.dtype, p.dtype in LETTERS
    wide = "f32" if t == "f16" else t  # of the sums, as in NumPy
    program = Program(parse(loops(t, wide, column=False), REGISTRY), p.flags)
    values = {
        "t": t, "item": size_of(t), "little": LITTLE, "memory": NO_MEMORY,
        "whole": str(not has).lower(), "seen": SEEN.substitute(item=size_of(t)),
        "call": "", "single": "", "rare": "" if p.kind == "stacks" else "optnone",
    }  # fmt: skip
    if has:
        values["call"] = CALL.substitute(t=t, a="x", b="y", to="to", ld="ld")
        values["single"] = CALL.substitute(t=t, a="a", b="b", to="out", ld="found")
    parts = [support(False, False, False), blas.CONSTANTS]
    parts += [blas.calls(program, t)] if has else []
    parts += [conversions()] if t == "f16" else []

    def of_loops(name: str) -> str:
        text = loops(t, wide, column=name == "column")
        return _function(Program(parse(text, REGISTRY), p.flags), f"{name}.{t}")

    if p.kind == "vectors":
        parts += [of_loops("column"), machine_dots.function(p, values)]
        return "\n".join([*sorted(program.declared), *parts]), program
    params, called, words, names = KINDS[p.kind]
    copy = _function(Program(parse(COPY.substitute(t=t), REGISTRY), p.flags), f"copy.{t}")
    parts += [SHARED, copy, PACKED.substitute(t=t), *map(of_loops, names)]
    if called != "product":
        single = names[-1]
        little = LITTLE_OF_VECTORS if single == "column" else LITTLE
        parts.append(SINGLE.substitute(values | {"little": little}, loops=single))
    parts.append(PRODUCT.substitute(values))
    parts.append(CALLED.substitute(symbol=p.symbol, params=params, called=called, words=words, t=t))
    return "\n".join([*sorted(program.declared), *parts]), program


def loops(t: str, wide: str, column: bool) -> str:
    """The loops of a product, over neighbours in a row of the result, or in a column."""
    length, others, other = ("m", "n", "j") if column else ("n", "m", "i")
    return LOOPS.substitute(
        t=t, length=length, others=others, other=other, four=_sums(t, wide, column, "first", 4),
        pair=_sums(t, wide, column, "after", 2), single=_sums(t, wide, column, "single", 1),
    )  # fmt: skip


def _sums(t: str, wide: str, column: bool, first: str, width: int) -> str:
    """The sums of `width` elements from the first one on, and their stores."""
    at = [f"{c}, j" if column else f"i, {c}" for c in (f"at{q}" for q in range(width))]
    one, many = ("b", "a") if column else ("a", "b")
    sums, totals = ([f"{c}{q}" for q in range(width)] for c in "st")
    lines = [f"at{q}: int = add({first}, {q})" for q in range(width)]
    lines += [f"{s}: {wide} = {wide}(0.0)" for s in sums]
    lines += ["for l in range(0, k):"]
    place = {"a": "{}, l".format, "b": "l, {}".format}
    inside = [f"x: {t} = load({one}, {place[one]('j' if column else 'i')})"]
    inside += [f"xw: {wide} = cast(x, dtype='{wide}')"]
    for q in range(width):
        inside += [
            f"y{q}: {t} = load({many}, {place[many](f'at{q}')})",
            f"yw{q}: {wide} = cast(y{q}, dtype='{wide}')",
            f"xy{q}: {wide} = mul({f'yw{q}, xw' if column else f'xw, yw{q}'})",
            f"t{q}: {wide} = add(s{q}, xy{q})",
        ]
    inside += [f"{', '.join(sums)} = {', '.join(totals)}"]
    lines += [f"    {line}" for line in inside]
    for q in range(width):
        lines += [f"r{q}: {t} = cast(s{q}, dtype='{t}')", f"store(out, {at[q]}, r{q})"]
    return "\n".join(f"            {line}" for line in lines)


def _function(program: Program, name: str) -> str:
    """A lowered function, which owns nothing and cannot fail, as an internal one of the module."""
    w = Writer(program)
    w.polls = False
    params = parameters(w)
    statements(w, program.function.body, ())
    w.put("ret void")
    head = f"define internal void @{name}({', '.join(params)}) noinline optsize nounwind {{"
    return w.closed(head).text + "\n"
