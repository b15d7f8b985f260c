"""`np.emath`: functions of real numbers whose results may be complex.

NumPy decides by the numbers. Complex arguments are those of the plain functions; a real one outside
of the domain is refused as it runs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.frontend.formulas.registry import refused_where, stand_for, stands_for

WAY_OUT = "make it complex: x.astype(complex)"


def _refuse(name: str, outside: Any) -> None:
    refused_where(
        np.any(outside), f"emath.{name} of real numbers outside of its domain, which is complex, "
        "is not supported", WAY_OUT,
    )  # fmt: skip


def _nonnegative(name: str, x: Any) -> Any:
    """An operand that is complex or has no negative number."""
    x = np.asarray(x)
    if x.dtype.kind != "c":
        _refuse(name, x < 0.0)
    return x


def _within_one(name: str, x: Any) -> Any:
    """An operand that is complex or lies between -1 and 1."""
    x = np.asarray(x)
    if x.dtype.kind != "c":
        _refuse(name, np.abs(x) > 1.0)
    return x


stand_for({
    np.emath.sqrt: lambda x: np.sqrt(_nonnegative("sqrt", x)),
    np.emath.log: lambda x: np.log(_nonnegative("log", x)),
    np.emath.log2: lambda x: np.log2(_nonnegative("log2", x)),
    np.emath.log10: lambda x: np.log10(_nonnegative("log10", x)),
    np.emath.logn: lambda n, x: np.log(_nonnegative("logn", x)) / np.log(_nonnegative("logn", n)),
    np.emath.arccos: lambda x: np.arccos(_within_one("arccos", x)),
    np.emath.arcsin: lambda x: np.arcsin(_within_one("arcsin", x)),
    np.emath.arctanh: lambda x: np.arctanh(_within_one("arctanh", x)),
})  # fmt: skip


@stands_for(np.emath.power)
def power(x: Any, p: Any) -> Any:
    """A power.

    >>> float(power(2.0, 3))
    8.0
    """
    p = np.asarray(p)
    return np.power(np.asarray(x) if p.dtype.kind == "c" else _nonnegative("power", x), p)
