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
>>> tests = length_tests(f)
>>> tests
(('ge', ('mul', ('dim', 0, 0), ('dim', 0, 1)), 8),)
>>> text_of(tests[0], lambda k, axis: f"x{k}.shape[{axis}]")
'((x0.shape[0] * x0.shape[1]) >= 8)'

A test is a nested tuple: an operation and its operands, of which ("dim", k, axis) is the length of
an axis of parameter k. Never decides which program a call runs.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from srcgrad.ir.nodes import Atom, Const, Def, Function, If, Var
from srcgrad.ir.types import BOOL
from srcgrad.ir.walk import rename, walk
from srcgrad.passes.compared_lengths import lengths_of
from srcgrad.primitives import arrays

Test: TypeAlias = Any  # a nested tuple, or a number
OPERATIONS: dict[str, tuple[str, Callable[[Any, Any], Any]]] = {
    "add": ("+", operator.add), "sub": ("-", operator.sub), "mul": ("*", operator.mul),
    "lt": ("<", operator.lt), "le": ("<=", operator.le),
    "gt": (">", operator.gt), "ge": (">=", operator.ge),
    "logical_and": ("and", lambda a, b: a and b),
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
            return ("dim", *places[a])
        d = made.get(a)
        if d is None or d.op.name not in OPERATIONS or d.params:
            return None
        parts = [test(x) for x in d.args]
        return None if any(p is None for p in parts) else (d.op.name, *parts)

    pairs = [(test(s.cond), s.cond) for s in chosen]
    return [(t, v) for t, v in pairs if t is not None and isinstance(v, Var)]


def _chooses(s: If) -> bool:
    return bool(s.orelse) and any(isinstance(t, Def) and t.op is arrays.matmul for t in s.then)


def outcome(test: Test, length: Callable[..., int]) -> Any:
    """The value of a test; `length` gives that of a parameter's axis."""
    if not isinstance(test, tuple):
        return test
    if test[0] == "dim":
        return length(*test[1:])
    return OPERATIONS[test[0]][1](*(outcome(t, length) for t in _parts(test)))


def text_of(test: Test, length: Callable[..., str]) -> str:
    """A test as an expression of Python; `length` gives the text of an axis's length."""
    if not isinstance(test, tuple):
        return repr(test)
    if test[0] == "dim":
        return length(*test[1:])
    sign = OPERATIONS[test[0]][0]
    return f"({f' {sign} '.join(text_of(t, length) for t in _parts(test))})"


def renamed(test: Test, to: Any) -> Test:
    """A test with its parameters replaced: `to` maps each to what it is called now."""
    if not isinstance(test, tuple):
        return test
    if test[0] == "dim":
        return ("dim", to[test[1]], test[2])
    return (test[0], *(renamed(t, to) for t in _parts(test)))


def parameters(test: Test) -> set[Any]:
    """The parameters whose lengths a test reads."""
    if not isinstance(test, tuple):
        return set()
    if test[0] == "dim":
        return {test[1]}
    return set[Any]().union(*(parameters(t) for t in _parts(test)))


def _parts(test: Test) -> tuple[Test, ...]:
    return test[1:]
