"""Functions with a rule of their own that change names around them: the rule is followed apart."""

import numpy as np
import pytest

import srcgrad as flow

X = np.array([0.5, 2.0, -1.5])
CALLS = 0


@flow.custom_jvp
def counted(x):
    global CALLS
    CALLS = CALLS + 1
    return x * x


counted.defjvp(lambda primals, tangents: (counted(*primals), 2.0 * primals[0] * tangents[0]))


def with_backward(f):
    ruled = flow.custom_vjp(lambda x: x * x)
    ruled.defvjp(lambda x: (x * x, x), f)
    return ruled


def counting_backward(x, g):
    global CALLS
    CALLS = CALLS + 1
    return (2.0 * g * x,)


REFUSED = "a derivative of its own and changes a container or a name"


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_a_function_that_changes_a_name_is_refused(target):
    """It would be counted once for the call, and once more for its rule."""
    f = flow.compile(lambda x: np.sum(counted(x)) * CALLS, target=target)
    with pytest.raises(flow.UnsupportedError, match=REFUSED):
        f(X)
    with pytest.raises(flow.UnsupportedError, match=REFUSED):
        flow.grad(f)(X)
    assert CALLS == 0


def test_a_rule_that_changes_a_name_is_refused_where_it_is_used():
    ruled = with_backward(counting_backward)
    f = flow.compile(lambda x: np.sum(ruled(x)) * (CALLS + 1), target="python")
    assert f(X) == np.sum(X * X)
    with pytest.raises(flow.UnsupportedError, match=REFUSED):
        flow.grad(f)(X)
    assert CALLS == 0
