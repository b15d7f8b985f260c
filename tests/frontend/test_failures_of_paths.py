"""What fails for its operands in a branch raises where the branch is taken, not when compiling."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import srcgrad as flow


def ragged(x, rows):
    if rows == 1:
        return np.sum(np.asanyarray([1.0, x]))
    return np.sum(x**2)


def negated(x, rows):
    parts = [x, x]
    if rows == 1:
        return np.sum(-parts)
    return np.sum(parts[0] * parts[1])


@pytest.mark.parametrize(("f", "error"), [(ragged, ValueError), (negated, TypeError)])
def test_paths_that_fail(f, error):
    x = np.array([1.0, 2.0])
    gradient = flow.grad(flow.compile(f, target="python"))
    assert_allclose(gradient(x, 2), 2.0 * x)
    with pytest.raises(error):
        gradient(x, 1)
    with pytest.raises(error):
        f(x, 1)
