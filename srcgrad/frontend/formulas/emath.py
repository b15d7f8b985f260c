"""`np.emath`: functions of real numbers whose results may be complex.

NumPy decides by the numbers. Complex arguments are those of the plain functions; a real one outside
of the domain is refused as it runs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.frontend.formulas.registry import refused_where, stands_for

WAY_OUT = "make it complex: x.astype(complex)"


def _real(name: str, x: Any, outside: Any) -> Any:
    refused_where(
        np.any(outside), f"emath.{name} of real numbers outside of its domain, which is complex, "
        "is not supported", WAY_OUT,
    )  # fmt: skip
    return x


def _is_complex(x: Any) -> bool:
    return np.asarray(x).dtype.kind == "c"


@stands_for(np.emath.sqrt)
def sqrt(x: Any) -> Any:
    """The square root.

    >>> float(sqrt(4.0))
    2.0
    """
    x = np.asarray(x)
    return np.sqrt(x if _is_complex(x) else _real("sqrt", x, x < 0.0))


@stands_for(np.emath.log)
def log(x: Any) -> Any:
    """The natural logarithm.

    >>> float(log(1.0))
    0.0
    """
    x = np.asarray(x)
    return np.log(x if _is_complex(x) else _real("log", x, x < 0.0))


@stands_for(np.emath.log2)
def log2(x: Any) -> Any:
    """The logarithm to the base 2.

    >>> float(log2(8.0))
    3.0
    """
    x = np.asarray(x)
    return np.log2(x if _is_complex(x) else _real("log2", x, x < 0.0))


@stands_for(np.emath.log10)
def log10(x: Any) -> Any:
    """The logarithm to the base 10.

    >>> float(log10(100.0))
    2.0
    """
    x = np.asarray(x)
    return np.log10(x if _is_complex(x) else _real("log10", x, x < 0.0))


@stands_for(np.emath.logn)
def logn(n: Any, x: Any) -> Any:
    """The logarithm to the base n.

    >>> float(logn(3.0, 9.0))
    2.0
    """
    return log(x) / log(n)


@stands_for(np.emath.power)
def power(x: Any, p: Any) -> Any:
    """A power.

    >>> float(power(2.0, 3))
    8.0
    """
    x, p = np.asarray(x), np.asarray(p)
    if _is_complex(x) or _is_complex(p):
        return np.power(x, p)
    return np.power(_real("power", x, x < 0.0), p)


@stands_for(np.emath.arccos)
def arccos(x: Any) -> Any:
    """The inverse cosine.

    >>> float(arccos(1.0))
    0.0
    """
    x = np.asarray(x)
    return np.arccos(x if _is_complex(x) else _real("arccos", x, np.abs(x) > 1.0))


@stands_for(np.emath.arcsin)
def arcsin(x: Any) -> Any:
    """The inverse sine.

    >>> float(arcsin(0.0))
    0.0
    """
    x = np.asarray(x)
    return np.arcsin(x if _is_complex(x) else _real("arcsin", x, np.abs(x) > 1.0))


@stands_for(np.emath.arctanh)
def arctanh(x: Any) -> Any:
    """The inverse hyperbolic tangent.

    >>> float(arctanh(0.0))
    0.0
    """
    x = np.asarray(x)
    return np.arctanh(x if _is_complex(x) else _real("arctanh", x, np.abs(x) > 1.0))
