"""Functions of the module `operator` that are an expression or a statement each."""

from __future__ import annotations

import operator
from typing import Any

from srcgrad.frontend.formulas.registry import stand_for, stands_for

stand_for({
    operator.not_: lambda a: not a,
    operator.truth: lambda a: bool(a),
    operator.is_: lambda a, b: a is b,
    operator.is_not: lambda a, b: a is not b,
    operator.abs: lambda a: abs(a),
    operator.pos: lambda a: +a,
    operator.inv: lambda a: ~a,
    operator.invert: lambda a: ~a,
    operator.and_: lambda a, b: a & b,
    operator.or_: lambda a, b: a | b,
    operator.xor: lambda a, b: a ^ b,
    operator.lshift: lambda a, b: a << b,
    operator.rshift: lambda a, b: a >> b,
    operator.concat: lambda a, b: a + b,
    operator.contains: lambda a, b: b in a,
    operator.countOf: lambda a, b: list(a).count(b),
    operator.indexOf: lambda a, b: list(a).index(b),
})  # fmt: skip


@stands_for(operator.setitem)
def setitem(a: Any, b: Any, c: Any) -> None:
    """
    >>> items = [1, 2]
    >>> setitem(items, 0, 3)
    >>> items
    [3, 2]
    """
    a[b] = c


@stands_for(operator.delitem)
def delitem(a: Any, b: Any) -> None:
    """
    >>> items = [1, 2]
    >>> delitem(items, 0)
    >>> items
    [2]
    """
    del a[b]


@stands_for(operator.iadd, operator.iconcat)
def iadd(a: Any, b: Any) -> Any:
    """
    >>> iadd(1, 2)
    3
    """
    a += b
    return a


@stands_for(operator.isub)
def isub(a: Any, b: Any) -> Any:
    """
    >>> isub(1, 2)
    -1
    """
    a -= b
    return a


@stands_for(operator.imul)
def imul(a: Any, b: Any) -> Any:
    """
    >>> imul(3, 2)
    6
    """
    a *= b
    return a


@stands_for(operator.itruediv)
def itruediv(a: Any, b: Any) -> Any:
    """
    >>> itruediv(3, 2)
    1.5
    """
    a /= b
    return a


@stands_for(operator.ipow)
def ipow(a: Any, b: Any) -> Any:
    """
    >>> ipow(3, 2)
    9
    """
    a **= b
    return a
