"""The other direction of a user's rule: transposes a linear program by reverse mode.

A rule not linear in tangents or adjoints is refused: its transpose would depend on the point.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from srcgrad.autodiff.reverse import vjp as reverse
from srcgrad.custom.linear import is_linear
from srcgrad.errors import UnsupportedError
from srcgrad.ir.nodes import Block, Def, Function, Var, altered
from srcgrad.ir.rule import Direction, Rule
from srcgrad.ir.types import FLOAT
from srcgrad.ir.walk import free_variables, map_atoms
from srcgrad.passes import run as run_passes
from srcgrad.passes.dead_code import eliminate
from srcgrad.primitives import REGISTRY


def turned(rule: Rule, direction: Direction, many: int) -> Direction:
    """The transpose of a direction that is linear in its first `many` parameters."""
    f = direction.function
    places = [k for k in direction.gives if k is not None]
    primal = Function(f.name, f.params, f.body, tuple(f.returns[k] for k in places))
    if not is_linear(primal, many):
        raise _not_linear(rule)
    joint = reverse(primal, range(many), REGISTRY)
    # the values of a linear program are not needed, nor what only they use
    gradients = joint.returns[len(places) :]
    made = _needed(Function(f.name, joint.params, joint.body, gradients))
    made = run_passes(made)
    n = len(f.params)
    if _reads(made, set(made.params[:many])):
        raise _not_linear(rule)
    seeds = iter(made.params[n:])
    given = [Var("unused", FLOAT) if k is None else next(seeds) for k in direction.gives]
    function = Function(f.name, (*given, *made.params[many:n]), made.body, made.returns)
    return Direction(function, tuple(range(many)))


def _needed(function: Function) -> Function:
    """The statements that the results need, without those that are only there as they may raise:
    they did not where the values were computed.
    """
    quiet: dict[Any, Any] = {}

    def changed(block: Block, to: Callable[[Any], Any]) -> Block:
        out = []
        for s in block:
            s = map_atoms(s, lambda a: a, lambda inner: changed(inner, to))
            out.append(altered(s, op=to(s.op)) if isinstance(s, Def) and s.var is not None else s)
        return tuple(out)

    def silenced(op: Any) -> Any:
        if not op.raises:
            return op
        new = quiet.setdefault(op, replace(op, raises=False))
        quiet[new] = op
        return new

    bare = function.with_body(changed(function.body, silenced))
    made = eliminate(bare)
    return made.with_body(changed(made.body, lambda op: quiet.get(op, op)))


def _reads(made: Function, linear: set[Var]) -> bool:
    """Whether a transpose depends on the point: then the transposed function is not linear."""
    return bool(set(free_variables(made.body, made.returns)) & linear)


def _not_linear(rule: Rule) -> UnsupportedError:
    forward = rule.push is None
    given, mode = ("adjoints", "forward") if forward else ("tangents", "reverse")
    return UnsupportedError(
        f"the rule of {rule.name}() is not linear in the {given} it is given: {mode} mode cannot "
        "be had from it",
        rule.loc,
        "use reverse mode" if forward else "state it as flow.custom_vjp, or use forward mode",
    )
