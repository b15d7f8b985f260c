"""Lengths of parameters that checks compare where nothing can be concluded when compiling.

>>> f = parse('''
... def f(x: f64[n], y: f64[m]):
...     n: int = dim(x, axis=0)
...     m: int = dim(y, axis=0)
...     n1: int = sub(n, 2)
...     m1: int = sub(m, 2)
...     check_broadcast(n1, m1, split=1)
...     return (x,)
... ''')
>>> pairs = compared(f, lambda k, axis: 5)
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

Whoever calls a program knows the lengths, and may run the one for equal ones, where `unify_lengths`
finds them equal by the check at the entry. Computed lengths are equal if they are computed alike
from equal ones. What a check at the entry finds equal anyway is left out. Never decides which
program a call runs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from srcgrad.ir.nodes import Atom, Def, Function, Var
from srcgrad.ir.types import Scalar
from srcgrad.ir.walk import walk
from srcgrad.passes.unify_lengths import SHAPE_CHECKS, compared_by, early_checks
from srcgrad.primitives import memory

Place: TypeAlias = tuple[int, int]  # the position of a parameter, and an axis
Pairs: TypeAlias = tuple[tuple[Place, Place], ...]
MESSAGE = {"message": "{} is not {}"}  # never seen: calls with other lengths run another program


def compared(function: Function, length: Callable[[int, int], int]) -> Pairs:
    """The pairs of lengths that are compared, and equal by `length`, their values in a call."""
    found = _Found(function, length)
    early = early_checks(function, set(found.place))
    for s in walk(function.body):
        if not isinstance(s, Def) or s in early:
            continue
        if s.op in SHAPE_CHECKS:
            for m, n in compared_by(s):
                found.learn(m, n)
        elif s.op is memory.broadcast_dim and s.var is not None and found.learn(*s.args):
            found.same[s.var] = s.args[0]
    return tuple(found.pairs)


def with_equal(function: Function, pairs: Pairs) -> Function:
    """The program for calls in which the lengths of each pair are equal."""
    lengths = _lengths(function)
    var = {at: v for v, at in lengths.items()}
    front = [s for s in function.body if isinstance(s, Def) and s.var in lengths]
    checks = [Def(None, memory.check_equal, (var[m], var[n]), MESSAGE) for m, n in pairs]
    rest = [s for s in function.body if s not in front]
    return function.with_body((*front, *checks, *rest))


def _lengths(function: Function) -> dict[Var, Place]:
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
    """Lengths that are to be equal: `same` leads from one to another, `pairs` are these."""

    def __init__(self, function: Function, length: Callable[[int, int], int]):
        self.length = length
        self.place = _lengths(function)
        self.definition = {
            s.var: s for s in walk(function.body) if isinstance(s, Def) and s.var is not None
        }
        self.same: dict[Var, Atom] = {}
        self.pairs: list[tuple[Place, Place]] = []

    def of(self, a: Atom) -> Atom:
        while isinstance(a, Var) and a in self.same:
            a = self.same[a]
        return a

    def learn(self, m: Atom, n: Atom) -> bool:
        """Make two lengths equal that a check compares; false if those they are made of are not."""
        needed: list[tuple[Var, Var]] = []
        if not self._alike(m, n, needed, set()):
            return False
        for a, b in needed:
            v, w = self.of(a), self.of(b)
            if v is not w and isinstance(v, Var) and isinstance(w, Var):
                self.same[w] = v
                self.pairs.append((self.place[v], self.place[w]))
        return True

    def _alike(
        self, m: Atom, n: Atom, needed: list[tuple[Var, Var]], seen: set[tuple[Atom, Atom]]
    ) -> bool:
        """Whether two lengths are computed alike, if those are equal that go to `needed`."""
        m, n = self.of(m), self.of(n)
        if m == n or (m, n) in seen:
            return True
        seen.add((m, n))
        if not (isinstance(m, Var) and isinstance(n, Var)):
            return False
        if m in self.place and n in self.place:
            needed.append((m, n))
            return 1 < self.length(*self.place[m]) == self.length(*self.place[n])
        d, e = self.definition.get(m), self.definition.get(n)
        if d is None or e is None or d.op is not e.op or d.params != e.params:
            return False
        return isinstance(m.type, Scalar) and all(
            self._alike(a, b, needed, seen) for a, b in zip(d.args, e.args, strict=True)
        )
