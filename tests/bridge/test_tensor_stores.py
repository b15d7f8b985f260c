"""Compiled functions that store to tensors: versions, histories, refusals."""

import numpy as np
import pytest

import srcgrad as flow
from tests.bridge.test_tensor_calls import compiled, leaf


@compiled
def doubles_first(x):
    x[0] = x[0] * 2.0
    return np.sum(x * x)


def test_a_store_without_a_graph():
    x = flow.tensor([1.0, 2.0])
    version = x._version
    assert doubles_first(x).item() == 8.0
    assert x.tolist() == [2.0, 2.0] and x._version == version + 1


def test_a_store_is_recorded():
    w = leaf(1.0, 2.0)
    x = w * 3.0
    saved = (x * x).sum()
    total = doubles_first(x)
    assert x.tolist() == [6.0, 6.0] and total.item() == 72.0
    (total + (x * flow.tensor([1.0, 10.0])).sum()).backward(retain_graph=True)
    assert w.grad.tolist() == [12.0 * 6 + 6.0, 12.0 * 3 + 30.0]
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        saved.backward()


def test_a_store_through_a_view():
    w = leaf(1.0, 2.0, 3.0)
    x = w * 1.0
    doubles_first(x[1:])
    assert x.tolist() == [1.0, 4.0, 3.0]
    x.sum().backward()
    assert w.grad.tolist() == [1.0, 2.0, 1.0]


def test_a_store_puts_a_tensor_into_the_graph():
    @compiled
    def fill(u, v):
        for i in range(len(u)):
            u[i] = v[i] * i

    u, v = flow.zeros(3, dtype=flow.float64), leaf(1.0, 2.0, 3.0)
    assert fill(u, v) is None
    assert u.requires_grad and not u.is_leaf
    u.sum().backward()
    assert v.grad.tolist() == [0.0, 1.0, 2.0]


def test_stores_that_are_refused():
    with pytest.raises(RuntimeError, match="a leaf Tensor that requires grad is being used in an"):
        doubles_first(leaf(1.0, 2.0))

    @compiled
    def fill(u, v):
        u[0] = v[0]
        return np.sum(u)

    with pytest.raises(flow.UnsupportedError, match="stores to 'u'"):
        fill(np.zeros(2), leaf(1.0))


class Recorder:
    last = None

    def loss(self, x):
        self.last = x * 3.0
        return np.sum(x * x)


def test_a_name_stored_to_has_a_history():
    """An attribute that a call on tensors sets, where its gradient is recorded."""
    recorder = Recorder()
    f = flow.compile(lambda x: recorder.loss(x), target="python")
    x = leaf(1.0, 2.0)
    total = f(x)
    assert recorder.last.tolist() == [3.0, 6.0]
    (total + recorder.last.sum()).backward()
    assert x.grad.tolist() == [5.0, 7.0]
