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
by. It then shares the nest of what reads it; before, it was stored by rows and read by columns.
The operands are read where they were; each must have fewer elements than the result, since an
operand of as many would be read by columns as well. Never changes an array that is stored to or
returned.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from srcgrad.ir.alias import alias_classes
from srcgrad.ir.facts import contents
from srcgrad.ir.nodes import Atom, Def, Function, Stmt, Var
from srcgrad.ir.types import Array, atom_dims, is_reference, same_dim
from srcgrad.ir.walk import atoms, uses, walk
from srcgrad.passes.effects import makes_buffer
from srcgrad.passes.emitter import Emitter, builder_for
from srcgrad.primitives import memory


def lift_transposes(function: Function) -> Function:
    if memory.transpose not in contents(function).operations:
        return function
    transposes = _only_transposed(function)
    return _LiftTransposes(function, transposes).function(function) if transposes else function


def _only_transposed(function: Function) -> dict[Var, Def]:
    """The outer products that are read by one transpose alone, with that transpose."""
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
    return {
        x: s
        for s in statements
        if isinstance(s, Def) and s.op is memory.transpose and isinstance(x := s.args[0], Var)
        and x in made and used[x] == 1 and classes.is_pure(x) and classes.of(x) not in shown
    }  # fmt: skip


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
    def __init__(self, function: Function, transposes: dict[Var, Def]):
        super().__init__(builder_for(function))
        self.transposes = transposes
        self.done: set[Var] = set()  # transposes whose result is computed in their order

    def definition(self, s: Def) -> Iterable[Stmt]:
        if s.var in self.done:
            return ()
        turned = self.transposes.get(s.var) if s.var is not None else None
        if turned is None or turned.var is None:
            return (s,)
        self.b.loc = s.loc
        rank, perm = len(atom_dims(s.var)), turned.params["perm"]
        args = tuple(self.turned(a, rank, perm) for a in s.args)
        new = Var(
            turned.var.name, Array(s.var.type.dtype, tuple(atom_dims(s.var)[p] for p in perm))
        )
        self.new[turned.var] = new
        self.done.add(turned.var)
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
