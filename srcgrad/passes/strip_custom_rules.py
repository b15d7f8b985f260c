"""Strips user-defined rules and marks of schedules: no derivative is taken any more.

Values become plain, and what only the rules read is then dead code. Runs before code generation,
never before autodiff.
"""

from __future__ import annotations

from collections.abc import Iterable

from srcgrad.ir.alias import alias_classes
from srcgrad.ir.nodes import Atom, Def, Function, Var, altered
from srcgrad.ir.rule import operands
from srcgrad.ir.types import Array, is_reference
from srcgrad.ir.walk import walk
from srcgrad.passes.rewrite import Rewriter
from srcgrad.primitives import REGISTRY, attached, schedules


def has_custom_rules(function: Function) -> bool:
    return any(isinstance(s, Def) and s.op is attached.attached for s in walk(function.body))


def is_settled(function: Function) -> bool:
    """Whether nothing is left in a function that only the differentiators read."""
    only = (attached.attached, *schedules.MARKS)
    return not any(isinstance(s, Def) and s.op in only for s in walk(function.body))


def strip_custom_rules(function: Function) -> Function:
    """The function without `attached` and marks; the function itself if it has none."""
    return function if is_settled(function) else _StripCustomRules(function).function(function)


class _StripCustomRules(Rewriter):
    def __init__(self, function: Function):
        super().__init__()
        self.classes = alias_classes(function)
        self.values: dict[Atom, tuple[Atom, ...]] = {}
        outside = [*function.params, *function.returns]
        self.seen = {self.classes.of(v) for v in outside if is_reference(v.type)}

    def definition(self, s: Def) -> Iterable[Def]:
        if s.op in schedules.MARKS:
            return
        if s.op is attached.attached:
            assert s.var is not None
            self.values[s.var] = operands(s).values
        elif s.op is attached.part:
            k: int = s.params["k"]
            yield from self.part(s, self.values[s.args[0]][k])
        else:
            yield s

    def part(self, s: Def, y: Atom) -> Iterable[Def]:
        """Replaces `part` by the value, or by a copy if the program could tell the difference."""
        assert s.var is not None
        if not isinstance(s.var.type, Array) or self.may_be_one(s.var, y):
            self.new[s.var] = y
        else:
            yield altered(s, op=REGISTRY["copy"], args=(y,), params={})

    def may_be_one(self, v: Var, y: Atom) -> bool:
        if not isinstance(y, Var) or y.type.layout != v.type.layout:
            return False
        apart = self.classes.of(v) not in self.seen or self.classes.of(y) not in self.seen
        return apart and self.classes.is_pure(v) and self.classes.is_pure(y)
