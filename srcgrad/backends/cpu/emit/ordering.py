"""Orderings: a merge sort of places, stable, with NaN last as in NumPy."""

from __future__ import annotations

from srcgrad.backends.cpu.emit.routines import Matrix, Routine
from srcgrad.backends.cpu.emit.values import Number
from srcgrad.ir.types import is_float


def argsort(r: Routine, out: Matrix, x: Matrix, axis: int) -> None:
    """The argsort of a vector: runs of 1, 2, 4, ... places are merged between two buffers."""
    w, n = r.w, x.rows
    w.declare("i64 @llvm.ctlz.i64(i64, i1)")
    zeros = w.do(f"call i64 @llvm.ctlz.i64(i64 {w.most(w.plus(n, -1), '0')}, i1 false)")
    passes = w.do(f"sub nsw i64 64, {zeros}")
    spare = r.room(n, 8).data
    start = turn(r, passes, out.data, spare)
    with r.loop(n) as k:
        w.write(r.moved(start, w.times(k, 8)), "i64", k)
    with r.loop(passes) as p:
        left = w.do(f"sub nsw i64 {passes}, {p}")
        source, target = turn(r, left, out.data, spare), turn(r, left, spare, out.data)
        width = w.do(f"shl i64 1, {p}")
        pair = w.times(width, 2)
        with r.loop(w.do(f"sdiv i64 {w.plus(n, w.plus(pair, -1))}, {pair}")) as block:
            first = w.times(block, pair)
            middle = r.least(w.plus(first, width), n)
            merge(r, x, source, target, (first, middle, r.least(w.plus(first, pair), n)))


def turn(r: Routine, number: str, even: str, odd: str) -> str:
    return r.w.choose(r.w.do(f"trunc i64 {number} to i1"), odd, even, "ptr")


def merge(r: Routine, x: Matrix, source: str, target: str, bounds: tuple[str, str, str]) -> None:
    """Merges two adjacent runs into one."""
    w, (first, middle, end) = r.w, bounds
    i, j = r.variable("i64", first), r.variable("i64", middle)
    last = w.plus(x.rows, -1)
    with r.loop(end, first) as k:
        places = [r.least(v.get(), last) for v in (i, j)]
        a, b = (place(r, source, at) for at in places)
        left, right = (
            w.do(f"icmp slt i64 {i.get()}, {middle}"),
            w.do(f"icmp slt i64 {j.get()}, {end}"),
        )
        sooner = w.do(f"and i1 {right}, {before(r, r.load(x, b, '0'), r.load(x, a, '0'))}")
        taken = w.do(f"or i1 {sooner}, {w.do(f'xor i1 {left}, true')}")
        w.write(r.moved(target, w.times(k, 8)), "i64", w.choose(taken, b, a))
        step = w.do(f"zext i1 {taken} to i64")
        j.set(w.do(f"add nsw i64 {j.get()}, {step}"))
        i.set(w.do(f"add nsw i64 {i.get()}, {w.do(f'sub nsw i64 1, {step}')}"))


def place(r: Routine, places: str, k: str) -> str:
    return str(r.w.read(r.moved(places, r.w.times(k, 8)), "i64"))


def before(r: Routine, a: Number, b: Number) -> str:
    """Whether `a` has to come before `b`, which is to the left of it."""
    if not is_float(r.dtype):
        sign = "s" if r.dtype[0] == "i" else "u"
        return r.w.do(f"icmp {sign}lt {r.kind} {a}, {b}")
    less = r.w.do(f"fcmp olt {r.kind} {a}, {b}")
    number = r.w.do(f"fcmp ord {r.kind} {a}, {a}")
    last = r.w.do(f"fcmp uno {r.kind} {b}, {b}")
    return r.w.do(f"or i1 {less}, {r.w.do(f'and i1 {number}, {last}')}")
