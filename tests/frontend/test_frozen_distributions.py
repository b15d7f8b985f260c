"""Distributions of scipy.stats whose arguments are given first, inside a function or outside."""

from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy import stats

import srcgrad as flow
from srcgrad.errors import UnsupportedError
from srcgrad.frontend.formulas import moments
from srcgrad.frontend.formulas.distributions import CONTINUOUS, DISCRETE, Distribution
from srcgrad.frontend.handlers.scipy_stats import OF_CONTINUOUS, OF_DISCRETE, OF_SHAPES
from tests.tools.turns import share

X = np.array([0.2, 0.45, 0.7])
SHAPES = (1.5, 2.5)
CALLS = [
    (d, name)
    for of, names in ((CONTINUOUS, OF_CONTINUOUS), (DISCRETE, OF_DISCRETE))
    for d in of
    for name, (_, needs) in names.items()
    if getattr(d, needs) is not None
]
PRIOR = stats.norm(0.3, scale=1.7)


def arguments(d: Distribution) -> tuple:
    """Shapes within the support of each distribution: of discrete ones a count, a probability."""
    return (*[3.0] * (len(d.shapes) - 1), 0.4)[-len(d.shapes) :] if d in DISCRETE else SHAPES


def points(d: Distribution) -> np.ndarray:
    return np.array([1.0, 2.0, 3.0]) if d in DISCRETE else X


@pytest.mark.parametrize(("d", "name"), share(CALLS), ids=lambda v: getattr(v, "of", v))
def test_a_method(d: Distribution, name: str):
    shapes = arguments(d)[: len(d.shapes)]
    x, of = points(d), d.of
    outside = of(*shapes, loc=0.05) if d in CONTINUOUS else of(*shapes)

    def inside(x, *shapes):
        place = {"loc": 0.05} if is_continuous else {}
        return np.sum(getattr(of(*shapes, **place), name)(x))

    def captured(x):
        return np.sum(getattr(outside, name)(x))

    is_continuous = d in CONTINUOUS
    value, gradient = flow.value_and_grad(inside, target="python")(x, *shapes)
    assert value == pytest.approx(float(np.sum(getattr(outside, name)(x))), rel=1e-9)
    found = flow.value_and_grad(captured, target="python")(x)
    np.testing.assert_allclose(found[0], value, rtol=1e-12)
    np.testing.assert_allclose(found[1], gradient, rtol=1e-12)


MOMENTS = [
    (d, name)
    for d in (*CONTINUOUS, *DISCRETE)
    for name in (*OF_SHAPES, "median")
    if (d.of in moments.MOMENTS if name in OF_SHAPES else d in CONTINUOUS and d.ppf is not None)
]


@pytest.mark.filterwarnings("ignore")  # of SciPy, at shapes without a moment
@pytest.mark.parametrize(
    ("d", "name"), MOMENTS, ids=lambda v: v if isinstance(v, str) else v.of.name
)
def test_a_moment(d: Distribution, name: str):
    where = [0.3, 1.2] if d in CONTINUOUS else [0.3]
    method = getattr(d.of, name)

    def inside(*given):
        return getattr(d.of(*given), name)()

    of_shapes = [arguments(d)[: len(d.shapes)]] if d in DISCRETE else [
        tuple(np.array((3.0, 4.5)[: len(d.shapes)]) * k) for k in (1.0, 0.4, 0.1)
    ]  # fmt: skip
    for shapes in of_shapes:
        given = (*map(float, shapes), *where)
        expected = method(*given)
        # counts are integers, and medians have derivatives in location and scale
        places = tuple(range(len(given)))[-2 if d in DISCRETE or name == "median" else None :]
        f = flow.value_and_grad(inside, grad_position=places, target="python")
        found, gradient = f(*given)
        np.testing.assert_allclose(found, expected, rtol=1e-10)
        directly = flow.compile(lambda *given: method(*given), target="python")
        np.testing.assert_allclose(directly(*given), found)
        if not np.isfinite(expected):
            continue
        for k, slope in zip(places, gradient, strict=True):
            step = 1e-5 * np.eye(len(given))[k]
            difference = (method(*given + step) - method(*given - step)) / 2e-5
            np.testing.assert_allclose(slope, difference, rtol=1e-6, atol=1e-8)
        fixed, moved = given[: places[0]], given[places[0] :]
        ones = (1.0,) * len(moved)
        forward = flow.jvp(partial(inside, *fixed), moved, ones)[1]
        np.testing.assert_allclose(forward, sum(gradient), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_moments_of_what_was_frozen_outside(target):
    def f(x):
        return x * (PRIOR.mean() + PRIOR.std() * x) + PRIOR.var() * PRIOR.median()

    value, gradient = flow.value_and_grad(f, target=target)(2.0)
    assert value == pytest.approx(f(2.0))
    assert gradient == pytest.approx(0.3 + 2 * 1.7 * 2.0)


def test_on_the_cpu():
    def f(m, s, x):
        return np.sum(PRIOR.logpdf(x) + stats.norm(m, scale=s).cdf(x) + stats.t(4.0, m, s).pdf(x))

    args = (0.3, 1.2, X)
    found = flow.grad(f, (0, 1, 2))(*args)
    for k, g in enumerate(found):
        step = [1e-6 * (i == k) for i in range(3)]
        up, down = (f(*(a + e * h for a, h in zip(args, step, strict=True))) for e in (1, -1))
        assert np.sum(g) == pytest.approx((up - down) / 2e-6, rel=1e-6)


def test_many_variables():
    def f(m, x):
        return stats.multivariate_normal(m, np.eye(3) * 2.0).logpdf(x)

    found = flow.value_and_grad(f, target="python")(X, 2 * X)
    assert found[0] == pytest.approx(f(X, 2 * X)) and found[1] == pytest.approx(X / 2)


def test_what_it_holds_is_read_at_each_call():
    held = stats.norm(0.0, 1.0)

    def f(x):
        return held.logpdf(x)

    compiled = flow.compile(f, target="python")
    assert compiled(0.5) == f(0.5)
    held.args = (3.0, 1.0)
    assert compiled(0.5) == f(0.5)
    held = stats.norm(1.0, 2.0)
    assert compiled(0.5) == f(0.5)


def test_what_has_no_formula_is_refused():
    others: tuple[Any, ...] = (stats.norm(0.0, 1.0), stats.levy(1.0))
    with pytest.raises(UnsupportedError, match=r"logpdf\(\) of levy"):
        flow.compile(lambda x: others[1].logpdf(x), target="python")(2.0)
    with pytest.raises(UnsupportedError, match="entropy is not supported"):
        flow.compile(lambda x: others[0].entropy() * x, target="python")(2.0)


def test_the_first_argument_has_the_name_that_scipy_gives_it():
    def f(x):
        return stats.norm.ppf(q=x, scale=2.0) + stats.norm.isf(q=x) + stats.norm.pdf(x=x)

    def of_counts(x):
        return stats.poisson.pmf(k=2, mu=x)

    for g in (f, of_counts):
        assert flow.compile(g, target="python")(0.3) == pytest.approx(g(0.3), rel=1e-14)
