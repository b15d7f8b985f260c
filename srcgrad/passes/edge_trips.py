"""Index-set splitting: writes apart the trips at the ends of a loop, where indices wrap around.

>>> show(edge_trips(parse('''
... def f(x: f64[n], y: f64[n]):
...     n: int = dim(x, axis=0)
...     for i in range(0, n):
...         j: int = add(i, 1)
...         k: int = mod(j, n)
...         v: f64 = load(x, k)
...         store(y, i, v)
...     return ()
... ''')))
def f(x: f64[n], y: f64[n]):
    n: int = dim(x, axis=0)
    end: int = sub(n, 1)
    for i in range(0, end):
        j: int = add(i, 1)
        v: f64 = load(x, j)
        store(y, i, v)
    runs: bool = ge(end, 0)
    if runs:
        j1: int = add(end, 1)
        k: int = sub(j1, n)
        v1: f64 = load(x, k)
        store(y, end, v1)
    return ()

So are the trips in which an index is negative, or in which the minimum or the maximum of the
counter and a number, or an integer that their comparison chooses, is another one. Between, an index
moves with the counter, so that the loop is vectorised, and its adjoint. The trips run in the order
they had. Only of innermost loops, and at most two trips at either end: each is one more copy of the
statements. What is then known of the counter, `hoist_bounds_checks` uses.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from srcgrad.ir.build import Builder
from srcgrad.ir.clone import anew, copied
from srcgrad.ir.facts import contents
from srcgrad.ir.nodes import Atom, Block, Def, For, Function, If, Stmt, Var, While, altered
from srcgrad.ir.types import Scalar
from srcgrad.ir.walk import walk
from srcgrad.passes.bounds import OPPOSITE, Form, is_int64
from srcgrad.passes.hoist_bounds_checks import hoist_bounds_checks
from srcgrad.passes.ranged import Ranged
from srcgrad.primitives import REGISTRY, elementwise, memory

FEW = 2  # trips at an end
MOST = 240  # statements of all copies

# by how much the first trip at which a comparison of the counter changes is after the other operand
CHANGES = {
    elementwise.lt: (0,), elementwise.ge: (0,), elementwise.le: (1,), elementwise.gt: (1,),
    elementwise.eq: (0, 1), elementwise.ne: (0, 1),
    elementwise.minimum: (0,), elementwise.maximum: (0,),
}  # fmt: skip
MIRRORED = {
    elementwise.lt: elementwise.gt, elementwise.le: elementwise.ge,
    elementwise.gt: elementwise.lt, elementwise.ge: elementwise.le,
}  # fmt: skip
WRAPPING = {elementwise.mod, memory.index, memory.wrap}


def edge_trips(function: Function) -> Function:
    if contents(function).operations.isdisjoint(WRAPPING | CHANGES.keys()):
        return function
    new = _EdgeTrips(function).function(function)
    return new if new is function else hoist_bounds_checks(new)


class _EdgeTrips(Ranged):
    def loop(self, s: For | While) -> Iterable[Stmt]:
        if isinstance(s, For) and self.may_split(s):
            low, high = self.edges(s)
            copies = 1 + low + high
            short = copies > 1 and copies * len(walk(s.body)) <= MOST
            if short and self.has_room(s, low, high):
                loop = self.rebuilt(s)
                assert isinstance(loop, For)
                return self.split(loop, low, high)
        return (self.rebuilt(s),)

    def may_split(self, s: For) -> bool:
        return (
            not s.promised
            and all(isinstance(p.type, Scalar) for p in s.params)
            and not any(isinstance(t, For | While) for t in walk(s.body))
            and not self.ranges.at_most(s.stop, s.start, 2 * FEW)
        )

    def edges(self, s: For) -> tuple[int, int]:
        """The numbers of trips at the beginning and at the end of the range to write apart."""
        with self.ranges.scope():
            self.ranges.enter(s)
            found = [t for t in walk(s.body) if isinstance(t, Def)]
            chosen = {t.args[0] for t in found if t.op is elementwise.where and is_int64(t.var)}  # type: ignore[arg-type]  (it has a result)
            changes = [
                c
                for t in found
                if t.op not in OPPOSITE or t.var in chosen
                for c in self.changes(s, t)
            ]
        start, (end, last) = self.ranges.form(s.start), self.ranges.form(s.stop)
        low = [n - start[1] for b, n in changes if b is start[0]]
        high = [last - n for b, n in changes if b is end]
        if end is start[0] is None:  # known trips: the nearer end
            high = [n for n in high if n <= FEW]
        few = [max((n for n in ns if 0 < n <= FEW), default=0) for ns in (low, high)]
        return few[0], few[1]

    def changes(self, s: For, t: Def) -> Iterator[Form]:
        """The trips at which an operation begins to decide otherwise, or an index to wrap."""
        if t.op in CHANGES and all(map(is_int64, t.args)):
            (x, first), (y, second) = map(self.ranges.form, t.args)
            if x is s.index is not y:
                yield from ((y, second - first + k) for k in CHANGES[t.op])
            elif y is s.index is not x:
                op = MIRRORED.get(t.op, t.op)
                yield from ((x, first - second + k) for k in CHANGES[op])
        elif t.op in WRAPPING and all(map(is_int64, t.args)):
            base, offset = self.ranges.form(t.args[0])
            if base is s.index and self.ranges.at_most(s.stop, t.args[1]):
                if offset < 0 and self.ranges.is_length(s.start):
                    yield None, -offset
                elif offset > 0 and t.op is elementwise.mod:
                    n, last = self.ranges.form(t.args[1])
                    yield n, last - offset

    def has_room(self, s: For, low: int, high: int) -> bool:
        """Whether the ends of the trips between are certain not to wrap around."""
        base, offset = self.ranges.form(s.start)
        above = not low or base is None or self.ranges.has_room(base, offset + low)
        return above and (not high or self.ranges.lower(s.stop) is not None)

    def split(self, s: For, low: int, high: int) -> Block:
        """The trips at the beginning, those between, and the trips at the end."""
        b = Builder(REGISTRY)
        b.loc = s.loc
        begin = b.add(s.start, low, name="begin") if low else s.start
        end = b.sub(s.stop, high, name="end") if high else s.stop
        lowest = [(b.add(s.start, k), elementwise.lt, s.stop) for k in range(low)]
        highest = [(b.add(end, k), elementwise.ge, begin) for k in range(high)]
        pieces = [*lowest, None, *highest]
        values = s.inits
        for piece in reversed(pieces) if s.reverse else pieces:
            results = anew(s.results)
            if piece is None:
                (loop,), _ = copied((altered(s, start=begin, stop=end, inits=values),), {})
                b.append(altered(loop, results=results))
            else:
                at, op, bound = piece
                body, yields = _trip(s, at, values)
                runs = b(op, at, bound, name="runs")
                b.append(If(runs, body, (), yields, values, results, s.loc))
            values = results
        self.new.update(zip(s.results, values, strict=True))
        return tuple(b.out)


def _trip(s: For, at: Atom, values: tuple[Atom, ...]) -> tuple[Block, tuple[Atom, ...]]:
    """The statements of one trip, and what it hands on."""
    known = dict(zip(s.params, values, strict=True)) | {s.index: at}
    body, new = copied(s.body, known)
    return body, tuple([new.get(y, y) if isinstance(y, Var) else y for y in s.yields])
