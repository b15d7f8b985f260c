"""`source` as a module that a user can take away: parameters, structures, constants, helpers."""

import collections
from dataclasses import dataclass

import numpy as np
import pytest
from scipy import special, stats

import srcgrad as flow
from tests.checks.shown import run

WEIGHTS = np.array([0.5, 2.0, 1.5])
OFFSETS = np.linspace(0.0, 1.0, 200)
RATE = 1.25


def adjoint(fn, *args, position=0):
    gradient = flow.value_and_grad(flow.compile(fn, target="python"), position)
    return gradient(*args), gradient.source("adjoint", *args)


def test_arguments_and_results_have_the_users_structure():
    @dataclass
    class Spring:
        k: float
        rest: np.ndarray

    def energy(p, spring, xs, *more, scale=2.0):
        s = p["a"] * np.sum((xs[0] - spring.rest) ** 2) * spring.k + xs[1]
        for m in more:
            s += scale * m**2
        return s

    args = {"a": 2.0, "unused": 1.0}, Spring(0.5, np.ones(3)), (np.arange(3.0), 4.0), 3.0, 5.0
    want, text = adjoint(energy, *args, position=(0, 2, 3))
    assert "def energy_grad(p, spring, xs, *more, scale=2.0):" in text
    got = run(text, args)
    assert got[0] == want[0] and got[1][0] == want[1][0] and got[1][2] == want[1][2]
    np.testing.assert_array_equal(got[1][1][0], want[1][1][0])


def test_captured_values_are_constants_and_large_ones_parameters():
    def weighted(x):
        return RATE * np.sum(WEIGHTS * x) + np.sum(OFFSETS) * x[0]

    want, text = adjoint(weighted, np.ones(3))
    assert "np.array([0.5, 2.0, 1.5])" in text and "1.25" in text
    assert "def weighted_grad(x, OFFSETS):" in text
    got = run(text, (np.ones(3), OFFSETS))
    assert got[0] == pytest.approx(want[0])
    np.testing.assert_allclose(got[1], want[1])


def test_names_of_libraries_are_spelled():
    def f(x, a):
        y = np.linalg.solve(a, np.cumsum(x[::-1]))
        return np.sum(special.gammaln(y**2 + 1.0)) + x @ y

    want, text = adjoint(f, np.arange(1.0, 4.0), np.diag([2.0, 3.0, 4.0]))
    assert text.startswith("import numpy as np\nfrom scipy import special\n")
    got = run(text, (np.arange(1.0, 4.0), np.diag([2.0, 3.0, 4.0])))
    np.testing.assert_allclose(got[1], want[1], rtol=1e-13)


def test_what_numpy_lacks_is_defined_before():
    def f(x):
        kept = []
        while x < 50.0:
            kept.append(x)
            x = x * x
        return sum(kept) * x

    want, text = adjoint(f, 1.5)
    assert text.count("class Tape") == 1 and "srcgrad" not in text
    assert run(text, (1.5,)) == (want[0], (want[1],))


def test_exceptions_are_raised():
    def f(x):
        if x < 0.0:
            raise ValueError(f"no root of {x}")
        return np.sqrt(x)

    _, text = adjoint(f, 2.0)
    with pytest.raises(ValueError, match=r"no root of -1\.0"):
        run(text, (-1.0,))


def test_the_last_copies_are_not_shown():
    def f(x):
        y = np.zeros_like(x)
        for i in range(len(x)):
            y[i] = x[i] ** 2
        return y

    assert ".copy()" not in flow.compile(f, target="python").source("primal", np.ones(3))


def test_a_last_copy_that_is_read_stays():
    def f(x, m, root):
        return stats.multivariate_normal.logpdf(x, m, root @ root.T)

    args = np.array([0.3, 0.5]), np.array([0.1, -0.2]), np.array([[1.0, 0.2], [0.3, 0.8]])
    gradient = flow.value_and_grad(f, (0, 1, 2), target="python")
    want, text = gradient(*args), gradient.source("adjoint", *args)
    value, found = run(text, args)
    np.testing.assert_allclose(value, want[0], rtol=1e-13)
    for a, b in zip(found, want[1], strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-13)


def test_named_tuples_are_read_by_their_fields():
    Point = collections.namedtuple("Point", "x y")

    def f(p):
        return p.x * p.y**2

    want, text = adjoint(f, Point(2.0, 3.0))
    got = run(text, (Point(2.0, 3.0),))
    assert got[0] == want[0] and tuple(got[1:])
