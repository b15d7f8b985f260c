"""Functions of the module `operator` that are an expression or a statement each."""

from __future__ import annotations

import collections
import operator
from typing import Any

from srcgrad.frontend.formulas.registry import stand_for, stands_for, unsupported

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
    operator.concat: lambda a, b: of_sequences(a, b) or a + b,
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


def of_sequences(*values: Any) -> None:
    """Refuses to put together what is no sequence of Python's: numbers and arrays are added."""
    if not all(isinstance(v, list | tuple | str | collections.deque) for v in values):
        unsupported(
            "operator.concat of what is no list, tuple, text or queue", "use np.concatenate"
        )


@stands_for(operator.iconcat)
def iconcat(a: Any, b: Any) -> Any:
    """
    >>> iconcat([1], [2])
    [1, 2]
    """
    of_sequences(a, b)
    a += b
    return a


@stands_for(operator.iadd)
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
