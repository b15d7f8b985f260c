"""Common subexpressions: reuses what has been computed on every path that leads to a statement.

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

Scalars, views and operations that read pure classes only are shared with all that follows in the
block and inside it; a read of a class that is stored to, until the next store to that class. Two
array results become one buffer only if nothing is ever stored to either, and not if both are
returned: the caller may write to one. A branch whose sides compute the same as those of an earlier
one, on the same condition, has its results, if there is no loop, store or output in it. Never moves
a statement.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from srcgrad.ir.alias import AliasClasses, alias_classes
from srcgrad.ir.nodes import Block, Def, For, Function, If, Stmt, Var, While
from srcgrad.ir.summaries import Summaries
from srcgrad.ir.types import Array, is_reference
from srcgrad.ir.walk import atoms, results, walk
from srcgrad.passes.effects import (
    classes_stored,
    has_several_results,
    is_write,
    makes_buffer,
    reads,
)
from srcgrad.passes.rewrite import Rewriter
from srcgrad.passes.unify_lengths import SHAPE_CHECKS
from srcgrad.primitives import memory, reductions
from srcgrad.primitives.identities import BROADCAST

# the result of these has the type of the operand only if they change nothing
IDENTITIES = frozenset((memory.copy, reductions.broadcast_to, reductions.sum_to))


def cse(function: Function) -> Function:
    return _Cse(function, alias_classes(function)).function(function)


def _is_shown(s: Stmt, inner: list[bool]) -> bool:
    """Whether a statement has an effect, other than to check shapes, or draws."""
    if not isinstance(s, Def):
        return any(inner)
    return (s.op.effect and s.op not in SHAPE_CHECKS) or s.op.draws


class _Cse(Rewriter):
    def __init__(self, function: Function, classes: AliasClasses):
        super().__init__()
        self.classes = classes
        self.returned = {
            classes.of(v) for v in function.returns if isinstance(v, Var) and is_reference(v.type)
        }
        # buffers that loops carry and branches join stay separate: an empty list's is a tape
        self.joined = {a for s in walk(function.body) if not isinstance(s, Def) for a in atoms(s)}
        self.known: dict[Any, Any] = {}  # facts in the open blocks, by the computation
        self.before: list[list[tuple[Any, Any]]] = []  # for each open block: how to restore `known`
        self.stored = classes_stored(classes)
        self.shown = Summaries(_is_shown)
        self.stores: dict[Var, int] = {}  # the number of stores to each class, on the path here

    # ---- scopes ----
    def block(self, block: Block) -> Block:
        outer, self.stores = self.stores, dict(self.stores)
        self.before.append([])
        out = super().block(block)
        for key, value in reversed(self.before.pop()):
            if value is None:
                del self.known[key]
            else:
                self.known[key] = value
        self.stores = outer
        return out

    def remember(self, key: Any, value: Any) -> None:
        """Adds a fact that holds until the end of the open block."""
        self.before[-1].append((key, self.known.get(key)))
        self.known[key] = value

    def loop(self, s: For | While) -> Iterable[Stmt]:
        self.forget(self.stored[s])
        yield self.rebuilt(s)

    def branch(self, s: If) -> Iterable[Stmt]:
        new = self.rebuilt(s)
        assert isinstance(new, If)
        earlier = self.same_branch(new) if self.may_share_results(new) else None
        if earlier is not None:
            self.new |= dict(zip(new.results, earlier, strict=True))
            return
        yield new
        self.forget(self.stored[s])

    # ---- branches ----
    def may_share_results(self, s: If) -> bool:
        """Whether a branch has results, all in effect values, and no observable effect."""
        buffers = [r for r in s.results if is_reference(r.type)]
        return (
            bool(s.results)
            and not self.shown[s]
            and all(self.classes.is_pure(r) for r in buffers)
            and not any(self.classes.of(r) in self.returned for r in buffers)
        )

    def same_branch(self, s: If) -> tuple[Var, ...] | None:
        """The results of an earlier branch on the same condition that computes the same."""
        condition = (If, s.cond)
        waiting = self.known.get(condition)
        if waiting is None:  # most conditions decide only one branch, so its form is not needed
            self.remember(condition, (s, dict(self.stores)))
            return None
        if waiting:
            first, stores = waiting
            self.remember(self.form((first,), {}, stores), first.results)
            self.remember(condition, ())
        form = self.form((s,), {}, self.stores)
        if form is None or form not in self.known:
            self.remember(form, s.results)
            return None
        return self.known[form]

    def form(
        self, block: Block, own: dict[Var, int], counts: dict[Var, int]
    ) -> tuple[Any, ...] | None:
        """A normal form of a block without the names it defines: equal forms compute the same.

        `counts` is the number of stores to each class before it. None if it contains a loop.
        """

        def named(a: Any) -> Any:
            return own.get(a, a) if isinstance(a, Var) else a

        out: list[Any] = []
        for s in block:
            if isinstance(s, Def):
                stores = [counts.get(self.classes.of(v), 0) for v in reads(s)]
                out.append((s.op.name, repr(s.params), *map(named, s.args), *stores))
            elif isinstance(s, If):
                sides = self.form(s.then, own, counts), self.form(s.orelse, own, counts)
                if sides[0] is None or sides[1] is None:
                    return None
                out.append((*sides, *map(named, (s.cond, *s.then_yields, *s.else_yields))))
            else:
                return None
            for v in results(s):
                dims = [named(d) for d in getattr(v.type, "dims", ())]
                out.append((v.type.dtype, v.type.layout, *dims) if dims else v.type)
                own[v] = len(own)
        return tuple(out)

    def forget(self, written: set[Var]) -> None:
        """Makes later reads of these classes differ from earlier ones: keys hold the count."""
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
        if s.op is memory.broadcast_dim and (same := BROADCAST(*s.args)) is not None:
            # two lengths have become one: so do those broadcast of them
            self.new[s.var] = same
            return
        if self.is_operand(s):
            self.new[s.var] = s.args[0]
            return
        stores = tuple([self.stores.get(self.classes.of(v), 0) for v in reads(s)])
        key = (s.op.name, s.args, repr(s.params), s.var.type, stores)
        earlier = self.known.get(key)
        if earlier is not None and self.may_be_one(earlier, s):
            self.new[s.var] = earlier
            return
        self.remember(key, s.var)
        yield s

    def may_share(self, s: Def) -> bool:
        if s.var is None or has_several_results(s) or s.op.draws:
            return False
        return not makes_buffer(s) or self.classes.is_pure(s.var)

    def is_operand(self, s: Def) -> bool:
        """Whether a definition reproduces its operand: a copy, a sum over no axis."""
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
