"""Packs strided columns that every outer iteration re-reads into contiguous buffers.

>>> show(pack_columns(parse('''
... def f(x: f64[n, 3], y: f64[n, 3], k: int):
...     n: int = dim(x, axis=0)
...     for i in range(0, k):
...         for j in range(0, n):
...             v: f64 = load(x, j, 1)
...             w: f64 = mul(v, 2.0)
...             add_at(y, j, 2, w)
...     return ()
... ''')))
def f(x: f64[n, 3], y: f64[n, 3], k: int):
    n: int = dim(x, axis=0)
    runs: bool = lt(0, k)
    trips: int = maximum(n, 0)
    column: f64[trips] = empty(trips, dtype='f64')
    column1: f64[trips] = zeros(trips, dtype='f64')
    if runs:
        for j in range(0, n):
            x1: f64 = load(x, j, 1)
            store(column, j, x1)
    for i in range(0, k):
        for j1 in range(0, n):
            v: f64 = load(column, j1)
            w: f64 = mul(v, 2.0)
            add_at(column1, j1, w)
    if runs:
        for j2 in range(0, n):
            y1: f64 = load(column1, j2)
            add_at(y, j2, 2, y1)
    return ()

Elements one row apart cannot be loaded into a vector together, nor stored from one. A column that
the outer loop does not store to is copied before it; one that it only adds to is summed in its
buffer and added after it. The first trip of the outer loop walks the column anyway, and nothing in
it may raise, so only places of the program are touched. The order of additions changes.
"""

from __future__ import annotations

from collections.abc import Iterable

from srcgrad.ir.alias import AliasClasses, alias_classes
from srcgrad.ir.build import Builder
from srcgrad.ir.facts import contents
from srcgrad.ir.nodes import Atom, Block, Const, Def, For, Function, If, Stmt, Var, While, altered
from srcgrad.ir.types import INT, is_reference
from srcgrad.ir.walk import defined, inner_definitions, uses, walk
from srcgrad.passes.effects import classes_read, classes_written, is_write, observable_within
from srcgrad.passes.rewrite import Rewriter
from srcgrad.primitives import REGISTRY, memory
from srcgrad.records import record

SHORT = 8  # trips: of a loop known to have fewer, the columns stay where they are


def pack_columns(function: Function) -> Function:
    if contents(function).depth < 2:
        return function
    return _PackColumns(alias_classes(function)).function(function)


@record(frozen=True)
class Column:
    """The elements of an array that one loop walks: its place with None for the loop's index."""

    array: Var
    place: tuple[Atom | None, ...]
    start: Atom
    stop: Atom
    summed: bool

    def at(self, index: Atom) -> tuple[Atom, ...]:
        return (self.array, *(index if p is None else p for p in self.place))

    def moved(self, b: Builder, buffer: Var, index: Var) -> None:
        """Fills the buffer from the array, or adds it back to it if it holds sums."""
        column, at = (buffer, self.shifted(b, index)), self.at(index)
        move, source, target = (b.add_at, column, at) if self.summed else (b.store, at, column)
        move(*target, b.load(*source, name=self.array.name))

    def shifted(self, b: Builder, index: Atom) -> Atom:
        """The position in the buffer."""
        zero = isinstance(self.start, Const) and self.start.value == 0
        return index if zero else b.sub(index, self.start)


class _PackColumns(Rewriter):
    def __init__(self, classes: AliasClasses):
        super().__init__()
        self.classes = classes

    def loop(self, s: For | While) -> Iterable[Stmt]:
        new = self.rebuilt(s)
        found = self.found(new) if isinstance(new, For) else {}
        if not found:
            yield new
            return
        assert isinstance(new, For)
        yield from _Beside(new, found).statements()

    def found(self, outer: For) -> dict[Def, Column]:
        """The loads and additions that walk a column, statement by statement."""
        loops = [t for t in outer.body if isinstance(t, For) and not _is_short(t)]
        if not loops or _is_short(outer) or any(observable_within(t) for t in outer.body):
            return {}
        inner = defined(outer.body) | set(inner_definitions(outer))
        stored = classes_written(outer.body, self.classes)
        sums = stored - self.otherwise_used(outer)
        out: dict[Def, Column] = {}
        for loop in loops:
            if loop.start in inner or loop.stop in inner:
                continue
            for t in loop.body:
                column = _column(t, loop, inner) if isinstance(t, Def) else None
                if column is None:
                    continue
                own = self.classes.of(column.array)
                if own in sums if column.summed else own not in stored:
                    out[t] = column  # type: ignore[index]  (a load)
        return out

    def otherwise_used(self, s: For) -> set[Var]:
        """The classes that a loop uses other than by adding to elements."""
        out: set[Var] = set()
        for t in walk(s.body):
            if isinstance(t, Def):
                out |= classes_read(t, self.classes)
                if is_write(t) and t.op is not memory.add_at:
                    out.add(self.classes.of(t.args[0]))
            else:
                out |= {self.classes.of(v) for v in uses(t) if is_reference(v.type)}
        return out


class _Beside:
    """An outer loop with its columns in buffers, and the loops that fill and add them."""

    def __init__(self, loop: For, found: dict[Def, Column]):
        self.loop, self.found, self.b = loop, found, Builder(REGISTRY)
        self.b.loc = loop.loc
        self.buffers: dict[Column, Var] = {}

    def statements(self) -> Block:
        s, b = self.loop, self.b
        runs = b.lt(s.start, s.stop, name="runs")
        for c in dict.fromkeys(self.found.values()):
            span = c.shifted(b, c.stop)
            made = b.zeros if c.summed else b.empty
            dtype = c.array.type.dtype
            trips = b.maximum(span, 0, name="trips")
            self.buffers[c] = made(trips, dtype=dtype, name="column")
        self.guarded(runs, summed=False)
        b.append(altered(s, body=tuple(self.inner(t) for t in s.body)))
        self.guarded(runs, summed=True)
        return tuple(b.out)

    def guarded(self, runs: Atom, summed: bool) -> None:
        """Copies whole columns, if the outer loop has a trip."""
        b = self.b
        with b.block() as then:
            for c, buffer in self.buffers.items():
                if c.summed is summed:
                    j = Var("j", INT)
                    with b.block() as body:
                        c.moved(b, buffer, j)
                    b.append(For(j, c.start, c.stop, (), (), tuple(body), (), (), loc=b.loc))
        if then:
            b.append(If(runs, tuple(then), (), (), (), (), b.loc))

    def inner(self, s: Stmt) -> Stmt:
        if not isinstance(s, For) or not any(t in self.found for t in s.body):
            return s
        with self.b.block() as body:
            for t in s.body:
                c = self.found.get(t)  # type: ignore[arg-type]  (other statements are no keys)
                if c is None:
                    self.b.append(t)
                    continue
                assert isinstance(t, Def)
                args = (self.buffers[c], c.shifted(self.b, s.index))
                self.b.append(altered(t, args=(*args, t.args[-1]) if c.summed else args))
        return altered(s, body=tuple(body))


def _column(s: Def, loop: For, inner: set[Var]) -> Column | None:
    """The column that a load or an addition walks; None if there is none, or on the last axis."""
    if s.op not in (memory.load, memory.add_at) or s.args[0] in inner:
        return None
    x, *place = s.args if s.op is memory.load else s.args[:-1]
    assert isinstance(x, Var)
    moving = [k for k, p in enumerate(place) if p is loop.index]
    if len(moving) != 1 or moving[0] == len(place) - 1:
        return None
    if any(p in inner for p in place if p is not loop.index):
        return None
    spots = tuple(None if p is loop.index else p for p in place)
    return Column(x, spots, loop.start, loop.stop, s.op is memory.add_at)


def _is_short(s: For) -> bool:
    known = isinstance(s.start, Const) and isinstance(s.stop, Const)
    return known and s.stop.value - s.start.value < SHORT  # type: ignore[union-attr]  (known bounds are constants)
