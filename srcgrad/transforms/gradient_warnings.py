"""Warns of gradients that are zero, or incomplete, because steps have no derivative.

A gradient is zero if every path from the input to the outputs passes a step without a derivative,
such as a rounding or a comparison. It is incomplete if a loop narrows an interval by comparisons,
as bisection does: how the interval depends on the input is left out. An input that no output
depends on has a zero gradient too, without a warning.

Programs are checked when they are differentiated. The warnings are collected, and issued at the
user's call when the outermost program has been built, once per specialization.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from srcgrad.autodiff.activity import Activity
from srcgrad.autodiff.blocked import paths
from srcgrad.autodiff.searched import Searched, searched
from srcgrad.errors import LocatedWarning, PartialGradientWarning, ZeroGradientWarning
from srcgrad.ir.nodes import Atom, Def, Function
from srcgrad.ir.types import np_dtype
from srcgrad.ir.walk import walk
from srcgrad.primitives import elementwise as e
from srcgrad.primitives.attached import attached
from srcgrad.tracebacks import users_level

PARTIAL = (
    "if the loop solves an equation, differentiate that: flow.implicit_root(residual, solver); if "
    "this is intended, use flow.stop_gradient"
)
ZERO = "use a smooth function there; if this is intended, use flow.stop_gradient"
COMPARED = (e.lt, e.le, e.gt, e.ge, e.eq, e.ne)
IN_USERS_TERMS = {e.rint: "round", e.before_rounding: "round", e.floordiv: "//"} | dict.fromkeys(
    COMPARED, "a comparison"
)
_collected: ContextVar[list[LocatedWarning] | None] = ContextVar("collected", default=None)


@contextmanager
def collecting_warnings() -> Iterator[list[LocatedWarning]]:
    """Collects the warnings of `check_gradients` and `check_tangent` in the body."""
    collected: list[LocatedWarning] = []
    token = _collected.set(collected)
    try:
        yield collected
    finally:
        _collected.reset(token)


def add_warnings(found: Sequence[LocatedWarning]) -> None:
    """Adds warnings to those that are being collected."""
    if (collected := _collected.get()) is not None:
        collected.extend(found)


def check_gradients(
    function: Function, wrt: Sequence[int], outputs: Iterable[Atom], name: str, names: Sequence[str]
) -> None:
    """Checks the gradients by the parameters at `wrt`, which warnings call `names`.

    Parameters with the same step share a warning.
    """
    collected = _collected.get()
    if collected is None:
        return
    outputs, zero = tuple(outputs), dict[Def, list[str]]()
    collected.extend(_of_rules(function, wrt, outputs))
    blocked = paths(function, wrt, outputs).blocked
    for k, n in zip(wrt, names, strict=True):
        if k in blocked:
            zero.setdefault(blocked[k], []).append(n)
    gradient = f"the gradient of {name}() with respect to"
    for step, found in zero.items():
        collected.append(_zero(f"{gradient} {_listed(found)}", step))
    shown, partial = dict(zip(wrt, names, strict=True)), dict[Def, tuple[Searched, list[str]]]()
    for s in searched(function, [k for k in wrt if k not in blocked], outputs):
        partial.setdefault(s.step, (s, []))[1].append(shown[s.position])
    for s, found in partial.values():
        inputs = _listed(found)
        collected.append(_partial(f"{gradient} {inputs}", s, inputs))


def check_tangent(
    function: Function, wrt: Sequence[int], outputs: Iterable[Atom], name: str
) -> None:
    """Checks the directional derivative, along all the parameters at `wrt` together."""
    collected = _collected.get()
    if collected is None:
        return
    outputs = tuple(outputs)
    collected.extend(_of_rules(function, wrt, outputs))
    for s in searched(function, wrt, outputs):
        collected.append(_partial(f"the derivative of {name}()", s, "the input"))
    found = paths(function, wrt, outputs)
    if found.blocked and not found.open:
        collected.append(_zero(f"the derivative of {name}()", next(iter(found.blocked.values()))))


def _of_rules(
    function: Function, wrt: Sequence[int], outputs: tuple[Atom, ...]
) -> Iterator[LocatedWarning]:
    """The warnings of the rules by which the derivative is taken."""
    found = [s for s in walk(function.body) if isinstance(s, Def) and s.op is attached]
    if any(s.params["rule"].partial for s in found):
        inputs = [function.params[k] for k in wrt]
        active = Activity(function, inputs, outputs)
        for s in found:
            partial = s.params["rule"].partial
            if partial is not None and s.var is not None and active(s.var):
                yield partial


def _zero(what: str, step: Def) -> ZeroGradientWarning:
    return ZeroGradientWarning(
        f"{what} is zero: every path to the result passes a step without a derivative, "
        f"here {_described(step)}",
        step.loc,
        ZERO,
    )


def _partial(what: str, s: Searched, inputs: str) -> PartialGradientWarning:
    low, high = (f"'{end.name}'" for end in s.ends)
    return PartialGradientWarning(
        f"{what} leaves out how {low} and {high} depend on {inputs}: a loop narrows them by "
        f"comparisons, as in bisection, here {_described(s.step)}",
        s.step.loc,
        PARTIAL,
    )


def _listed(names: Sequence[str]) -> str:
    """Names of parameters; more than three of one structure are counted.

    >>> _listed(["x", *(f"rates[{k}]" for k in range(30))])
    'x, 30 parts of rates'
    """
    of: dict[str, list[str]] = {}
    for name in names:
        of.setdefault(re.split(r"[.\[]", name, maxsplit=1)[0], []).append(name)
    return ", ".join(
        f"{len(found)} parts of {root}" if len(found) > 3 else ", ".join(found)
        for root, found in of.items()
    )


def _described(step: Def) -> str:
    """The operation of a step, as users write it."""
    if step.op is e.cast:
        return f"a conversion to {np_dtype(step.params['dtype']).name}"
    return IN_USERS_TERMS.get(step.op, step.op.name)


def warn(collected: Iterable[LocatedWarning]) -> None:
    """Issues each distinct warning once, attributed to the calling line outside of srcgrad."""
    for each in {str(w): w for w in collected}.values():
        # a copy: a warning that is raised as an error keeps the frames of its traceback alive
        again = type(each)(each.reason, each.location, each.way_out)
        warnings.warn(again, stacklevel=users_level())
