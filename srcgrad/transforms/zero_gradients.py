"""Warns when every path from a differentiated input to the outputs lacks a derivative.

Such a gradient is identically zero because each path passes a step without a derivative, such as a
rounding or a comparison. Paths are checked while a program is differentiated; the warnings are
issued at the user's call when the outermost program has been built, once per specialization.
Inputs that no output depends on have zero gradients too, without a warning.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from srcgrad.autodiff.blocked import paths
from srcgrad.errors import ZeroGradientWarning
from srcgrad.ir.nodes import Atom, Def, Function
from srcgrad.ir.types import np_dtype
from srcgrad.primitives import elementwise as e
from srcgrad.tracebacks import users_level

WAY_OUT = "use a smooth function there, or say that it is meant: flow.stop_gradient"
COMPARED = (e.lt, e.le, e.gt, e.ge, e.eq, e.ne)
SPELLED = {e.rint: "round", e.floordiv: "//"} | dict.fromkeys(COMPARED, "a comparison")
_noted: ContextVar[list[ZeroGradientWarning] | None] = ContextVar("zero gradients", default=None)


@contextmanager
def noting() -> Iterator[list[ZeroGradientWarning]]:
    """Collect the warnings found by `note` and `note_tangent` in the body."""
    notes: list[ZeroGradientWarning] = []
    token = _noted.set(notes)
    try:
        yield notes
    finally:
        _noted.reset(token)


def note(
    function: Function, wrt: Sequence[int], outputs: Iterable[Atom], name: str, names: Sequence[str]
) -> None:
    """Check the gradients with respect to the parameters at `wrt`, shown to users as `names`."""
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
    """Check the directional derivative along all the parameters at `wrt`."""
    notes = _noted.get()
    if notes is None:
        return
    found = paths(function, wrt, outputs)
    if found.blocked and not found.open:
        notes.append(_zero(f"the derivative of {name}()", next(iter(found.blocked.values()))))


def _zero(what: str, step: Def) -> ZeroGradientWarning:
    return ZeroGradientWarning(
        f"{what} is zero: every path to the result passes a step without a derivative, "
        f"here {_described(step)}",
        step.loc,
        WAY_OUT,
    )


def _described(step: Def) -> str:
    """The operation of a step in the user's terms."""
    if step.op is e.cast:
        return f"a conversion to {np_dtype(step.params['dtype']).name}"
    return SPELLED.get(step.op, step.op.name)


def warn(notes: Iterable[ZeroGradientWarning]) -> None:
    """Issue each distinct warning once, attributed to the calling line outside of srcgrad."""
    for each in {str(n): n for n in notes}.values():
        # another one: what is raised, where it is an error, holds on to frames
        again = ZeroGradientWarning(each.reason, each.location, each.way_out)
        warnings.warn(again, stacklevel=users_level())
