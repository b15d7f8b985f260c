"""New axes: does arithmetic on arrays that have the same new axes without them.

>>> show(lift_new_axes(parse('''
... def f(x: f64[n, m]):
...     n: int = dim(x, axis=0)
...     m: int = dim(x, axis=1)
...     a: f64[n, 1] = sum_to(x, n, 1)
...     b: f64[n, 1] = exp(a)
...     y: f64[n, m] = mul(x, b)
...     return (y,)
... ''')))
def f(x: f64[n, m]):
    n: int = dim(x, axis=0)
    m: int = dim(x, axis=1)
    a: f64[n] = sum(x, axes=(1,))
    a1: f64[n, 1] = view(a, spec=(':', 'n'))
    b: f64[n] = exp(a)
    b1: f64[n, 1] = view(b, spec=(':', 'n'))
    y: f64[n, m] = mul(x, b1)
    return (y,)

Results of `keepdims`, and their adjoints, then have no axes of length 1 in memory, and combine with
arrays of the same shape without them. The operands' own memory is read at the same place, so that
stores do not matter; the result is a new buffer as before, under a view. A sum to axes of length
1 is a sum with new axes. Never changes an array that is stored to or returned.
"""

from __future__ import annotations

from collections.abc import Iterable

from srcgrad.ir.alias import alias_classes
from srcgrad.ir.facts import contents
from srcgrad.ir.nodes import Atom, Def, Function, Stmt, Var
from srcgrad.ir.types import Array, Dims, atom_dims, is_float, is_reference, same_dim, same_dims
from srcgrad.passes.effects import makes_buffer
from srcgrad.passes.rewrite import Rewriter
from srcgrad.primitives import memory, reductions


def lift_new_axes(function: Function) -> Function:
    if contents(function).operations.isdisjoint((memory.view, reductions.sum_to)):
        return function
    return _LiftNewAxes(function).function(function)


class _LiftNewAxes(Rewriter):
    def __init__(self, function: Function):
        super().__init__()
        self.classes = alias_classes(function)
        self.returned = {
            self.classes.of(a)
            for a in function.returns
            if isinstance(a, Var) and is_reference(a.type)
        }
        self.views: dict[Atom, Def] = {}  # arrays with new axes, and no other change

    def definition(self, s: Def) -> Iterable[Stmt]:
        made = self.lifted(s) if self.may_change(s) else None
        if made is not None:
            yield made[0]
        s = s if made is None else made[1]
        if s.op is memory.view and set(s.params["spec"]) == {":", "n"} and s.var is not None:
            self.views[s.var] = s
        yield s

    def may_change(self, s: Def) -> bool:
        v = s.var
        return (
            v is not None
            and makes_buffer(s)
            and self.classes.is_pure(v)
            and self.classes.of(v) not in self.returned
        )

    def lifted(self, s: Def) -> tuple[Def, Def] | None:
        """The operation without new axes, and the view that puts them on its result."""
        if s.op.elementwise:
            return self.arithmetic(s)
        return _sum_with_new_axes(s) if s.op is reductions.sum_to else None

    def arithmetic(self, s: Def) -> tuple[Def, Def] | None:
        arrays = [a for a in s.args if isinstance(a.type, Array)]
        views = [self.views[a] for a in arrays if a in self.views]
        if len(views) < len(arrays):
            return None
        spec, dims = views[0].params["spec"], atom_dims(views[0].args[0])
        if not dims or not all(
            d.params["spec"] == spec and same_dims(atom_dims(d.args[0]), dims) for d in views
        ):
            return None
        args = tuple(self.views[a].args[0] if a in self.views else a for a in s.args)
        return _under_view(s, Def(None, s.op, args, s.params, s.loc), dims, spec)


def _under_view(s: Def, operation: Def, dims: Dims, spec: tuple[str, ...]) -> tuple[Def, Def]:
    assert s.var is not None
    base = Var(s.var.name, Array(s.var.type.dtype, dims))
    made = Def(base, operation.op, operation.args, operation.params, s.loc)
    return made, Def(s.var, memory.view, (base,), {"spec": spec}, s.loc)


def _sum_with_new_axes(s: Def) -> tuple[Def, Def] | None:
    x, v = s.args[0], s.var
    assert v is not None
    old, new = atom_dims(x), atom_dims(v)
    if not is_float(v.type.dtype) or len(old) != len(new):
        return None
    pairs = enumerate(zip(old, new, strict=True))
    summed = tuple(k for k, (mine, d) in pairs if not same_dim(mine, d))
    if not 0 < len(summed) < len(old) or not all(same_dim(new[k], 1) for k in summed):
        return None
    spec = tuple("n" if k in summed else ":" for k in range(len(old)))
    kept = tuple(d for k, d in enumerate(new) if k not in summed)
    operation = Def(None, reductions.sum, (x,), {"axes": summed}, s.loc)
    return _under_view(s, operation, kept, spec)
