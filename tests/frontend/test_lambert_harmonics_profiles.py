"""Lambert's and Wright's functions, spherical harmonics, Struve functions, Voigt's profile."""

import itertools
import math
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest
from scipy import special as sp

import srcgrad as flow
from srcgrad.errors import UnsupportedError
from tests.frontend.scalars import check
from tests.tools.memo import shared
from tests.tools.turns import share

NEAR = (-0.99, -0.5, 0.0, 0.3, 0.9)
POSITIVE = (1e-3, 0.7, 2.5, 9.0)
PLANE = (0.3 + 0.2j, -0.3 + 0.01j, -0.1 + 0j, 1e9 + 1e3j, -3 - 2j)


def wright(z: Any) -> Any:
    return mpmath.lambertw(mpmath.exp(z))


# a function, the same by mpmath, and where to compare
FUNCTIONS: list[tuple[Callable, Callable, tuple]] = [
    (lambda z: sp.lambertw(z), mpmath.lambertw, (*PLANE, 1e-9 + 0j, 0j, -0.36 + 0j)),
    (lambda z: sp.lambertw(z, -1), lambda z: mpmath.lambertw(z, -1), PLANE),
    (lambda z: sp.lambertw(z, k=2), lambda z: mpmath.lambertw(z, 2), PLANE),
    (lambda x: sp.lambertw(x).real, lambda x: mpmath.re(mpmath.lambertw(x)), (0.0, -0.3, 20.0)),
    (lambda x: sp.wrightomega(x), wright, (-3.0, 0.0, 2.0, -3 + 1j, 2 - 0.5j)),
    (lambda x: sp.struve(1.5, x), lambda x: mpmath.struveh(1.5, x), POSITIVE),
    (lambda x: sp.struve(0, x), lambda x: mpmath.struveh(0, x), (-2.0, 0.0, *POSITIVE[1:])),
    (lambda x: sp.modstruve(0, x), lambda x: mpmath.struvel(0, x), (-2.0, 0.0, *POSITIVE[1:])),
    (lambda x: sp.modstruve(1.5, x), lambda x: mpmath.struvel(1.5, x), POSITIVE),
    (lambda x: sp.lpmv(0, 3.0, x), lambda x: mpmath.legendre(3, x), (*NEAR, 1 - 1e-9)),
    (lambda x: sp.lpmv(1, 2.0, x), lambda x: -3 * x * mpmath.sqrt(1 - x * x), NEAR),
    (lambda x: sp.lpmv(2, 2.5, x), lambda x: mpmath.legenp(2.5, 2, x, type=2), (-0.5, 0.3, 0.9)),
    (lambda x: sp.lpmv(-1, 3.0, x), lambda x: mpmath.legenp(3, -1, x, type=2), NEAR),
    (lambda x: sp.lpmv(-2, 2.0, x), lambda x: (1 - x * x) / 8, NEAR),
]  # fmt: skip


def near(f: Callable, args: tuple, target: str, rel: float) -> None:
    """As `check`, but for the sign of zeros."""
    got, want = flow.compile(f, target=target)(*args), f(*args)
    assert np.asarray(got).dtype == np.asarray(want).dtype
    np.testing.assert_allclose(got, want, rtol=rel, atol=1e-300)


def along(f: Callable) -> Callable:
    return lambda x: flow.jvp(f, (x,), (type(x)(1.0),))[1]


@pytest.mark.parametrize(("f", "exact", "points"), share(FUNCTIONS))
@shared
def test_derivatives(f: Callable, exact: Callable, points: tuple):
    first = along(flow.compile(f, target="python"))
    second = along(first)
    with mpmath.workdps(40):
        for x in points:
            for order, found in ((1, first(x)), (2, second(x))):
                expected = complex(mpmath.diff(exact, mpmath.mpmathify(x), order))
                assert found == pytest.approx(expected, rel=1e-8, abs=1e-13), (x, order)


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize(("f", "exact", "points"), share(FUNCTIONS))
@shared
def test_values_and_gradients(f: Callable, exact: Callable, points: tuple, target: str):
    x = np.array(points)
    compiled = flow.compile(f, target=target)
    check(f, (x,), target, 1e-14)
    loss = flow.compile(lambda x: np.sum(np.imag((2.0 + 1j) * f(x))), target=target)
    one = along(flow.compile(f, target="python"))
    slopes = np.array([(2.0 + 1j) * one(p) for p in points])
    want = slopes.imag if x.dtype.kind == "f" else np.conj(slopes / 1j)
    np.testing.assert_allclose(flow.grad(loss)(x), want, rtol=1e-11)
    assert compiled(points[0]) == pytest.approx(f(points[0]), rel=1e-14)


@pytest.mark.parametrize("branch", [0, -1, 1, 2, -5])
def test_lambertw_in_the_plane(branch: int):
    rng = np.random.default_rng(branch + 9)
    size, angle = 10.0 ** rng.uniform(-12, 12, 4000), rng.uniform(-math.pi, math.pi, 4000)
    z = np.concatenate((size * np.exp(1j * angle), size.astype(complex), -size + 0j))
    beside = -math.exp(-1.0) + 10.0 ** rng.uniform(-5, 0, 1000) * np.exp(1j * angle[:1000])
    got = flow.compile(lambda z: sp.lambertw(z, branch), target="cpu")
    np.testing.assert_allclose(got(z), sp.lambertw(z, branch), rtol=1e-14)
    np.testing.assert_allclose(got(beside), sp.lambertw(beside, branch), rtol=1e-10)


def test_lambertw_at_the_edges():
    z = np.array([0, math.inf, -math.inf, complex(math.nan, 0), complex(0, math.nan)])
    for branch in (0, -1, 1, np.array([0, 1, -1, 0, 1])):
        for target in ("python", "cpu"):
            check(lambda z, k: sp.lambertw(z, k), (z, branch), target, 1e-15)
    with pytest.raises(UnsupportedError, match="the branch of lambertw is a whole number"):
        flow.compile(lambda x: sp.lambertw(x, x), target="python")(0.5)


# ---- spherical harmonics ----
POLAR = np.array([0.0, 0.3, 1.5, math.pi, 2.9, -0.4, 4.0])
AROUND = np.array([0.0, 1.0, 2.0, -3.0, 0.5, 0.7, 0.2])
DEGREES = [(0, 0), (1, 1), (2, -1), (5, 3), (5, -4), (8, 8), (3, 5), (30, -7)]


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize(("n", "m"), DEGREES)
def test_spherical_harmonics(n: int, m: int, target: str):
    def f(theta, phi):
        return sp.sph_harm_y(n, m, theta, phi)

    near(f, (POLAR, AROUND), target, 1e-13)
    loss = flow.compile(lambda t, p: np.sum((0.3 - 0.4j) * f(t, p)).real, target=target)
    by_polar, by_around = flow.grad(loss, (0, 1))(POLAR, AROUND)
    assert np.isfinite(by_polar).all()
    for k in (1, 2, 4, 5, 6):
        with mpmath.workdps(30):
            t, p = mpmath.mpf(POLAR[k]), mpmath.mpf(AROUND[k])

            def exact(t: Any, p: Any) -> Any:
                if abs(m) > n:
                    return mpmath.mpf(0)
                return mpmath.re((0.3 - 0.4j) * mpmath.spherharm(n, m, t, p))

            expected = [float(mpmath.diff(exact, (t, p), d)) for d in ((1, 0), (0, 1))]
        assert [by_polar[k], by_around[k]] == pytest.approx(expected, rel=1e-10, abs=1e-13)


def test_second_derivatives_of_spherical_harmonics():
    at = np.array([0.7, 0.4])
    for n, m in DEGREES[:-1]:
        loss = flow.compile(
            lambda x, n=n, m=m: ((0.3 - 0.4j) * sp.sph_harm_y(n, m, x[0], x[1])).real,
            target="python",
        )
        found = flow.hessian(loss)(at)
        for k, d in enumerate(((2, 0), (1, 1), (0, 2))):
            with mpmath.workdps(30):
                expected = float(mpmath.diff(
                    lambda t, p, n=n, m=m: mpmath.re((0.3 - 0.4j) * mpmath.spherharm(n, m, t, p)),
                    tuple(at), d,
                )) if abs(m) <= n else 0.0  # fmt: skip
            assert found[k // 2, (k + 1) // 2] == pytest.approx(expected, rel=1e-10, abs=1e-13)


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_all_spherical_harmonics(target: str):
    near(lambda t, p: sp.sph_harm_y_all(3, 2, t, p), (POLAR, AROUND), target, 1e-13)
    near(lambda t, p: sp.sph_harm_y_all(1, 0, t, p), (0.3, 0.4), target, 1e-13)
    degrees = np.array([[1], [3]])
    near(lambda n, t: sp.sph_harm_y(n, np.arange(3), t, 0.3), (degrees, 0.7), target, 1e-13)
    with pytest.raises(UnsupportedError, match="diff_n"):
        flow.compile(lambda t: sp.sph_harm_y(1, 0, t, 0.0, diff_n=1), target=target)(0.3)


# ---- Voigt's profile ----
WIDTHS = ((1.0, 0.5), (2.0, 0.1), (0.01, 0.3), (1e-4, 1e-3), (1.0, 0.0), (0.5, -0.2))


def voigt(x: Any, s: Any, g: Any) -> Any:
    z = (x + 1j * g) / (s * mpmath.sqrt(2))
    w = mpmath.exp(-z * z) * mpmath.erfc(-1j * z)
    return mpmath.re(w) / (s * mpmath.sqrt(2 * mpmath.pi))


@pytest.mark.parametrize("widths", WIDTHS)
def test_derivatives_of_the_profile(widths: tuple):
    f = flow.compile(lambda v: sp.voigt_profile(v[0], v[1], v[2]), target="python")
    for x in (0.0, 0.3, -1.7, *((5.0, 14.5, 300.0) if widths[1] > 0.0 else ())):
        at = np.array([x, *widths])
        gradient, hessian = flow.grad(f)(at), flow.hessian(f)(at)
        with mpmath.workdps(60):
            for i in range(3):
                expected = float(mpmath.diff(voigt, tuple(at), tuple(np.eye(3, dtype=int)[i])))
                assert gradient[i] == pytest.approx(expected, rel=1e-10, abs=1e-14), (x, i)
            for i, j in itertools.combinations_with_replacement(range(3), 2):
                order = tuple(np.eye(3, dtype=int)[i] + np.eye(3, dtype=int)[j])
                expected = float(mpmath.diff(voigt, tuple(at), order))
                assert hessian[i, j] == pytest.approx(expected, rel=1e-8, abs=1e-12), (x, i, j)


def test_the_profile_without_a_gaussian():
    """With respect to sigma the second derivative at 0 is that of the Cauchy density by x."""
    f = flow.compile(lambda v: sp.voigt_profile(v[0], v[1], v[2]), target="python")
    at = np.array([1.0, 0.0, 2.0])
    hessian = flow.hessian(f)(at)
    assert hessian[1, 1] == pytest.approx(hessian[0, 0], rel=1e-12)
    assert flow.grad(f)(at)[0] == pytest.approx(-4.0 / (25.0 * math.pi), rel=1e-12)


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_values_of_the_profile(target: str):
    x, s, g = (np.array(v) for v in zip(*(
        (1.0, 0.0, 0.0), (0.0, 0.0, 0.0), (1.0, 0.0, 2.0), (1.0, 0.0, -2.0), (math.nan, 1.0, 1.0),
        (1.0, 1.0, math.nan), (1.0, 2.0, -0.5), (1.0, -2.0, 0.5), (0.0, 1.0, 0.0), (20.0, 1.0, 0.0),
        (30.0, 1.0, 1e-3), (13.9, 1.0, 0.5), (14.1, 1.0, 0.5), (1e5, 1e-3, 1e-3),
    ), strict=True))  # fmt: skip
    near(lambda x, s, g: sp.voigt_profile(x, s, g), (x, s, g), target, 1e-13)
    near(lambda x: sp.voigt_profile(x, 1.0, 0.5), (x[2:4].astype(np.float32),), target, 1e-6)


# ---- factorials of integers that are known when running ----
@pytest.mark.parametrize("target", ["python", "cpu"])
def test_factorials(target: str):
    n = np.array([-3, -2, -1, 0, 1, 2, 5, 8])
    check(lambda n: sp.factorial(n) + sp.factorial2(n) + sp.comb(n + 3, 2), (n,), target, 1e-14)
    for k in (0, 1, 5, 12):
        check(lambda n: sp.factorial(n, exact=True) + sp.comb(n, 3, exact=True), (k,), target, 0.0)
        check(lambda n: sp.factorial2(n, exact=True), (k,), target, 0.0)
        check(lambda n: sp.comb(n, 2, exact=True, repetition=True), (k + 1,), target, 0.0)
    with pytest.raises(UnsupportedError, match="factorial of arrays with exact=True"):
        flow.compile(lambda n: sp.factorial(n, exact=True), target=target)(n)
