"""What constants ask for and lengths forbid is refused before anything runs, with its way out."""

import numpy as np
import pytest
import scipy.linalg

import srcgrad as flow
from srcgrad.errors import UnsupportedError

TALL, SQUARE = np.arange(6.0).reshape(3, 2), np.eye(3) + 0.1 * np.arange(9.0).reshape(3, 3)
CALLS = []
noted = flow.opaque(lambda x: CALLS.append(1) or x, 0.0, vjp=lambda primals, g: (g,))


def lu(x):
    return np.sum(scipy.linalg.lu(noted(x[0, 0]) * x)[2])


def factors(x):
    return np.sum(scipy.linalg.lu_factor(noted(x[0, 0]) * x)[0])


WAYS_OUT = {lu: "use qr or svd", factors: "use qr or svd"}


def refusal(f, *args):
    with pytest.raises(UnsupportedError) as caught:
        f(*args)
    return caught.value


@pytest.mark.parametrize("f", WAYS_OUT, ids=lambda f: f.__name__)
def test_nothing_has_run(f):
    """At the first call; what is compiled for square ones refuses others where they are met."""
    gradient = flow.grad(flow.compile(f, target="python"))
    CALLS.clear()
    for compiled in (False, True):
        error = refusal(gradient, TALL)
        assert WAYS_OUT[f] in error.way_out and error.way_out not in error.reason
        assert error.location.line == f.__code__.co_firstlineno + 1
        assert bool(CALLS) == compiled
        assert gradient(SQUARE).shape == (3, 3)


def branching(x, deep):
    if deep > 0.0:
        return np.sum(scipy.linalg.lu(x)[2])
    return np.sum(x)


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_a_branch_that_is_not_taken_is_no_reason(target):
    gradient = flow.grad(flow.compile(branching, target=target))
    np.testing.assert_array_equal(gradient(TALL, -1.0), np.ones((3, 2)))
    error = refusal(gradient, TALL, 1.0)
    assert error.way_out == "use qr or svd"
    assert error.location.line == branching.__code__.co_firstlineno + 2


@pytest.mark.parametrize("svd", [np.linalg.svd, scipy.linalg.svd])
@pytest.mark.parametrize("first", [TALL, SQUARE])
def test_all_singular_vectors_whatever_came_first(svd, first):
    gradient = flow.grad(flow.compile(lambda x: np.sum(svd(x)[0] ** 2 * x[0, 0]), target="python"))
    for x in (first, SQUARE, TALL):
        want = len(x) * (np.arange(x.size) == 0).reshape(x.shape)
        np.testing.assert_allclose(gradient(x), want, atol=1e-12)


@pytest.mark.parametrize("target", ["python", "loops", "cpu"])
def test_limits_that_only_running_tells(target):
    """Of formulas and of our own checks: refusals as well."""
    value = lambda x: np.poly1d(x)(2.0)
    error = refusal(flow.grad(flow.compile(value, target=target)), np.array([0.0, 1.0]))
    assert "a leading coefficient of 0" in error.reason

    def missing(x):
        if x > 0.0:
            return x

    assert "returns None" in refusal(flow.grad(flow.compile(missing, target=target)), -1.0).reason


def test_what_the_user_raises_stays_theirs():
    def f(x):
        if x > 0.0:
            raise NotImplementedError("mine")
        return x

    with pytest.raises(NotImplementedError, match="mine") as caught:
        flow.grad(flow.compile(f, target="python"))(1.0)
    assert not isinstance(caught.value, UnsupportedError)
