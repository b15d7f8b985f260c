"""Tests whether a function is linear in tangents or adjoints, where its transpose cannot tell.

If the transpose does not read them, the differentiable part of the function is affine in them.
What is left to exclude are constant terms, and steps: transposing loses both. Terms are found by
tracking which values are zero where the tangents are, from the rows of the table.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from srcgrad.autodiff.activity import flows, reachable
from srcgrad.autodiff.blocked import ValueFlow
from srcgrad.ir.alias import AliasClasses, alias_classes
from srcgrad.ir.nodes import Atom, Const, Def, For, Function, If, Stmt, Var, While
from srcgrad.ir.types import Tuple, float_type, is_reference
from srcgrad.ir.walk import walk
from srcgrad.primitives import attached, elementwise
from srcgrad.primitives.rules import rule_of

# operands of elementwise operations, tried in all places: of both signs, and none a special number
_TRIED = {"f": (0.7, -1.3), "c": (0.7 - 0.2j, -1.3 + 0.5j), "b": (True, False), "i": (2, -3)}
_TRIED["u"] = _TRIED["i"]


def is_linear(function: Function, many: int) -> bool:
    """Whether results have no constant terms and no steps after the first `many` parameters.

    That their derivative does not depend on the parameters is left to the transpose.
    """
    classes = alias_classes(function)
    return not (_has_steps(function, many, classes) or _Terms(function, many, classes).found())


# ---- steps ----
def _has_steps(function: Function, many: int, classes: AliasClasses) -> bool:
    """Whether the parameters reach a result through a step without a derivative."""
    flow = ValueFlow(function.body, classes)
    stopped = [
        (a, s.var)
        for s in walk(function.body)
        if isinstance(s, Def) and s.var is not None and s.op is elementwise.stop_gradient
        for a in s.args
        if isinstance(a, Var)
    ]
    edges = [*((e.source, e.target) for e in flow.edges), *stopped]
    smooth = {pair for s in walk(function.body) for pair in flows(s)}
    keys = [(flow.key(a), flow.key(v)) for a, v in edges]
    varied = reachable(map(flow.key, function.params[:many]), keys)
    results = [flow.key(a) for a in function.returns if isinstance(a, Var)]
    useful = reachable(results, [(v, a) for a, v in keys])
    return any(
        pair not in smooth and flow.key(pair[0]) in varied and flow.key(pair[1]) in useful
        for pair in edges
    )


# ---- terms ----
class _Terms:
    """Values that are zero where the parameters are: all but those found to be something else."""

    def __init__(self, function: Function, many: int, classes: AliasClasses):
        self.function, self.classes = function, classes
        self.others = set(map(self._key, function.params[many:]))

    def found(self) -> bool:
        """Whether a result has a term without the parameters."""
        known = -1
        while known < len(self.others):
            known = len(self.others)
            for s in walk(self.function.body):
                self.others.update(self._key(v) for v in self._not_zero(s))
        return not all(map(self._is_zero, self.function.returns))

    def _key(self, v: Var) -> Var:
        return self.classes.of(v) if is_reference(v.type) else v

    def _is_zero(self, a: Atom) -> bool:
        if isinstance(a, Const):
            return bool(a.value == 0)
        held = isinstance(a.type, Tuple) or is_reference(a.type) or float_type(a.type)
        return bool(held) and self._key(a) not in self.others

    def _not_zero(self, s: Stmt) -> Iterator[Var]:
        """The variables to which a statement gives a nonzero value."""
        match s:
            case Def(var=None, args=(Var() as into, *_, value)) if s.op.writes:
                if _is_float(value) and not self._is_zero(value):
                    yield into
            case Def(var=Var() as v):
                if not self._gives_zero(s):
                    yield v
            case For() | While():
                for p, init, new, r in zip(s.params, s.inits, s.yields, s.results, strict=True):
                    if not (self._is_zero(init) and self._is_zero(new)):
                        yield from (p, r)
            case If():
                for r, a, b in zip(s.results, s.then_yields, s.else_yields, strict=True):
                    if not (self._is_zero(a) and self._is_zero(b)):
                        yield r

    def _gives_zero(self, s: Def) -> bool:
        """Whether a result is zero because its operands are."""
        op, args = s.op, s.args
        zero = [self._is_zero(a) for a in args]
        if op.fresh or op is attached.part:
            return op.fresh or zero[0]
        if op is attached.attached:
            return all(zero[: s.params["rule"].outputs])
        if op.elementwise:
            return _elementwise_zero(s, zero)
        ruled = [z for k, z in enumerate(zero) if rule_of(op, k) is not None and _is_float(args[k])]
        if op.kind == "linear":
            return all(ruled) if op.rules else zero[0]
        return op.kind in ("multilinear", "custom") and any(ruled)


def _is_float(a: Any) -> bool:
    return is_reference(a.type) or bool(float_type(a.type))


def _elementwise_zero(s: Def, zero: list[bool]) -> bool:
    """Whether zeros in some of its operands make an elementwise operation zero.

    Not always all of them: a quotient is zero where the numerator is.
    """
    choices = itertools.product(*[(True, False) if z else (False,) for z in zero])
    return any(_zero_at(s, choice) for choice in choices)


def _zero_at(s: Def, zero: tuple[bool, ...]) -> bool:
    """Whether a result is zero where these operands are, whatever the others are."""
    tried = [(0,) if z else _TRIED[a.type.dtype[0]] for a, z in zip(s.args, zero, strict=True)]
    with np.errstate(all="ignore"):
        return all(
            s.op.impl(*map(np.asarray, point), **s.params) == 0
            for point in itertools.product(*tried)
        )
