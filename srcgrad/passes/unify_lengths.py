"""Lengths: gives those that a check at the entry found equal one name, in the types of all arrays.

>>> show(unify_lengths(parse('''
... def f(x: f64[n, m], w: f64[p, q], v: f64[r]):
...     n: int = dim(x, axis=0)
...     m: int = dim(x, axis=1)
...     p: int = dim(w, axis=0)
...     q: int = dim(w, axis=1)
...     r: int = dim(v, axis=0)
...     check_equal(m, p, message='{} is not {}')
...     t: f64[n, q] = matmul(x, w)
...     check_broadcast(n, q, r, split=2)
...     y: f64[n, q] = add(t, v)
...     return (y,)
... ''')))
def f(x: f64[n, m], w: f64[m, q], v: f64[q]):
    n: int = dim(x, axis=0)
    m: int = dim(x, axis=1)
    p: int = dim(w, axis=0)
    q: int = dim(w, axis=1)
    r: int = dim(v, axis=0)
    check_equal(m, p, message='{} is not {}')
    check_broadcast(n, q, r, split=2)
    t: f64[n, q] = matmul(x, w)
    y: f64[n, q] = add(t, v)
    return (y,)

Shapes compare by name, so every later pass profits: sums to other names of the same shape, flags
of axes that may be broadcast, nests that differ in the names of their lengths only.

The check moves directly after the lengths, so that no loop runs by a length of another array before
it is known to be the same. It passes unobservable statements, and those that raise ValueError for
shapes as well, other checks and extrema of nothing: of several that fail another may be named. It
passes no store to a parameter. A broadcast implies that two lengths are equal if neither is ever 1.
A check that holds by name is removed. Ignores checks in loops and branches, or of computed lengths.
But once a trip has checked that a carried length is another, the rest of it reads the arrays of
that length through views of the other: what a trip adds, and where, has one shape by name then.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from srcgrad.ir.alias import alias_classes
from srcgrad.ir.build import Builder
from srcgrad.ir.facts import contents
from srcgrad.ir.nodes import (
    Atom,
    Block,
    Const,
    Def,
    For,
    Function,
    If,
    Stmt,
    Var,
    While,
    altered,
    atom,
    type_vars,
)
from srcgrad.ir.types import INT, Array, atom_dims, is_reference
from srcgrad.ir.walk import walk
from srcgrad.passes.effects import is_write, observable_within
from srcgrad.passes.rewrite import Rewriter
from srcgrad.primitives import REGISTRY, memory, reductions

SHAPE_CHECKS = frozenset((memory.check_equal, memory.check_broadcast, memory.check_assign))

VIEWS = (memory.view, memory.reshape)
EXTREMA = frozenset((reductions.max, reductions.min))  # of no elements: ValueError


def unify_lengths(function: Function) -> Function:
    lengths = [s for s in function.body if isinstance(s, Def) and s.op is memory.dim]
    first = function.body[: len(lengths)] == tuple(lengths)
    if first and contents(function).operations.isdisjoint(SHAPE_CHECKS):
        return function
    checks = early_checks(function, {s.var for s in lengths if s.var is not None})
    names = _Names(lengths)
    needed = [s for s in checks if names.learn(s)]
    front = {*lengths, *checks}
    rest = tuple([s for s in function.body if s not in front])
    unified = _Unified(names.new).function(function.with_body(rest))
    whole = unified.with_body((*lengths, *needed, *unified.body))
    return _InLoops(whole).function(whole)


def early_checks(function: Function, lengths: set[Var]) -> list[Def]:
    """The checks of lengths of parameters that nothing before them keeps from moving up."""
    classes = alias_classes(function)
    visible = {classes.of(p) for p in function.params if is_reference(p.type)}
    found: list[Def] = []
    for s in function.body:
        if isinstance(s, Def) and s.op in SHAPE_CHECKS:
            if all(a in lengths for a in s.args if isinstance(a, Var)):
                found.append(s)
            continue
        shapes_only = isinstance(s, Def) and s.op in EXTREMA
        if (observable_within(s) and not shapes_only) or any(
            isinstance(t, Def) and is_write(t) and classes.of(t.args[0]) in visible
            for t in walk((s,))
        ):
            break
    return found


class _Names:
    """The representative of each length: the first equal one, if possible one that is never 1."""

    def __init__(self, lengths: list[Def]):
        self.b = Builder(REGISTRY)
        self.b.definition = {s.var: s for s in lengths if s.var is not None}
        order = enumerate(self.b.definition)
        self.rank: dict[Atom, Any] = {v: (not self.b.never_one(v), k) for k, v in order}
        self.new: dict[Var, Atom] = {}

    def of(self, a: Atom) -> Atom:
        while isinstance(a, Var) and a in self.new:
            a = self.new[a]
        return a

    def learn(self, s: Def) -> bool:
        """Uses a check; False if those before it imply it."""
        named = altered(s, args=tuple(map(self.of, s.args)))
        if _holds(named):
            return False
        for m, n in _equal(named, self.b):
            m, n = self.of(m), self.of(n)
            if isinstance(m, Var) and isinstance(n, Var) and m is not n:
                m, n = sorted((m, n), key=self.rank.__getitem__)
                self.new[n] = m
        return True


def _equal(s: Def, b: Builder) -> Iterator[tuple[Atom, Atom]]:
    """The pairs of lengths that are equal once a check has passed."""
    for m, n in compared_by(s):
        bound = s.op is memory.check_equal or b.never_one(b.dim(n))
        if bound and (s.op is not memory.check_broadcast or b.never_one(b.dim(m))):
            yield m, n


def compared_by(s: Def) -> list[tuple[Atom, Atom]]:
    """The lengths that a check compares: the one assigned or broadcast comes second."""
    if s.op is memory.check_equal:
        return [(s.args[0], s.args[1])]
    split = s.params["split"]
    return list(zip(s.args[:split][::-1], s.args[split:][::-1], strict=False))


class _Unified(Rewriter):
    def __init__(self, new: dict[Var, Atom]):
        super().__init__()
        self.new = new

    def definition(self, s: Def) -> Iterable[Stmt]:
        if not (s.op in SHAPE_CHECKS and _holds(s)):
            yield s


class _InLoops(Rewriter):
    """Names the lengths of arrays that loops carry, once a trip has checked them."""

    def __init__(self, function: Function):
        super().__init__()
        self.b = Builder(REGISTRY)
        views = (s for s in walk(function.body) if isinstance(s, Def) and s.op in VIEWS)
        self.there = {(s.args[0], m) for s in views for m in s.args[1:]}  # since an earlier run
        self.lengths: set[Var] = set()  # that the inmost loop carries, and no check has named
        self.arrays: list[Var] = []  # that it carries, and that the trip has made so far

    def loop(self, s: For | While) -> Iterable[Stmt]:
        outer = self.lengths, self.arrays
        carried = {p: [q for q in s.params if p in type_vars(q.type)] for p in s.params}
        lengths = {p: arrays for p, arrays in carried.items() if arrays}
        self.lengths = {*lengths}
        self.arrays = [*dict.fromkeys(chain.from_iterable(lengths.values()))]
        new = self.rebuilt(s)
        assert isinstance(new, For | While)
        yield new if len(self.lengths) == len(lengths) else self.yielding(new, lengths)
        self.lengths, self.arrays = outer
        self.arrays += s.results

    def branch(self, s: If) -> Iterable[Stmt]:
        """The branch, its checks unused: they hold in their arm alone."""
        outer, self.lengths = self.lengths, set()
        yield self.rebuilt(s)
        self.lengths = outer
        self.arrays += s.results

    def yielding(self, s: For | While, carried: dict[Var, list[Var]]) -> For | While:
        """The loop whose trips yield each array with the lengths that its type names now."""
        made = dict(zip(s.params, s.yields, strict=True))
        for p, (first, *_) in carried.items():
            (k, *_) = (k for k, d in enumerate(atom_dims(first)) if d is p)
            made[p] = atom(atom_dims(made[first])[k])
        self.b.out = []
        for q in dict.fromkeys(chain.from_iterable(carried.values())):
            dims = [made.get(d, d) if isinstance(d, Var) else atom(d) for d in atom_dims(q)]
            same = [_is_same(d, atom(e)) for d, e in zip(dims, atom_dims(made[q]), strict=True)]
            if not all(same):
                made[q] = self.renamed(made[q], dims, same)
        return altered(s, body=(*s.body, *self.b.out), yields=tuple([made[p] for p in s.params]))

    def renamed(self, x: Atom, dims: list[Atom], whole: list[bool]) -> Var:
        """The view of an array by other names of its lengths; contiguous if the array is."""
        assert isinstance(x, Var) and isinstance(x.type, Array)
        if x.type.layout == "C" and not all(whole[1:]):
            named = [atom(e) if w else d for d, e, w in zip(dims, x.type.dims, whole, strict=True)]
            return self.b.reshape(x, *named, name=x.name)
        spec = tuple(":" if w else "s" for w in whole)
        others = [d for d, w in zip(dims, whole, strict=True) if not w]
        spans = [a for d in others for a in (Const(0, INT), d, Const(1, INT))]
        return self.b.view(x, *spans, spec=spec, name=x.name)

    def block(self, block: Block) -> Block:
        known, arrays = dict(self.new), self.arrays
        self.arrays = [*arrays]
        new = super().block(block)
        self.new, self.arrays = known, arrays
        return new

    def definition(self, s: Def) -> Iterable[Stmt]:
        yield s
        if s.var is not None and self.lengths and isinstance(s.var.type, Array):
            self.arrays.append(s.var)
        if s.op is memory.check_equal and self.lengths:
            for n, m in (s.args, s.args[::-1]):
                if isinstance(n, Var) and n in self.lengths and m not in self.lengths:
                    yield from self.viewed(n, m)
                    return

    def viewed(self, n: Var, m: Atom) -> Iterable[Stmt]:
        """The arrays of length `n`, which is `m`, as arrays of length `m`."""
        self.b.out = []
        self.lengths.discard(n)
        named = [(a, x) for a in self.arrays if n in type_vars((x := self.atom(a)).type)]
        if not any((x, m) in self.there for _, x in named):
            for a, x in named:
                whole = [d is not n for d in atom_dims(x)]
                self.new[a] = self.renamed(x, [m] * len(whole), whole)
            self.new[n] = m
        return self.b.out


def _is_same(m: Atom, n: Atom) -> bool:
    """Whether two lengths are one variable, or equal numbers."""
    return m is n or (isinstance(m, Const) and isinstance(n, Const) and m.value == n.value)


def _holds(s: Def) -> bool:
    """Whether a check passes for all lengths."""
    ranks = s.params.get("split", 1), len(s.args) - s.params.get("split", 1)
    if s.op is memory.check_assign and ranks[0] < ranks[1]:
        return False
    return all(_fit(s, m, n) for m, n in compared_by(s))


def shape_checks(function: Function) -> list[Def]:
    return [s for s in walk(function.body) if isinstance(s, Def) and s.op in SHAPE_CHECKS]


def never_holds(s: Def) -> bool:
    """Whether a check fails for all lengths."""
    constants = (p for p in compared_by(s) if all(isinstance(a, Const) for a in p))
    return not all(_fit(s, m, n) for m, n in constants)


def _fit(s: Def, m: Atom, n: Atom) -> bool:
    if _is_same(m, n):
        return True
    ones = {memory.check_equal: (), memory.check_assign: (n,)}.get(s.op, (m, n))
    return any(isinstance(d, Const) and d.value == 1 for d in ones)
