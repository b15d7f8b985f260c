"""Transposes of outer products: computes the product in the order in which it is read.

>>> show(lift_transposes(parse('''
... def f(x: f64[n], y: f64[m]):
...     n: int = dim(x, axis=0)
...     m: int = dim(y, axis=0)
...     a: f64[n, 1] = view(x, spec=(':', 'n'))
...     b: f64[1, m] = view(y, spec=('n', ':'))
...     p: f64[n, m] = mul(a, b)
...     t: f64.strided[m, n] = transpose(p, perm=(1, 0))
...     r: f64[m, n] = exp(t)
...     return (r,)
... ''')))
def f(x: f64[n], y: f64[m]):
    n: int = dim(x, axis=0)
    m: int = dim(y, axis=0)
    a: f64[n, 1] = view(x, spec=(':', 'n'))
    b: f64[1, m] = view(y, spec=('n', ':'))
    t: f64[1, n] = view(x, spec=('n', ':'))
    t1: f64[m, 1] = view(y, spec=(':', 'n'))
    t2: f64[m, n] = mul(t, t1)
    r: f64[m, n] = exp(t2)
    return (r,)

The adjoint of `x @ a` in `a` is such a product, made for the transpose that the library multiplies
by, and added to a transpose where `a` is read elsewhere too: then the product in the other order is
added to the array itself. It shares the nest of what reads it; before, one of the two was walked by
columns.
The operands are read where they were; each must have fewer elements than the result, since an
operand of as many would be read by columns as well. Never changes an array that is stored to or
returned.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from srcgrad.ir.alias import alias_classes
from srcgrad.ir.facts import contents, definitions
from srcgrad.ir.nodes import Atom, Def, Function, Stmt, Var
from srcgrad.ir.types import Array, atom_dims, is_reference, same_dim, same_dims
from srcgrad.ir.walk import atoms, uses, walk
from srcgrad.passes.effects import makes_buffer
from srcgrad.passes.emitter import Emitter, builder_for
from srcgrad.primitives import memory
from srcgrad.records import record


@record(frozen=True)
class _Turned:
    """The one statement that reads an outer product, and the order in which it does."""

    reader: Def  # a transpose of the product, or its addition to a transpose
    perm: tuple[int, ...]


def lift_transposes(function: Function) -> Function:
    if memory.transpose not in contents(function).operations:
        return function
    turned = _only_transposed(function)
    return _LiftTransposes(function, turned).function(function) if turned else function


def _only_transposed(function: Function) -> dict[Var, _Turned]:
    """The outer products that one statement reads, and which nothing else shows."""
    statements = walk(function.body)
    made = {s.var: s for s in statements if isinstance(s, Def) and _is_outer_product(s)}
    if not made:
        return {}
    used = Counter(v for s in statements for v in uses(s))
    classes = alias_classes(function)
    shown = {classes.of(a) for a in function.returns if _is_reference(a)}
    shown.update(  # what loops carry, branches join and containers hold
        classes.of(a)
        for s in statements
        if not isinstance(s, Def) or s.op.holds
        for a in atoms(s)
        if _is_reference(a)
    )
    read = {x: t for s in statements if isinstance(s, Def) for x, t in _readings(s, function)}
    return {
        x: t
        for x, t in read.items()
        if x in made and used[x] == 1 and classes.is_pure(x) and classes.of(x) not in shown
    }


def _readings(s: Def, function: Function) -> Iterator[tuple[Var, _Turned]]:
    """The array that a definition reads transposed, or adds to a transpose."""
    x = s.args[-1] if s.args else None
    if not isinstance(x, Var):
        return
    if s.op is memory.transpose:
        yield x, _Turned(s, s.params["perm"])
    elif s.op is memory.add_to and (view := _transposed(s.args[0], function)) is not None:
        perm: tuple[int, ...] = view.params["perm"]
        if same_dims(atom_dims(x), atom_dims(s.args[0])):
            yield x, _Turned(s, tuple(map(perm.index, range(len(perm)))))


def _transposed(x: Atom, function: Function) -> Def | None:
    """The definition of a transpose."""
    d = definitions(function).get(x) if isinstance(x, Var) else None
    return d if d is not None and d.op is memory.transpose else None


def _is_outer_product(s: Def) -> bool:
    """Whether a definition makes a buffer of operands that each have fewer elements than it."""
    if not s.op.elementwise or s.var is None or not makes_buffer(s):
        return False
    return all(_is_smaller(a, s.var) for a in s.args)


def _is_smaller(a: Atom, result: Var) -> bool:
    dims = atom_dims(a)
    long = [d for d in dims if not same_dim(d, 1)]
    return len(long) < len([d for d in atom_dims(result) if not same_dim(d, 1)])


def _is_reference(a: Atom) -> bool:
    return isinstance(a, Var) and is_reference(a.type)


class _LiftTransposes(Emitter):
    def __init__(self, function: Function, turned: dict[Var, _Turned]):
        super().__init__(builder_for(function))
        self.read = turned
        self.done: dict[Def, Var] = {}  # by the reader, the product in its order

    def statement(self, s: Stmt) -> Iterable[Stmt]:
        if isinstance(s, Def) and s in self.done:
            return self.reader(s, self.done[s])
        return super().statement(s)

    def reader(self, s: Def, product: Var) -> Iterable[Stmt]:
        """The reader of a product that is made in its order."""
        if s.op is memory.transpose:
            return ()
        view = self.b.definition[s.args[0]]  # type: ignore[index]  (a view is a variable)
        return (Def(None, memory.add_to, (self.atom(view.args[0]), product), s.params, s.loc),)

    def definition(self, s: Def) -> Iterable[Stmt]:
        turned = self.read.get(s.var) if s.var is not None else None
        if turned is None or s.var is None:
            return (s,)
        self.b.loc = s.loc
        old, perm, reader = atom_dims(s.var), turned.perm, turned.reader
        args = tuple(self.turned(a, len(old), perm) for a in s.args)
        dims = tuple(old[p] for p in perm)
        shown = s.var if reader.var is None else reader.var
        new = Var(shown.name, Array(s.var.type.dtype, dims))
        if reader.var is not None:
            self.new[reader.var] = new
        self.done[reader] = new
        return (Def(new, s.op, args, s.params, s.loc),)

    def turned(self, a: Atom, rank: int, perm: tuple[int, ...]) -> Atom:
        """An operand of a result of some rank, in the order of the transposed result."""
        dims = atom_dims(a)
        if not isinstance(a.type, Array) or not dims:
            return a
        base, spec = a, (":",) * len(dims)
        put = self.b.definition.get(a) if isinstance(a, Var) else None
        if put is not None and put.op is memory.view and set(put.params["spec"]) <= {":", "n"}:
            base, spec = self.atom(put.args[0]), put.params["spec"]
        spec = ("n",) * (rank - len(spec)) + spec
        if spec.count(":") == 1:  # a vector: its new axes are put elsewhere
            return self.b.view(base, spec=tuple(spec[p] for p in perm))
        a = a if len(dims) == rank else self.b.view(a, spec=spec)
        return self.b.transpose(a, perm=perm)
