"""Where a rule or a formula guards a value, and the function is smooth: its derivatives there.

A guard that selects a constant is right for the value and loses the derivative. Both orders of
differentiation are compared with closed forms, so that a Hessian is symmetric.
"""

import math

import mpmath
import numpy as np
import pytest
from scipy import special

import srcgrad as flow


def power(v):
    return v[0] ** v[1]


def product_with_log(v):
    return special.xlogy(v[0], v[1])


def product_with_log1p(v):
    return special.xlog1py(v[0], v[1])


def relative_entropy(v):
    return special.rel_entr(v[0], v[1])


def cardinal_sine(v):
    return np.sinc(v[0]) * v[1]


def cardinal_sine_of_product(v):
    return np.sinc(v[0] * v[1])


def weighted_log_sum(v):
    return special.logsumexp(np.array([0.3, -0.2]), b=v)


L, E = math.log(2.0), math.exp(-0.5)
# function, point, gradient, Hessian
SMOOTH = [
    (power, (2.0, 0.0), (0.0, L), ((0.0, 0.5), (0.5, L * L))),
    (power, (0.5, 0.0), (0.0, -L), ((0.0, 2.0), (2.0, L * L))),
    (power, (2.0, 1.0), (1.0, 2.0 * L), ((0.0, 1.0 + L), (1.0 + L, 2.0 * L * L))),
    (power, (0.0, 2.0), (0.0, 0.0), ((2.0, 0.0), (0.0, 0.0))),
    (power, (0.0, 3.0), (0.0, 0.0), ((0.0, 0.0), (0.0, 0.0))),
    (product_with_log, (0.0, 2.0), (L, 0.0), ((0.0, 0.5), (0.5, 0.0))),
    (product_with_log1p, (0.0, 1.0), (L, 0.0), ((0.0, 0.5), (0.5, 0.0))),
    (cardinal_sine, (0.0, 2.0), (0.0, 1.0), ((-2.0 * math.pi**2 / 3.0, 0.0), (0.0, 0.0))),
    (
        cardinal_sine_of_product,
        (0.0, 2.0),
        (0.0, 0.0),
        ((-4.0 * math.pi**2 / 3.0, 0.0), (0.0, 0.0)),
    ),
    (
        weighted_log_sum,
        (2.0, 0.0),
        (0.5, 0.5 * E),
        ((-0.25, -0.25 * E), (-0.25 * E, -0.25 * E * E)),
    ),
]
IDS = [f"{f.__name__}-{p}" for f, p, _, _ in SMOOTH]


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize(("f", "point", "gradient", "hessian"), SMOOTH, ids=IDS)
def test_compiled(f, point, gradient, hessian, target):
    compiled = flow.compile(f, target=target)
    slope = flow.grad(compiled)
    np.testing.assert_allclose(slope(np.array(point)), gradient, rtol=1e-14, atol=1e-15)
    for transform in (flow.jacrev, flow.jacfwd):
        got = transform(slope)(np.array(point))
        np.testing.assert_allclose(got, hessian, rtol=1e-14, atol=1e-15)


TENSORS = {
    power: lambda a, b: a**b,
    product_with_log: flow.xlogy,
    cardinal_sine: lambda a, b: flow.sinc(a) * b,
    cardinal_sine_of_product: lambda a, b: flow.sinc(a * b),
}
OF_TENSORS = [(TENSORS[f], *rest) for f, *rest in SMOOTH if f in TENSORS]


@pytest.mark.parametrize(
    ("f", "point", "gradient", "hessian"),
    OF_TENSORS,
    ids=[i for i, c in zip(IDS, SMOOTH, strict=True) if c[0] in TENSORS],
)
def test_tensors(f, point, gradient, hessian):
    xs = [flow.tensor(x, dtype=flow.float64, requires_grad=True) for x in point]
    slopes = flow.autograd.grad(f(*xs), xs, create_graph=True)
    np.testing.assert_allclose([g.item() for g in slopes], gradient, rtol=1e-14, atol=1e-15)
    for g, row in zip(slopes, hessian, strict=True):
        got = flow.autograd.grad(g, xs, retain_graph=True, allow_unused=True)
        got = [0.0 if x is None else x.item() for x in got]
        np.testing.assert_allclose(got, row, rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("a", [0.0, -2.0, 1e-310, np.inf, np.nan])
def test_the_zeroth_power_is_flat(a, target):
    got = flow.grad(flow.compile(power, target=target))(np.array([a, 0.0]))
    assert got[0] == 0.0
    x = flow.tensor(a, dtype=flow.float64, requires_grad=True)
    (x ** flow.tensor(0.0, dtype=flow.float64)).backward()
    assert x.grad.item() == 0.0


# ---- where a formula would cancel: far away, near ends of a domain and near a removable 0 ----
def of_mpmath(name):
    """A function for mpmath, by its definition."""
    return {
        "arcsin": mpmath.asin,
        "arccos": mpmath.acos,
        "arctanh": mpmath.atanh,
        "arccosh": mpmath.acosh,
        "sinc": mpmath.sincpi,
        "logit": lambda x: mpmath.log(x / (1 - x)),
        "exprel": lambda x: mpmath.expm1(x) / x,
        "log_ndtr": lambda x: mpmath.log(mpmath.erfc(-x / mpmath.sqrt(2)) / 2),
        "erfcx": lambda x: mpmath.exp(x * x) * mpmath.erfc(x),
        "dawsn": lambda x: mpmath.sqrt(mpmath.pi) / 2 * mpmath.exp(-x * x) * mpmath.erfi(x),
        "rgamma": mpmath.rgamma,
    }[name]


AT_THE_EDGES = [
    ("arcsin", (1 - 1e-10, -1 + 1e-10), 1e-15),
    ("arccos", (1 - 1e-10, -1 + 1e-10), 1e-15),
    ("arctanh", (1 - 1e-10, -1 + 1e-10), 1e-15),
    ("arccosh", (1 + 1e-10, 1e8), 1e-14),
    ("sinc", (1e-9, -1e-5, 0.01, 0.0799, 0.0801, 0.5), 5e-14),
    ("logit", (0.5 + 1e-10, 0.31, 0.29, 0.66, 1e-9, 1 - 1e-10), 1e-14),
    ("exprel", (1e-9, 0.9, 1.1, -1.1, 600.0), 1e-14),
    ("log_ndtr", (-1e3, -40.0, -1.0, 0.5, 5.0), 1e-9),
    ("erfcx", (1.0, 30.0, 49.9, 50.1, 1e4, 1e8), 2e-9),
    ("dawsn", (1.0, 30.0, 49.9, 50.1, -1e4, 1e8), 5e-9),
    ("rgamma", (3.3, 120.0, 0.4, -0.5, -3.25, -2.0 + 1e-9, -2.0, -20.0), 1e-12),
]


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize(("name", "points", "rel"), AT_THE_EDGES, ids=lambda v: str(v))
def test_at_the_edges(name, points, rel, target):
    f = getattr(np, name, None) or getattr(special, name)
    exact = of_mpmath(name)
    slope = flow.grad(flow.compile(lambda x: np.sum(f(x)), target=target))
    x = np.array(points)
    with mpmath.workdps(60):
        first, second = (
            [float(mpmath.diff(exact, mpmath.mpf(p), n, relative=True)) for p in points]
            for n in (1, 2)
        )
    np.testing.assert_allclose(slope(x), first, rtol=min(rel, 5e-12))
    np.testing.assert_allclose(flow.jvp(slope, (x,), (np.ones_like(x),))[1], second, rtol=rel)


def test_a_removable_zero_has_all_derivatives():
    fourth = flow.grad(flow.grad(flow.grad(flow.grad(lambda x: np.sinc(x)))))
    for x in (0.0, 1e-7, 0.05):
        with mpmath.workdps(60):
            first, second, want = (float(mpmath.diff(mpmath.sincpi, x, n)) for n in (1, 2, 4))
        assert fourth(x) == pytest.approx(want, rel=1e-12)
        t = flow.tensor(x, dtype=flow.float64, requires_grad=True)
        (slope,) = flow.autograd.grad(flow.sinc(t), [t], create_graph=True)
        assert slope.item() == pytest.approx(first, rel=1e-12)
        (bend,) = flow.autograd.grad(slope, [t])
        assert bend.item() == pytest.approx(second, rel=1e-12)


@pytest.mark.parametrize("order", [0, 1, 2, 3])
def test_slopes_of_exponential_integrals(order):
    slope = flow.grad(lambda x: special.expn(order, x))
    for x in (0.3, 2.0):
        assert slope(x) == pytest.approx(float(-mpmath.expint(order - 1, x)), rel=1e-13)
        with mpmath.workdps(40):
            want = float(mpmath.diff(lambda t: mpmath.expint(order, t), x, 2))
        assert flow.grad(slope)(x) == pytest.approx(want, rel=1e-12)
