"""Gradients that are zero because every path passes a step without a derivative: said once.

They are found when a program is differentiated, and said when the outermost call has been built:
at the user's call, once for each specialisation. Inputs that no result depends on have zeros too;
that is no mistake of a step, and nothing is said.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from srcgrad.autodiff.blocked import paths
from srcgrad.errors import ZeroGradientWarning
from srcgrad.ir.nodes import Atom, Def, Function
from srcgrad.ir.types import np_dtype

OURS = os.path.dirname(os.path.dirname(__file__)) + os.sep
WAY_OUT = "use a smooth function there, or say that it is meant: flow.stop_gradient"
COMPARISONS = frozenset(("lt", "le", "gt", "ge", "eq", "ne"))
SPELLED = {"rint": "round", "floordiv": "//"}
_noted: ContextVar[list[ZeroGradientWarning] | None] = ContextVar("zero gradients", default=None)


@contextmanager
def noting() -> Iterator[list[ZeroGradientWarning]]:
    """Collect what `note` is told inside."""
    notes: list[ZeroGradientWarning] = []
    token = _noted.set(notes)
    try:
        yield notes
    finally:
        _noted.reset(token)


def note(
    function: Function, wrt: Sequence[int], outputs: Iterable[Atom], name: str, names: Sequence[str]
) -> None:
    """Look for gradients by the parameters at `wrt`, called `names`, that are zero."""
    notes = _noted.get()
    if notes is None:
        return
    by: dict[Def, list[str]] = {}
    blocked = paths(function, wrt, outputs).blocked
    for k, n in zip(wrt, names, strict=True):
        if k in blocked:
            by.setdefault(blocked[k], []).append(n)
    for step, found in by.items():
        what = f"the gradient of {name}() with respect to {', '.join(found)}"
        notes.append(_zero(what, step))


def note_tangent(
    function: Function, wrt: Sequence[int], outputs: Iterable[Atom], name: str
) -> None:
    """Look for a derivative along all parameters at `wrt` that is zero."""
    notes = _noted.get()
    if notes is None:
        return
    found = paths(function, wrt, outputs)
    if found.blocked and not found.open:
        notes.append(_zero(f"the derivative of {name}()", next(iter(found.blocked.values()))))


def _zero(what: str, step: Def) -> ZeroGradientWarning:
    return ZeroGradientWarning(
        f"{what} is zero: every path to the result passes a step without a derivative, "
        f"here {_said(step)}",
        step.loc,
        WAY_OUT,
    )


def _said(step: Def) -> str:
    """A step as the user knows it."""
    name = step.op.name
    if name == "cast":
        return f"a conversion to {np_dtype(step.params['dtype']).name}"
    return SPELLED.get(name, "a comparison" if name in COMPARISONS else name)


def warn(notes: Iterable[ZeroGradientWarning]) -> None:
    """Say each once, at the line outside of srcgrad that called."""
    for said in {str(n): n for n in notes}.values():
        warnings.warn(said, stacklevel=_users_level())


def _users_level() -> int:
    """How far up the user's call is, for the caller of this function."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(OURS):
        level, frame = level + 1, frame.f_back
    return level
