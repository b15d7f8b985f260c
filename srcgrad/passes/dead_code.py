"""Dead code: removes values that are never read, and stores to buffers that are never read again.

>>> show(eliminate(parse('''
... def f(x: f64[n]):
...     n: int = dim(x, axis=0)
...     y: f64[n] = mul(x, 2.0)
...     t: f64[n] = zeros(n, dtype='f64')
...     assign(t, y)
...     s: f64 = sum(x, axes=(0,))
...     return (s,)
... ''')))
def f(x: f64[n]):
    n: int = dim(x, axis=0)
    s: f64 = sum(x, axes=(0,))
    return (s,)

A store is live if its alias class may be read later by something live, or is visible to the
caller: the buffers of parameters and of returned values. Never removes what may raise or print;
a loop without live contents is removed, even one that might not have ended.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from srcgrad.ir.alias import AliasClasses
from srcgrad.ir.nodes import (
    Atom,
    Block,
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
from srcgrad.ir.types import is_reference
from srcgrad.ir.walk import blocks
from srcgrad.passes.effects import classes_read, is_observable, is_write

Classes = dict[Var, None]  # a set that keeps the order of insertion


def eliminate(function: Function) -> Function:
    liveness = _Liveness(function, AliasClasses(function))
    liveness.run()
    return function.with_body(liveness.sweep(function.body))


class _Liveness:
    """Marks backwards until nothing new is live, then sweeps."""

    def __init__(self, function: Function, classes: AliasClasses):
        self.function, self.classes = function, classes
        self.live: set[Var] = set()
        self.kept: set[Stmt] = set()
        self.read: dict[Def, set[Var]] = {}  # classes that a live definition reads
        self.around: dict[Stmt, Classes] = {}  # classes that a later trip may read
        self.after = dict.fromkeys(  # classes that may be read from here on
            classes.of(v)
            for v in (*function.params, *function.returns)
            if isinstance(v, Var) and is_reference(v.type)
        )

    def run(self) -> None:
        for p in self.function.params:
            self.mark(type_vars(p.type))
        self.mark(self.function.returns)
        before, visible = -1, len(self.after)
        while before != (before := len(self.live) + len(self.kept)):
            self.block(self.function.body)
            self.taken_since(visible)

    def mark(self, atoms: Iterable[Atom]) -> None:
        for a in atoms:
            if isinstance(a, Var) and a not in self.live:
                self.live.add(a)
                self.mark(type_vars(a.type))

    # ---- marking, backwards: each puts what is read into `after`, which only grows on its way ----
    def block(self, block: Block) -> None:
        for s in reversed(block):
            self.statement(s)

    def statement(self, s: Stmt) -> None:
        match s:
            case Def():
                self.definition(s)
            case If():
                self.branch(s)
            case _:
                self.loop(s)

    def definition(self, s: Def) -> None:
        if s not in self.kept:
            stores = is_write(s) and self.classes.of(s.args[0]) in self.after
            if not (stores or s.var in self.live or is_observable(s)):
                return
            self.kept.add(s)
            self.mark(s.args)
            if s.var is not None:
                self.mark(type_vars(s.var.type))
            self.read[s] = classes_read(s, self.classes)
        for c in self.read[s]:
            self.after[c] = None

    def branch(self, s: If) -> None:
        for r, x, y in zip(s.results, s.then_yields, s.else_yields, strict=True):
            if r in self.live:
                self.mark((x, y))
        before = len(self.after)
        self.block(s.then)
        of_then = self.taken_since(before)
        self.block(s.orelse)
        self.after.update(of_then)
        if self.keeps(s):
            self.kept.add(s)
            self.mark((s.cond,))

    def loop(self, s: For | While) -> None:
        for r, p, x, y in zip(s.results, s.params, s.inits, s.yields, strict=True):
            if r in self.live or p in self.live:
                self.mark((r, p, x, y))
        before = len(self.after)
        self.after.update(self.around.get(s, {}))
        for b in reversed(blocks(s)):
            self.block(b)
        self.around[s] = self.taken_since(before)
        self.after.update(self.around[s])
        if self.keeps(s):
            self.kept.add(s)
            self.mark((s.start, s.stop) if isinstance(s, For) else (s.cond,))
            if isinstance(s, While) and s.limit is not None:
                self.mark((s.limit,))

    def taken_since(self, before: int) -> Classes:
        """Removes and returns the classes added to `after` since it had `before` of them."""
        return dict(self.after.popitem() for _ in range(len(self.after) - before))

    def keeps(self, s: For | While | If) -> bool:
        inside = any(t in self.kept for b in blocks(s) for t in b)
        return inside or any(r in self.live for r in s.results)

    # ---- sweeping ----
    def sweep(self, block: Block) -> Block:
        return tuple(self.swept(s) for s in block if s in self.kept)

    def swept(self, s: Stmt) -> Stmt:
        if isinstance(s, Def):
            return s
        at = [k for k, r in enumerate(s.results) if r in self.live]

        def pick(values: tuple[Any, ...]) -> tuple[Any, ...]:
            return tuple(values[k] for k in at)

        if isinstance(s, If):
            return altered(
                s, then=self.sweep(s.then), orelse=self.sweep(s.orelse), results=pick(s.results),
                then_yields=pick(s.then_yields), else_yields=pick(s.else_yields),
            )  # fmt: skip
        carried = {f: pick(getattr(s, f)) for f in ("params", "inits", "yields", "results")}
        if isinstance(s, While):
            return altered(s, test=self.sweep(s.test), body=self.sweep(s.body), **carried)
        return altered(s, body=self.sweep(s.body), **carried)
