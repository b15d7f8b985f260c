"""Factorials and binomial coefficients of scipy.special, of integers and of floats."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special

from srcgrad.frontend.formulas.registry import floating, is_array, stands_for, unsupported


@stands_for(special.comb)
def comb(N: Any, k: Any, *, exact: Any = False, repetition: Any = False) -> Any:
    """Choices of k out of N, 0 where there are none.

    >>> float(comb(5, 2))
    10.0
    """
    if exact:
        if is_array(N) or is_array(k):
            reason = "comb of arrays with exact=True is not supported"
            return unsupported(reason, "leave it out", TypeError)
        N = N + k - 1 if repetition else N
        return 0 if k > N or N < 0 or k < 0 else math.comb(N, k)
    N, k = floating(N), floating(k)
    if repetition:
        return comb(N + k - 1.0, k)
    return np.where((k <= N) & (N >= 0.0) & (k >= 0.0), special.binom(N, k), 0.0)


@stands_for(special.factorial)
def factorial(n: Any, exact: Any = False) -> Any:
    """n!: gamma(n + 1), 0 below 0; `exact` of one integer is an integer.

    >>> float(factorial(4.0)), factorial(20, exact=True)
    (24.0, 2432902008176640000)
    """
    if exact:
        if is_array(n):
            return unsupported(
                "factorial of arrays with exact=True is not supported", "leave it out"
            )
        return 0 if n < 0 else math.factorial(n)
    n = floating(n)
    return np.where(n < 0.0, 0.0, special.gamma(n + 1.0))


@stands_for(special.factorial2)
def factorial2(n: Any, exact: Any = False) -> Any:
    """n!! of integers: the product of every second number up to n; 0 below 0.

    >>> float(factorial2(6)), factorial2(7, exact=True)
    (48.0, 105)
    """
    if exact:
        if is_array(n):
            reason = "factorial2 of arrays with exact=True is not supported"
            return unsupported(reason, "leave it out")
        return product_of_every_second(n)
    n = np.asarray(n)
    half = 0.5 * n
    odd = np.where(n % 2 == 1, math.sqrt(2.0 / math.pi), 1.0)
    return np.where(n < 0, 0.0, odd * np.power(2.0, half) * special.gamma(half + 1.0))


def product_of_every_second(n: int) -> int:
    """n (n - 2) (n - 4) ...; 0 below 0."""
    made = 1 if n >= 0 else 0
    for k in range(n, 1, -2):
        made = made * k
    return made
