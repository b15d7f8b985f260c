"""Allocates once, before a loop, the buffers that each trip would allocate.

>>> show(hoist_allocations(parse('''
... def f(x: f64[n], k: int):
...     n: int = dim(x, axis=0)
...     for i in range(0, k):
...         t: f64[n] = zeros(n, dtype='f64')
...         add_at(t, 0, 1.0)
...         v: f64 = load(t, 0)
...         add_at(x, 0, v)
...     return ()
... ''')))
def f(x: f64[n], k: int):
    n: int = dim(x, axis=0)
    t: f64[n] = empty(n, dtype='f64')
    for i in range(0, k):
        for i1 in range(0, n):
            store(t, i1, 0.0)
        add_at(t, 0, 1.0)
        v: f64 = load(t, 0)
        add_at(x, 0, v)
    return ()

For lowered programs. A buffer moves if its lengths are known before the loop and cannot be
negative, and if no name of it outlives the trip: its class is not joined, held by reference, passed
in or returned. Then all that reads it in a trip comes after its allocation in that trip; one of
zeros is filled there. Out of a nest it moves loop by loop. A buffer that is small for all arguments
stays: the cpu has it on the stack. Never moves what a branch guards, and nothing out of a loop
whose trips may run concurrently: that stays as it is marked.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

from srcgrad.errors import Location
from srcgrad.ir.alias import AliasClasses, alias_classes
from srcgrad.ir.facts import contents
from srcgrad.ir.nodes import Atom, Const, Def, For, Function, Stmt, Var, While, altered, atom
from srcgrad.ir.types import INT, PYTHONS, Array, Scalar, Type, is_reference, np_dtype
from srcgrad.ir.walk import atoms, blocks, defined, inner_definitions, results, uses, walk
from srcgrad.passes.ranged import Ranged
from srcgrad.passes.small.elements import constant
from srcgrad.primitives import REGISTRY, memory, tapes

ALLOCATIONS = (memory.empty, memory.zeros)
SMALL = 1024  # bytes of a buffer that may lie on the stack


def hoist_allocations(function: Function) -> Function:
    inside = contents(function)
    if not inside.depth or inside.operations.isdisjoint(ALLOCATIONS):
        return function
    classes = alias_classes(function)
    return _HoistAllocations(function, classes, escaping(function, classes)).function(function)


def escaping(function: Function, classes: AliasClasses) -> set[Var]:
    """The classes with a name that may outlive a trip in which it was bound."""
    found: list[Atom] = [*function.params, *function.returns]
    for s in walk(function.body):
        if not isinstance(s, Def):
            found += [*results(s), *inner_definitions(s), *atoms(s)]
        elif s.op is tapes.ref_put:
            found += s.args
    return {classes.of(v) for v in found if isinstance(v, Var) and is_reference(v.type)}


class _HoistAllocations(Ranged):
    def __init__(self, function: Function, classes: AliasClasses, kept: set[Var]):
        super().__init__(function)
        self.classes, self.kept = classes, kept

    def loop(self, s: For | While) -> Iterable[Stmt]:
        new = self.rebuilt(s)
        assert isinstance(new, For | While)
        if isinstance(s, For) and s.independent:
            yield altered(new, independent=True)
            return
        inner = set(inner_definitions(new)).union(*(defined(b) for b in blocks(new)))
        moved: list[Def] = []
        body: list[Stmt] = []
        for t in new.body:
            if isinstance(t, Def) and t.var is not None and self.may_move(t, inner):
                moved.append(altered(t, op=REGISTRY["empty"]))
                body += stored_zeros(t.var, t.loc) if t.op is memory.zeros else []
            else:
                body.append(t)
        yield from moved
        yield altered(new, body=tuple(body)) if moved else new

    def may_move(self, s: Def, inner: set[Var]) -> bool:
        return (
            s.op in ALLOCATIONS
            and s.var is not None
            and isinstance(s.var.type, Array)
            and bool(s.args)
            and self.classes.of(s.var) not in self.kept
            and not fits_stack(s.var.type)
            and not any(v in inner for v in uses(s))
            and all(map(self.ranges.is_length, s.args))
        )


def fits_stack(t: Type) -> bool:
    """Whether an array is small enough for the stack whatever the arguments are."""
    if not isinstance(t, Array):
        return False
    dims = constant(t.dims)
    return dims is not None and prod(dims) * np_dtype(t.dtype).itemsize <= SMALL


def stored_zeros(v: Var, loc: Location | None) -> tuple[Stmt, ...]:
    """A nest that stores zeros."""
    value = np_dtype(v.type.dtype).type(0).item()
    zero = Const(value, Scalar(v.type.dtype, weak=v.type.dtype in PYTHONS))
    indices = [Var("ijk"[k] if k < 3 else "i", INT) for k in range(v.type.ndim)]
    args = (v, *indices, zero)
    nest: tuple[Stmt, ...] = (Def(None, REGISTRY["store"], args, {}, loc),)
    for i, n in reversed(list(zip(indices, v.type.dims, strict=True))):
        nest = (For(i, Const(0, INT), atom(n), (), (), nest, (), (), loc=loc),)
    return nest
