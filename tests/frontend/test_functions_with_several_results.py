"""Airy, Fresnel, parabolic cylinder and Jacobi's functions, sine and cosine integrals.

Values are SciPy's; derivatives of two orders are mpmath's.
"""

import math
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest
from scipy import special as sp

import srcgrad as flow
from tests.frontend.scalars import check
from tests.tools.turns import share

REAL = (-5.0, -1.0, 0.0, 1e-3, 0.7, 2.5, 9.0)
POSITIVE = (1e-3, 0.7, 2.5, 9.0)
PLANE = (0.3 + 0.2j, -3.0 - 1.0j, 1.0 + 2.0j)


def weber_slope(x: Any) -> Any:
    return mpmath.diff(lambda t: mpmath.pcfd(-0.5, t), x)


def amplitude(u: Any) -> Any:
    return mpmath.quad(lambda t: mpmath.ellipfun("dn", t, m=0.3), [0, u])


# a function, the same by mpmath, and where to compare
FUNCTIONS: list[tuple[Callable, Callable, tuple]] = [
    (lambda x: sp.airy(x)[0], mpmath.airyai, (*REAL, *PLANE)),
    (lambda x: sp.airy(x)[1], lambda x: mpmath.airyai(x, derivative=1), REAL),
    (lambda x: sp.airy(x)[2], mpmath.airybi, REAL),
    (lambda x: sp.airy(x)[3], lambda x: mpmath.airybi(x, derivative=1), (*REAL, *PLANE)),
    (lambda x: sp.fresnel(x)[0], mpmath.fresnels, (*REAL[:-1], *PLANE)),
    (lambda x: sp.fresnel(x)[1], mpmath.fresnelc, (*REAL[:-1], *PLANE)),
    (lambda x: sp.sici(x)[0], mpmath.si, (*REAL, *PLANE, 0j)),
    (lambda x: sp.sici(x)[1], mpmath.ci, (*POSITIVE, *PLANE)),
    (lambda x: sp.shichi(x)[0], mpmath.shi, (*REAL, *PLANE, 0j)),
    (lambda x: sp.shichi(x)[1], mpmath.chi, (*POSITIVE, *PLANE)),
    (lambda x: sp.pbdv(1.5, x)[0], lambda x: mpmath.pcfd(1.5, x), REAL),
    (lambda x: sp.pbdv(-0.5, x)[1], weber_slope, REAL),
    (lambda x: sp.pbvv(1.5, x)[0], lambda x: mpmath.pcfv(-2, x), REAL),
    (lambda u: sp.ellipj(u, 0.3)[0], lambda u: mpmath.ellipfun("sn", u, m=0.3), REAL),
    (lambda u: sp.ellipj(u, 0.3)[3], amplitude, (-5.0, 0.0, 0.7)),
    *(
        (lambda m, u=u, k=k: sp.ellipj(u, m)[k],
         lambda m, u=u, name=name: mpmath.ellipfun(name, u, m=m), (1e-9, 0.05, 0.3, 0.9))
        for u in (0.8, -7.8) for k, name in enumerate(("sn", "cn", "dn"))
    ),
]  # fmt: skip


def along(f: Callable) -> Callable:
    return lambda x: flow.jvp(f, (x,), (type(x)(1.0),))[1]


@pytest.mark.parametrize(("f", "exact", "points"), share(FUNCTIONS))
def test_derivatives(f: Callable, exact: Callable, points: tuple):
    first = along(flow.compile(f, target="python"))
    second = along(first)
    with mpmath.workdps(40):
        for x in points:
            for order, found in ((1, first(x)), (2, second(x))):
                expected = complex(mpmath.diff(exact, mpmath.mpmathify(x), order))
                assert found == pytest.approx(expected, rel=1e-9, abs=1e-13), (x, order)


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize(
    "f",
    [
        lambda x: sp.airy(x), lambda x: sp.fresnel(x), lambda x: sp.sici(x), lambda x: sp.shichi(x),
        lambda x: sp.pbdv(1.5, x), lambda x: sp.pbvv(2, x), lambda x: sp.ellipj(x, 0.7),
    ],
)  # fmt: skip
def test_values_are_scipys(f: Callable, target: str):
    name = f.__code__.co_names[1]
    real = np.array([-9.0, -1.0, 0.0, 0.5, 12.0, math.nan])
    plane = np.array([*PLANE, complex(math.nan, 1.0)])
    complexes = [plane, plane.astype(np.complex64)] if name in ("airy", "fresnel", "sici") else []
    singles = [real.astype(np.float32)] if name != "pbvv" else []  # SciPy loses digits of that
    for x in (real, *singles, *complexes):
        compiled = flow.compile(f, target=target)
        with np.errstate(all="ignore"):
            for got, want in zip(compiled(x), f(x), strict=True):
                assert got.dtype == want.dtype
                loose = 1e-6 if want.dtype.char in "fF" else 1e-15
                np.testing.assert_allclose(got, want, rtol=loose)
    check(lambda: f(0.5), (), target, 1e-15)


def test_reverse_mode_of_all_results():
    def loss(x, m):
        s, c, d, phi = sp.ellipj(x, m)
        ai, _, _, bip = sp.airy(x)
        return np.sum(s * c + d * phi * m + ai * bip * sp.pbdv(0.5, x)[1])

    x, m = np.array([0.3, -1.2]), np.array([0.2, 0.6])
    for target in ("python", "cpu"):
        by_x, by_m = flow.grad(flow.compile(loss, target=target), (0, 1))(x, m)
        for k in range(2):
            e = np.eye(2)[k] * 1e-6
            slope = (loss(x + e, m) - loss(x - e, m)) / 2e-6
            assert by_x[k] == pytest.approx(slope, rel=1e-7)
            slope = (loss(x, m + e) - loss(x, m - e)) / 2e-6
            assert by_m[k] == pytest.approx(slope, rel=1e-7)
