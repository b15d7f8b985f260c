"""A derivative that runs a function of tensors again draws the numbers of its first run."""

import random

import numpy as np
import pytest

import srcgrad as flow
from srcgrad import nn
from srcgrad.mindspore import nn as msnn


def dropped(x):
    return nn.Dropout(0.5)(x)


def of_numpy(x):
    return x * flow.tensor(np.random.rand(8))


def of_python(x):
    return x * random.random()


def of_tensors(x):
    return x * flow.rand(8, dtype=flow.float64)


@pytest.mark.parametrize("f", [dropped, of_numpy, of_python, of_tensors])
def test_a_checkpoint_draws_the_same_again(f):
    x = flow.ones(8, dtype=flow.float64, requires_grad=True)
    y = flow.checkpoint(f)(x)
    after = flow.rand(1), np.random.rand(), random.random()
    y.sum().backward()  # linear, so the gradient at 1 is the value
    np.testing.assert_array_equal(x.grad.numpy(), y.detach().numpy())
    assert after != (flow.rand(1), np.random.rand(), random.random())


class Dropping(msnn.Cell):
    def __init__(self):
        super().__init__()
        self.drop = msnn.Dropout(p=0.5)
        self.scale = flow.Parameter(flow.tensor(np.arange(1.0, 9.0)), name="scale")

    def construct(self, x):
        return self.drop(x * self.scale)


def test_products_of_vjp_are_of_its_value():
    cell = Dropping().set_train()
    x = flow.ones(8, dtype=flow.float64)
    out, pull = flow.vjp(cell, x, weights=cell.trainable_params())
    for _ in range(2):
        (dx,), _ = pull(flow.ones(8, dtype=flow.float64))
        np.testing.assert_array_equal(dx.numpy(), out.detach().numpy())
