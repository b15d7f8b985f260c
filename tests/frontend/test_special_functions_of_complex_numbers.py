"""Special functions of complex numbers: SciPy's values, and mpmath's derivatives of two orders."""

import math
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest
from scipy import special as sp

import srcgrad as flow
from tests.tools.turns import share

ROOT = mpmath.sqrt(mpmath.mpf(0.5))
PLANE = (0.3 + 0.2j, -1.7 + 0.4j, 2.5 - 3.1j, 0.01 - 0.02j, -4.2 - 0.3j, 12 + 9j, -11 + 14j)
FAR = (*PLANE, 8 - 13j, 40 + 3j, 3 + 60j, -20.5 + 1e-3j)
AXIS = (*FAR, -0.7 + 0j, 1.5 + 0j)


def spherical(f: Callable) -> Callable:
    return lambda z: mpmath.sqrt(mpmath.pi / 2) * mpmath.power(z, -0.5) * f(2.5, z)


def faddeeva(z: Any) -> Any:
    return mpmath.exp(-z * z) * mpmath.erfc(-1j * z)


def dawson(z: Any) -> Any:
    return mpmath.sqrt(mpmath.pi) / 2 * mpmath.exp(-z * z) * mpmath.erfi(z)


# a function, the same by mpmath, and where to compare
FUNCTIONS: list[tuple[Callable, Callable, tuple]] = [
    (lambda z: sp.gamma(z), mpmath.gamma, (*AXIS, -3 + 1e-6j)),
    (lambda z: sp.rgamma(z), mpmath.rgamma, (*AXIS, -3 + 1e-6j, -3 + 0j, -2 + 0.999j, -2 - 1.001j)),
    (lambda z: sp.loggamma(z), mpmath.loggamma, FAR),
    (lambda z: sp.digamma(z), mpmath.digamma, (*AXIS, -3 + 1e-6j, 0.5 + 200j, -0.5 - 200j)),
    (lambda z: sp.erf(z), mpmath.erf, PLANE),
    (lambda z: sp.erfc(z), mpmath.erfc, PLANE),
    (lambda z: sp.erfcx(z), lambda z: faddeeva(1j * z), AXIS),
    (lambda z: sp.erfi(z), mpmath.erfi, PLANE),
    (lambda z: sp.dawsn(z), dawson, (*PLANE, 8 - 13j, 40 + 3j, 1.5 + 0j)),
    (lambda z: sp.wofz(z), faddeeva, (*AXIS, 9.9 + 0j, 10.1 + 0j, 1e5 + 1j)),
    (lambda z: sp.ndtr(z), lambda z: mpmath.erfc(-z * ROOT) / 2, PLANE),
    (lambda z: sp.log_ndtr(z), lambda z: mpmath.log(mpmath.erfc(-z * ROOT) / 2), AXIS),
    (lambda z: sp.exp1(z), mpmath.e1, FAR),
    (lambda z: sp.expi(z), mpmath.ei, FAR),
    (lambda z: sp.spence(z), lambda z: mpmath.polylog(2, 1 - z), FAR),
    (lambda z: sp.jv(1.5, z), lambda z: mpmath.besselj(1.5, z), AXIS),
    (lambda z: sp.jv(0, z), lambda z: mpmath.besselj(0, z), (*AXIS, 0j)),
    (lambda z: sp.yv(1.5, z), lambda z: mpmath.bessely(1.5, z), FAR),
    (lambda z: sp.iv(1.5, z), lambda z: mpmath.besseli(1.5, z), FAR),
    (lambda z: sp.kv(1.5, z), lambda z: mpmath.besselk(1.5, z), FAR),
    (lambda z: sp.kve(1.5, z), lambda z: mpmath.besselk(1.5, z) * mpmath.exp(z), FAR),
    (lambda z: sp.hankel1(1.5, z), lambda z: mpmath.hankel1(1.5, z), FAR),
    (lambda z: sp.hankel2(0, z), lambda z: mpmath.hankel2(0, z), FAR),
    (lambda z: sp.hankel1e(0, z), lambda z: mpmath.hankel1(0, z) * mpmath.exp(-1j * z), FAR),
    (lambda z: sp.hankel2e(1.5, z), lambda z: mpmath.hankel2(1.5, z) * mpmath.exp(1j * z), FAR),
    (lambda z: sp.spherical_jn(2, z), spherical(mpmath.besselj), FAR),
    (lambda z: sp.spherical_yn(2, z), spherical(mpmath.bessely), FAR),
    (lambda z: sp.spherical_in(2, z), spherical(mpmath.besseli), FAR),
    (lambda z: sp.spherical_kn(2, z), spherical(mpmath.besselk), FAR),
    (lambda z: sp.hyp0f1(1.5, z), lambda z: mpmath.hyp0f1(1.5, z), AXIS),
    (lambda z: sp.hyp1f1(0.5, 1.5, z), lambda z: mpmath.hyp1f1(0.5, 1.5, z), PLANE),
    (lambda z: sp.hyp2f1(0.5, 1.5, 2.2, z), lambda z: mpmath.hyp2f1(0.5, 1.5, 2.2, z), PLANE),
    (lambda z: sp.xlogy(z, z + 1.0), lambda z: z * mpmath.log(z + 1), PLANE),
    (lambda z: sp.eval_legendre(5, z), lambda z: mpmath.legendre(5, z), AXIS),
]  # fmt: skip


def along(f: Callable, direction: complex = 1.0) -> Callable:
    return lambda z: flow.jvp(f, (z,), (complex(direction),))[1]


@pytest.mark.parametrize(("f", "exact", "points"), share(FUNCTIONS))
def test_derivatives(f: Callable, exact: Callable, points: tuple):
    first = along(flow.compile(f, target="python"))
    second = along(first)
    with mpmath.workdps(60):
        for z in points:
            for order, found in ((1, first(z)), (2, second(z))):
                expected = complex(mpmath.diff(exact, mpmath.mpc(z), order))
                assert found == pytest.approx(expected, rel=1e-9 if order == 2 else 1e-11), (
                    z,
                    order,
                )


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize(("f", "exact", "points"), share(FUNCTIONS))
def test_values_and_gradients(f: Callable, exact: Callable, points: tuple, target: str):
    z = np.array(points)
    for kind in (np.complex128, np.complex64) if target == "python" else (np.complex128,):
        given = z.astype(kind)
        want, got = f(given), flow.compile(f, target=target)(given)
        assert got.dtype == want.dtype
        np.testing.assert_allclose(got, want, rtol=1e-6 if kind is np.complex64 else 1e-11)
    factor = 0.3 - 0.8j
    loss = flow.compile(lambda z: np.sum((factor * f(z)).real), target=target)
    slopes = [factor * along(flow.compile(f, target="python"))(x) for x in points]
    np.testing.assert_allclose(flow.grad(loss)(z), np.conj(slopes), rtol=1e-11)


def test_numbers_that_are_not_finite():
    f = flow.compile(
        lambda z: (sp.jv(1, z), sp.gamma(z), sp.wofz(z), sp.erf(z), sp.loggamma(z)),
        target="python",
    )
    for z in (complex(math.nan, 1.0), complex(1.0, math.nan), complex(math.inf, 0.0), 0j):
        plain = (sp.jv(1, z), sp.gamma(z), sp.wofz(z), sp.erf(z), sp.loggamma(z))
        np.testing.assert_array_equal(f(z), plain)
    assert np.isnan(along(lambda z: sp.wofz(z))(complex(math.nan, 1.0)))


# ---- scaled by a size that is not analytic ----
SCALED = [
    (lambda z: sp.ive(1.5, z), lambda z: mpmath.besseli(1.5, z) * mpmath.exp(-abs(mpmath.re(z)))),
    (lambda z: sp.jve(1.5, z), lambda z: mpmath.besselj(1.5, z) * mpmath.exp(-abs(mpmath.im(z)))),
    (lambda z: sp.yve(1.5, z), lambda z: mpmath.bessely(1.5, z) * mpmath.exp(-abs(mpmath.im(z)))),
]


@pytest.mark.parametrize(("f", "exact"), SCALED)
@pytest.mark.parametrize("target", ["python", "cpu"])
def test_scaled_functions(f: Callable, exact: Callable, target: str):
    points = np.array([0.7 + 0.4j, -1.3 - 2.0j, 30.0 + 900.0j, 900.0 - 1.0j])
    compiled = flow.compile(f, target=target)
    np.testing.assert_allclose(compiled(points), f(points), rtol=1e-12)
    for z in points[:2]:
        for one in (1.0, 1j):
            first, second = along(compiled, one), along(along(compiled, one), 1j)
            with mpmath.workdps(40):

                def near(t: Any, s: Any, z: complex = z, one: complex = one) -> Any:
                    return exact(mpmath.mpc(z) + t * one + s * 1j)

                expected = complex(mpmath.diff(near, (0, 0), (1, 0)))
                mixed = complex(mpmath.diff(near, (0, 0), (1, 1)))
            assert first(z) == pytest.approx(expected, rel=1e-11)
            assert second(z) == pytest.approx(mixed, rel=1e-10)
        loss = flow.compile(lambda z: (z * f(z)).imag, target=target)
        forward = [along(loss, one)(z) for one in (1.0, 1j)]
        assert flow.grad(loss)(z) == pytest.approx(complex(*forward), rel=1e-12)


def test_scaled_functions_of_real_numbers():
    def f(x):
        return sp.jve(1.5, x) + sp.yve(2, x) + sp.ive(1.5, x) + sp.hankel1(1.5, x).imag

    x = np.array([0.3, 1.0, 4.0])
    compiled = flow.compile(f, target="python")
    np.testing.assert_allclose(compiled(x), f(x), rtol=1e-13)
    slope = (f(x + 1e-6) - f(x - 1e-6)) / 2e-6
    np.testing.assert_allclose(flow.elementwise_grad(compiled)(x), slope, rtol=1e-8)
