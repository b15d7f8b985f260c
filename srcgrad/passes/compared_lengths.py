"""Finds lengths of parameters that checks compare and that compilation cannot decide.

>>> f = parse('''
... def f(x: f64[n], y: f64[m]):
...     n: int = dim(x, axis=0)
...     m: int = dim(y, axis=0)
...     n1: int = sub(n, 2)
...     m1: int = sub(m, 2)
...     check_broadcast(n1, m1, split=1)
...     return (x,)
... ''')
>>> pairs = compared(f, lambda m, n: True)
>>> pairs
(((0, 0), (1, 0)),)
>>> show(with_equal(f, pairs))
def f(x: f64[n], y: f64[m]):
    n: int = dim(x, axis=0)
    m: int = dim(y, axis=0)
    check_equal(n, m, message='{} is not {}')
    n1: int = sub(n, 2)
    m1: int = sub(m, 2)
    check_broadcast(n1, m1, split=1)
    return (x,)

The caller of a program knows the lengths, and may run the program for equal ones, in which
`unify_lengths` finds them equal by the check at the entry. Computed lengths are equal if the same
computation makes them from equal ones; a length that a loop carries is taken for its initial value.
The end of a slice that a loop keeps within one length (`x[:i]`, where i counts to n) is compared
with one that it may pass by comparing the two lengths.
Lengths that a check at the entry finds equal anyway are left out. A length that is compared with a
constant is paired with it, and so is each length equal to it:

>>> f = parse('''
... def f(x: f64[n], y: f64[3]):
...     n: int = dim(x, axis=0)
...     for i in range(0, 9):
...         check_broadcast(n, 3, split=1)
...     return (x,)
... ''')
>>> pairs = compared(f, lambda m, n: True)
>>> pairs
(((0, 0), 3),)
>>> show(with_equal(f, pairs))
def f(x: f64[3], y: f64[3]):
    n: int = dim(x, axis=0)
    check_equal(n, 3, message='{} is not {}')
    for i in range(0, 9):
        check_broadcast(3, 3, split=1)
    return (x,)

Never decides which program a call runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from srcgrad.ir.clone import clone
from srcgrad.ir.nodes import Atom, Const, Def, For, Function, Loop, Stmt, Var
from srcgrad.ir.types import INT, Scalar
from srcgrad.ir.walk import rename, walk
from srcgrad.passes.unify_lengths import SHAPE_CHECKS, compared_by, early_checks
from srcgrad.primitives import elementwise, memory

Place: TypeAlias = tuple[int, int]  # the position of a parameter, and an axis
Pair: TypeAlias = tuple[Place, Place | int]  # two lengths, or a length and a constant
Pairs: TypeAlias = tuple[Pair, ...]
MOVES = frozenset((elementwise.add, elementwise.sub))
MESSAGE = {"message": "{} is not {}"}  # never seen: calls with other lengths run another program


def compared(function: Function, equal: Callable[[Place, Place | int], bool]) -> Pairs:
    """The pairs of lengths that checks compare and that are `equal` in a call."""
    found = _Found(function, equal)
    early = early_checks(function, set(found.place))
    for s in early:
        found.check(s)
    found.pairs.clear()
    for s in walk(function.body):
        if isinstance(s, Def):
            found.check(s)
    return (*found.constants(), *[p for m, n in found.pairs if (p := found.pair(m, n))])


def with_equal(function: Function, pairs: Pairs) -> Function:
    """The program for calls in which the lengths of each pair are equal."""
    function = clone(function)
    lengths = lengths_of(function)
    var = {at: v for v, at in lengths.items()}
    front = [s for s in function.body if isinstance(s, Def) and s.var in lengths]
    equal = [(var[m], Const(n, INT) if isinstance(n, int) else var[n]) for m, n in pairs]
    rest = [s for s in function.body if s not in front]
    new = rename(function.with_body(tuple(rest)), {m: n for m, n in equal if isinstance(n, Const)})
    checks = [Def(None, memory.check_equal, pair, MESSAGE) for pair in equal]
    return new.with_body((*front, *checks, *new.body))


def lengths_of(function: Function) -> dict[Var, Place]:
    """The variables that are lengths of parameters."""
    position = {p: k for k, p in enumerate(function.params)}
    return {
        s.var: (position[x], s.params["axis"])
        for s in function.body
        if isinstance(s, Def) and s.op is memory.dim and s.var is not None
        for x in s.args
        if isinstance(x, Var) and x in position
    }


class _Found:
    """Lengths to be made equal: `same` leads from one to another, `pairs` lists them."""

    def __init__(self, function: Function, equal: Callable[[Place, Place | int], bool]):
        self.equal = equal
        self.place = lengths_of(function)
        body = walk(function.body)
        self.definition = {s.var: s for s in body if isinstance(s, Def) and s.var is not None}
        self.stop = {s.index: s.stop for s in body if isinstance(s, For)}
        self.same: dict[Var, Atom] = dict(_first_values(body))
        self.pairs: list[tuple[Var, Var]] = []

    def of(self, a: Atom) -> Atom:
        while isinstance(a, Var) and a in self.same:
            a = self.same[a]
        return a

    def constants(self) -> list[Pair]:
        known = [(at, self.of(v)) for v, at in self.place.items()]
        return [(at, int(a.value)) for at, a in known if isinstance(a, Const)]

    def pair(self, m: Var, n: Var) -> Pair | None:
        """Two compared lengths, unless they are constant."""
        return None if isinstance(self.of(m), Const) else (self.place[m], self.place[n])

    def check(self, s: Def) -> None:
        if s.op in SHAPE_CHECKS:
            for m, n in compared_by(s):
                self.learn(m, n)
        elif s.op is memory.broadcast_dim and s.var is not None and self.learn(*s.args):
            self.same[s.var] = s.args[0]

    def learn(self, m: Atom, n: Atom) -> bool:
        """Makes two compared lengths equal; False if the lengths they are made of are not."""
        needed: list[tuple[Var, Atom]] = []
        if not self._alike(m, n, needed, set()):
            return False
        for a, b in needed:
            v, w = self.of(a), self.of(b)
            if isinstance(v, Const):
                v, w = w, v
            if isinstance(v, Var) and isinstance(w, Const):
                self.same[v] = w
            elif isinstance(v, Var) and isinstance(w, Var) and v is not w:
                self.same[w] = v
                self.pairs.append((v, w))
        return True

    def _alike(
        self, m: Atom, n: Atom, needed: list[tuple[Var, Atom]], seen: set[tuple[Atom, Atom]]
    ) -> bool:
        """Whether the same computation makes two lengths, if the pairs in `needed` are equal."""
        m, n = self.of(m), self.of(n)
        if m == n or (m, n) in seen:
            return True
        seen.add((m, n))
        if isinstance(m, Const):
            m, n = n, m
        if not isinstance(m, Var):
            return False
        if m in self.place and (isinstance(n, Const) or n in self.place):
            needed.append((m, n))
            return self._equal(m, n)
        d, e = self.definition.get(m), self.definition.get(n) if isinstance(n, Var) else None
        for clipped, end in ((d, n), (e, m)):
            if clipped is not None and clipped.op is memory.slice_start and end is clipped.args[0]:
                return self._ends_alike(clipped.args[1], end, needed)
        if d is None or e is None or d.op is not e.op or d.params != e.params:
            return False
        return isinstance(m.type, Scalar) and all(
            self._alike(a, b, needed, seen) for a, b in zip(d.args, e.args, strict=True)
        )

    def _ends_alike(self, m: Atom, end: Atom, needed: list[tuple[Var, Atom]]) -> bool:
        """Whether the length `m` is that to which a loop counts the end of a slice."""
        n = self._counted_to(end)
        if not isinstance(m, Var) or m not in self.place or n is None:
            return False
        needed.append((n, m))
        return n is m or self._equal(n, m)

    def _counted_to(self, a: Atom) -> Var | None:
        """The length of a parameter to which a loop counts an index, as it is or moved."""
        while isinstance(a, Var) and a not in self.place:
            d = self.definition.get(a)
            if a in self.stop:
                a = self.stop[a]
            elif d is not None and d.op in MOVES:
                a = d.args[0]
            else:
                return None
        return a if isinstance(a, Var) else None

    def _equal(self, m: Var, n: Atom) -> bool:
        if isinstance(n, Const):
            return n.value > 1 and self.equal(self.place[m], n.value)
        return self.equal(self.place[m], self.place[n])


def _first_values(body: Iterable[Stmt]) -> Iterable[tuple[Var, Atom]]:
    """The integers that loops carry, with their initial values."""
    for s in body:
        if isinstance(s, Loop):
            for p, x, r in zip(s.params, s.inits, s.results, strict=True):
                if p.type == INT:
                    yield from ((p, x), (r, x))
