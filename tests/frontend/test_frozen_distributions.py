"""Distributions of scipy.stats whose arguments are given first, inside a function or outside."""

from typing import Any

import numpy as np
import pytest
from scipy import stats

import srcgrad as flow
from srcgrad.errors import UnsupportedError
from srcgrad.frontend.formulas.distributions import CONTINUOUS, DISCRETE, Distribution
from srcgrad.frontend.handlers.scipy_stats import OF_CONTINUOUS, OF_DISCRETE
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
