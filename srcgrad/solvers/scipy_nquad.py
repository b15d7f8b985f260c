"""Integrals over several variables of `scipy.integrate` in compiled code: one `quad` in another.

The estimate of the error is that of the outermost integral.
"""

from __future__ import annotations

from typing import Any

from scipy import integrate

from srcgrad.frontend.formulas.registry import stands_for, unsupported
from srcgrad.solvers.scipy_quad import quad


@stands_for(integrate.nquad)
def nquad(
    func: Any, ranges: Any, args: Any = None, opts: Any = None, full_output: Any = False
) -> Any:
    """The integral of a function of several variables, the first of which is the innermost.

    >>> round(nquad(lambda x, y: x * y, [(0.0, 1.0), lambda: (0.0, 2.0)])[0], 12)
    1.0
    """
    if full_output:
        unsupported("nquad with full_output", "leave it out")
    given = () if args is None else tuple(args)
    spans = tuple(ranges)
    if opts is None or isinstance(opts, dict):
        options = ({} if opts is None else opts,) * len(spans)
    else:
        options = tuple(opts)
    return _over(func, spans, options, given)


def _over(func: Any, ranges: Any, opts: Any, outer: tuple) -> Any:
    """The integral over the variables of the ranges, for values of those further out."""
    low, high = _of_outer(ranges[-1], *outer)
    named = _of_outer(opts[-1], *outer)
    if "points" in named:
        unsupported("nquad with points", "split the range")
    if len(ranges) == 1:
        return quad(func, low, high, outer, **named)
    return quad(lambda x: _over(func, ranges[:-1], opts[:-1], (x, *outer))[0], low, high, **named)


@stands_for(integrate.tplquad)
def tplquad(
    func: Any, a: Any, b: Any, gfun: Any, hfun: Any, qfun: Any, rfun: Any, args: Any = (),
    epsabs: Any = 1.49e-8, epsrel: Any = 1.49e-8,
) -> Any:  # fmt: skip
    """The integral of a function of z, y and x over z in [qfun(x, y), rfun(x, y)] and so on.

    >>> round(tplquad(lambda z, y, x: x * y * z, 0.0, 1.0, 0.0, 1.0, 0.0, lambda x, y: 2.0)[0], 12)
    0.5
    """
    given = args if isinstance(args, tuple) else (args,)
    innermost = lambda y, x, *rest: (_of_outer(qfun, x, y), _of_outer(rfun, x, y))
    middle = lambda x, *rest: (_of_outer(gfun, x), _of_outer(hfun, x))
    options = {"epsabs": epsabs, "epsrel": epsrel}
    return nquad(func, (innermost, middle, (a, b)), given, options)


def _of_outer(stated: Any, *outer: Any) -> Any:
    """A range, an end or options: stated, or a function of the variables further out."""
    return stated(*outer) if callable(stated) else stated
