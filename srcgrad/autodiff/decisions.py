"""Identifies decisions: operations whose result is a discontinuous function of a float.

A recomputed float may be rounded differently, because compiled code regroups products. An equality,
an ordering or an integer derived from it could then differ from that of the forward sweep. So the
reverse sweep repeats a decision only on operands that are bitwise equal to those of the forward
sweep ("exact"); otherwise the forward sweep saves its outcome. Never emits anything by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import field
from typing import Any

from srcgrad.ir.nodes import Atom, Def, Function, atom
from srcgrad.ir.types import Type, float_type, is_complex
from srcgrad.ir.walk import walk
from srcgrad.primitives import elementwise, memory
from srcgrad.records import record


def decides(s: Def) -> bool:
    """Whether the result is a discontinuous function of a float operand."""
    if s.var is None or not s.op.decides or not any(float_type(a.type) for a in s.args):
        return False
    return s.op is not elementwise.cast or not float_type(s.var.type)


def rounds(op: Any, type: Type) -> bool:
    """Whether recomputing a result of this type from the same operands may round differently."""
    return float_type(type) and not (op.exact or op.view)


def any_decision(function: Function) -> bool:
    return any(isinstance(s, Def) and decides(s) for s in walk(function.body))


@record(frozen=True)
class Made:
    """An expression of a rule over forward values alone, not yet emitted."""

    op: Any
    args: tuple[Atom | Made, ...]
    params: dict[str, Any] = field(compare=False)
    key: str  # `params` as text, for comparison

    @staticmethod
    def of(op: Any, args: Iterable[Atom | Made], params: dict[str, Any]) -> Made:
        return Made(op, tuple(args), params, repr(params))

    @property
    def leaves(self) -> list[Atom]:
        """The forward values whose contents it reads."""
        if self._is_length:
            return []
        return [x for a in self.args for x in (a.leaves if isinstance(a, Made) else [a])]

    def is_exact(self, known: Callable[[Atom], bool]) -> bool:
        """Whether its operands are exact, given a predicate for forward values."""
        return self._is_length or all(
            known(a) if not isinstance(a, Made) else a.is_exact(known) and not a._rounds
            for a in self.args
        )

    @property
    def _is_length(self) -> bool:
        return self.op is memory.dim

    @property
    def _rounds(self) -> bool:
        floats = [t for a in self.leaves if float_type(t := a.type)]
        plain = self.op.view or self.op.exact or (self.op.decides and self.op.kind == "nondiff")
        return bool(floats) and (not plain or any(is_complex(t.dtype) for t in floats))

    def emitted(self, build: Callable[..., Atom]) -> Atom:
        """Emits the expression at the builder's position and returns its result."""
        args = [a.emitted(build) if isinstance(a, Made) else a for a in self.args]
        if self._is_length:
            return atom(args[0].type.dims[self.params["axis"]])  # type: ignore[union-attr]  (an array)
        return build(self.op, *args, **self.params)
