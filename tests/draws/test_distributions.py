"""Distributions of NumPy's and Python's generators: values, states, and derivatives."""

import random

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.errors import UnsupportedError
from tests.draws.streams import check, check_gradient, seeded, state_of

BOTH = {"Generator": np.random.default_rng, "RandomState": np.random.RandomState}


def drawn(method, args, rng):
    draw = getattr(rng, method)
    return draw(*args), draw(*args, size=4), draw(*args, size=(2, 3)), draw(*args)


ROWS = [
    ("normal", (0.3, 0.7)), ("uniform", (0.3, 0.7)), ("exponential", (0.7,)), ("rayleigh", (0.7,)),
    ("laplace", (0.3, 0.7)), ("gumbel", (0.3, 0.7)), ("logistic", (0.3, 0.7)),
    ("gamma", (2.5, 0.7)), ("gamma", (2.5,)), ("standard_exponential", ()),
    ("beta", (2.0, 3.0)), ("chisquare", (3.0,)),
    ("f", (3.0, 4.0)), ("lognormal", (0.3, 0.7)), ("noncentral_chisquare", (3.0, 1.5)),
    ("noncentral_f", (3.0, 4.0, 1.5)), ("pareto", (1.7,)), ("power", (1.7,)),
    ("standard_cauchy", ()),
    ("standard_t", (3.0,)), ("triangular", (-1.0, 0.5, 2.0)), ("vonmises", (0.2, 1.5)),
    ("wald", (1.0, 2.0)), ("weibull", (1.7,)), ("binomial", (9, 0.4)), ("geometric", (0.3,)),
    ("hypergeometric", (5, 6, 7)), ("logseries", (0.5,)), ("negative_binomial", (4, 0.3)),
    ("poisson", (2.5,)), ("zipf", (3.0,)), ("choice", (7,)), ("poisson", ()), ("gumbel", ()),
]  # fmt: skip


@pytest.mark.parametrize("maker", BOTH.values(), ids=BOTH)
@pytest.mark.parametrize(("method", "args"), ROWS)
def test_values(method, args, maker):
    check(drawn, method, args, maker=maker)


def test_on_the_cpu():
    for method, args in (("gamma", (2.5, 0.7)), ("poisson", (2.5,)), ("beta", (2.0, 3.0))):
        check(drawn, method, args, maker=np.random.default_rng, target="cpu")


def of_arrays(rng):
    a, n = np.array([0.5, 1.5, 2.5]), np.array([3, 40, 5])
    return rng.poisson(a), rng.binomial(n, 0.25, (2, 3)), rng.gamma(a, 2.0 * a), rng.beta(a, 1.5)


@pytest.mark.parametrize("maker", BOTH.values(), ids=BOTH)
def test_parameters_in_arrays(maker):
    check(of_arrays, maker=maker)
    check(of_arrays, maker=maker, target="cpu")


def integers(n, rng):
    single = rng.integers(n), rng.integers(2, n), rng.integers(n, dtype=np.int32)
    several = rng.integers(-3, n, 5), rng.integers(n, size=(2, 2), endpoint=True)
    return single, several, rng.integers(0, 255, 7, dtype=np.uint8), rng.integers([3, 4, 5])


def integers_of_states(n, rng):
    return rng.randint(n), rng.randint(2, n, (2, 2)), rng.randint(n, dtype=np.int32), rng.randint(3)


def test_integers():
    for target in ("python", "cpu"):
        check(integers, 9, maker=np.random.default_rng, target=target)
        check(integers_of_states, 9, maker=np.random.RandomState, target=target)


def chosen(x, rng):
    one, p = x[:, 0], np.array([0.1, 0.2, 0.3, 0.4])
    a = rng.choice(one), rng.choice(one, 3), rng.choice(one, 2, replace=False)
    b = rng.choice(4, p=p), rng.choice(one, (2, 2), p=p), rng.choice([1, 2, 5], 2)
    c = rng.permutation(5), rng.permutation(one), rng.permutation(x)
    return (*a, *b, *c)


def rows(x, rng):
    return rng.choice(x, 3), rng.choice(x, 2, replace=False, shuffle=False)


def shuffled(x, rng):
    y, z = x.copy(), x[:, 1].copy()
    rng.shuffle(y)
    rng.shuffle(z)
    return y, z


X = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 7.0], [8.0, 9.0]])


@pytest.mark.parametrize("maker", BOTH.values(), ids=BOTH)
def test_items_and_orders(maker):
    for f in (chosen, shuffled):
        check(f, X, maker=maker)
        check(f, X, maker=maker, target="cpu")
    check(rows, X, maker=np.random.default_rng)


def vectors(x, rng):
    mean, cov, p = x[0], np.array([[2.0, 0.3], [0.3, 1.0]]), [0.2, 0.3, 0.5]
    a = rng.multivariate_normal(mean, cov), rng.multivariate_normal(mean, cov, 3)
    b = rng.dirichlet(x[:, 1]), rng.dirichlet([1.0, 2.0], (2, 2))
    return (*a, *b, rng.multinomial(5, p), rng.multinomial(9, p, size=(3, 2)), rng.normal())


@pytest.mark.parametrize("maker", BOTH.values(), ids=BOTH)
def test_vectors(maker):
    check(vectors, X, maker=maker)
    check(vectors, X, maker=maker, target="cpu")
    with pytest.raises(UnsupportedError, match="no pathwise derivative"):
        flow.grad(lambda x, rng: vectors(x, rng)[0][0])(X, maker(3))


def aliases(x):
    return x * np.random.sample() + np.random.ranf(3)


def test_aliases():
    check(aliases, 1.5)


def in_place(x, rng):
    rng.shuffle(x)
    return x[0] * 2.0


def test_the_callers_array_is_shuffled():
    ours, plain = X[:, 0].copy(), X[:, 0].copy()
    flow.compile(in_place, target="python")(ours, np.random.default_rng(3))
    in_place(plain, np.random.default_rng(3))
    assert ours.tolist() == plain.tolist()


# ---- derivatives ----
def scaled(w, rng):
    a, b = w[0], np.exp(w[1])
    y = rng.normal(a, b, 3) + rng.laplace(a, b, 3) + rng.gumbel(a, b, 3) + rng.logistic(a, b, 3)
    z = rng.exponential(b, 3) * rng.rayleigh(b, 3) + rng.gamma(2.5, b, 3) + rng.uniform(a, a + b, 3)
    return np.sum(y * z) + rng.exponential(b) * rng.gumbel(a)


def resampled(w, rng):
    y = rng.choice(w, 5) * rng.integers(1, 5, 5) + rng.poisson(2.5, 5)
    z = rng.permutation(w)
    rng.shuffle(z)
    return np.sum(y * y) + np.sum(z * np.arange(len(w))) * rng.binomial(9, 0.5)


@pytest.mark.parametrize("maker", [np.random.default_rng])
def test_pathwise_derivatives(maker):
    w = np.array([0.4, -0.3])
    check_gradient(scaled, w, maker)
    check_gradient(scaled, w, np.random.RandomState)
    check_gradient(scaled, w, maker, target="cpu")
    check_gradient(resampled, np.array([0.4, -0.3, 1.2]), maker)


def by_rate(x, rng):
    return x * rng.poisson(x)


def by_probability(x, rng):
    return x * rng.choice(3, p=np.array([x, 0.5, 0.5 - x]))


def by_shape(x, rng):
    return rng.gamma(np.sqrt(x), 2.0)


def by_counts(x, rng):
    s = 0.0
    for k in range(3):
        s = s + rng.binomial(5, x / (k + 1.0)) * 1.0
    return s


@pytest.mark.parametrize("f", [by_rate, by_probability, by_shape, by_counts])
def test_a_derivative_that_is_not_pathwise_is_refused(f):
    check(f, 0.3, maker=np.random.default_rng)
    for transform in (flow.grad, flow.jacrev, flow.jacfwd, flow.hessian):
        rng = np.random.default_rng(3)
        before = state_of(rng)
        with pytest.raises(UnsupportedError, match="no pathwise derivative"):
            transform(f)(0.3, rng)
        assert state_of(rng) == before
    with pytest.raises(UnsupportedError, match="no pathwise derivative"):
        flow.jvp(f, (0.3, np.random.default_rng(3)), (1.0, None))


def held(x, rng):
    return x * rng.poisson(flow.stop_gradient(x) * 9.0)


def test_a_parameter_that_is_held():
    count = np.random.default_rng(3).poisson(2.7)
    assert count > 0 and flow.grad(held)(0.3, np.random.default_rng(3)) == count


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("maker", BOTH.values(), ids=BOTH)
@pytest.mark.parametrize(
    ("method", "args"),
    [("poisson", (-1.0,)), ("binomial", (3, 1.5)), ("gamma", (-1.0, 2.0)), ("exponential", (-1.0,)),
     ("choice", (0,)), ("uniform", (0.0, np.inf)), ("beta", (0.0, 1.0)), ("laplace", (0.0, -1.0))],
)  # fmt: skip
def test_what_numpy_raises(method, args, maker, target):
    plain, ours = maker(3), maker(3)
    with pytest.raises((ValueError, OverflowError)) as wanted:
        drawn(method, args, plain)
    with pytest.raises(type(wanted.value)) as found:
        flow.compile(drawn, target=target)(method, args, ours)
    assert str(wanted.value) in str(found.value)
    assert state_of(ours) == state_of(plain)


def by_formulas(w, rng):
    e = rng.standard_exponential(3)
    y = np.exp(rng.normal(w[0], w[1], 3)) + e ** (1.0 / w[1]) + np.expm1(e / w[1])
    return np.sum(y * (-np.expm1(-e)) ** (1.0 / w[1]))


def by_names(w, rng):
    return rng.lognormal(w[0], w[1], 3), rng.weibull(w[1], 3), rng.pareto(w[1]), rng.power(w[1])


def formulas(w, rng):
    y = np.exp(rng.normal(w[0], w[1], 3)), rng.standard_exponential(3) ** (1.0 / w[1])
    e, f = rng.standard_exponential(), rng.standard_exponential()
    return (*y, np.expm1(e / w[1]), (-np.expm1(-f)) ** (1.0 / w[1]))


@pytest.mark.parametrize("maker", BOTH.values(), ids=BOTH)
def test_formulas_with_derivatives(maker):
    w = np.array([0.3, 1.7])
    check_gradient(by_formulas, w, maker)
    plain, ours = maker(3), maker(3)
    found = flow.compile(formulas, target="python")(w, ours)
    for a, b in zip(by_names(w, plain), found, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-14)
    assert state_of(ours) == state_of(plain)


# ---- Python's ----
def of_python(x):
    a = random.uniform(1.0, x), random.gauss(x, 0.5), random.normalvariate(x, 0.5), random.gauss()
    b = random.expovariate(x), random.betavariate(2.0, x), random.gammavariate(x, 2.0)
    c = random.randint(1, 6), random.randrange(2, 9), random.lognormvariate(0.1, 0.5)
    d = random.weibullvariate(1.0, x), random.paretovariate(x), random.vonmisesvariate(0.1, x)
    return (*a, *b, *c, *d, random.gauss(0.0, x))


def sequences(x):
    y = [x, 2.0 * x, 3.0 * x, x * x]
    one = random.choice(y)
    random.shuffle(y)
    return one, y[0] - 2.0 * y[1], random.choice([1.0, 2.0]) * x, random.randrange(10)


@pytest.mark.parametrize("f", [of_python, sequences])
def test_python(f):
    check(f, 1.5)
    check(f, 1.5, target="cpu")


def walk(x):
    s = 0.0
    for _ in range(4):
        s = s * random.uniform(0.5, x) + random.gauss(x, 1.0) / random.expovariate(x)
    return s


def test_derivatives_of_python():
    step = 1e-6
    seeded(1)
    high = walk(1.5 + step)
    seeded(1)
    low = walk(1.5 - step)
    seeded(1)
    assert flow.grad(walk)(1.5) == pytest.approx((high - low) / (2.0 * step), rel=1e-6)
