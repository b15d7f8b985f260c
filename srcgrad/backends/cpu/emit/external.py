"""Calls of LAPACK and BLAS in routines: their arguments are passed in memory."""

from __future__ import annotations

from srcgrad.backends.cpu.capsules import LETTERS
from srcgrad.backends.cpu.emit.failures import NO_MEMORY, guard, leave, leave_again
from srcgrad.backends.cpu.emit.products import inside
from srcgrad.backends.cpu.emit.values import is_constant
from srcgrad.backends.cpu.emit.writer import Writer
from srcgrad.ir.nodes import Atom, Def
from srcgrad.ir.types import Array

LARGEST = 2**31 - 1  # LAPACK counts in 32 bits


def extern(w: Writer, s: Def) -> str:
    """Calls a routine of LAPACK; returns its `info`."""
    info = w.alloca("i32", "i32 0")
    _call(w, s, "lapack", info)
    return w.do(f"sext i32 {w.do(f'load i32, ptr {info}, align 8')} to i64")


def extern_of_blas(w: Writer, s: Def) -> None:
    _call(w, s, "blas")


def _call(w: Writer, s: Def, library: str, *after: str) -> None:
    given = iter(s.args)
    places = [_letter(w, c) if c else _argument(w, next(given)) for c in s.params["letters"]]
    dtype = next(a.type.dtype for a in s.args if isinstance(a.type, Array))
    name = LETTERS[dtype] + s.params["routine"]
    symbol = w.program.routine(library, name, ["ptr"] * (len(places) + len(after)))
    w.put(f"call void @{symbol}({', '.join(f'ptr {p}' for p in (*places, *after))})")


def leaves(w: Writer, s: Def) -> None:
    """Leaves the routine with a number, negated, where a condition holds."""
    condition, code = w.value(s.args[0]), w.whole(s.args[1])
    # codes of the emitter are positive
    guard(
        w, condition, lambda: leave_again(w, w.do(f"trunc i64 {w.do(f'sub i64 0, {code}')} to i32"))
    )


def _letter(w: Writer, letter: str) -> str:
    return "null" if letter == "0" else w.alloca("i8", f"i8 {ord(letter)}")


def _argument(w: Writer, a: Atom) -> str:
    """The address of an array's first element, or of a place that holds a number."""
    if isinstance(a.type, Array):
        r = w.ref(a)
        if w.program.guarded:
            inside(w, r)
        return w.pointer(r)
    if a.type.dtype[0] == "f":
        at = w.alloca("double")
        w.write(at, a.type.dtype, w.value(a))
        return at
    n = w.whole(a)
    if is_constant(n):
        return w.alloca("i32", f"i32 {n}")
    guard(w, w.do(f"icmp sgt i64 {n}, {LARGEST}"), lambda: leave(w, NO_MEMORY))
    at = w.alloca("i32")
    w.put(f"store i32 {w.do(f'trunc i64 {n} to i32')}, ptr {at}, align 8")
    return at
