"""Incomplete gamma and beta functions of SciPy, their inverses, and Student's distribution.

Formulae: DLMF chapter 8. Derivatives by a shape are rows, computed by quadrature.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from srcgrad.primitives.elementwise import eq, exp, log, log1p, lt, pow
from srcgrad.primitives.libraries import array_of
from srcgrad.primitives.registry import ZERO, derive
from srcgrad.primitives.rules import select
from srcgrad.primitives.shape_integrals import beta_by_shape, gamma_by_shape, student_by_freedom
from srcgrad.primitives.special import (
    betaln,
    digamma,
    gammaln,
    polygamma,
    special_function,
    xlog1py,
    xlogy,
)

_END = 2.0**-10  # an end of [0, 1]: powers of two divide without an error


def gamma_density(a: Any, b: Any) -> Any:
    """The derivative of P(a, b) with respect to b."""
    near, far = _apart(b, 1.0)
    return pow(near, a - 1.0) * exp(xlogy(a - 1.0, far) - b - gammaln(a))


def beta_density(a: Any, b: Any, c: Any) -> Any:
    """The derivative of I_c(a, b) with respect to c."""
    left, low = _apart(c, _END)
    right, high = _apart(1.0 - c, _END)
    inner = xlogy(a - 1.0, low) + xlog1py(b - 1.0, high - 1.0)
    ends = pow(left / _END, a - 1.0) * pow(right / _END, b - 1.0)
    return ends * exp(inner - betaln(a, b))


def _apart(x: Any, end: float) -> tuple[Any, Any]:
    """x * end as two factors: x below `end` for a power, which has slopes at 0, or a logarithm's x.

    One condition chooses both. Ties of `minimum` and `maximum` would share the slope at `end`,
    and higher derivatives there would be wrong.
    """
    below = lt(x, end)
    return select(below, x, end), select(below, end, x)


# ---- the functions and their inverses ----
gammainc = special_function(
    "gammainc", lambda y, a, b: gammainc_by_shape(a, b), lambda y, a, b: gamma_density(a, b)
)
gammaincc = special_function(
    "gammaincc", lambda y, a, b: -gammainc_by_shape(a, b), lambda y, a, b: -gamma_density(a, b)
)
gammaincinv = special_function(
    "gammaincinv",
    lambda y, a, b: _held(gammainc_by_shape(a, y), gamma_density(a, y), y),
    lambda y, a, b: 1.0 / gamma_density(a, y),
)
gammainccinv = special_function(
    "gammainccinv",
    lambda y, a, b: _held(gammainc_by_shape(a, y), gamma_density(a, y), y),
    lambda y, a, b: -1.0 / gamma_density(a, y),
)
betainc = special_function(
    "betainc",
    lambda y, a, b, c: betainc_by_shape(a, b, c, 1.0 - c),
    lambda y, a, b, c: -betainc_by_shape(b, a, 1.0 - c, c),
    lambda y, a, b, c: beta_density(a, b, c),
)
betaincinv = special_function(
    "betaincinv",
    lambda y, a, b, c: _held(
        betainc_by_shape(a, b, y, 1.0 - y), beta_density(a, b, y), y * (1.0 - y)
    ),
    lambda y, a, b, c: _held(
        -betainc_by_shape(b, a, 1.0 - y, y), beta_density(a, b, y), y * (1.0 - y)
    ),
    lambda y, a, b, c: 1.0 / beta_density(a, b, y),
)


def _held(slope: Any, density: Any, inside: Any) -> Any:
    """The derivative of a quantile by a shape; 0 at an end of the support, where `inside` is 0."""
    return -slope / select(eq(inside, 0.0), 1.0, density)


# ---- Student's distribution ----
stdtr = special_function(
    "stdtr", lambda y, a, b: stdtr_by_freedom(a, b), lambda y, a, b: _t_density(a, b)
)
stdtrit = special_function(
    "stdtrit",
    lambda y, a, b: _held(stdtr_by_freedom(a, y), _t_density(a, y), _t_density(a, y)),
    lambda y, a, b: 1.0 / _t_density(a, y),
)


def _t_density(a: Any, b: Any) -> Any:
    """Student's density with `a` degrees of freedom at `b`."""
    logarithm = -0.5 * (a + 1.0) * log1p(b * b / a) - 0.5 * log(a) - betaln(0.5 * a, 0.5)
    return exp(logarithm)


def _t_density_by_freedom(a: Any, b: Any) -> Any:
    """Its derivative by the degrees of freedom."""
    square = b * b / a
    of_power = (a + 1.0) / a * square / (1.0 + square) - log1p(square) - 1.0 / a
    return 0.5 * _t_density(a, b) * (of_power + digamma(0.5 * (a + 1.0)) - digamma(0.5 * a))


# ---- derivatives by a shape ----
def _of_each(function: Callable[..., float], *args: Any) -> Any:
    each: Any = np.frompyfunc(function, len(args), 1)
    values = each(*(array_of(a, float) for a in args))
    return array_of(values, np.result_type(np.result_type(*args), np.float32))[()]


def _gamma_by_shape(a: Any, b: Any) -> Any:
    return _of_each(partial(gamma_by_shape, twice=False), a, b)


def _gamma_by_shape_twice(a: Any, b: Any) -> Any:
    return _of_each(partial(gamma_by_shape, twice=True), a, b)


def _beta_by_shape(a: Any, b: Any, c: Any, d: Any) -> Any:
    return _of_each(beta_by_shape, a, b, c, d)


def _t_by_freedom(a: Any, b: Any) -> Any:
    return _of_each(student_by_freedom, a, b)


gammainc_by_shape = derive(
    "gammainc_by_shape",
    _gamma_by_shape,
    lambda y, a, b: gammainc_by_shape_twice(a, b),
    lambda y, a, b: _less_mean(gamma_density(a, b), b, digamma(a)),
    singular=True,
    nonfinite=True,
)
gammainc_by_shape_twice = derive(
    "gammainc_by_shape_twice",
    _gamma_by_shape_twice,
    None,
    lambda y, a, b: gamma_density(a, b) * ((log(b) - digamma(a)) ** 2 - polygamma(a, n=1)),
    singular=True,
    nonfinite=True,
)
# the complement of the argument is an operand, constant: the derivative is by the argument alone
betainc_by_shape = derive(
    "betainc_by_shape",
    _beta_by_shape,
    None,
    None,
    lambda y, a, b, c, d: _less_mean(beta_density(a, b, c), c, digamma(a) - digamma(a + b)),
    ZERO,
    singular=True,
    nonfinite=True,
)
stdtr_by_freedom = derive(
    "stdtr_by_freedom",
    _t_by_freedom,
    None,
    lambda y, a, b: _t_density_by_freedom(a, b),
    nonfinite=True,
)
BY_SHAPES = (gammainc_by_shape, gammainc_by_shape_twice, betainc_by_shape, stdtr_by_freedom)


def _less_mean(density: Any, x: Any, mean: Any) -> Any:
    """density (log(x) - mean), 0 where the density is."""
    return xlogy(density, x) - density * mean
