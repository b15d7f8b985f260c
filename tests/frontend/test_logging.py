"""Messages that a logger drops are dropped; one that it writes is refused, until it is dropped."""

import logging

import numpy as np
import pytest

import srcgrad as flow

log = logging.getLogger("tests.of.logging")


@pytest.fixture(autouse=True)
def warnings_only():
    log.setLevel(logging.WARNING)


def verbose(x):
    log.debug("x is %s", x)
    logging.getLogger("tests.of.logging").info(f"sum {np.sum(x)}")
    if log.isEnabledFor(logging.DEBUG):
        x = x * np.inf
    return np.sum(x * x)


X = np.array([1.0, 2.0])


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_what_is_dropped_is_left_out(target):
    g = flow.grad(flow.compile(verbose, target=target))
    assert np.array_equal(g(X), 2.0 * X)
    assert np.array_equal(g(X), 2.0 * X)


def test_the_level_counts_at_each_call():
    g = flow.grad(flow.compile(verbose, target="python"))
    g(X)
    log.setLevel(logging.DEBUG)
    with pytest.raises(flow.errors.UnsupportedError, match="setLevel"):
        g(X)
    with pytest.raises(flow.errors.UnsupportedError, match="debug"):
        flow.grad(flow.compile(verbose, target="python"))(X)
    log.setLevel(logging.DEBUG + 1)
    with pytest.raises(flow.errors.UnsupportedError, match=r"info\(\) writes"):
        g(X)
    log.setLevel(logging.INFO + 1)
    assert np.array_equal(g(X), 2.0 * X)


def test_a_function_made_anew_has_its_own_logger():
    def made(mine):
        def f(x):
            mine.info("x")
            return np.sum(x * x)

        return flow.grad(flow.compile(f, target="python"))

    quiet, loud = logging.getLogger("tests.quiet"), logging.getLogger("tests.loud")
    quiet.setLevel(logging.ERROR)
    loud.setLevel(logging.INFO)
    assert np.array_equal(made(quiet)(X), 2.0 * X)
    with pytest.raises(flow.errors.UnsupportedError, match="writes a message"):
        made(loud)(X)
    assert np.array_equal(made(quiet)(X), 2.0 * X)
