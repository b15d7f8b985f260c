"""Contractions: loops that multiply two arrays and sum become a product of matrices.

>>> show(contractions(parse('''
... def f(y: f64[n, m], a: f64[n, p], b: f64[p, m]):
...     n: int = dim(y, axis=0)
...     m: int = dim(y, axis=1)
...     p: int = dim(a, axis=1)
...     for i in range(0, n):
...         for j in range(0, m):
...             for k in range(0, p):
...                 u: f64 = load(a, i, k)
...                 v: f64 = load(b, k, j)
...                 w: f64 = mul(u, v)
...                 add_at(y, i, j, w)
...     return ()
... ''')))
def f(y: f64[n, m], a: f64[n, p], b: f64[p, m]):
    n: int = dim(y, axis=0)
    m: int = dim(y, axis=1)
    p: int = dim(a, axis=1)
    t: bool = ge(n, 8)
    t1: bool = ge(m, 8)
    t2: bool = ge(p, 8)
    t3: int = mul(n, m)
    t4: int = mul(t3, p)
    t5: bool = ge(t4, 4096)
    t6: bool = logical_and(t, t1)
    t7: bool = logical_and(t6, t2)
    t8: bool = logical_and(t7, t5)
    if t8:
        t9: f64[n, m] = matmul(a, b)
        add_to(y, t9)
    else:
        for i in range(0, n):
            for j in range(0, m):
                for k in range(0, p):
                    u: f64 = load(a, i, k)
                    v: f64 = load(b, k, j)
                    w: f64 = mul(u, v)
                    add_at(y, i, j, w)
    return ()

The lengths decide before the loops: products of fewer than 4096 multiplications, or of fewer than 8
rows, columns or terms, and loops of which an index is out of bounds or counts from the end, run as
they are written. The terms of a sum may be added in any order, but none is left out: zero times an
infinite number is NaN as before. Sums of floats only, in the dtype of the loops. Runs before
differentiation: the adjoint of a product is two of them.
"""

from __future__ import annotations

from collections.abc import Iterable

from srcgrad.ir.alias import alias_classes
from srcgrad.ir.build import Builder
from srcgrad.ir.clone import anew, copied
from srcgrad.ir.facts import contents
from srcgrad.ir.nodes import Atom, Block, Def, For, Function, If, Stmt, Var, While, altered
from srcgrad.ir.walk import walk
from srcgrad.passes.contractions.guards import is_enough, is_worth
from srcgrad.passes.contractions.matrices import (
    Product,
    Walk,
    nested,
    place_of,
    turned,
)
from srcgrad.passes.contractions.nests import Contraction, Nest, is_zero
from srcgrad.passes.cse import cse
from srcgrad.passes.dead_code import eliminate
from srcgrad.passes.hoist import hoist
from srcgrad.passes.places import Places
from srcgrad.passes.rewrite import Rewriter
from srcgrad.passes.simplify import simplify
from srcgrad.primitives import REGISTRY, arrays, elementwise, memory


def contractions(function: Function) -> Function:
    found = contents(function)
    if found.depth < 3 or elementwise.mul not in found.operations:
        return function
    new = _Contractions(function).function(function)
    return function if new is function else eliminate(hoist(cse(simplify(new))))


class _Contractions(Rewriter):
    def __init__(self, function: Function):
        super().__init__()
        self.places, self.classes = Places(function), alias_classes(function)

    def branch(self, s: If) -> Iterable[Stmt]:
        if any(isinstance(t, Def) and t.op is arrays.matmul for t in walk(s.then)):
            yield s  # the other side is loops for short axes
            return
        yield self.rebuilt(s)

    def loop(self, s: For | While) -> Iterable[Stmt]:
        found = self.found(s) if isinstance(s, For) else None
        if found is None:
            yield self.rebuilt(s)
        else:
            yield from _Versions(found).statements()

    def found(self, s: For) -> Contraction | None:
        """The contraction that a loop is, if it may be worth a product."""
        found = Nest(s, self.places, self.classes).contraction()
        return found if found is not None and is_worth(found) else None


class _Versions:
    """A nest as a product of matrices, and as it is where that is too small."""

    def __init__(self, found: Contraction):
        self.found, self.root = found, found.nest.root
        self.b = Builder(REGISTRY)
        self.b.loc = found.target.loc

    def statements(self) -> Block:
        b, root = self.b, self.root
        go = is_enough(self.found, b)
        with b.block() as then:
            ends = self.product()
        loops = altered(root, results=anew(root.results))
        b.append(If(go, tuple(then), (loops,), ends, loops.results, root.results, root.loc))
        return tuple(b.out)

    def product(self) -> tuple[Var, ...]:
        """Writes the nest with the product, and returns what it carries."""
        sums = _Sums(self.found, self.b)
        if self.found.inner[0] is self.root:
            sums.write()
            return ()
        (new,), names = copied((sums.within(self.root),), {})
        self.b.append(new)
        return tuple(names[r] for r in self.root.results)  # type: ignore[misc]  (copied results are variables)


class _Sums:
    """Loops in which what was summed is read from the product."""

    def __init__(self, found: Contraction, b: Builder):
        self.found, self.b, self.nest = found, b, found.nest
        self.product = Product(found, b)
        self.made, self.over = self.product.made()

    def within(self, s: For) -> For:
        b = self.b
        with b.block() as out:
            for t in s.body:
                if t is self.found.inner[0]:
                    self.write()
                elif isinstance(t, For) and self.found.inner[0] in walk((t,)):
                    b.append(self.within(t))
                else:
                    b.append(t)
        return altered(s, body=tuple(out))

    def write(self) -> None:
        """Writes what is done with the sums of one trip of the loops around."""
        target = self.found.target
        if isinstance(target, Def):
            self.add(target)
            return
        b, (first,), (end,) = self.b, target.inits, target.results
        at = [place_of(t.index, t, b) for t in self.over]
        if is_zero(first):
            b.append(Def(end, memory.load, (self.made, *at), {}, target.loc))
        else:
            total = (first, b.load(self.made, *at))
            b.append(Def(end, elementwise.add, total, {}, target.loc))

    def add(self, target: Def) -> None:
        """Adds sums to their elements."""
        b, f = self.b, self.found
        own = [s for s in self.over if s in f.inner]
        walk = Walk.of(f.nest, target.array, target.args[1:-1], own)
        if walk is not None:
            spec = tuple(":" if s in own else "i" for s in self.over)
            fixed = [place_of(s.index, s, b) for s in self.over if s not in own]
            sums = b.view(self.made, *fixed, spec=spec) if fixed else self.made
            b.add_to(walk.view(b), turned(b, sums, own, walk.axes))
            return

        def body(index: dict[Var, Atom]) -> None:
            at = self.product.values(target.args[:-1], index, f.inner[:1])
            places = (place_of(index.get(s.index, s.index), s, b) for s in self.over)
            b.add_at(*at, b.load(self.made, *places))

        nested(b, own, body, {})
