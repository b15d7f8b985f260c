"""Replaces zeros that are only added to as a whole, before any read, by the sum of the addends.

>>> show(first_additions(parse('''
... def f(x: f64[n], y: f64[n]):
...     n: int = dim(x, axis=0)
...     a: f64[n] = sin(x)
...     z: f64[n] = zeros(n, dtype='f64')
...     add_to(z, a)
...     t: f64[n] = exp(y)
...     add_to(z, t)
...     r: f64[n] = cos(z)
...     return (r,)
... ''')))
def f(x: f64[n], y: f64[n]):
    n: int = dim(x, axis=0)
    a: f64[n] = sin(x)
    z: f64[n] = add(a, f64(0.0))
    t: f64[n] = exp(y)
    z1: f64[n] = add(z, t)
    r: f64[n] = cos(z1)
    return (r,)

A shadow of an array of which only views were read thus becomes a value like any other. The
additions may go through views that name each element once: transposes, reshapes, new axes. Each
addend has to be an array that nothing ever stores to, all in the block that makes the zeros. A sum
that begins with zeros has no -0.0, hence the addition of 0.0; adjoints do without it. Never touches
zeros that loops carry or branches join, nor any that are stored to later.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field

from srcgrad.ir.alias import alias_classes
from srcgrad.ir.build import Builder
from srcgrad.ir.facts import contents
from srcgrad.ir.nodes import Atom, Block, Const, Def, Function, Stmt, Var, atom
from srcgrad.ir.summaries import Summaries
from srcgrad.ir.types import Array, Scalar, is_float, is_reference, same_dims
from srcgrad.ir.walk import atoms, map_type, uses, walk
from srcgrad.passes.effects import is_write
from srcgrad.passes.rewrite import Rewriter
from srcgrad.primitives import REGISTRY, elementwise, memory
from srcgrad.records import record


def first_additions(function: Function) -> Function:
    if not {memory.zeros, memory.add_to} <= contents(function).operations:
        return function
    return _FirstAdditions(function).function(function)


@record()
class _Sum:
    """Zeros that become a sum: the views of them, and the additions, in order."""

    zeros: Var
    views: dict[Var, tuple[Def, ...]] = field(default_factory=dict[Var, tuple[Def, ...]])
    additions: list[Def] = field(default_factory=list[Def])
    early: tuple[Def, ...] = ()  # the views before the last addition, which move after it


class _FirstAdditions(Rewriter):
    def __init__(self, function: Function):
        super().__init__()
        self.classes = alias_classes(function)
        self.b = Builder(REGISTRY)
        self.mentioned = Summaries(self._mentioned)
        self.made: dict[Var, Def] = {}  # views, with their current operands
        self.returned = {self.classes.of(a) for a in function.returns if _is_reference(a)}
        self.joined = {  # what loops carry, branches join and containers hold
            self.classes.of(a)
            for s in walk(function.body)
            if not isinstance(s, Def) or s.op.holds
            for a in atoms(s)
            if _is_reference(a)
        }

    def block(self, block: Block) -> Block:
        at = [k for k, s in enumerate(block) if isinstance(s, Def) and s.op is memory.zeros]
        mentions = self.mentions(block) if at else {}
        found = [z for k in at if (z := self.sum_of(k, block, mentions)) is not None]
        if not found:
            return super().block(block)
        added = {s: z for z in found for s in z.additions}
        early = {z.zeros for z in found} | {d.var for z in found for d in z.early}
        out: list[Stmt] = []
        for s in block:
            if s in added:
                assert isinstance(s, Def)
                out += self.added(added[s], s)
            elif not (isinstance(s, Def) and s.var in early):
                out += self.statement(s)
        return tuple(out)

    # ---- finding ----
    def mentions(self, block: Block) -> dict[Var, list[int]]:
        """For each class, the places in a block that mention it."""
        found: dict[Var, list[int]] = {}
        for k, s in enumerate(block):
            for cls in self.mentioned[s]:
                found.setdefault(cls, []).append(k)
        return found

    def _mentioned(self, s: Stmt, inner: list[set[Var]]) -> set[Var]:
        """The classes that a statement mentions."""
        return {self.classes.of(v) for v in uses(s) if is_reference(v.type)}.union(*inner)

    def sum_of(self, k: int, block: Block, mentions: dict[Var, list[int]]) -> _Sum | None:
        s = block[k]
        assert isinstance(s, Def) and s.var is not None
        cls = self.classes.of(s.var)
        t = s.var.type
        if cls in self.joined or not t.dims or not is_float(t.dtype):
            return None
        z = _Sum(s.var, {s.var: ()})
        later = [block[j] for j in mentions.get(cls, ()) if j > k]
        for n, t in enumerate(later):
            if not (isinstance(t, Def) and self.takes(z, t)):
                writes = (w for w in walk(later[n:]) if isinstance(w, Def) and is_write(w))
                stored = any(self.classes.of(w.args[0]) is cls for w in writes)
                return None if stored or not z.additions else z
        return z if z.additions else None

    def takes(self, z: _Sum, s: Def) -> bool:
        """Whether a definition is one more view of the zeros, or one more addition."""
        x = s.args[0]
        if not isinstance(x, Var) or x not in z.views:
            return False
        if s.var is not None and _is_bijective(s):
            z.views[s.var] = (*z.views[x], s)
            return True
        if s.op is not memory.add_to:
            return False
        g = s.args[1]
        fits = isinstance(g.type, Array) and same_dims(g.type.dims, x.type.dims)
        if not fits or g.type.dtype != x.type.dtype or not self.classes.is_pure(g):
            return False
        z.additions.append(s)
        z.early = tuple(path[-1] for path in z.views.values() if path)
        return True

    # ---- rewriting ----
    def definition(self, s: Def) -> Iterable[Stmt]:
        if s.op is memory.view and s.var is not None:
            self.made[s.var] = s
        yield s

    def added(self, z: _Sum, s: Def) -> list[Stmt]:
        """The sum after one more addition; after the last, the views of what were zeros."""
        self.b.out, self.b.loc = [], s.loc
        x = s.args[0]
        assert isinstance(x, Var)
        g = self.turned_back(self.atom(s.args[1]), z.views[x])
        first, is_shadow = s is z.additions[0], s.loc is not None and bool(s.loc.role)
        own = not (first and is_shadow)
        if own:
            zero = Const(0.0, Scalar(g.type.dtype))
            g = self.plus(g, zero, z) if first else self.plus(self.atom(z.zeros), g, z)
        views: list[Stmt] = []
        if s is z.additions[-1]:
            if not _is_contiguous(g) or not (own or self.classes.of(z.zeros) not in self.returned):
                g = self.b.copy(g, name=z.zeros.name)
            self.new[z.zeros] = g
            views = [t for d in z.early for t in self.statement(d)]
        self.new[z.zeros] = g
        return [*self.b.out, *views]

    def plus(self, a: Atom, b: Atom, z: _Sum) -> Var:
        v = Var(z.zeros.name, map_type(z.zeros.type, self.atom))
        self.b.append(Def(v, elementwise.add, (a, b), {}, self.b.loc))
        return v

    def turned_back(self, g: Atom, path: tuple[Def, ...]) -> Atom:
        """The addend of a view, brought into the shape of the base."""
        for d in reversed(path):
            g = self.turned(g, d)
        return g

    def turned(self, g: Atom, d: Def) -> Atom:
        if d.op is memory.transpose:
            perm: tuple[int, ...] = d.params["perm"]
            return self.b.transpose(g, perm=tuple(map(perm.index, range(len(perm)))))
        put = self.made.get(g) if isinstance(g, Var) else None
        if put is not None and d.op is memory.view and put.params["spec"] == d.params["spec"]:
            return put.args[0]
        base = map_type(d.args[0].type, self.atom)
        assert isinstance(base, Array)
        g = g if _is_contiguous(g) else self.b.copy(g)
        return self.b.reshape(g, *map(atom, base.dims))


def _is_reference(a: Atom) -> bool:
    return isinstance(a, Var) and is_reference(a.type)


def _is_contiguous(a: Atom) -> bool:
    return isinstance(a.type, Array) and a.type.layout == "C"


def _is_bijective(s: Def) -> bool:
    """Whether a view names each element of its base once."""
    if s.op in (memory.transpose, memory.reshape):
        return True
    return s.op is memory.view and set(s.params["spec"]) <= {":", "n"}
