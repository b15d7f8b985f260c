"""Decisions: results that jump where a float passes some point, and what they may be taken of.

A float that is computed a second time may come out rounded otherwise: compiled code regroups what
it multiplies. An equality, an order or a whole number made of it is then another one than the
forward sweep went by. So decisions are taken of floats that are exact, to the bit those of the
forward sweep, or else in the forward sweep and remembered. Never emits anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from srcgrad.ir.nodes import Atom, Def, Function
from srcgrad.ir.types import Type, float_type, is_complex
from srcgrad.ir.walk import walk


def decides(s: Def) -> bool:
    """Whether the result jumps where a float that it is made of passes some point."""
    if s.var is None or not s.op.decides or not any(float_type(a.type) for a in s.args):
        return False
    return s.op.name != "cast" or not float_type(s.var.type)


def rounds(op: Any, type: Type) -> bool:
    """Whether a result of this type may come out otherwise, made once more of the same operands."""
    return float_type(type) and not (op.exact or op.view)


def any_decision(function: Function) -> bool:
    return any(isinstance(s, Def) and decides(s) for s in walk(function.body))


@dataclass(frozen=True)
class Made:
    """What a rule makes of forward values alone: an operation on them, and on what it made."""

    op: Any
    args: tuple[Atom | Made, ...]
    params: dict[str, Any] = field(compare=False)
    key: str  # the params, to compare by

    @staticmethod
    def of(op: Any, args: Iterable[Atom | Made], params: dict[str, Any]) -> Made:
        return Made(op, tuple(args), params, repr(params))

    @property
    def leaves(self) -> list[Atom]:
        """The forward values that it is made of."""
        return [x for a in self.args for x in (a.leaves if isinstance(a, Made) else [a])]

    def is_exact(self, known: Callable[[Atom], bool]) -> bool:
        """Whether its operands are the forward sweep's to the bit, given which values are."""
        return all(
            known(a) if not isinstance(a, Made) else a.is_exact(known) and not a._rounds
            for a in self.args
        )

    @property
    def _rounds(self) -> bool:
        floats = [a.type for a in self.leaves if float_type(a.type)]
        plain = self.op.view or self.op.exact or (self.op.decides and self.op.kind == "nondiff")
        return bool(floats) and (not plain or any(is_complex(t.dtype) for t in floats))  # type: ignore[union-attr]

    def emitted(self, build: Callable[..., Atom]) -> Atom:
        """The result, emitted where the builder stands."""
        args = [a.emitted(build) if isinstance(a, Made) else a for a in self.args]
        return build(self.op, *args, **self.params)
