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

from collections.abc import Iterable, Iterator, Sequence

from srcgrad.ir.alias import alias_classes
from srcgrad.ir.build import Builder
from srcgrad.ir.clone import anew, copied
from srcgrad.ir.facts import contents
from srcgrad.ir.nodes import Atom, Block, Def, For, Function, If, Stmt, Var, While, altered
from srcgrad.ir.walk import blocks, replaced_by, walk
from srcgrad.passes.contractions.apart import apart
from srcgrad.passes.contractions.guards import MOST, is_enough, is_worth
from srcgrad.passes.contractions.matrices import (
    Product,
    Walk,
    nested,
    place_of,
    turned,
)
from srcgrad.passes.contractions.nests import Contraction, Nest, is_zero
from srcgrad.passes.contractions.points import Division, places, replacing
from srcgrad.passes.cse import cse
from srcgrad.passes.dead_code import eliminate
from srcgrad.passes.hoist import hoist
from srcgrad.passes.places import Places, Poly, evaluated
from srcgrad.passes.privatized_buffers import privatized_buffers
from srcgrad.passes.rewrite import Rewriter
from srcgrad.passes.simplify import simplify
from srcgrad.primitives import REGISTRY, arrays, elementwise, memory

DIVISIONS = 8  # of loops over points, at most


def contractions(function: Function) -> Function:
    found = contents(function)
    if found.depth < 3 or elementwise.mul not in found.operations:
        return function
    own = privatized_buffers(function)
    new = _with_products(own)
    divided = apart(own)
    if divided is not own and _products(other := _with_products(divided)) > _products(new):
        new = other
    for _ in range(DIVISIONS):
        divided = _divided(new)
        if divided is None:
            break
        new = _with_products(divided)
    return function if new is own else new


def _products(function: Function) -> int:
    return sum(isinstance(s, Def) and s.op is arrays.matmul for s in walk(function.body))


def _with_products(function: Function) -> Function:
    new = _Contractions(function).function(function)
    return function if new is function else eliminate(hoist(cse(simplify(new))))


class _Contractions(Rewriter):
    def __init__(self, function: Function):
        super().__init__()
        self.places, self.classes = Places(function), alias_classes(function)

    def branch(self, s: If) -> Iterable[Stmt]:
        if has_product(s):  # the other side is loops for short axes
            then = self.block(s.then)
            yield s if then is s.then else altered(s, then=then)
            return
        yield self.rebuilt(s)

    def loop(self, s: For | While) -> Iterable[Stmt]:
        found = self.found(s) if isinstance(s, For) else None
        if found is None:
            yield self.rebuilt(s)
        else:
            yield from _Versions(found, found.nest.root).statements()

    def found(self, s: For) -> Contraction | None:
        """The contraction that a loop is, if it may be worth a product."""
        found = Nest(s, self.places, self.classes).contraction()
        return found if found is not None and is_worth(found) else None


def has_product(s: If) -> bool:
    return any(isinstance(t, Def) and t.op is arrays.matmul for t in walk(s.then))


# ---- products over the points of a loop ----
def _divided(function: Function) -> Function | None:
    """The function with one loop divided, where its second part has a product over all trips."""
    around, classes = Places(function), alias_classes(function)
    for s in _loops(function.body):
        whole = Nest(s, around, classes)
        for k in places(s, classes):
            division = Division(s, k, classes)
            if not whole.is_quiet() or not division.is_legal():
                continue
            *ahead, second = division.statements()
            found = _of_second(replacing(function, s, (*ahead, second)), second)
            checks = whole.checks(walk(division.first))
            if found is not None and checks is not None:
                found = altered(found, checks=(*checks, *found.checks))
                versions = _Versions(found, s, tuple(ahead), division.sizes(around))
                return replacing(function, s, versions.statements())
    return None


def _loops(block: Block) -> Iterator[For]:
    for s in block:
        if isinstance(s, For):
            yield s
        inner = (s.then,) if isinstance(s, If) and has_product(s) else blocks(s)
        for part in inner:
            yield from _loops(part)


def _of_second(trial: Function, s: Stmt) -> Contraction | None:
    """The contraction over the trips of a divided loop's second part."""
    assert isinstance(s, For)
    found = Nest(s, Places(trial), alias_classes(trial)).contraction()
    if found is None or s not in (*found.rows, *found.columns) or not is_worth(found):
        return None
    return found


class _Versions:
    """A nest as a product of matrices, and as it is where that is too small."""

    def __init__(
        self, found: Contraction, loops: For, ahead: Block = (), sizes: Sequence[Poly] = ()
    ):
        """`loops`: the nest as it is; `ahead`: what precedes the product, of arrays of `sizes`."""
        self.found, self.loops, self.ahead, self.sizes = found, loops, ahead, sizes
        self.b = Builder(REGISTRY)
        self.b.loc = found.target.loc

    def statements(self) -> Block:
        b, s = self.b, self.loops
        go = is_enough(self.found, b)
        for size in self.sizes:
            go = b.logical_and(go, b.le(evaluated(b, size), MOST))
        with b.block() as then:
            b.out += self.ahead
            self.product()
        product, names = copied(tuple(then), {})
        ends = tuple(map(replaced_by(names), s.results))
        loops = altered(s, results=anew(s.results))
        b.append(If(go, product, (loops,), ends, loops.results, s.results, s.loc))
        return tuple(b.out)

    def product(self) -> None:
        sums = _Sums(self.found, self.b)
        root = self.found.nest.root
        if self.found.inner[0] is root:
            sums.write()
        else:
            self.b.append(sums.within(root))


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
