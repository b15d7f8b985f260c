"""Finds tests of lengths that choose between a product of matrices and loops.

>>> f = parse('''
... def f(x: f64[n, m], y: f64[m, m]):
...     n: int = dim(x, axis=0)
...     m: int = dim(x, axis=1)
...     t: int = mul(n, m)
...     go: bool = ge(t, 8)
...     if go:
...         z: f64[n, m] = matmul(x, y)
...         add_to(x, z)
...     else:
...         for i in range(0, n):
...             v: f64 = load(x, i, i)
...             store(x, i, i, v)
...     return (x,)
... ''')
>>> (test,) = length_tests(f)
>>> text_of(test, lambda k, axis: f"x{k}.shape[{axis}]")
'((x0.shape[0] * x0.shape[1]) >= 8)'
>>> outcome(test, lambda k, axis: 2)
False

Never decides which program a call runs.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from srcgrad.ir.nodes import Atom, Const, Def, Function, If, Var
from srcgrad.ir.types import BOOL
from srcgrad.ir.walk import rename, walk
from srcgrad.operation import Primitive
from srcgrad.passes.compared_lengths import lengths_of
from srcgrad.primitives import arrays, elementwise
from srcgrad.records import record


@record(frozen=True)
class Length:
    """The length of an axis of a parameter, which `of` names."""

    of: Any
    axis: int


@record(frozen=True)
class Term:
    """An operation on lengths and numbers."""

    op: Primitive
    operands: tuple[Test, ...]


Test: TypeAlias = Term | Length | int

SIGNS: dict[Primitive, tuple[str, Callable[[Any, Any], Any]]] = {
    elementwise.add: ("+", operator.add), elementwise.sub: ("-", operator.sub),
    elementwise.mul: ("*", operator.mul), elementwise.lt: ("<", operator.lt),
    elementwise.le: ("<=", operator.le), elementwise.gt: (">", operator.gt),
    elementwise.ge: (">=", operator.ge), elementwise.logical_and: ("and", lambda a, b: a and b),
}  # fmt: skip


def length_tests(function: Function) -> tuple[Test, ...]:
    """The tests in a program that choose between a product of matrices and loops."""
    return tuple(dict.fromkeys(test for test, _ in _found(function)))


def with_tests(function: Function, known: Iterable[tuple[Test, bool]]) -> Function:
    """The program for calls in which tests have known outcomes."""
    outcomes = dict(known)
    found = {v: Const(outcomes[t], BOOL) for t, v in _found(function) if t in outcomes}
    return rename(function, {**found})


def _found(function: Function) -> list[tuple[Test, Var]]:
    chosen = [s for s in walk(function.body) if isinstance(s, If) and _chooses(s)]
    if not chosen:
        return []
    places = lengths_of(function)
    made = {s.var: s for s in walk(function.body) if isinstance(s, Def) and s.var is not None}

    def test(a: Atom) -> Test | None:
        if isinstance(a, Const):
            return a.value
        if a in places:
            return Length(*places[a])
        d = made.get(a)
        if d is None or d.op not in SIGNS or d.params:
            return None
        found = [test(x) for x in d.args]
        known = tuple([t for t in found if t is not None])
        return Term(d.op, known) if len(known) == len(found) else None

    pairs = [(test(s.cond), s.cond) for s in chosen]
    return [(t, v) for t, v in pairs if t is not None and isinstance(v, Var)]


def _chooses(s: If) -> bool:
    return bool(s.orelse) and any(isinstance(t, Def) and t.op is arrays.matmul for t in s.then)


def outcome(test: Test, length: Callable[..., int]) -> Any:
    """The value of a test; `length` gives that of a parameter's axis."""
    match test:
        case Length():
            return length(test.of, test.axis)
        case Term():
            return SIGNS[test.op][1](*(outcome(t, length) for t in test.operands))
        case _:
            return test


def text_of(test: Test, length: Callable[..., str]) -> str:
    """A test as an expression of Python; `length` gives the text of an axis's length."""
    match test:
        case Length():
            return length(test.of, test.axis)
        case Term():
            parts = [text_of(t, length) for t in test.operands]
            return f"({f' {SIGNS[test.op][0]} '.join(parts)})"
        case _:
            return repr(test)


def renamed(test: Test, to: Any) -> Test:
    """A test with its parameters replaced: `to` maps each to what it is called now."""
    match test:
        case Length():
            return Length(to[test.of], test.axis)
        case Term():
            return Term(test.op, tuple([renamed(t, to) for t in test.operands]))
        case _:
            return test


def parameters(test: Test) -> set[Any]:
    """The parameters whose lengths a test reads."""
    match test:
        case Length():
            return {test.of}
        case Term():
            return set[Any]().union(*map(parameters, test.operands))
        case _:
            return set()
