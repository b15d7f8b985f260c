"""Simplification: folds constants, stops carrying what never changes, removes known branches.

>>> show(simplify(parse('''
... def f(x: f64, n: int):
...     a: f64 = x
...     y: f64 = x
...     for i in range(0, n):
...         b: bool = lt(2, 1)
...         z: f64
...         if b:
...             z = a
...         else:
...             t: f64 = mul(a, 1.0)
...             u: f64 = add(y, t)
...             z = u
...         a, y = a, z
...     return (y,)
... ''')))
def f(x: f64, n: int):
    y: f64 = x
    for i in range(0, n):
        u: f64 = add(y, x)
        y = u
    return (y,)

A condition is a constant inside its branches, and so is what it implies. A branch that chooses
between integers or bools that cost nothing becomes a select. Between floats it stays one: a
select's adjoint reaches both sides, and the one not taken may be infinite.
Never replaces an array operation by its operand (the result is a buffer of its own).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from srcgrad.ir.build import folded as folded
from srcgrad.ir.nodes import (
    Atom,
    Block,
    Const,
    Def,
    For,
    Function,
    If,
    Stmt,
    Var,
    While,
    altered,
    type_vars,
)
from srcgrad.ir.types import Scalar, is_float
from srcgrad.ir.walk import refresh_types
from srcgrad.passes.conditions import Conditions
from srcgrad.passes.effects import is_observable, is_scalar_operation
from srcgrad.passes.offsets import Offsets
from srcgrad.passes.rewrite import Rewriter
from srcgrad.primitives import REGISTRY, memory

ROUNDS = 8  # each round removes what the last one exposed; more are not worth their time
CHEAP = 2  # statements that a branch may hold to become a select


def simplify(function: Function) -> Function:
    for _ in range(ROUNDS):
        rewriter = _Simplifier()
        function = rewriter.function(function)
        if not rewriter.changed:
            break
    return function


class _Simplifier(Rewriter):
    def __init__(self):
        super().__init__()
        self.changed = False
        self.offsets = Offsets()
        self.conditions = Conditions()

    def function(self, f: Function) -> Function:
        """Keeps a result that is a Python number one, whatever it has been replaced by."""
        new = super().function(f)
        casts: list[Stmt] = []
        returns = [self.kept(a, b, casts) for a, b in zip(f.returns, new.returns, strict=True)]
        return new.with_body((*new.body, *casts), tuple(returns)) if casts else new

    def kept(self, old: Atom, new: Atom, casts: list[Stmt]) -> Atom:
        if new is old or not isinstance(new, Var) or not isinstance(old.type, Scalar):
            return new
        if new.type == old.type:
            return new
        made = Var(new.name, old.type)
        casts.append(Def(made, REGISTRY["cast"], (new,), {"dtype": old.type.dtype}))
        return made

    def becomes(self, v: Var, a: Atom) -> None:
        if isinstance(a, Const) and isinstance(v.type, Scalar):
            a = Const(a.value, v.type)
        self.new[v] = a
        self.changed = True

    # ---- definitions ----
    def definition(self, s: Def) -> Iterable[Stmt]:
        v = s.var
        if is_scalar_operation(s) and s.op is not memory.dim:
            assert v is not None
            reduced = folded(s.op, s.args, s.params, v.type)
            reduced = self.offsets.value(s, v) if reduced is None else reduced
            if reduced is None:
                s = self.conditions.turned(s)
                reduced = self.conditions.value(s, v)
            if reduced is not None:
                self.becomes(v, reduced)
                return
            form = self.offsets.form(s, v)
            if form is not None:
                self.changed = True
                yield from form
                return
        elif s.op is memory.dim:
            self.offsets.length(s)
        yield s

    # ---- branches ----
    def branch(self, s: If) -> Iterable[Stmt]:
        cond = self.atom(s.cond)
        if isinstance(cond, Const):
            block, yields = (s.then, s.then_yields) if cond.value else (s.orelse, s.else_yields)
            yield from self.block(block)
            self.settle(s.results, yields)
            return

        def inner(block: Block) -> Block:
            """Rewrites the block of one side, in which the condition is known."""
            self.new[cond] = Const(block is s.then, cond.type)
            before = self.conditions.entered(cond, block is s.then)
            out = self.block(block)
            self.conditions.known = before
            del self.new[cond]
            return out

        new = self.mapped(s, inner)
        assert isinstance(new, If)
        yield from self.choices(self.without_equal_results(new))

    def settle(self, results: tuple[Var, ...], values: Iterable[Atom]) -> None:
        """Replaces the results by these values (all read before any is replaced)."""
        for r, a in zip(results, [self.atom(a) for a in values], strict=True):
            self.becomes(r, a)

    def without_equal_results(self, s: If) -> If:
        kept: list[int] = []
        for k, (r, x, y) in enumerate(zip(s.results, s.then_yields, s.else_yields, strict=True)):
            if same(x, y):
                self.becomes(r, x)
            elif is_const(x, True) and is_const(y, False):
                self.becomes(r, s.cond)
            else:
                kept.append(k)
        if len(kept) == len(s.results):
            return s
        refresh_types(s, self.atom)
        return altered(
            s, results=_pick(s.results, kept), then_yields=_pick(s.then_yields, kept),
            else_yields=_pick(s.else_yields, kept),
        )  # fmt: skip

    def choices(self, s: If) -> Iterable[Stmt]:
        """Turns a branch that only chooses between integers or bools into selects."""
        # the length of an array that is chosen is chosen with it
        lengths = {d for r in s.results for d in type_vars(r.type)}
        groups = zip(s.results, s.then_yields, s.else_yields, strict=True)
        selectable = [g[0] not in lengths and _is_choice(*g) for g in groups]
        bare = not s.then and not s.orelse
        if bare and not s.results:
            self.changed = True
            return
        if not any(selectable) or not (bare or (all(selectable) and _is_cheap(s))):
            yield s
            return
        self.changed = True
        yield from s.then
        yield from s.orelse
        for k, chosen in enumerate(selectable):
            if chosen:
                yield self.select(s, k)
        left = [k for k, chosen in enumerate(selectable) if not chosen]
        if left:
            yield altered(
                s, results=_pick(s.results, left), then_yields=_pick(s.then_yields, left),
                else_yields=_pick(s.else_yields, left),
            )  # fmt: skip

    def select(self, s: If, k: int) -> Def:
        r, x, y = s.results[k], s.then_yields[k], s.else_yields[k]
        if is_const(y, False):
            return Def(r, REGISTRY["logical_and"], (s.cond, x), {}, s.loc)
        if is_const(x, True):
            return Def(r, REGISTRY["logical_or"], (s.cond, y), {}, s.loc)
        if is_const(x, False) and is_const(y, True):
            return Def(r, REGISTRY["logical_not"], (s.cond,), {}, s.loc)
        return Def(r, REGISTRY["where"], (s.cond, x, y), {}, s.loc)

    # ---- loops ----
    def loop(self, s: For | While) -> Iterable[Stmt]:
        if isinstance(s, For) and _never_runs(self.atom(s.start), self.atom(s.stop)):
            self.settle(s.results, s.inits)
            return
        varies: list[int] = []
        for k, (p, x, y, r) in enumerate(zip(s.params, s.inits, s.yields, s.results, strict=True)):
            if self.atom(y) is p or same(self.atom(x), self.atom(y)):
                value = self.atom(x)
                self.becomes(p, value)
                self.becomes(r, value)
            else:
                varies.append(k)
        fields = ("params", "inits", "yields", "results")
        carried = {f: _pick(getattr(s, f), varies) for f in fields}
        new = self.rebuilt(altered(s, **carried) if len(varies) < len(s.params) else s)
        if isinstance(new, While) and is_const(new.cond, False):
            yield from self.never_entered(new)
        else:
            yield new

    def never_entered(self, s: While) -> Iterable[Stmt]:
        """Runs the test of a `while` once, on the values that it would have carried."""
        for p, x in zip(s.params, s.inits, strict=True):
            self.becomes(p, x)
        yield from self.block(s.test)
        self.settle(s.results, s.inits)


def same(a: Atom, b: Atom) -> bool:
    return a is b or (isinstance(a, Const) and a == b)


def is_const(a: Atom, value: bool) -> bool:
    return isinstance(a, Const) and a.type.dtype == "bool" and bool(a.value) is value


def _pick(values: tuple[Any, ...], at: list[int]) -> tuple[Any, ...]:
    return tuple(values[k] for k in at)


def _never_runs(start: Atom, stop: Atom) -> bool:
    if isinstance(start, Const) and isinstance(stop, Const):
        return start.value >= stop.value
    return start is stop


def _is_choice(r: Var, x: Atom, y: Atom) -> bool:
    exact = isinstance(r.type, Scalar) and not is_float(r.type.dtype)
    return exact and x.type.dtype == r.type.dtype == y.type.dtype


def _is_cheap(s: If) -> bool:
    inside = (*s.then, *s.orelse)
    return len(inside) <= CHEAP and all(
        isinstance(t, Def)
        and is_scalar_operation(t)
        and not is_observable(t)
        and not is_float(t.var.type.dtype)  # type: ignore[union-attr]  (it has a result)
        for t in inside
    )
