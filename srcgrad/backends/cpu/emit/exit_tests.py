"""Hides from LLVM what it knows of the limits that a loop with several exits compares with.

Where the exit of a loop is one of several conditions (`not found and i < n`) and another exit
compares the counter with what each trip loads, LLVM takes `i < n` for the comparison of the first
trip if it has a bound of `n`: the loop runs on, past its memory. Seen in LLVM 22; of the kind of
https://github.com/llvm/llvm-project/issues/180870. A limit without a known bound is compared in
every trip. It costs a move before the loop.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from srcgrad.backends.cpu.emit.values import KINDS
from srcgrad.backends.cpu.emit.writer import Writer
from srcgrad.ir.nodes import Def, Var, While
from srcgrad.ir.types import Scalar
from srcgrad.ir.walk import results, walk
from srcgrad.primitives.elementwise import ge, gt, le, lt

ORDERS = (lt, le, gt, ge)
WORDS = ("i32", "i64")


def hidden_limits(w: Writer, s: While) -> dict[Var, str]:
    """Copies of the limits of a test of several conditions, of which LLVM knows no bound."""
    return {
        v: w.do(f'call {kind} asm "", "=r,0"({kind} {w.value(v)})')
        for v in _limits(s)
        if (kind := KINDS[v.type.dtype]) in WORDS
    }


def _limits(s: While) -> Iterator[Var]:
    """The integers from outside the loop that its test compares, unless that is all of the test."""
    tests = [d for d in walk(s.test) if isinstance(d, Def)]
    if any(d.var is s.cond and d.op in ORDERS for d in tests):
        return
    inside = {*s.params, *(v for d in walk(s.test) for v in results(d))}
    compared = dict.fromkeys(a for d in tests if d.op in ORDERS for a in d.args)
    for a in compared:
        if isinstance(a, Var) and a not in inside and isinstance(a.type, Scalar):
            yield a


@contextmanager
def bound(w: Writer, values: dict[Var, str]) -> Iterator[None]:
    """A context in which these variables have other values."""
    before = {v: w.env[v] for v in values}
    w.env.update(values)
    try:
        yield
    finally:
        w.env.update(before)
