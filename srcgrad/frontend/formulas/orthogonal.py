"""Orthogonal polynomials of scipy.special by their recurrences; the degree is one whole number.

Formulae: DLMF 18.9; those of Legendre, Laguerre and Jacobi by differences of one degree and the
next, as SciPy computes them, which is exact at an end.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from srcgrad.frontend.formulas.registry import known, stands_for, unsupported


def whole(n: Any) -> int:
    """The degree."""
    n = known(n)
    if n != int(n) or n < 0:
        return unsupported("the degree of a polynomial is one whole number", "call it for each")
    return int(n)


def is_fraction(n: Any) -> bool:
    """Whether a degree is known and no whole number: the function is a hypergeometric one.

    >>> is_fraction(0.5), is_fraction(2.0)
    (True, False)
    """
    n = known(n)
    return isinstance(n, float) and n != int(n)


@stands_for(special.eval_legendre)
def eval_legendre(n: Any, x: Any) -> Any:
    """Legendre's polynomial.

    >>> float(eval_legendre(2, 1.0))
    1.0
    """
    if is_fraction(n):
        return special.hyp2f1(-n, n + 1.0, 1.0, (1.0 - x) / 2.0)
    n = whole(n)
    p, d = 1.0 + 0.0 * x, 0.0 * x
    for k in range(n):
        d = (2 * k + 1) / (k + 1) * (x - 1.0) * p + k / (k + 1) * d
        p = p + d
    return p


@stands_for(special.eval_jacobi)
def eval_jacobi(n: Any, alpha: Any, beta: Any, x: Any) -> Any:
    """Jacobi's polynomial.

    >>> float(eval_jacobi(1, 0.0, 0.0, 0.5))
    0.5
    """
    n = whole(n)
    p = 1.0 + 0.0 * (x + alpha + beta)
    d = 0.5 * (alpha + beta + 2.0) * (x - 1.0) / (alpha + 1.0)
    for k in range(1, n + 1):
        p = p + d
        t = 2.0 * k + alpha + beta
        down = 2.0 * k * (k + beta) * (t + 2.0) * d
        d = t * (t + 1.0) * (t + 2.0) * (x - 1.0) * p + down
        d = d / (2.0 * (k + alpha + 1.0) * (k + alpha + beta + 1.0) * t)
    return scaled(p, n, alpha)


def scaled(p: Any, n: int, alpha: Any) -> Any:
    """A polynomial that is 1 at an end, times n + alpha over n.

    >>> scaled(1.0, 2, 1.0)
    3.0
    """
    for k in range(1, n + 1):
        p = p * (k + alpha) / k
    return p


@stands_for(special.eval_genlaguerre)
def eval_genlaguerre(n: Any, alpha: Any, x: Any) -> Any:
    """The generalized polynomial of Laguerre.

    >>> float(eval_genlaguerre(1, 0.0, 0.25))
    0.75
    """
    if is_fraction(n):
        return special.binom(n + alpha, n) * special.hyp1f1(-n, alpha + 1.0, x)
    n = whole(n)
    p = 1.0 + 0.0 * (x + alpha)
    d = -x / (alpha + 1.0)
    for k in range(1, n + 1):
        p = p + d
        d = (k * d - x * p) / (k + alpha + 1.0)
    return scaled(p, n, alpha)


@stands_for(special.eval_laguerre)
def eval_laguerre(n: Any, x: Any) -> Any:
    """Laguerre's polynomial.

    >>> float(eval_laguerre(1, 0.25))
    0.75
    """
    return eval_genlaguerre(n, 0.0, x)


def by_recurrence(n: Any, x: Any, first: Any, factor: Any, less: Any) -> Any:
    """p_0 = 1, p_1 = `first`, p_(k+1) = `factor`(k) x p_k - `less`(k) p_(k-1).

    >>> by_recurrence(2, 3.0, 3.0, lambda k: 2.0, lambda k: 1.0)
    17.0
    """
    n = whole(n)
    before, p = 1.0 + 0.0 * x, first
    if n == 0:
        return before
    for k in range(1, n):
        before, p = p, factor(k) * x * p - less(k) * before
    return p


@stands_for(special.eval_chebyt)
def eval_chebyt(n: Any, x: Any) -> Any:
    """Chebyshev's polynomial of the first kind.

    >>> float(eval_chebyt(2, 0.5))
    -0.5
    """
    return by_recurrence(n, x, x, lambda k: 2.0, lambda k: 1.0)


@stands_for(special.eval_chebyu)
def eval_chebyu(n: Any, x: Any) -> Any:
    """Chebyshev's polynomial of the second kind.

    >>> float(eval_chebyu(2, 0.5))
    0.0
    """
    return by_recurrence(n, x, 2.0 * x, lambda k: 2.0, lambda k: 1.0)


@stands_for(special.eval_hermite)
def eval_hermite(n: Any, x: Any) -> Any:
    """Hermite's polynomial.

    >>> float(eval_hermite(2, 1.0))
    2.0
    """
    return by_recurrence(n, x, 2.0 * x, lambda k: 2.0, lambda k: 2.0 * k)


@stands_for(special.eval_hermitenorm)
def eval_hermitenorm(n: Any, x: Any) -> Any:
    """Hermite's polynomial of probability.

    >>> float(eval_hermitenorm(2, 1.0))
    0.0
    """
    return by_recurrence(n, x, x, lambda k: 1.0, lambda k: 1.0 * k)


@stands_for(special.eval_gegenbauer)
def eval_gegenbauer(n: Any, alpha: Any, x: Any) -> Any:
    """Gegenbauer's polynomial.

    >>> float(eval_gegenbauer(1, 1.5, 0.5))
    1.5
    """
    up, down = lambda k: 2.0 * (k + alpha) / (k + 1), lambda k: (k + 2.0 * alpha - 1.0) / (k + 1)
    return by_recurrence(n, x, 2.0 * alpha * x, up, down)


@stands_for(special.eval_sh_legendre)
def eval_sh_legendre(n: Any, x: Any) -> Any:
    """Legendre's polynomial on [0, 1].

    >>> float(eval_sh_legendre(1, 0.75))
    0.5
    """
    return eval_legendre(n, 2.0 * x - 1.0)


@stands_for(special.eval_sh_chebyt)
def eval_sh_chebyt(n: Any, x: Any) -> Any:
    """Chebyshev's polynomial of the first kind on [0, 1].

    >>> float(eval_sh_chebyt(1, 0.75))
    0.5
    """
    return eval_chebyt(n, 2.0 * x - 1.0)


@stands_for(special.eval_sh_chebyu)
def eval_sh_chebyu(n: Any, x: Any) -> Any:
    """Chebyshev's polynomial of the second kind on [0, 1].

    >>> float(eval_sh_chebyu(1, 0.75))
    1.0
    """
    return eval_chebyu(n, 2.0 * x - 1.0)


@stands_for(special.eval_chebyc)
def eval_chebyc(n: Any, x: Any) -> Any:
    """Chebyshev's polynomial of the first kind on [-2, 2].

    >>> float(eval_chebyc(1, 0.75))
    0.75
    """
    return 2.0 * eval_chebyt(n, 0.5 * x)


@stands_for(special.eval_chebys)
def eval_chebys(n: Any, x: Any) -> Any:
    """Chebyshev's polynomial of the second kind on [-2, 2].

    >>> float(eval_chebys(1, 0.75))
    0.75
    """
    return eval_chebyu(n, 0.5 * x)


@stands_for(special.eval_sh_jacobi)
def eval_sh_jacobi(n: Any, p: Any, q: Any, x: Any) -> Any:
    """Jacobi's polynomial on [0, 1], whose leading coefficient is 1.

    >>> float(eval_sh_jacobi(1, 1.0, 1.0, 0.75))
    0.25
    """
    return eval_jacobi(n, p - q, q - 1.0, 2.0 * x - 1.0) / special.binom(2.0 * n + p - 1.0, n)


@stands_for(special.roots_legendre)
def roots_legendre(n: Any, mu: Any = False) -> tuple:
    """The nodes and weights of the rule of Gauss and Legendre.

    >>> [v.tolist() for v in roots_legendre(1)]
    [[0.0], [2.0]]
    """
    x, w = np.polynomial.legendre.leggauss(whole(n))
    return (x, w, 2.0) if known(mu) else (x, w)
