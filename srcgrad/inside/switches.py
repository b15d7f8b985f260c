"""Finds where a function that a library integrates may jump, at a point that moves.

The derivative of the integral has a term for the jump, which that of the function does not give.
"""

from __future__ import annotations

from collections.abc import Iterable

from srcgrad.autodiff.activity import reachable
from srcgrad.autodiff.blocked import ValueFlow
from srcgrad.errors import PartialGradientWarning
from srcgrad.ir.alias import alias_classes
from srcgrad.ir.nodes import Def, Function, Var
from srcgrad.ir.types import float_type, is_reference
from srcgrad.ir.walk import walk
from srcgrad.primitives import elementwise as e

STEPS = frozenset((
    e.lt, e.le, e.gt, e.ge, e.eq, e.ne, e.floordiv, e.sign, e.floor, e.ceil, e.trunc, e.rint,
))  # fmt: skip
INTENDED = (
    "where it is continuous there the derivative is right: write np.maximum, np.abs or np.clip; "
    "otherwise integrate from switch to switch"
)


def switch(
    name: str, what: str, function: Function, inputs: Iterable[Var]
) -> PartialGradientWarning | None:
    """The warning of the first step that depends on floats among the inputs, if there is one."""
    flow = ValueFlow(function.body, alias_classes(function))
    edges = [(flow.key(edge.source), flow.key(edge.target)) for edge in flow.edges]
    seeds = [flow.key(v) for v in inputs if is_reference(v.type) or float_type(v.type)]
    varied = reachable(seeds, edges)
    steps = (s for s in walk(function.body) if isinstance(s, Def) and s.op in STEPS)
    moving = (s for s in steps if any(isinstance(a, Var) and flow.key(a) in varied for a in s.args))
    if (found := next(moving, None)) is None:
        return None
    return PartialGradientWarning(
        f"the derivative of {name} leaves out how the point moves at which {what} switches, here",
        found.loc, INTENDED,
    )  # fmt: skip
