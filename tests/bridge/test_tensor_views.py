"""Results of compiled functions that lie in the memory of tensors, and are written to later."""

import numpy as np
import pytest

import srcgrad as flow


def tail(t):
    return t[1:]


def itself(t):
    return t


def turned(t):
    return t.reshape(1, 3).T


def two(t):
    y = t * 2.0
    return y[1:], y


def overlapping(t):
    return t[1:], t[:2]


def one_of(t):
    return t[1:] if t[0] > 0.0 else t[:-1]


PROGRAMS = [tail, itself, turned, two, overlapping, one_of]


def write_the_result(x, y):
    y.mul_(10.0)


def write_the_argument(x, y):
    x.mul_(10.0)


def store_to_the_result(x, y):
    y[-1] = 7.0


@pytest.mark.parametrize("write", [write_the_result, write_the_argument, store_to_the_result])
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("recorded", [False, True], ids=["plain", "recorded"])
def test_a_write_is_seen_as_on_the_tape(f, write, recorded):
    seen = []
    for g in (f, flow.compile(f, target="python")):
        w = flow.tensor([1.0, 2.0, 3.0], dtype=flow.float64, requires_grad=recorded)
        x = w * 1.0
        made = g(x)
        made = made if isinstance(made, tuple) else (made,)
        write(x, made[0])
        seen.append([v.tolist() for v in (x, *made)])
        if recorded:
            total = (x * x * x).sum()
            for v in made:
                total = total + (v * v).sum()
            total.backward()
            seen[-1].append(w.grad.tolist())
    assert seen[0] == seen[1]


@pytest.mark.parametrize("f", [tail, itself], ids=lambda f: f.__name__)
def test_a_view_of_a_leaf_is_not_written(f):
    y = flow.compile(f, target="python")(flow.tensor([1.0, 2.0, 3.0], requires_grad=True))
    with pytest.raises(RuntimeError, match="a view of a leaf"):
        y.mul_(2.0)


def test_what_the_reverse_sweep_reads_in_the_argument_is_not_written():
    @flow.compile(target="python")
    def squares(t):
        y = t[1:] if t[0] > 0.0 else t[:-1]
        return (y * y).sum()

    x = flow.tensor([1.0, 2.0, 3.0], requires_grad=True) * 1.0
    total = squares(x)
    x.mul_(10.0)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        total.backward()


def test_results_that_share_memory_share_versions():
    made, part = flow.compile(two, target="python")(flow.tensor([1.0, 2.0, 3.0]))[::-1]
    product = (flow.tensor([1.0, 1.0, 1.0], requires_grad=True) * made).sum()
    part.mul_(10.0)
    assert made._version == 1
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        product.backward()


def test_gradients_and_values_of_transforms_share_no_memory():
    c = flow.tensor([1.0, 2.0, 3.0])
    value, gradient = flow.value_and_grad(lambda x: (x * c).sum())(flow.ones(3))
    gradient.mul_(10.0)
    assert c.tolist() == [1.0, 2.0, 3.0] and value.item() == 6.0


def test_a_view_of_what_was_stored_to():
    @flow.compile(target="python")
    def stored(t):
        t[0] = t[1] * 3.0
        return t[:2]

    x = flow.tensor([1.0, 2.0, 3.0])
    stored(x).mul_(10.0)
    assert x.tolist() == [60.0, 20.0, 3.0]


def test_a_base_that_is_not_contiguous():
    x = flow.tensor(np.arange(6.0).reshape(2, 3))
    y = flow.compile(lambda t: t[1:, ::2], target="python")(x.T)
    y.mul_(10.0)
    assert x.tolist() == [[0.0, 10.0, 20.0], [3.0, 4.0, 5.0]]
