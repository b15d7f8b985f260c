"""Common subexpressions: what has been computed on every path that leads here is used again.

>>> show(cse(parse('''
... def f(x: f64[n], k: int, v: f64):
...     n: int = dim(x, axis=0)
...     a: f64 = load(x, k)
...     b: f64 = load(x, k)
...     store(x, 0, v)
...     c: f64 = load(x, k)
...     s: f64 = mul(a, b)
...     t: f64 = mul(a, c)
...     return (s, t,)
... ''')))
def f(x: f64[n], k: int, v: f64):
    n: int = dim(x, axis=0)
    a: f64 = load(x, k)
    store(x, 0, v)
    c: f64 = load(x, k)
    s: f64 = mul(a, a)
    t: f64 = mul(a, c)
    return (s, t,)

Scalars, views and whatever reads pure classes only are shared with all that follows in the block
and inside it; a read of a class that is stored to, until the next store to that class. Two array
results become one buffer only if nothing is ever stored to either, and not if both are returned:
the caller may write to one. Never moves a statement.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from srcgrad.ir.alias import AliasClasses
from srcgrad.ir.nodes import Block, Def, For, Function, If, Stmt, Var, While
from srcgrad.ir.types import Array, is_reference
from srcgrad.ir.walk import atoms, blocks, walk
from srcgrad.passes.effects import (
    classes_written,
    has_several_results,
    is_write,
    makes_buffer,
    reads,
)
from srcgrad.passes.rewrite import Rewriter
from srcgrad.primitives import memory, reductions
from srcgrad.primitives.identities import is_same

# what these make has the type of their operand only if they change nothing
IDENTITIES = frozenset((memory.copy, reductions.broadcast_to, reductions.sum_to))


def cse(function: Function) -> Function:
    return _Cse(function, AliasClasses(function)).function(function)


class _Cse(Rewriter):
    def __init__(self, function: Function, classes: AliasClasses):
        super().__init__()
        self.classes = classes
        self.returned = {
            classes.of(v) for v in function.returns if isinstance(v, Var) and is_reference(v.type)
        }
        # what loops carry and branches join stays a buffer of its own: an empty list's is a tape
        self.joined = {a for s in walk(function.body) if not isinstance(s, Def) for a in atoms(s)}
        self.known: list[dict[Any, Var]] = []  # one table for each open block
        self.stores: dict[Var, int] = {}  # how many to each class, on the path here

    # ---- scopes ----
    def block(self, block: Block) -> Block:
        outer, self.stores = self.stores, dict(self.stores)
        self.known.append({})
        out = super().block(block)
        self.known.pop()
        self.stores = outer
        return out

    def loop(self, s: For | While) -> Iterable[Stmt]:
        self.forget(self.written(s))
        yield self.rebuilt(s)

    def branch(self, s: If) -> Iterable[Stmt]:
        yield self.rebuilt(s)
        self.forget(self.written(s))

    def written(self, s: Stmt) -> set[Var]:
        return set[Var]().union(*(classes_written(b, self.classes) for b in blocks(s)))

    def forget(self, written: set[Var]) -> None:
        """Make later reads of these classes unlike earlier ones: their keys hold the count."""
        for c in written:
            self.stores[c] = self.stores.get(c, 0) + 1

    # ---- definitions ----
    def definition(self, s: Def) -> Iterable[Stmt]:
        if is_write(s):
            self.forget({self.classes.of(s.args[0])})
        if not self.may_share(s):
            yield s
            return
        assert s.var is not None
        if s.op is memory.broadcast_dim and is_same(*s.args):
            # two lengths have become one: so do those broadcast of them
            self.new[s.var] = s.args[0]
            return
        if self.is_operand(s):
            self.new[s.var] = s.args[0]
            return
        stores = tuple([self.stores.get(self.classes.of(v), 0) for v in reads(s)])
        key = (s.op.name, s.args, repr(s.params), s.var.type, stores)
        earlier = self.find(key)
        if earlier is not None and self.may_be_one(earlier, s):
            self.new[s.var] = earlier
            return
        self.known[-1][key] = s.var
        yield s

    def find(self, key: Any) -> Var | None:
        return next((known[key] for known in reversed(self.known) if key in known), None)

    def may_share(self, s: Def) -> bool:
        if s.var is None or has_several_results(s):
            return False
        return not makes_buffer(s) or self.classes.is_pure(s.var)

    def is_operand(self, s: Def) -> bool:
        """Whether a definition makes its operand once more: a copy, a sum over no axis."""
        x, v = s.args[0] if s.args else None, s.var
        return (
            (s.op in IDENTITIES or (s.op is reductions.sum and s.params["axes"] == ()))
            and isinstance(x, Var)
            and v is not None
            and isinstance(v.type, Array)
            and x.type == v.type
            and v not in self.joined
            and self.classes.is_pure(x)
            and self.classes.of(v) not in self.returned
        )

    def may_be_one(self, earlier: Var, s: Def) -> bool:
        """Whether the caller cannot tell one buffer from two."""
        assert s.var is not None
        if not makes_buffer(s):
            return True
        one, other = self.classes.of(earlier), self.classes.of(s.var)
        if other in self.returned:
            if one in self.returned:
                return False
            self.returned.add(one)
        return True
