"""Binds the rules of the table to arrays, for speed, and finds what they read. No derivatives.

Run on arrays a rule would dispatch at each primitive, which takes longer than small arrays do; so
each function of the table is bound a second time, to names of the implementations. The operands
that a rule reads are found by running it once on probes: a node saves only those.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from types import FunctionType
from typing import Any

from srcgrad.operation import Primitive, Rule
from srcgrad.primitives import elementwise
from srcgrad.primitives.registry import ZERO, Operators
from srcgrad.primitives.rules import plain, rule_of


# ---- the second binding ----
def _bound() -> dict[str, dict]:
    """The namespaces of the table's modules, with each primitive replaced by its implementation."""
    modules = {n: m for n, m in sys.modules.items() if n.startswith("srcgrad.primitives.")}
    spaces: dict[str, dict] = {name: dict(vars(m)) for name, m in modules.items()}
    for space in spaces.values():
        for key, value in space.items():
            if isinstance(value, Primitive):
                space[key] = value.impl
            elif isinstance(value, FunctionType) and value.__module__ in spaces:
                space[key] = _rebound(value, spaces)
    return spaces


def _rebound(f: Any, spaces: dict[str, dict]) -> Any:
    if not isinstance(f, FunctionType) or f.__module__ not in spaces or f is ZERO:
        return f
    new = FunctionType(f.__code__, spaces[f.__module__], f.__name__, f.__defaults__, f.__closure__)
    new.__kwdefaults__ = f.__kwdefaults__
    return new


_SPACES = _bound()


@functools.cache
def rule_on_arrays(op: Primitive, k: int) -> Rule | None:
    """The rule of argument `k` for operands that are all arrays or numbers."""
    return _rebound(rule_of(op, k), _SPACES)


# ---- the reads of a rule ----
class _Probe(Operators):
    """Replaces an operand and records that it was read."""

    def __init__(self, read: set, name: Any = None, op: Any = None, *made_of: Any):
        self.read, self.name, self.op = read, name, op
        self.args, self.params = made_of or ((), {})

    def apply_primitive(self, op: Primitive, args: tuple, params: dict) -> Any:
        args = tuple(map(plain, args))
        for a in args:
            if type(a) is _Probe and a.name is not None:
                self.read.add(a.name)
        return _Probe(self.read, None, op, args, params)


@functools.lru_cache(maxsize=4096)
def reads(op: Primitive, k: int, n: int, params: tuple) -> frozenset:
    """The operands that the rule for argument `k` of `n` reads, by position; "y": the result."""
    rule = rule_of(op, k)
    if rule is ZERO or rule is None:
        return frozenset()
    if op.kind == "linear":
        return frozenset()
    if op.kind == "multilinear":
        return frozenset(range(n)) - {k}
    if op.kind != "derive":
        return frozenset(range(n)) | {"y"}
    read: set = set()
    args = [_Probe(read, j) for j in range(n)]
    out = plain(rule(_Probe(read, "y"), *args, **dict(params)))
    if type(out) is _Probe and out.name is not None:
        read.add(out.name)
    return frozenset(read)


@functools.cache
def computed(op: Primitive) -> Callable | None:
    """The function that computes the partial of f(x) from x or f(x), if that is a new array.

    A rule that is one primitive of x (sin's is cos) is its implementation; None for a select,
    and where the partial may be infinite.
    """
    y, x = _Probe(set(), "y"), _Probe(set(), 0)
    made = plain(op.rules[0](y, x))  # type: ignore[misc]  (it has a rule)
    if op.singular or type(made) is not _Probe or made.op in (None, elementwise.where):
        return None
    if made.args in ((x,), (y,)) and made.params == {}:
        return made.op.impl
    rule: Any = rule_on_arrays(op, 0)
    return (lambda a: rule(None, a)) if reads(op, 0, 1, ()) == {0} else lambda a: rule(a, None)


__all__ = ["computed", "reads", "rule_on_arrays"]
