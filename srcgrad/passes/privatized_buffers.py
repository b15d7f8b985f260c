"""Array privatization: a buffer that each trip of a loop fills before it reads is the trip's own.

>>> show(privatized_buffers(parse('''
... def f(x: f64[m, n]):
...     m: int = dim(x, axis=0)
...     n: int = dim(x, axis=1)
...     t: f64[n] = zeros(n, dtype='f64')
...     s: f64 = 0.0
...     for i in range(0, m):
...         for j in range(0, n):
...             a: f64 = load(x, i, j)
...             store(t, j, a)
...         v: f64 = load(t, 0)
...         s1: f64 = add(s, v)
...         s = s1
...     return (s,)
... ''')))
def f(x: f64[m, n]):
    m: int = dim(x, axis=0)
    n: int = dim(x, axis=1)
    s: f64 = 0.0
    for i in range(0, m):
        t: f64[n] = empty(n, dtype='f64')
        for j in range(0, n):
            a: f64 = load(x, i, j)
            store(t, j, a)
        v: f64 = load(t, 0)
        s1: f64 = add(s, v)
        s = s1
    return (s,)

For reverse mode, before it. What a trip overwrites in a buffer from outside are elements of the
trip before, which the reverse sweep restores: trips then depend on one another, though none reads
what another one has made. Legal if nothing outside the loop names the buffer, and if the first
statement of a trip that touches it stores to all of it: an assignment, or loops over all indices
that store to each element before anything in them reads it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from srcgrad.ir.alias import alias_classes
from srcgrad.ir.facts import contents
from srcgrad.ir.nodes import Atom, Block, Const, Def, For, Function, Stmt, Var, altered, atom
from srcgrad.ir.types import Array, is_reference
from srcgrad.ir.walk import blocks, uses, walk
from srcgrad.passes.hoist_allocations import ALLOCATIONS, escaping
from srcgrad.passes.own_buffers import keeps_its_trips
from srcgrad.passes.places import ELEMENTS
from srcgrad.passes.rewrite import Rewriter
from srcgrad.primitives import REGISTRY, memory

FILLS = frozenset((memory.store, memory.assign))


def privatized_buffers(function: Function) -> Function:
    inside = contents(function)
    if not inside.depth or inside.operations.isdisjoint(ALLOCATIONS):
        return function
    if inside.operations.isdisjoint(FILLS):
        return function
    moved = _Privatized(function).moved(function.body)
    return _Moving(moved).function(function) if moved else function


class _Moving(Rewriter):
    def __init__(self, moved: Mapping[Stmt, list[Def]]):
        """`moved`: the buffers to be made before each statement."""
        super().__init__()
        self.moved, self.gone = moved, {d for made in moved.values() for d in made}

    def statement(self, s: Stmt) -> Iterable[Stmt]:
        if s in self.gone:
            return
        for d in self.moved.get(s, ()):
            yield self.substituted(altered(d, op=REGISTRY["empty"]))
        yield from super().statement(s)


class _Privatized:
    """Finds the buffers that trips may have for themselves."""

    def __init__(self, function: Function):
        self.classes = alias_classes(function)
        self.shared = escaping(function, self.classes)

    def moved(self, block: Block) -> dict[Stmt, list[Def]]:
        """The buffers, by the statement that fills them in each trip."""
        out: dict[Stmt, list[Def]] = {}
        for k, s in enumerate(block):
            for inner in blocks(s):
                out |= self.moved(inner)
            if isinstance(s, Def) and s.op in ALLOCATIONS:
                first = self.first(s, block[k + 1 :])
                if first is not None:
                    out.setdefault(first, []).append(s)
        return out

    def first(self, made: Def, rest: Block) -> Stmt | None:
        """The statement that fills a buffer in each trip of a loop in `rest`, the innermost one."""
        x = made.var
        if x is None or not isinstance(x.type, Array) or not x.type.dims:
            return None
        if self.classes.of(x) in self.shared:
            return None
        found, naming = None, self.naming(rest, x)
        while len(naming) == 1 and isinstance(s := naming[0], For) and not keeps_its_trips(s):
            naming = self.naming(s.body, x)
            found = naming[0] if self.fills(naming[0], x, ()) else found
        return found

    def naming(self, block: Block, x: Var) -> list[Stmt]:
        """The statements of a block that name the buffer, or do so inside."""
        return [s for s in block if any(self.names(t, x) for t in walk((s,)))]

    def names(self, s: Stmt, x: Var) -> bool:
        cls = self.classes.of(x)
        return any(is_reference(v.type) and self.classes.of(v) is cls for v in uses(s))

    def fills(self, s: Stmt, x: Var, at: tuple[Atom, ...]) -> bool:
        """Whether a statement stores to all elements with the first indices `at`, and then reads.

        What it touches besides has these indices, too.
        """
        dims = x.type.dims
        if isinstance(s, Def):
            if s.op is memory.assign:
                return not at and s.args[0] is x and not self.names_again(s, x)
            return s.op is memory.store and len(at) == len(dims) and _begins_with(s.args, (x, *at))
        if not isinstance(s, For) or len(at) == len(dims) or not _runs_over(s, dims[len(at)]):
            return False
        first, *others = self.naming(s.body, x)
        inside = (*at, s.index)
        return self.fills(first, x, inside) and all(
            isinstance(t, Def) and t.op in ELEMENTS and _begins_with(t.args, (x, *inside))
            for t in walk(tuple(others))
            if self.names(t, x)
        )

    def names_again(self, s: Def, x: Var) -> bool:
        return self.names(altered(s, args=s.args[1:]), x)


def _begins_with(args: Sequence[Atom], first: Sequence[Atom]) -> bool:
    return all(a is b for a, b in zip(args, first, strict=False))


def _runs_over(s: For, n: int | Var) -> bool:
    """Whether a loop has a trip for each index of an axis."""
    zero = isinstance(s.start, Const) and s.start.value == 0
    end = atom(n)
    if isinstance(end, Const):
        return zero and isinstance(s.stop, Const) and s.stop.value == end.value
    return zero and s.stop is end
