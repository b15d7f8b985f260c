"""Warns when every path from a differentiated input to the outputs lacks a derivative.

Such a gradient is identically zero because each path passes a step without a derivative, such as a
rounding or a comparison. Paths are checked while a program is differentiated; the warnings are
issued at the user's call when the outermost program has been built, once per specialization.
Inputs that no output depends on have zero gradients too, without a warning. A second warning is of
roots that loops find by comparisons, which other paths do not correct.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from srcgrad.autodiff.blocked import paths
from srcgrad.autodiff.searched import Searched, searched
from srcgrad.errors import LocatedWarning, PartialGradientWarning, ZeroGradientWarning
from srcgrad.ir.nodes import Atom, Def, Function
from srcgrad.ir.types import np_dtype
from srcgrad.primitives import elementwise as e
from srcgrad.tracebacks import users_level

PARTIAL = (
    "if it solves an equation, differentiate that: flow.implicit_root(residual, solver); or say "
    "that it is meant: flow.stop_gradient"
)
WAY_OUT = "use a smooth function there, or say that it is meant: flow.stop_gradient"
COMPARED = (e.lt, e.le, e.gt, e.ge, e.eq, e.ne)
SPELLED = {e.rint: "round", e.before_rounding: "round", e.floordiv: "//"} | dict.fromkeys(
    COMPARED, "a comparison"
)
_noted: ContextVar[list[LocatedWarning] | None] = ContextVar("zero gradients", default=None)


@contextmanager
def noting() -> Iterator[list[LocatedWarning]]:
    """Collects the warnings found by `note` and `note_tangent` in the body."""
    notes: list[LocatedWarning] = []
    token = _noted.set(notes)
    try:
        yield notes
    finally:
        _noted.reset(token)


def pass_on(notes: Sequence[LocatedWarning]) -> None:
    """Adds warnings to those that are being collected."""
    if (noted := _noted.get()) is not None:
        noted.extend(notes)


def note(
    function: Function, wrt: Sequence[int], outputs: Iterable[Atom], name: str, names: Sequence[str]
) -> None:
    """Checks the gradients with respect to the parameters at `wrt`, shown to users as `names`."""
    notes = _noted.get()
    if notes is None:
        return
    outputs, by = tuple(outputs), dict[Def, list[str]]()
    blocked = paths(function, wrt, outputs).blocked
    for k, n in zip(wrt, names, strict=True):
        if k in blocked:
            by.setdefault(blocked[k], []).append(n)
    for step, found in by.items():
        what = f"the gradient of {name}() with respect to {', '.join(found)}"
        notes.append(_zero(what, step))
    shown, narrowed = dict(zip(wrt, names, strict=True)), dict[Def, tuple[Searched, list[str]]]()
    for s in searched(function, [k for k in wrt if k not in blocked], outputs):
        narrowed.setdefault(s.step, (s, []))[1].append(shown[s.position])
    for s, found in narrowed.values():
        what = f"the gradient of {name}() with respect to {', '.join(found)}"
        notes.append(_partial(what, s))


def note_tangent(
    function: Function, wrt: Sequence[int], outputs: Iterable[Atom], name: str
) -> None:
    """Checks the directional derivative along all the parameters at `wrt`."""
    notes = _noted.get()
    if notes is None:
        return
    outputs = tuple(outputs)
    for s in searched(function, wrt, outputs):
        notes.append(_partial(f"the derivative of {name}()", s))
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


def _partial(what: str, s: Searched) -> PartialGradientWarning:
    low, high = (f"'{end.name}'" for end in s.ends)
    return PartialGradientWarning(
        f"{what} leaves out how {low} and {high} depend on it: a loop narrows them by comparisons, "
        f"as in bisection, here {_described(s.step)}",
        s.step.loc,
        PARTIAL,
    )


def _described(step: Def) -> str:
    """The operation of a step in the user's terms."""
    if step.op is e.cast:
        return f"a conversion to {np_dtype(step.params['dtype']).name}"
    return SPELLED.get(step.op, step.op.name)


def warn(notes: Iterable[LocatedWarning]) -> None:
    """Issues each distinct warning once, attributed to the calling line outside of srcgrad."""
    for each in {str(n): n for n in notes}.values():
        # a new one: a warning raised as an error holds on to frames
        again = type(each)(each.reason, each.location, each.way_out)
        warnings.warn(again, stacklevel=users_level())
