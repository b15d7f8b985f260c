"""The other direction of a user's rule: a linear program transposed by reverse mode.

A rule that is not linear in what it is given is refused: its transpose would depend on the point.
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
    """From a direction that is linear in its first `many` parameters to its transpose."""
    f = direction.function
    places = [k for k in direction.gives if k is not None]
    primal = Function(f.name, f.params, f.body, tuple(f.returns[k] for k in places))
    if not is_linear(primal, many):
        raise _not_linear(rule)
    joint = reverse(primal, range(many), REGISTRY)
    # of a linear program the values are not wanted, nor what only they need
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
    """What the results need, without operations that are there only because they may raise: that
    they do not has been seen where the values were computed.
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
    """Whether a transpose depends on the point: what is transposed is not linear then."""
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
