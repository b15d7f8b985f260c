"""Adds the outer products of many trips as one product of matrices.

>>> f = parse('''
... def f(g: f64[k, n], x: f64[k, m], a: f64[n, m]):
...     k: int = dim(g, axis=0)
...     n: int = dim(g, axis=1)
...     m: int = dim(x, axis=1)
...     for i in range(0, k):
...         u: f64[n] = view(g, i, spec=('i', ':'))
...         v: f64[m] = view(x, i, spec=('i', ':'))
...         c: f64[n, 1] = view(u, spec=(':', 'n'))
...         p: f64[n, m] = mul(c, v)
...         add_to(a, p)
...     return (a,)
... ''')
>>> [s.op.name for s in walk(batch_products(f).body) if isinstance(s, Def)].count("matmul")
2

Such is the gradient of a matrix that every trip multiplies by a vector. Each product reads and
writes all of the matrix; the product of 64 vectors by 64 does that once. The vectors of a trip are
rows of two buffers; the product is added when they are full, and after the loop. Whether it pays
is decided before the loop, by the lengths. The loop may only add to the matrix: the order of
additions changes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from srcgrad.ir.alias import alias_classes
from srcgrad.ir.clone import copied
from srcgrad.ir.facts import contents
from srcgrad.ir.nodes import Atom, Const, Def, For, Function, If, Stmt, Var, While, altered, atom
from srcgrad.ir.types import INT, Array, atom_dims, is_float, is_reference, same_dim, same_dims
from srcgrad.ir.walk import defined, inner_definitions, uses, walk
from srcgrad.passes.effects import classes_read, is_write, observable_within
from srcgrad.passes.emitter import Emitter, builder_for
from srcgrad.primitives import arrays, elementwise, memory
from srcgrad.records import record

ROWS = 64  # products that are added at once
LARGE = 4096  # elements of a matrix from which on it pays
FEW = 8  # trips: a loop of fewer stays as it is


def batch_products(function: Function) -> Function:
    operations = contents(function).operations
    if memory.add_to not in operations or operations.isdisjoint((elementwise.mul, arrays.matmul)):
        return function
    return _BatchProducts(function).function(function)


@record(frozen=True)
class _Product:
    """An outer product that each trip of a loop adds to a matrix."""

    product: Def
    addition: Def
    left: Atom  # the vectors, of rows and of columns
    right: Atom
    view: Def | None  # of the matrix, if a trip makes it

    @property
    def target(self) -> Atom:
        return self.addition.args[0]


class _BatchProducts(Emitter):
    def __init__(self, function: Function):
        super().__init__(builder_for(function))
        self.classes = alias_classes(function)
        self.used = Counter(v for s in walk(function.body) for v in uses(s))
        self.visible = {self.classes.of(p) for p in function.params if is_reference(p.type)}

    def loop(self, s: For | While) -> Iterable[Stmt]:
        new = self.rebuilt(s)
        assert isinstance(new, For | While)
        products = self.products(new)
        return self.batched(new, products) if products else (new,)

    # ---- finding ----
    def products(self, s: For | While) -> list[_Product]:
        """The outer products that a loop adds to matrices which it does not use otherwise."""
        inner = defined(s.body) | set(inner_definitions(s))
        made = {t.var: t for t in s.body if isinstance(t, Def)}
        found: list[_Product] = []
        for t in s.body:
            if isinstance(t, Def) and t.op is memory.add_to and isinstance(t.args[1], Var):
                product = made.get(t.args[1])
                if product is not None and self.used[t.args[1]] == 1:
                    vectors = self.vectors(product)
                    view = made.get(t.args[0]) if isinstance(t.args[0], Var) else None
                    if vectors and self.fits(t, vectors, view, inner):
                        found.append(_Product(product, t, *vectors, view))
        only = self.only_added_to(s) if found else set[Var]()
        return [p for p in found if self.classes.of(p.target) in only]

    def vectors(self, s: Def) -> tuple[Atom, Atom] | None:
        """The two vectors whose outer product a definition is: of rows, then of columns."""
        if s.var is None or len(atom_dims(s.var)) != 2 or len(s.args) != 2:
            return None
        if s.op is arrays.matmul:
            a, b = s.args
            if len(atom_dims(a)) != 2 or not same_dim(atom_dims(a)[1], 1):
                return None
            return a, b
        if s.op is not elementwise.mul:
            return None
        for a, b in (s.args, s.args[::-1]):
            if self.along(a, 0) and self.along(b, 1):
                return a, b
        return None

    def along(self, a: Atom, axis: int) -> bool:
        """Whether an operand of a matrix varies along one axis only."""
        dims = atom_dims(a)
        if axis == 1 and len(dims) == 1:
            return not same_dim(dims[0], 1)
        return len(dims) == 2 and same_dim(dims[1 - axis], 1) and not same_dim(dims[axis], 1)

    def fits(self, s: Def, vectors: tuple[Atom, Atom], view: Def | None, inner: set[Var]) -> bool:
        """Whether the matrix and all lengths are known before the loop, and BLAS has the dtype."""
        x, g = s.args
        types = [x.type, g.type, *(v.type for v in vectors)]
        if not is_float(x.type.dtype) or len({t.dtype for t in types}) > 1:
            return False
        if x.type.dtype not in ("f64", "f32") or not same_dims(atom_dims(x), atom_dims(g)):
            return False
        lengths = {d for t in types if isinstance(t, Array) for d in t.dims if isinstance(d, Var)}
        known = view is None or (
            view.op in (memory.reshape, memory.transpose) and inner.isdisjoint(view.args)
        )
        return known and (x not in inner or view is not None) and lengths.isdisjoint(inner)

    def only_added_to(self, s: For | While) -> set[Var]:
        """The classes that a loop adds arrays to and does not use otherwise."""
        sums: set[Var] = set()
        others: set[Var] = set()
        tested = s.test if isinstance(s, While) else ()
        for t in walk((*tested, *s.body)):
            if not isinstance(t, Def):
                others |= {self.classes.of(v) for v in uses(t) if is_reference(v.type)}
                continue
            if is_write(t):
                (sums if t.op.adds else others).add(self.classes.of(t.args[0]))
            others |= classes_read(t, self.classes)
        others |= {self.classes.of(v) for v in uses(s) if is_reference(v.type)}
        if any(observable_within(t) for t in (*tested, *s.body)):
            others |= self.visible
        return sums - others

    # ---- rewriting ----
    def batched(self, s: For | While, products: Sequence[_Product]) -> Iterable[Stmt]:
        self.b.loc = s.loc
        batches = [_Batch(self, s, p) for p in products]
        batches = [batch for batch in batches if not _is_never(batch.pays)]
        if not batches:
            return (s,)
        of = {batch.of.product: batch for batch in batches}
        gone = {batch.of.addition for batch in batches}
        body: list[Stmt] = []
        for t in s.body:
            if isinstance(t, Def) and t in of:
                body += of[t].in_a_trip()
            elif t not in gone:
                body.append(t)
        results = [Var("rows", INT) for _ in batches]
        self.b.append(
            altered(
                s, body=tuple(body), params=(*s.params, *(batch.filled for batch in batches)),
                inits=(*s.inits, *(Const(0, INT) for _ in batches)),
                yields=(*s.yields, *(batch.now for batch in batches)),
                results=(*s.results, *results),
            )
        )  # fmt: skip
        for batch, filled in zip(batches, results, strict=True):
            batch.after_the_loop(filled)
        return ()


def _is_never(a: Atom) -> bool:
    return isinstance(a, Const) and not a.value


class _Batch:
    """The rows that the vectors of one outer product are put into, trip by trip."""

    def __init__(self, owner: _BatchProducts, loop: For | While, of: _Product):
        self.b, self.of = owner.b, of
        b = self.b
        self.target = of.target
        if of.view is not None and of.view.var is not None:
            made, new = copied((of.view,), {})
            b.out += made
            self.target = new[of.view.var]
        n, m = (atom(d) for d in atom_dims(of.target))
        self.pays = b.ge(b.mul(n, m), LARGE, name="pays")
        if isinstance(loop, For):
            self.pays = b.logical_and(self.pays, b.ge(b.sub(loop.stop, loop.start), FEW))
        dtype = of.target.type.dtype
        room = b.mul(b.cast(self.pays, INT), ROWS, name="room")
        self.left = b.empty(room, n, dtype=dtype, name="left_rows")
        self.right = b.empty(room, m, dtype=dtype, name="right_rows")
        self.filled = Var("filled", INT)
        self.now = Var("filled", INT)

    def in_a_trip(self) -> Iterable[Stmt]:
        """The statements that follow the place of the product in a trip."""
        b, of = self.b, self.of
        b.loc = of.addition.loc
        following = Var("filled", INT)
        with b.block() as then:
            for rows, vector, axis in ((self.left, of.left, 0), (self.right, of.right, 1)):
                b.assign(b.view(rows, self.filled, spec=("i", ":")), self.flat(vector, axis))
            count = b.add(self.filled, 1)
            full = b.ge(count, ROWS)
            with b.block() as flush:
                self.add(self.left, self.right)
            b.append(If(full, tuple(flush), (), (Const(0, INT),), (count,), (following,), b.loc))
        made, new = copied((of.product,), {})
        assert of.product.var is not None
        added = altered(of.addition, args=(self.target, new[of.product.var]))
        orelse = (*made, added)
        yield If(
            self.pays, tuple(then), orelse, (following,), (self.filled,), (self.now,), b.loc
        )  # fmt: skip

    def flat(self, vector: Atom, axis: int) -> Atom:
        """An operand of the product as a vector."""
        if len(atom_dims(vector)) == 1:
            return vector
        spec = (":", "i") if axis == 0 else ("i", ":")
        return self.b.view(vector, 0, spec=spec)

    def add(self, left: Atom, right: Atom) -> None:
        b = self.b
        b.add_to(self.target, b.matmul(b.transpose(left, perm=(1, 0)), right))

    def after_the_loop(self, filled: Var) -> None:
        b = self.b
        b.loc = self.of.addition.loc
        some = b.gt(filled, 0)
        with b.block() as rest:
            parts = (
                b.view(rows, 0, filled, 1, spec=("s", ":")) for rows in (self.left, self.right)
            )
            self.add(*parts)
        b.append(If(some, tuple(rest), (), (), (), (), b.loc))
