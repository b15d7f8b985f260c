"""The node of any primitive on any operands.

Operands that no rule of a wanted gradient reads are saved as a shape and a dtype only;
contributions get their operand's form. Writes no derivative.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from srcgrad.eager import devices
from srcgrad.eager.mode import saving
from srcgrad.eager.rules import reads, rule_on_arrays
from srcgrad.eager.saved import Packed, Saved, Shaped, fitted, modified, rebuilt
from srcgrad.eager.tensor import Storage, Tensor, make
from srcgrad.errors import UnsupportedError
from srcgrad.primitives.registry import ZERO
from srcgrad.primitives.rules import plain, product, rule_of


class General(Saved):
    """Any primitive on any operands; contributions are given their operand's shape and dtype."""

    __slots__ = ("args", "out", "params", "versions", "y")
    plans: ClassVar[dict]
    many = True
    args: Any  # a Tensor that is read, a Shaped, or no tensor at all; None once released
    y: Any
    params: dict
    out: Storage | None
    versions: dict[int, int] | None  # of the operands that had a storage; others: 0

    def record(self, heads: tuple, args: tuple, params: dict, y: Any) -> None:
        """Saves the values that the rules of the wanted gradients read."""
        op = self.op
        self.next, self.params = heads, params
        pattern: Any = tuple([h is not None for h in heads])
        if params and op.kind == "derive":
            pattern = pattern, tuple(sorted(params.items()))
        read = self.plans.get(pattern)
        if read is None:
            read = self.plans[pattern] = self._plan(pattern, heads)
        kept, versions = [], None
        for wanted, a in zip(read, args, strict=False):
            if not isinstance(a, Tensor):
                kept.append(a)
            elif not wanted:
                kept.append(Shaped(a._a))
            else:
                kept.append(a)
                if a._store is not None:
                    versions = versions or {}
                    versions[len(kept) - 1] = a._store.version
        self.args, self.versions, self.out = kept, versions, None
        self.y = y if read[-1] else Shaped(y)
        if (hooks := saving()) is not None:
            self.args = [Packed(a, hooks) if isinstance(a, Tensor) else a for a in kept]
            self.y = Packed(make(y), hooks) if read[-1] else self.y

    @classmethod
    def _plan(cls, pattern: Any, heads: tuple) -> tuple[bool, ...]:
        """The operands that wanted gradients' rules read; last, whether they read the result."""
        key = pattern[1] if isinstance(pattern[0], tuple) else ()
        found: set = set()
        for k, head in enumerate(heads):
            if head is not None:
                found |= reads(cls.op, k, len(heads), key)
        return (*(k in found for k in range(len(heads))), "y" in found)

    def _operands(self, keep: bool) -> tuple:
        args, y = self.args, self.y
        if args is None:
            raise self.released()
        if type(y) is Packed or any(type(a) is Packed for a in args):
            return self._unpacked(keep)
        for k, a in enumerate(args):
            s = a._store if isinstance(a, Tensor) else None
            if s is not None:
                saved = (self.versions or {}).get(k, 0)
                if s.version != saved:
                    raise modified(self, a._a, s.version, saved)
        if self.out is not None and self.out.version and devices.is_array(y):
            raise modified(self, y, self.out.version, 0)
        if not keep and (devices.is_array(y) or any(isinstance(a, Tensor) for a in args)):
            self.args = self.y = None
        return args, y

    def _unpacked(self, keep: bool) -> tuple:
        """The operands where they were packed: packed values cannot be modified."""
        args = [a.tensor() if type(a) is Packed else a for a in self.args]
        y = self.y.tensor()._a if type(self.y) is Packed else self.y
        if not keep:
            self.args = self.y = None
        return args, y

    def vjp(self, g: Any, keep: bool) -> Any:
        args, y = self._operands(keep)
        raw = [a._a if isinstance(a, Tensor) else a for a in args]
        if type(g) is not np.ndarray:
            raw = devices.beside([g, *raw])[1:]
        return self._contributions(g, y, raw, False)

    def vjp_recorded(self, g: Any, keep: bool) -> Any:
        args, y = self._operands(keep)
        if devices.is_array(y):
            y = rebuilt(y, self, self.out)
        tensors = [
            rebuilt(a._a, n, a._store) if isinstance(a, Tensor) else a
            for a, n in zip(args, self.next, strict=True)
        ]
        return self._contributions(g, y, tensors, True)

    def _contributions(self, g: Any, y: Any, args: list, recorded: bool) -> list:
        op, params, made = self.op, self.params, []
        the_rule = rule_of if recorded else rule_on_arrays
        for k, head in enumerate(self.next):
            if head is None:
                made.append(None)
                continue
            rule = the_rule(op, k)
            if rule is None:
                raise UnsupportedError(f"{op.name} has no derivative here")
            if rule is ZERO:
                c: Any = 0.0
            elif op.kind == "derive":
                p = _partial(rule, y, args, params)
                # a number scales it after the sum to its operand's shape
                like = fitted(g, args[k], recorded) if type(p) is float else g
                c = product(like, p, op.singular)
            else:
                c = rule(g, y, *args, **params)
            made.append(fitted(plain(c), args[k], recorded))
        return made


def _partial(rule: Any, y: Any, args: list, params: dict) -> Any:
    """A partial derivative, infinite where Python's division of numbers by zero would raise."""
    try:
        return rule(y, *args, **params)
    except ZeroDivisionError:
        p = rule(y, *(np.float64(a) if isinstance(a, int | float) else a for a in args), **params)
        return float(p) if isinstance(p, np.float64) else p
