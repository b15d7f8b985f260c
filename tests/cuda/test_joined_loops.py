"""Joined loops as kernels: how many there are, and what a check in one of them leaves."""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.backends.cuda.selection import using
from srcgrad.errors import BoundsError
from srcgrad.passes import without
from tests.cuda.checks import ORDERS, Watched, near
from tests.cuda.device_programs import cross_entropy, mlp

R = np.random.default_rng(5)
LOSS = (cross_entropy, 0, (R.normal(size=(5, 4)), R.normal(size=(9, 5)), R.integers(0, 4, 9)))


def counted(program, order="forward"):
    fn, positions, args = program
    with using(device := Watched(order)):
        found = flow.value_and_grad(flow.compile(fn, target="cuda"), positions)(*args)
    return found, len(device.launched)


@pytest.mark.parametrize("order", ORDERS)
def test_seven_loops_of_a_loss_are_one_kernel(order):
    with without("join_loops"):
        want, many = counted(LOSS, order)
    got, few = counted(LOSS, order)
    near(got, want)
    assert many - few == 6


def test_layers_are_kernels_between_products():
    """A product of matrices needs all rows of what is before it."""
    shapes = ((5, 4), 4, (4, 3), 3, (9, 5), (9, 3))
    program = (mlp, (0, 1, 2, 3), tuple(R.normal(size=s) for s in shapes))
    with without("join_loops"):
        want, many = counted(program)
    got, few = counted(program)
    near(got, want)
    assert many == few


def test_a_label_that_is_no_column_is_an_error():
    fn, position, (w, x, labels) = LOSS
    labels = np.where(np.arange(9) == 7, 4, labels)
    errors = []
    for target in ("cuda", "cpu"):
        with pytest.raises(BoundsError) as found:
            flow.grad(fn, target=target, grad_position=position)(w, x, labels)
        errors.append(str(found.value))
    assert errors[0] == errors[1]


def test_what_python_would_not_have_stored_is_not_stored():
    """Loops of which the first may fail stay apart from one that the caller sees."""

    def shifted(x, places):
        n = len(x)
        y = np.zeros(n)
        for i in range(n):
            y[i] = x[places[i]]
        for i in range(n):
            x[i] = 2.0 * y[i]

    x, places = np.arange(5.0), np.array([0, 1, 2, 9, 3])
    with pytest.raises(BoundsError):
        flow.compile(shifted, target="cuda")(x, places)
    assert x.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]
    flow.compile(shifted, target="cuda")(x, places % 5)
    assert x.tolist() == [0.0, 2.0, 4.0, 8.0, 6.0]
