"""`scipy.integrate.quad` inside compiled code: QUADPACK integrates.

Derivatives by what the integrand captures are integrals as well, with the same options.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import integrate

from srcgrad.frontend.formulas.registry import stands_for, unsupported
from srcgrad.solvers.by_library import integral


@stands_for(integrate.quad)
def quad(
    func: Any, a: Any, b: Any, args: Any = (), full_output: Any = 0, epsabs: Any = 1.49e-8,
    epsrel: Any = 1.49e-8, limit: Any = 50, points: Any = None, weight: Any = None,
    wvar: Any = None, wopts: Any = None, maxp1: Any = 50, limlst: Any = 50,
    complex_func: Any = False,
) -> Any:  # fmt: skip
    """The integral of a function of a number, and an estimate of its error.

    >>> round(quad(lambda x: x * x, 0.0, 3.0)[0], 12)
    9.0
    """
    if full_output or wopts is not None or complex_func:
        unsupported("quad with full_output, wopts or complex_func", "leave them out")
    given = args if isinstance(args, tuple) else (args,)
    settings = {
        "epsabs": epsabs, "epsrel": epsrel, "limit": limit, "points": points, "weight": weight,
        "wvar": wvar, "maxp1": maxp1, "limlst": limlst,
    }  # fmt: skip
    made = integral("quad", _by_quad, lambda x: float(func(x, *given) * 1.0), a, b, settings)
    return float(made[0]), float(made[1])


@stands_for(integrate.dblquad)
def dblquad(
    func: Any, a: Any, b: Any, gfun: Any, hfun: Any, args: Any = (), epsabs: Any = 1.49e-8,
    epsrel: Any = 1.49e-8,
) -> Any:  # fmt: skip
    """The integral of a function of y and x over x in [a, b] and y in [gfun(x), hfun(x)].

    Each integral is one of `quad`; the error is that of the outer one.

    >>> round(dblquad(lambda y, x: x * y, 0.0, 1.0, 0.0, lambda x: x)[0], 12)
    0.125
    """

    def inner(x: Any) -> Any:
        low = gfun(x) if callable(gfun) else gfun
        high = hfun(x) if callable(hfun) else hfun
        return quad(lambda y: func(y, x, *args), low, high, (), 0, epsabs, epsrel)[0]

    return quad(inner, a, b, (), 0, epsabs, epsrel)


def _by_quad(f: Callable, a: float, b: float, shape: tuple, settings: dict) -> np.ndarray:
    """The integrals of all elements of a function's values; points that recur are computed once."""
    known: dict[float, np.ndarray] = {}
    out = np.zeros((2, int(np.prod(shape[1:]))))

    def element(x: float, k: int) -> float:
        if x not in known:
            known[x] = np.ravel(f(x))
        return known[x][k]

    for k in range(out.shape[1]):
        value, error, _, *message = integrate.quad(element, a, b, (k,), True, **settings)
        if message:
            raise RuntimeError(f"the integral was not found: {message[0]}")
        out[0, k] = value
        if len(shape) == 1:
            out[1, k] = error
    return out.reshape(shape)
