"""The user's line of each statement, also of those that differentiation and passes have added."""

from __future__ import annotations

from collections.abc import Mapping

from srcgrad.errors import Location
from srcgrad.ir.nodes import Block, Def, Function, Stmt, Var
from srcgrad.ir.walk import blocks
from srcgrad.primitives import tapes
from srcgrad.transforms.saved_tapes import Saved


def located(function: Function, saved: Mapping[Var, Saved]) -> dict[Stmt, Location]:
    """The lines of statements: their own, else that of the value they save, else of their loop."""
    found: dict[Stmt, Location] = {}
    _block(function.body, {v: s.location for v, s in saved.items()}, None, found)
    return found


def _block(
    block: Block, saved: Mapping[Var, Location | None], around: Location | None,
    found: dict[Stmt, Location],
) -> None:  # fmt: skip
    views: dict[Var, Location | None] = {}
    for s in block:
        loc = s.loc
        if loc is None and isinstance(s, Def):
            tape = s.args[0] if s.args else None
            loc = saved.get(tape) or views.get(tape)  # type: ignore[arg-type]  (no constant is a key)
            if s.op is tapes.tape_view and s.var is not None:
                views[s.var] = loc
            loc = loc or (None if s.var is None else saved.get(s.var))
        loc = loc or around
        if loc is not None:
            found[s] = loc
        for b in blocks(s):
            _block(b, saved, loc, found)
