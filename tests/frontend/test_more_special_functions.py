"""Elliptic integrals, hypergeometric, Kelvin and spherical Bessel functions, polynomials.

Values are SciPy's to the edges of the domain; derivatives agree with mpmath's over it.
"""

import math
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest
from scipy import special as sp
from scipy import stats

import srcgrad as flow
from srcgrad.errors import UnsupportedError
from tests.frontend.scalars import check
from tests.tools.turns import share

PARAMETERS = (-1e8, -50.0, -1.0, -0.5, -1e-9, 0.0, 1e-3, 0.5, 0.7, 0.999, 1.0 - 1e-12)
REAL = (-9.0, -1.0, -0.99, -1e-3, 0.0, 1e-9, 0.5, 1.0, 1.01, 12.0)
POSITIVE = (1e-3, 0.4, 1.0, 2.5, 12.0)
EDGES = (0.0, 1.0, 2.0, -1.0, math.inf, -math.inf, math.nan)
# a function of a number, the same by mpmath, and where to compare derivatives of two orders
FUNCTIONS: list[tuple[Callable, Callable, tuple]] = [
    (lambda x: sp.ellipk(x), mpmath.ellipk, PARAMETERS),
    (lambda x: sp.ellipe(x), mpmath.ellipe, PARAMETERS),
    (lambda x: sp.ellipkm1(x), lambda p: mpmath.ellipk(1 - p), (1e-12, 0.01, 0.5, 1.0, 1.5, 9.0)),
    (lambda x: sp.hyp2f1(0.5, 1.5, 2.2, x), lambda x: mpmath.hyp2f1(0.5, 1.5, 2.2, x),
     (-20.0, -1.0, -0.3, 0.0, 0.5, 0.99)),
    (lambda x: sp.hyperu(0.5, 1.5, x), lambda x: mpmath.hyperu(0.5, 1.5, x), POSITIVE),
    (lambda x: sp.spence(x), lambda x: mpmath.polylog(2, 1 - x), (1e-3, 0.5, 0.9, 1.0, 1.1, 7.0)),
    (lambda x: sp.ber(x), lambda x: mpmath.ber(0, x), REAL),
    (lambda x: sp.bei(x), lambda x: mpmath.bei(0, x), REAL),
    (lambda x: sp.ker(x), lambda x: mpmath.ker(0, x), POSITIVE),
    (lambda x: sp.kei(x), lambda x: mpmath.kei(0, x), POSITIVE),
    *(
        (lambda x, n=n: sp.spherical_jn(n, x),
         lambda x, n=n: mpmath.sqrt(mpmath.pi / (2 * x)) * mpmath.besselj(n + 0.5, x), POSITIVE)
        for n in (0, 1, 4)
    ),
    (lambda x: sp.spherical_yn(2, x),
     lambda x: mpmath.sqrt(mpmath.pi / (2 * x)) * mpmath.bessely(2.5, x), POSITIVE),
    (lambda x: sp.spherical_in(1, x),
     lambda x: mpmath.sqrt(mpmath.pi / (2 * x)) * mpmath.besseli(1.5, x), POSITIVE),
    (lambda x: sp.spherical_kn(1, x),
     lambda x: mpmath.sqrt(mpmath.pi / (2 * x)) * mpmath.besselk(1.5, x), POSITIVE),
    (lambda x: sp.eval_legendre(5, x), lambda x: mpmath.legendre(5, x), (-1.0, -0.3, 0.0, 1.0)),
    (lambda x: sp.eval_chebyt(5, x), lambda x: mpmath.chebyt(5, x), (-1.0, -0.3, 0.0, 1.0)),
    (lambda x: sp.eval_chebyu(4, x), lambda x: mpmath.chebyu(4, x), (-1.0, -0.3, 0.0, 1.0)),
    (lambda x: sp.eval_hermite(4, x), lambda x: mpmath.hermite(4, x), (-1.0, 0.0, 3.0)),
    (lambda x: sp.eval_genlaguerre(3, 0.5, x), lambda x: mpmath.laguerre(3, 0.5, x), (0.0, 2.0)),
    (lambda x: sp.eval_gegenbauer(4, 1.5, x), lambda x: mpmath.gegenbauer(4, 1.5, x), (0.0, 1.0)),
    (lambda x: sp.eval_jacobi(4, 0.5, 1.5, x), lambda x: mpmath.jacobi(4, 0.5, 1.5, x), (0.0, 1.0)),
]  # fmt: skip


@pytest.mark.parametrize(("f", "exact", "points"), share(FUNCTIONS))
def test_derivatives(f: Callable, exact: Callable, points: tuple):
    first = flow.elementwise_grad(flow.compile(f, target="python"))
    second = flow.elementwise_grad(first)
    with mpmath.workdps(40):
        for x in points:
            for order, found in ((1, first(x)), (2, second(x))):
                expected = float(mpmath.re(mpmath.diff(exact, mpmath.mpf(x), order)))
                assert found == pytest.approx(expected, rel=1e-9, abs=1e-12), (x, order)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize(("f", "exact", "points"), share(FUNCTIONS))
def test_values_and_dtypes(f: Callable, exact: Callable, points: tuple, target: str):
    name = f.__code__.co_names[1]
    rounding = 0.0 if target == "python" and not name.startswith("eval") else 1e-13
    kept = EDGES[:4] if name.startswith(("eval", "spherical")) else EDGES
    for kind in (np.float64, np.float32) if target == "python" else (np.float64,):
        given = np.array((*points, *kept), kind)
        want, got = f(given), flow.compile(f, target=target)(given)
        assert want.dtype == got.dtype
        loose = 2e-6 if kind is np.float32 else rounding
        if name == "spherical_kn":  # releases differ about negative numbers
            want, got = want[given >= 0.0], got[given >= 0.0]
        np.testing.assert_allclose(got, want, rtol=loose, atol=loose)


ANGLES = np.array([-4.0, -1.5, -1e-9, 0.0, 0.01, 0.5, math.pi / 2, 1.7, 6.0])
MODULI = np.array([-3.0, 0.2, 0.5, 0.3, 1e-9, 0.0, 0.9, 0.5, 0.6])


@pytest.mark.parametrize(
    ("f", "exact"), [(sp.ellipkinc, mpmath.ellipf), (sp.ellipeinc, mpmath.ellipe)]
)
def test_incomplete_integrals(f: Any, exact: Callable):
    def loss(a, m):
        return np.sum(f(a, m))

    by_angle, by_modulus = flow.grad(flow.compile(loss, target="python"), (0, 1))(ANGLES, MODULI)
    for k, (a, m) in enumerate(zip(ANGLES, MODULI, strict=True)):
        with mpmath.workdps(40):
            expected = [float(mpmath.diff(exact, (a, m), n)) for n in ((1, 0), (0, 1))]
        assert [by_angle[k], by_modulus[k]] == pytest.approx(expected, rel=1e-11, abs=1e-12)
    for k in (0, 1, 4, 5, 7, 8):
        a, m = ANGLES[k], MODULI[k]
        found = flow.hessian(flow.compile(lambda v: f(v[0], v[1]), target="python"))(
            np.array([a, m])
        )
        with mpmath.workdps(40):
            expected = [float(mpmath.diff(exact, (a, m), n)) for n in ((2, 0), (1, 1), (0, 2))]
        assert found[[0, 0, 1], [0, 1, 1]] == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_orders_of_spherical_functions():
    orders = np.arange(5)

    def f(x):
        return sp.spherical_jn(orders, x) + sp.spherical_jn(orders, x, derivative=True)

    x = np.array([-3.0, 0.0, 0.5, 1.0, 9.0])
    for target in ("python", "cpu"):
        check(f, (x,), target, 1e-13)
    np.testing.assert_allclose(
        flow.elementwise_grad(lambda x: sp.spherical_jn(orders, x))(x),
        sp.spherical_jn(orders, x, derivative=True), rtol=1e-12, atol=1e-15,
    )  # fmt: skip
    with pytest.raises(UnsupportedError, match="the order of spherical_jn is a whole number"):
        flow.compile(lambda n: sp.spherical_jn(n, 1.0), target="python")(2.5)


def test_degrees():
    def f(n, x):
        return sp.eval_legendre(n, x) + sp.eval_sh_legendre(n, x) + sp.eval_hermitenorm(n, x)

    x = np.array([-0.5, 0.3, 1.0])
    for n in (0, 1, np.int32(6)):
        for given in (x, x.astype(np.float32), 0.3):
            check(f, (n, given), "python", 1e-6 if given is not x else 1e-14)
    with pytest.raises(UnsupportedError, match="one whole number"):
        flow.compile(lambda x: sp.eval_chebyt(2.5, x), target="python")(0.5)
    nodes, weights = flow.compile(lambda x: sp.roots_legendre(6), target="python")(0.5)
    np.testing.assert_allclose(nodes, sp.roots_legendre(6)[0], atol=1e-15)
    np.testing.assert_allclose(weights, sp.roots_legendre(6)[1], rtol=1e-14)


@pytest.mark.parametrize(
    "of",
    share([
        stats.norm(0.3, 1.2), stats.expon(0.1), stats.gamma(2.5), stats.chi2(3.0), stats.t(4.0),
        stats.beta(2.0, 3.0), stats.cauchy(), stats.logistic(), stats.lognorm(0.7), stats.uniform(),
        stats.weibull_min(1.5), stats.pareto(2.5), stats.gumbel_r(), stats.gumbel_l(),
        stats.rayleigh(),
    ]),
)  # fmt: skip
def test_inverses_of_tails(of: Any):
    def f(q):
        return of.isf(q)

    q = np.array([0.999, 0.7, 0.2, 1e-3])
    deep = np.append(q, 1e-20 if of.dist.name != "beta" else 1e-10)
    np.testing.assert_allclose(flow.compile(f, target="python")(deep), f(deep), rtol=1e-9)
    slopes = flow.elementwise_grad(flow.compile(f, target="python"))(q)
    np.testing.assert_allclose(slopes, -1.0 / of.pdf(of.isf(q)), rtol=1e-7)


def test_an_orthogonal_polynomial_is_an_operand_of_others():
    line, cubic = np.poly1d([1.0, 0.5]), sp.jacobi(3, 0.5, 1.0)

    def f(x):
        return (line - cubic)(x) * (2.0 * cubic)(x) + (np.poly1d([x, 1.0]) - cubic)(0.3)

    slope = flow.grad(flow.compile(f, target="python"))(0.4)
    np.testing.assert_allclose(slope, (f(0.4 + 1e-6) - f(0.4 - 1e-6)) / 2e-6, rtol=1e-7)


def test_parameters_of_a_polynomial_have_no_derivative():
    with pytest.raises(UnsupportedError, match="it must be known at compile time"):
        flow.grad(flow.compile(lambda a: sp.jacobi(2, a, 1.0)(0.3), target="python"))(0.4)


@pytest.mark.parametrize(
    ("a", "b"), [(-3.0, -3.0), (-2.0, -3.0), (-1.0, -2.0), (-1.0, -1.0), (-2.0, 1.5), (-1.0, 1.5)]
)
def test_polynomials_of_kummer(a, b):
    """1F1(a; b; x) of whole numbers b <= a <= 0 ends before the term that divides by zero."""

    def f(x):
        return sp.hyp1f1(a, b, x)

    made, h = flow.compile(f, target="python"), 1e-3
    slope = (f(1.3 + h) - f(1.3 - h)) / (2.0 * h)
    curvature = (f(1.3 + h) - 2.0 * f(1.3) + f(1.3 - h)) / (h * h)
    assert np.isclose(flow.grad(made)(1.3), slope, rtol=1e-5, atol=1e-9)
    assert np.isclose(flow.grad(flow.grad(made))(1.3), curvature, rtol=1e-5, atol=1e-7)
