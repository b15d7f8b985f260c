"""Arrays that a loop carries: gives each one buffer, to which a trip's new array is copied.

>>> show(carried_arrays(parse('''
... def f(x: f64[n]):
...     n: int = dim(x, axis=0)
...     u: f64[n] = copy(x)
...     u1: f64[n] = u
...     for t in range(0, 9):
...         v: f64[n] = copy(u1)
...         store(v, 0, 1.0)
...         u1 = v
...     return (u1,)
... ''')))
def f(x: f64[n]):
    n: int = dim(x, axis=0)
    u: f64[n] = copy(x)
    for t in range(0, 9):
        v: f64[n] = copy(u)
        store(v, 0, 1.0)
        assign(u, v)
    return (u,)

For reverse mode, before it. A loop in which `u` names another buffer in each trip puts all of them
into one alias class: every trip's buffer, and a shadow for each, has to be remembered by reference,
and no pass can tell the new array from the old one. Nothing may store to carried arrays: the stores
of a trip go to buffers that it has made itself, so what is carried is a value. Its first buffer is
that of the array at the beginning, or a copy where that has other names. The results are then
distinct buffers. If anything stores to them after the loop, they have to have been distinct before.
"""

from __future__ import annotations

from collections.abc import Iterable

from srcgrad.ir.alias import alias_classes
from srcgrad.ir.build import Builder
from srcgrad.ir.facts import definitions
from srcgrad.ir.nodes import Atom, Block, Def, For, Function, Stmt, Var, While, altered
from srcgrad.ir.types import Array
from srcgrad.ir.walk import blocks, defined, walk
from srcgrad.passes.effects import is_write, makes_buffer
from srcgrad.passes.own_buffers import Following, begins_alone, carried
from srcgrad.primitives import REGISTRY
from srcgrad.records import record


def carried_arrays(function: Function) -> Function:
    """Inner loops before those around them, whose alias classes they join."""
    while any(carried(s) for s in walk(function.body)):
        new = _CarriedArrays(function).function(function)
        if new is function:
            break
        function = new
    return function


@record(frozen=True)
class _Plan:
    """The positions of what a loop carries in buffers, and of those that begin in their own."""

    positions: tuple[int, ...]
    own: frozenset[int]


class _CarriedArrays(Following):
    def __init__(self, function: Function):
        super().__init__()
        self.program, self.classes = function, alias_classes(function)
        self.made = definitions(function)
        self.stores = [s for s in walk(function.body) if isinstance(s, Def) and is_write(s)]
        self.held = {  # classes with names in a list
            self.classes.of(a)
            for s in walk(function.body)
            if isinstance(s, Def) and s.op.holds
            for a in (s.args[0], s.args[-1])
        }
        self.depth = 0  # of loops

    def loop(self, s: For | While) -> Iterable[Stmt]:
        before = self.before
        self.depth += 1
        new = self.rebuilt(s)
        self.depth -= 1
        plan = None
        if new is s:
            plan = self.plan(s, before)
        if plan is None:
            yield new
        else:
            yield from self.in_buffers(s, plan)

    # ---- legality ----
    def plan(self, s: For | While, before: Block) -> _Plan | None:
        """The arrays to keep in buffers, class by class."""
        inside = walk(tuple(t for b in blocks(s) for t in b))
        bound = defined((s,))
        found: list[int] = []
        own: set[int] = set()
        for cls in dict.fromkeys(self.classes.of(s.params[k]) for k in carried(s)):
            at = [k for k in carried(s) if self.classes.of(s.params[k]) is cls]
            if cls not in self.classes.written or cls in self.held:
                continue
            if not all(_has_one_type(s, k, bound) for k in at):
                continue
            stores = [t for t in self.stores if self.classes.of(t.array) is cls]
            within = [t for t in stores if t in inside]
            if not all(self.root(t.array) in bound for t in within):
                continue
            alone = begins_alone(self.program, s, at, before)
            outside = [t for t in stores if t not in within]
            if not (alone and self.are_distinct(s, at, bound)) and not all(
                self.is_before(t, before) for t in outside
            ):
                continue
            found += at
            own |= set(at) if alone else set()
        return _Plan(tuple(found), frozenset(own)) if found else None

    def root(self, x: Var) -> Var | None:
        """The buffer that a name is a view of; None if a loop carries it or a branch joins it."""
        while (d := self.made.get(x)) is not None and d.op.view:
            x = d.array
        return x if d is not None and makes_buffer(d) else None

    def are_distinct(self, s: For | While, at: list[int], bound: set[Var]) -> bool:
        """Whether what a trip hands on is in as many buffers: its own, or those that it got."""
        yields = [y for k in at if isinstance(y := s.yields[k], Var)]
        roots = [y if y in s.params else self.root(y) for y in yields]
        return all(r is not None and r in bound for r in roots) and len(set(roots)) == len(roots)

    def is_before(self, store: Def, before: Block) -> bool:
        """Whether a store runs before the loop, and never between its trips and later reads."""
        if store not in walk(before):
            return False
        return not self.depth or any(
            isinstance(t, Def) and t.var is not None and t.var is self.root(store.array)
            for t in before
        )

    # ---- the loop ----
    def in_buffers(self, s: For | While, plan: _Plan) -> Iterable[Stmt]:
        b = Builder(REGISTRY)
        b.loc = s.loc
        buffers: dict[int, Var] = {}
        for k in plan.positions:
            init, p = s.inits[k], s.params[k]
            assert isinstance(init, Var)
            buffers[k] = init if k in plan.own else b.copy(init, name=p.name)
            self.new[p] = self.new[s.results[k]] = buffers[k]
        yield from b.out
        new = self.rebuilt(s)
        assert isinstance(new, For | While)
        moves = [(buffers[k], new.yields[k]) for k in plan.positions]
        kept = [k for k in range(len(s.params)) if k not in buffers]
        yield altered(
            new, params=tuple([new.params[k] for k in kept]),
            inits=tuple([new.inits[k] for k in kept]), yields=tuple([new.yields[k] for k in kept]),
            results=tuple([new.results[k] for k in kept]),
            body=(*new.body, *self.moved(moves, s)),
        )  # fmt: skip

    def moved(self, moves: list[tuple[Var, Atom]], s: For | While) -> list[Stmt]:
        """Assigns to buffers at once: none is stored to before it is read."""
        b = Builder(REGISTRY)
        b.loc = s.loc
        targets = {x for x, _ in moves}
        left = [(x, y) for x, y in moves if x is not y]
        for k, (x, y) in enumerate(left):
            if y not in targets and self.root(y) is None:  # type: ignore[arg-type]  (an array)
                left[k] = x, b.copy(y)
        while left:
            free = [m for m in left if not any(y is m[0] for _, y in left)]
            if not free:
                x, y = left[0]
                left[0] = x, b.copy(y)
                continue
            for x, y in free:
                b.assign(x, y)
            left = [m for m in left if m not in free]
        return b.out


def _has_one_type(s: For | While, k: int, bound: set[Var]) -> bool:
    """Whether an array has the same type in all trips."""
    t = s.params[k].type
    assert isinstance(t, Array)
    ends = s.inits[k], s.yields[k], s.results[k]
    return all(a.type == t for a in ends) and bound.isdisjoint(
        d for d in t.dims if isinstance(d, Var)
    )
