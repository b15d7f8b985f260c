"""Removes dead code: values that are never read, and stores to buffers that are never read again.

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

A store is live if the caller sees its buffer, which is that of a parameter or a result, or if a
live statement may read its alias class later. A statement that may raise or print is never removed.
A loop without live statements is removed, even one that might not have ended.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from srcgrad.ir.alias import AliasClasses, alias_classes
from srcgrad.ir.facts import contents
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
    changed,
    kept_tuple,
    type_vars,
)
from srcgrad.ir.types import is_reference
from srcgrad.ir.walk import blocks
from srcgrad.passes.effects import classes_read, is_observable, is_write
from srcgrad.primitives.schedules import MARKS

Classes = dict[Var, None]  # alias classes: a set that keeps the order of insertion


def eliminate(function: Function) -> Function:
    """The function without dead code."""
    liveness = _Liveness(function, alias_classes(function))
    liveness.run()
    return function.with_body(liveness.sweep(function.body))


class _Liveness:
    """Marks live values and statements, backwards, until it finds no more; then sweeps the rest."""

    def __init__(self, function: Function, classes: AliasClasses):
        self.function, self.classes = function, classes
        self.live: set[Var] = set()
        self.live_statements: set[Stmt] = set()
        self.read: dict[Def, set[Var]] = {}  # alias classes that a live definition reads
        self.read_in_trips: dict[Stmt, Classes] = {}  # those that a trip of a loop may read
        self.read_later = dict.fromkeys(  # those that may be read after the current statement
            classes.of(v)
            for v in (*function.params, *function.returns)
            if isinstance(v, Var) and is_reference(v.type)
        )

    def run(self) -> None:
        for p in self.function.params:
            self.mark(type_vars(p.type))
        self.mark(self.function.returns)
        before, visible_to_caller = -1, len(self.read_later)
        while before != (before := len(self.live) + len(self.live_statements)):
            self.block(self.function.body)
            self.pop_since(visible_to_caller)
            if not contents(self.function).loops:  # nothing is read before it is defined
                break

    def mark(self, atoms: Iterable[Atom]) -> None:
        for a in atoms:
            if isinstance(a, Var) and a not in self.live:
                self.live.add(a)
                self.mark(type_vars(a.type))

    # ---- marking: a live statement adds the classes that it reads to `read_later` ----
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
        if s.op in MARKS:  # stays as long as what it is in
            self.mark(s.args)
            return
        if s not in self.live_statements:
            stores = is_write(s) and self.classes.of(s.args[0]) in self.read_later
            if not (stores or s.var in self.live or is_observable(s)):
                return
            self.live_statements.add(s)
            self.mark(s.args)
            if s.var is not None:
                self.mark(type_vars(s.var.type))
            self.read[s] = classes_read(s, self.classes)
        for c in self.read[s]:
            self.read_later[c] = None

    def branch(self, s: If) -> None:
        for r, x, y in zip(s.results, s.then_yields, s.else_yields, strict=True):
            if r in self.live:
                self.mark((x, y))
        before = len(self.read_later)
        self.block(s.then)
        of_then = self.pop_since(before)
        self.block(s.orelse)
        self.read_later.update(of_then)
        if self.is_live(s):
            self.live_statements.add(s)
            self.mark((s.cond,))

    def loop(self, s: For | While) -> None:
        for r, p, x, y in zip(s.results, s.params, s.inits, s.yields, strict=True):
            if r in self.live or p in self.live:
                self.mark((r, p, x, y))
        before = len(self.read_later)
        self.read_later.update(self.read_in_trips.get(s, {}))
        for b in reversed(blocks(s)):
            self.block(b)
        self.read_in_trips[s] = self.pop_since(before)
        self.read_later.update(self.read_in_trips[s])
        if self.is_live(s):
            self.live_statements.add(s)
            self.mark((s.start, s.stop) if isinstance(s, For) else (s.cond,))
            if isinstance(s, While) and s.limit is not None:
                self.mark((s.limit,))

    def pop_since(self, before: int) -> Classes:
        """Removes and returns the classes added to `read_later` since it had `before` of them."""
        return dict(self.read_later.popitem() for _ in range(len(self.read_later) - before))

    def is_live(self, s: For | While | If) -> bool:
        """Whether a statement in its blocks is live, or one of its results."""
        inside = any(t in self.live_statements for b in blocks(s) for t in b)
        return inside or any(r in self.live for r in s.results)

    # ---- sweeping ----
    def sweep(self, block: Block) -> Block:
        left = [self.swept(s) for s in block if s in self.live_statements or _is_mark(s)]
        return kept_tuple(block, left)

    def swept(self, s: Stmt) -> Stmt:
        if isinstance(s, Def):
            return s
        at = [k for k, r in enumerate(s.results) if r in self.live]

        def pick(values: tuple[Any, ...]) -> tuple[Any, ...]:
            return values if len(at) == len(values) else tuple([values[k] for k in at])

        if isinstance(s, If):
            return changed(
                s, then=self.sweep(s.then), orelse=self.sweep(s.orelse), results=pick(s.results),
                then_yields=pick(s.then_yields), else_yields=pick(s.else_yields),
            )  # fmt: skip
        carried = {f: pick(getattr(s, f)) for f in ("params", "inits", "yields", "results")}
        if isinstance(s, While):
            return changed(s, test=self.sweep(s.test), body=self.sweep(s.body), **carried)
        return changed(s, body=self.sweep(s.body), **carried)


def _is_mark(s: Stmt) -> bool:
    return isinstance(s, Def) and s.op in MARKS
