"""`scipy.integrate.quad` inside compiled code: QUADPACK integrates.

Derivatives by what the integrand captures are integrals as well, with the same options.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy import integrate

from srcgrad.frontend.formulas.registry import stands_for, unsupported
from srcgrad.solvers.by_library import by_library, integral
from srcgrad.transforms.entry_points import stop_gradient

REPORTED = ("neval", "last", "iord", "alist", "blist", "rlist", "elist")


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
    if wopts is not None:
        unsupported("quad with wopts", "leave it out")
    given = args if isinstance(args, tuple) else (args,)
    if complex_func:
        if full_output:
            unsupported("quad with full_output and complex_func", "leave one out")
        rest = (0, epsabs, epsrel, limit, points, weight, wvar, None, maxp1, limlst)
        real = quad(lambda x: func(x, *given).real, a, b, (), *rest)
        imaginary = quad(lambda x: func(x, *given).imag, a, b, (), *rest)
        return real[0] + 1j * imaginary[0], real[1] + 1j * imaginary[1]
    settings = {
        "epsabs": epsabs, "epsrel": epsrel, "limit": limit, "points": points, "weight": weight,
        "wvar": wvar, "maxp1": maxp1, "limlst": limlst,
    }  # fmt: skip
    value = lambda x: float(func(x, *given) * 1.0)
    made = integral("quad", _by_quad, value, a, b, settings)
    if not full_output:
        return float(made[0]), float(made[1])
    if points is not None or weight is not None:
        unsupported("quad with full_output and points or weight", "leave one out")
    pieces = np.empty(limit)
    like = (1, 1, np.empty(limit, np.int32), pieces, pieces, pieces, pieces)
    functions = ((value, (0.0,)),)
    found = by_library(_report, like, functions, a * 1.0, b * 1.0, epsabs, epsrel, limit)
    report = dict(zip(REPORTED, found, strict=True))
    return float(made[0]), float(made[1]), report


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


@stands_for(integrate.quad_vec)
def quad_vec(
    f: Any, a: Any, b: Any, epsabs: Any = 1e-200, epsrel: Any = 1e-8, norm: Any = "2",
    cache_size: Any = 100e6, limit: Any = 10000, workers: Any = 1, points: Any = None,
    quadrature: Any = None, full_output: Any = False, *, args: Any = (),
) -> Any:  # fmt: skip
    """The integral of an array that depends on a number, and an estimate of its error.

    >>> quad_vec(lambda x: x * np.array([1.0, 2.0]), 0.0, 1.0)[0].round(12)
    array([0.5, 1. ])
    """
    if full_output or callable(norm) or callable(workers):
        unsupported("quad_vec with full_output, or functions for norm or workers", "leave them out")
    given = args if isinstance(args, tuple) else (args,)
    start, end = float(a), float(b)
    inside = start if np.isfinite(start) else (end if np.isfinite(end) else 0.0)
    like = np.asarray(f(inside, *given)) * 1.0
    if like.dtype.kind == "c":
        unsupported("quad_vec of complex numbers", "integrate .real and .imag")
    settings = {
        "epsabs": epsabs, "epsrel": epsrel, "norm": norm, "cache_size": cache_size,
        "limit": limit, "points": points, "quadrature": quadrature,
    }  # fmt: skip
    values = lambda x: np.ravel(np.asarray(f(x, *given)) * 1.0).astype(np.float64)
    made = integral("quad_vec", _by_quad_vec, values, start, end, settings, np.size(like))
    error = stop_gradient(np.sum(made[1, :1]))
    if like.ndim == 0:
        return float(made[0, 0]), error
    return made[0].reshape(like.shape).astype(like.dtype), error


def _by_quad_vec(f: Callable, a: float, b: float, shape: tuple, settings: dict) -> np.ndarray:
    """The integrals of all elements at once: the norm of their errors meets the tolerance."""
    value, error, info = integrate.quad_vec(f, a, b, full_output=True, **settings)
    if info.status not in (0, 2):  # 2: rounding sets the error
        raise RuntimeError(f"the integral was not found: {info.message}")
    return np.stack((value, np.full_like(value, error)))


def _report(
    functions: Sequence[Callable], a: float, b: float, epsabs: float, epsrel: float, limit: int
) -> tuple:
    """QUADPACK's report of its work."""
    found = integrate.quad(functions[0], a, b, (), True, epsabs, epsrel, limit)[2]
    return tuple(found[name] for name in REPORTED)


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
