"""Refuses what machine code does not have before any is written, at the user's line."""

from __future__ import annotations

from srcgrad.errors import UnsupportedError
from srcgrad.ir.alias import alias_classes
from srcgrad.ir.nodes import Def, Function
from srcgrad.ir.types import Atom, Tape
from srcgrad.ir.walk import results, walk
from srcgrad.primitives import callbacks, draws, scans
from srcgrad.primitives.tapes import reserve

BY_NUMBA = (callbacks.call_back, draws.draw, scans.searchsorted)
NOT_THERE = "the target does not have"
NO_HALF = 'use float32, or target="python"'
NOT_COMPILED = 'target="python" runs it without compiling'


def refuse(f: Function, halves: bool = True) -> None:
    """Refuses joins of growing tapes, each of which has slots of its own, and float16.

    With `halves` only where Numba compiles a call with it.
    """
    for p in f.params:
        if _half(p) and not halves:
            raise UnsupportedError(f"'{p.name}' is float16, which {NOT_THERE}", None, NO_HALF)
    classes = alias_classes(f)
    made = [s for s in walk(f.body) if isinstance(s, Def)]
    grown = {classes.of(s.args[0]) for s in made if s.op is reserve}
    for s in walk(f.body):
        for v in results(s):
            if not isinstance(s, Def) and isinstance(v.type, Tape) and classes.of(v) in grown:
                raise UnsupportedError("a growing buffer cannot be joined", s.loc, NOT_COMPILED)
            if _half(v) and not halves:
                raise UnsupportedError(f"float16 is what {NOT_THERE}", s.loc, NO_HALF)
        if isinstance(s, Def) and s.op in BY_NUMBA and any(map(_half, (s.var, *s.args))):
            reason = f"{s.op.name} of float16 is not supported in compiled code"
            raise UnsupportedError(reason, s.loc, NO_HALF)


def _half(a: Atom | None) -> bool:
    return a is not None and getattr(a.type, "dtype", "") == "f16"
