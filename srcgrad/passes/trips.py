"""Facts about a loop of plain definitions: how places move, what is carried, what is summed.

For the passes that change the order of a loop's trips. Never changes a statement.
"""

from __future__ import annotations

from srcgrad.ir.nodes import Atom, Def, For, Var
from srcgrad.ir.walk import uses
from srcgrad.passes.effects import is_observable, is_scalar_operation
from srcgrad.primitives import elementwise


class Trips:
    """The definitions of one loop's body."""

    def __init__(self, loop: For):
        self.loop = loop
        self.body = [t for t in loop.body if isinstance(t, Def)]
        self.made = {t.var: t for t in self.body if t.var is not None}

    @property
    def is_plain(self) -> bool:
        """Whether the trips may run in any order as far as scalars and effects are concerned."""
        quiet = len(self.body) == len(self.loop.body) and not any(map(is_observable, self.body))
        return quiet and self.carries_only_sums()

    def carries_only_sums(self) -> bool:
        """Whether carried values are only sums of which no trip reads the value, old or new."""
        read = [v for t in self.body for v in uses(t)]
        for p, y in zip(self.loop.params, self.loop.yields, strict=True):
            d = self.made.get(y) if isinstance(y, Var) else None
            if d is None or d.op is not elementwise.add or p not in d.args:
                return False
            if read.count(p) != 1 or y in read:
                return False
        return True

    def motion(self, a: Atom) -> int | None:
        """The distance that a place moves per trip upwards; None if not known to be constant."""
        if a is self.loop.index:
            return 1
        d = self.made.get(a) if isinstance(a, Var) else None
        if d is None:
            return None if a in self.loop.params else 0
        parts = [self.motion(x) for x in d.args]
        if not is_scalar_operation(d) or None in parts:
            return None
        match d.op:
            case elementwise.add:
                return parts[0] + parts[1]  # type: ignore[operator]  (the guard leaves no None)
            case elementwise.sub:
                return parts[0] - parts[1]  # type: ignore[operator]  (the guard leaves no None)
            case _:
                return None if any(parts) else 0
