"""The rules of the one table, made ready for arrays and for tensors. Writes no derivative.

A rule is a function over primitives. Run on arrays it would dispatch at each of them; so each
function of the table is bound a second time, to names that stand for the implementations. In both
bindings `where` is a `Select`: a product with it selects, so that the branch not taken may be
infinite. Which operands a rule reads is found by running it once on probes.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from srcgrad.primitives import elementwise, large, reductions
from srcgrad.primitives.registry import ZERO, Operators, Primitive

_absorb, _where = elementwise.absorb, elementwise.where


class Select:
    """`where(c, a, b)` of a rule, not yet made."""

    __slots__ = ("a", "b", "c")

    def __init__(self, c: Any, a: Any, b: Any):
        self.c, self.a, self.b = c, a, b

    def value(self) -> Any:
        return _where(plain(self.c), plain(self.a), plain(self.b))

    @property
    def shape(self) -> tuple:
        return tuple(self.value().shape)

    def times(self, g: Any, singular: bool) -> Any:
        """g times what is selected."""
        if type(self.c) is np.ndarray:
            return _where.impl(self.c, product(g, self.a, singular), product(g, self.b, singular))
        return _where(plain(self.c), product(g, self.a, singular), product(g, self.b, singular))

    def apply_primitive(self, op: Primitive, args: tuple, params: dict) -> Any:
        return op(*map(plain, args), **params)

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.asarray(self.value(), dtype)


def _lift(name: str) -> Callable:
    def forward(self: Select, other: Any) -> Any:
        return getattr(Operators, name)(_Operand(self.value()), other)

    return forward


class _Operand(Operators):
    """Dispatches an operator on the value of a select."""

    def __init__(self, value: Any):
        self.value = value

    def apply_primitive(self, op: Primitive, args: tuple, params: dict) -> Any:
        return op(*(a.value if type(a) is _Operand else plain(a) for a in args), **params)


for _name in ("add", "radd", "sub", "rsub", "truediv", "rtruediv"):
    setattr(Select, f"__{_name}__", _lift(f"__{_name}__"))
Select.__mul__ = Select.__rmul__ = lambda self, other: self.times(plain(other), False)  # type: ignore[attr-defined]  # attached
Select.__neg__ = lambda self: elementwise.neg(self.value())  # type: ignore[attr-defined]


def plain(x: Any) -> Any:
    """A select as the value it stands for; anything else as it is."""
    return x.value() if type(x) is Select else x


# ---- products ----
def product(g: Any, p: Any, singular: bool) -> Any:
    """g * p; one is nothing, a select selects, a zero adjoint stays zero if p may be infinite."""
    kind = type(p)
    if kind is float or kind is int:
        return g if p == 1 else g * p if p else 0.0
    if kind is Select:
        return p.times(g, singular)
    if not singular:
        return g * p
    if isinstance(p, np.ndarray | np.generic):
        made = g * p
        if not hasattr(made, "_node") and large.all_finite(made):
            return made
    return _absorb(g, p)


# ---- the second binding ----
def _bound(replaced: Callable[[str, Primitive], Any]) -> dict[str, dict]:
    """The namespaces of the table's modules, each primitive in them replaced."""
    modules = {n: m for n, m in sys.modules.items() if n.startswith("srcgrad.primitives.")}
    spaces: dict[str, dict] = {name: dict(vars(m)) for name, m in modules.items()}
    for space in spaces.values():
        for key, value in space.items():
            if isinstance(value, Primitive):
                space[key] = replaced(key, value)
            elif isinstance(value, FunctionType) and value.__module__ in spaces:
                space[key] = _rebuilt(value, spaces)
    return spaces


def _rebuilt(f: Any, spaces: dict[str, dict]) -> Any:
    if not isinstance(f, FunctionType) or f.__module__ not in spaces or f is ZERO:
        return f
    new = FunctionType(f.__code__, spaces[f.__module__], f.__name__, f.__defaults__, f.__closure__)
    new.__kwdefaults__ = f.__kwdefaults__
    return new


def _summed(x: Any, axes: tuple) -> Any:
    """A sum; of where(c, 1.0, 0.0), which counts, without making it."""
    if type(x) is not Select:
        return reductions.sum.impl(x, axes)
    if type(x.a) is float and (x.a, x.b) == (1.0, 0.0):
        count = large.counted(x.c, axes)
        return np.asarray(count, np.float32 if np.size(x.c) < 2**24 else np.float64)
    return reductions.sum.impl(x.value(), axes)


# a gradient that is one number in many places is a view that nobody writes
_ON_ARRAYS = {reductions.broadcast_to: reductions.expand.impl, reductions.sum: _summed}
_SPACES = {
    "arrays": _bound(lambda _, op: Select if op is _where else _ON_ARRAYS.get(op, op.impl)),
    "tensors": _bound(lambda _, op: Select if op is _where else op),
}


@functools.cache
def rule_for(op: Primitive, k: int, on: str) -> Callable | None:
    """The rule of argument `k`, bound for "arrays" or "tensors"; ZERO, or None: refused."""
    if op.kind == "nondiff":
        return ZERO if op.flat and op is not elementwise.stop_gradient else None
    try:
        return _rebuilt(op.rules[k], _SPACES[on])
    except IndexError:
        return None


# ---- what a rule reads ----
class _Probe(Operators):
    """Stands for an operand and remembers that it was read."""

    def __init__(self, read: set, name: Any = None, op: Any = None, *made_of: Any):
        self.read, self.name, self.op = read, name, op
        self.args, self.params = made_of or ((), {})

    def apply_primitive(self, op: Primitive, args: tuple, params: dict) -> Any:
        for a in args:
            if type(a) is _Probe and a.name is not None:
                self.read.add(a.name)
        return _Probe(self.read, None, op, args, params)


@functools.lru_cache(maxsize=4096)
def reads(op: Primitive, k: int, n: int, params: tuple) -> frozenset:
    """What the rule for argument `k` of `n` reads: positions, and "y" for the result."""
    rule = rule_for(op, k, "tensors")
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
    out = op.rules[k](_Probe(read, "y"), *args, **dict(params))  # type: ignore[misc]
    if type(out) is _Probe and out.name is not None:
        read.add(out.name)
    return frozenset(read)


@functools.cache
def computed(op: Primitive) -> Callable | None:
    """What computes the partial of f(x) from x or from f(x), where that is an array of its own.

    A rule that is one primitive of x (sin's is cos) is its implementation; None for a select,
    and where the partial may be infinite.
    """
    y, x = _Probe(set(), "y"), _Probe(set(), 0)
    made = op.rules[0](y, x)  # type: ignore[misc]
    if op.singular or type(made) is not _Probe or made.op is None or made.op is _where:
        return None
    if made.args in ((x,), (y,)) and made.params == {}:
        return made.op.impl
    rule: Any = rule_for(op, 0, "arrays")
    return (lambda a: rule(None, a)) if reads(op, 0, 1, ()) == {0} else lambda a: rule(a, None)


__all__ = ["Select", "computed", "plain", "product", "reads", "rule_for"]
