"""Refuses what machine code does not have before any is written, at the user's line."""

from __future__ import annotations

from srcgrad.errors import UnsupportedError
from srcgrad.ir.alias import AliasClasses
from srcgrad.ir.nodes import Def, Function
from srcgrad.ir.types import Tape, Var
from srcgrad.ir.walk import results, walk
from srcgrad.primitives.tapes import reserve

NO_HALF = 'use float32, or target="python"'
NOT_COMPILED = 'target="python" runs it without compiling'


def refuse(f: Function) -> None:
    """Refuses float16, and joins of growing tapes, each of which has slots of its own."""
    for p in f.params:
        if _half(p):
            raise UnsupportedError(
                f"'{p.name}' is float16, which compiled code does not have", None, NO_HALF
            )
    classes = AliasClasses(f)
    made = [s for s in walk(f.body) if isinstance(s, Def)]
    grown = {classes.of(s.args[0]) for s in made if s.op is reserve}
    for s in walk(f.body):
        for v in results(s):
            if not isinstance(s, Def) and isinstance(v.type, Tape) and classes.of(v) in grown:
                raise UnsupportedError("a growing buffer cannot be joined", s.loc, NOT_COMPILED)
            if _half(v):
                raise UnsupportedError("compiled code has no float16", s.loc, NO_HALF)


def _half(v: Var) -> bool:
    return getattr(v.type, "dtype", "") == "f16"
