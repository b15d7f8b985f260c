"""A tensor without dims and a number under one name: a refusal is tried again with numbers."""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.bridge import calls
from tests.bridge.test_tensor_calls import compiled, leaf


def test_the_tensor_is_a_number_then():
    @compiled
    def f(x, a):
        s = 0.0
        for i in range(len(x)):
            s = max(s, a)
            s = s if x[i] > 1.5 else a
        return s * x[0]

    x, a = leaf(1.0, 2.0), flow.tensor(3.0, dtype=flow.float64, requires_grad=True)
    for _ in range(2):
        a.grad = None
        y = f(x, a)
        y.backward()
        assert float(y) == 3.0 and float(a.grad) == 1.0
    assert f in calls._WITH_NUMBERS


def test_a_refusal_that_numbers_do_not_cure():
    """The one of the first attempt is raised; the next call is not made with numbers."""

    @compiled
    def f(x, a):
        while np.sum(a) < np.sum(x):
            a = a[None] + 1.0
        return a

    texts = []
    for _ in range(2):
        with pytest.raises(flow.errors.UnsupportedError, match="rank 0") as refusal:
            f(leaf(1.0, 2.0), flow.tensor(1.0, dtype=flow.float64))
        texts.append(str(refusal.value))
    assert texts[0] == texts[1]
