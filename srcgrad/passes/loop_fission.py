"""Scatters of a loop: gives additions to several places of one buffer a loop each.

>>> show(loop_fission(parse('''
... def f(x: f64[n], y: f64[n]):
...     n: int = dim(x, axis=0)
...     m: int = sub(n, 1)
...     for i in reversed(range(0, m)):
...         v: f64 = load(x, i)
...         j: int = add(i, 1)
...         w: f64 = mul(v, v)
...         add_at(y, j, w)
...         add_at(y, i, v)
...     return ()
... ''')))
def f(x: f64[n], y: f64[n]):
    n: int = dim(x, axis=0)
    m: int = sub(n, 1)
    trips: int = maximum(m, 0)
    kept: f64[trips] = empty(trips, dtype='f64')
    for i in reversed(range(0, m)):
        v: f64 = load(x, i)
        j: int = add(i, 1)
        w: f64 = mul(v, v)
        store(kept, i, w)
        add_at(y, i, v)
    for i1 in range(0, m):
        w1: f64 = load(kept, i1)
        j1: int = add(i1, 1)
        add_at(y, j1, w1)
    return ()

The reverse sweep of a stencil adds to neighbouring places in each trip. A trip then waits for what
the last one stored, and the loop cannot be vectorised; each addition alone can. The order of
additions changes, nothing else: the loop may only add to the class, must not raise, and carries
nothing but sums. Addends are stored in a buffer of the innermost loop's length. Additions down a
column, or to one place, stay: no loop over such elements is vectorised.
"""

from __future__ import annotations

from collections.abc import Iterable

from srcgrad.ir.alias import alias_classes
from srcgrad.ir.build import Builder
from srcgrad.ir.facts import contents
from srcgrad.ir.nodes import Atom, Block, Const, Def, For, Function, Stmt, Var, While, altered
from srcgrad.ir.types import INT
from srcgrad.passes.added_rows import is_short, only_added
from srcgrad.passes.ranged import Ranged
from srcgrad.passes.trips import Trips
from srcgrad.primitives import REGISTRY, memory


def loop_fission(function: Function) -> Function:
    if memory.add_at not in contents(function).operations:
        return function
    return _LoopFission(function).function(function)


class _LoopFission(Ranged):
    def __init__(self, function: Function):
        super().__init__(function)
        self.classes = alias_classes(function)

    def loop(self, s: For | While) -> Iterable[Stmt]:
        new = self.rebuilt(s)
        scatters = self.scatters(new) if isinstance(new, For) else []
        if not scatters:
            yield new
            return
        assert isinstance(new, For)
        yield from _Apart(new, scatters).statements()

    def scatters(self, s: For) -> list[Def]:
        """The additions to move: all of a class but those through its last place."""
        trips = Trips(s)
        if not trips.is_plain or is_short(s, self.ranges):
            return []
        out: list[Def] = []
        for adds in only_added(trips, self.classes):
            last = adds[-1].args[:-1]
            moves = trips.motion(last[-1]) == 1
            across = [trips.motion(t.args[-2]) == 0 for t in adds]  # down a column, if it moves
            out += [
                t for t, a in zip(adds, across, strict=True)
                if not a and (t.args[:-1] != last or not moves)
            ]  # fmt: skip
        return out


class _Apart:
    """One loop and the loops that some of its additions become."""

    def __init__(self, loop: For, scatters: list[Def]):
        self.loop, self.scatters = loop, scatters
        self.inside = {t.var: t for t in loop.body if isinstance(t, Def) and t.var is not None}
        self.b = Builder(REGISTRY)
        self.kept: dict[Var, Var] = {}  # the buffer of a value that is added later

    def statements(self) -> Block:
        s, b = self.loop, self.b
        b.loc = s.loc
        span = b.sub(s.stop, s.start) if not _is_zero(s.start) else s.stop
        trips = b.maximum(span, 0, name="trips")
        stores: dict[Def, list[Stmt]] = {}
        for t in self.scatters:
            v = t.args[-1]
            if not isinstance(v, Var) or v not in self.inside or v in self.kept:
                continue
            self.kept[v] = b.empty(trips, dtype=v.type.dtype, name="kept")
            with b.block() as out:
                b.store(self.kept[v], self.at(s.index), v)
            stores[t] = list(out)
        gone = set(self.scatters)
        body: list[Stmt] = []
        for t in s.body:
            body += stores.get(t, []) if t in gone else [t]
        b.append(altered(s, body=tuple(body)))
        for t in self.scatters:
            b.append(self.later(t))
        return tuple(b.out)

    def at(self, i: Atom) -> Atom:
        """The position of a trip in the buffers."""
        return i if _is_zero(self.loop.start) else self.b.sub(i, self.loop.start)

    def later(self, t: Def) -> For:
        """The loop of one addition."""
        s, b = self.loop, self.b
        i = Var(s.index.name, INT)
        with b.block() as body:
            b.loc = t.loc
            v = t.args[-1]
            buffer = self.kept.get(v) if isinstance(v, Var) else None
            value = v if buffer is None else b.load(buffer, self.at(i), name=v.name)  # type: ignore[union-attr]  (loads give scalars)
            b.add_at(t.args[0], *(self.again(p, i) for p in t.args[1:-1]), value)
        return For(i, s.start, s.stop, (), (), tuple(body), (), (), loc=t.loc)

    def again(self, a: Atom, i: Var) -> Atom:
        """A place computed for another loop's index."""
        if a is self.loop.index:
            return i
        d = self.inside.get(a) if isinstance(a, Var) else None
        if d is None:
            return a
        args = [self.again(x, i) for x in d.args]
        return self.b(d.op, *args, name=a.name, **d.params)  # type: ignore[union-attr]  (it has a result)


def _is_zero(a: Atom) -> bool:
    return isinstance(a, Const) and a.value == 0
