"""Makes innermost loops that may run in any order run upwards through memory.

>>> show(ascending_loops(parse('''
... def f(x: f64[n], y: f64[n]):
...     n: int = dim(x, axis=0)
...     for i in reversed(range(0, n)):
...         v: f64 = load(x, i)
...         w: f64 = load(y, i)
...         t: f64 = mul(v, w)
...         store(y, i, t)
...     return ()
... ''')))
def f(x: f64[n], y: f64[n]):
    n: int = dim(x, axis=0)
    for i in range(0, n):
        v: f64 = load(x, i)
        w: f64 = load(y, i)
        t: f64 = mul(v, w)
        store(y, i, t)
    return ()

The reverse sweep reverses every loop; a vectorised loop then has to reverse each vector that it
reads or writes. The order does not matter if a loop carries only sums, and if it only adds to
what it stores to, or touches one element of it per trip, a different one in each.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from srcgrad.ir.alias import AliasClasses, alias_classes
from srcgrad.ir.facts import contents
from srcgrad.ir.nodes import Def, For, Function, Stmt, Var, While, altered
from srcgrad.ir.types import Array, is_reference
from srcgrad.passes.effects import is_write
from srcgrad.passes.rewrite import Rewriter
from srcgrad.passes.trips import Trips
from srcgrad.primitives import memory


def ascending_loops(function: Function) -> Function:
    if not contents(function).backwards:
        return function
    return _AscendingLoops(alias_classes(function)).function(function)


class _AscendingLoops(Rewriter):
    def __init__(self, classes: AliasClasses):
        super().__init__()
        self.classes = classes

    def loop(self, s: For | While) -> Iterable[Stmt]:
        new = self.rebuilt(s)
        if isinstance(new, For) and new.reverse and self.in_any_order(new):
            new = altered(new, reverse=False)
        yield new

    def in_any_order(self, s: For) -> bool:
        trips = Trips(s)
        if not trips.is_plain:
            return False
        written = {self.classes.of(t.args[0]) for t in trips.body if is_write(t)}
        return all(self.apart(c, trips) for c in written)

    def apart(self, written: Var, trips: Trips) -> bool:
        """Whether the effect of the trips on a class does not depend on their order."""
        touching = [t for t in trips.body if self.touches(t, written)]
        if all(t.op is memory.add_at for t in touching):
            return all(not self.names(t.args[1:], written) for t in touching)
        if any(t.op not in (memory.load, memory.store, memory.add_at) for t in touching):
            return False
        first = touching[0]
        held = first.args[0].type
        rank = held.ndim if isinstance(held, Array) else 1  # a tape is flat
        place = first.args[: 1 + rank]
        moving = [trips.motion(p) for p in place[1:]]
        return (
            place[0] not in trips.made
            and all(t.args[: 1 + rank] == place for t in touching)
            and None not in moving
            and any(moving)
        )

    def touches(self, s: Def, written: Var) -> bool:
        return s.op is not memory.dim and self.names((s.var, *s.args), written)

    def names(self, values: Iterable[Any], written: Var) -> bool:
        return any(
            isinstance(v, Var) and is_reference(v.type) and self.classes.of(v) is written
            for v in values
        )
