"""Elementary functions of numpy.ma: masked where the operand is, and outside of their domain."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.frontend.formulas.masked import (
    Masked,
    combined,
    floating_parts,
    parts,
    power,
    quotient,
)
from srcgrad.frontend.formulas.registry import stand_for, stands_for

Domain = Callable[[Any], Any]


def everywhere(f: Any) -> Callable[[Any], Any]:
    """A function that is defined everywhere."""

    def of(a: Any) -> Any:
        x, hidden = parts(a)
        return Masked(np.where(hidden, x, f(x)), hidden, filling(a))

    return of


def inside(f: Any, outside: Domain, within: float) -> Callable[[Any], Any]:
    """A function that is masked outside of its domain, of which a point is `within`."""

    def of(a: Any) -> Any:
        x, hidden = parts(floating_parts(a))
        hidden = hidden | outside(x)
        hidden = hidden | ~np.isfinite(f(np.where(hidden, within, x)))
        return Masked(np.where(hidden, x, f(np.where(hidden, within, x))), hidden, filling(a))

    return of


def filling(a: Any) -> Any:
    return a.fill if isinstance(a, Masked) else None


stand_for({
    getattr(np.ma, f.__name__): everywhere(f)
    for f in (np.exp, np.sin, np.cos, np.arctan, np.sinh, np.cosh, np.tanh, np.arcsinh, np.abs)
})  # fmt: skip
stand_for({
    np.ma.sqrt: inside(np.sqrt, lambda x: x < 0.0, 1.0),
    np.ma.log: inside(np.log, lambda x: x <= 0.0, 1.0),
    np.ma.log2: inside(np.log2, lambda x: x <= 0.0, 1.0),
    np.ma.log10: inside(np.log10, lambda x: x <= 0.0, 1.0),
    np.ma.arcsin: inside(np.arcsin, lambda x: (x < -1.0) | (x > 1.0), 0.5),
    np.ma.arccos: inside(np.arccos, lambda x: (x < -1.0) | (x > 1.0), 0.5),
    np.ma.arccosh: inside(np.arccosh, lambda x: x < 1.0, 2.0),
    np.ma.add: lambda a, b: combined(np.add, a, b),
    np.ma.subtract: lambda a, b: combined(np.subtract, a, b),
    np.ma.multiply: lambda a, b: combined(np.multiply, a, b),
    np.ma.divide: lambda a, b: quotient(a, b),
    np.ma.power: lambda a, b: power(a, b),
    np.ma.sum: lambda a, axis=None: as_masked(a).sum(axis),
    np.ma.mean: lambda a, axis=None: as_masked(a).mean(axis),
    np.ma.max: lambda a, axis=None: as_masked(a).max(axis),
    np.ma.min: lambda a, axis=None: as_masked(a).min(axis),
    np.ma.count: lambda a, axis=None: as_masked(a).count(axis),
    np.ma.compressed: lambda x: as_masked(x).compressed(),
})  # fmt: skip


def as_masked(a: Any) -> Masked:
    return Masked(*parts(a), filling(a))


@stands_for(np.ma.where)
def where(condition: Any, x: Any, y: Any) -> Any:
    """The one or the other array, masked where that or the condition is.

    >>> where([True, False], [1.0, 2.0], Masked(np.zeros(2), np.array([True, True]))).sum().item()
    1.0
    """
    (test, unknown), (one, first), (other, second) = parts(condition), parts(x), parts(y)
    return Masked(np.where(test, one, other), np.where(test, first, second) | unknown)


@stands_for(np.ma.concatenate)
def concatenate(arrays: Any, axis: Any = 0) -> Any:
    """The data and the masks of several arrays, one after another.

    >>> concatenate([[1.0], Masked(np.ones(2), np.array([True, False]))]).sum().item()
    2.0
    """
    held = [parts(a) for a in arrays]
    return Masked(
        np.concatenate([a for a, _ in held], axis), np.concatenate([h for _, h in held], axis)
    )
