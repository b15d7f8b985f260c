"""Writing in place: versions, views and their bases, index stores."""

import numpy as np
import pytest

import srcgrad as flow
from tests.eager.oracle import check

A = np.array([0.3, -0.7, 0.5, 1.1])


def leaf(*values):
    return flow.tensor(list(values), requires_grad=True)


def product_in_place(x):
    y = x * 1
    y.mul_(x)
    y.add_(3).mul_(y)
    return y


def base_written(x):
    y = x * 1
    v = y[:2]
    y.mul_(2)
    return v * v


def view_written(x):
    y = x * 1
    v = y.reshape(2, 2).T[0]
    v.mul_(v)
    return y * y


def store(x):
    y = x * 2
    y[1] = x[0] * x[2]
    y[2:] = x[:2]
    return y * y


def store_by_mask(x):
    y = x * x
    y[x > 0.4] = x[0]
    return y * y


def store_twice_in_one_place(x):
    y = x * 1
    y[[0, 0, 2]] = x[1:] * x[1:]
    return y * y


def into_a_buffer(x):
    buffer = flow.zeros(3, dtype=flow.float64)
    row = buffer[1:]
    row.copy_(x[:2])
    buffer[0] = x[3]
    return buffer * buffer


def view_of_a_view(x):
    y = x * 1
    v = y[1:]
    w = v[1:]
    w.exp_()
    v.mul_(2)
    return flow.cat([y, v, w])


def overlap(x):
    y = x * x
    y[1:] = y[:-1]
    return y * y


CASES = [
    product_in_place, base_written, view_written, store, store_by_mask, store_twice_in_one_place,
    into_a_buffer, view_of_a_view, overlap,
]  # fmt: skip


@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_gradients(f):
    check(f, A)


def test_memory_is_shared():
    a = np.ones(3)
    t = flow.from_numpy(a)
    t[0] = 5
    t[1:].mul_(2)
    assert a.tolist() == [5.0, 2.0, 2.0]
    d = t.detach()
    d.zero_()
    assert t._version == 3 and t.sum().item() == 0.0


def test_versions():
    x = flow.tensor([1.0, 2.0])
    x.add_(1)
    x[0] = 1.0
    x.data.add_(1)
    v = x[1:]
    v.zero_()
    assert x._version == v._version == 3


@pytest.mark.parametrize(
    "read", [lambda y: y * y, lambda y: y.exp(), lambda y: y**3, lambda y: y.sin(), lambda y: y @ y]
)
@pytest.mark.parametrize(
    "write", [lambda y: y.add_(1), lambda y: y[:1].zero_(), lambda y: y.T.mul_(2)]
)
def test_a_value_that_backward_reads_may_not_be_modified(read, write):
    x = leaf(1.0, 2.0)
    y = x * 1
    z = read(y)
    if read(flow.ones(2)).tolist() == flow.ones(2).exp().tolist():
        z, y = y.exp(), None
        write(z)
    else:
        write(y)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.sum().backward()


def test_a_value_that_nothing_reads_may_be_modified():
    x = leaf(1.0, 2.0)
    y = x + 1
    y.add_(1)
    z = y * 2
    y.zero_()
    z.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_optimiser_steps():
    x = leaf(1.0, 2.0)
    z = x * x
    with flow.no_grad():
        x.add_(1)
    with pytest.raises(RuntimeError, match="modified"):
        z.sum().backward()
    (x * x).sum().backward()
    assert x.is_leaf and x.grad.tolist() == [4.0, 6.0]


@pytest.mark.parametrize(
    "write",
    [
        lambda x: x.zero_(), lambda x: x.__iadd__(1), lambda x: x.__setitem__(0, 5.0),
        lambda x: x[:1].mul_(2), lambda x: x.copy_(flow.ones(2)), lambda x: x.fill_(1),
    ],
)  # fmt: skip
def test_leaves_may_not_be_written_while_recording(write):
    with pytest.raises(RuntimeError, match=r"leaf .* in-place operation"):
        write(leaf(1.0, 2.0))


def test_a_result_must_fit():
    with pytest.raises(RuntimeError, match="can't be cast"):
        flow.tensor([1, 2]).add_(1.5)
    with pytest.raises(RuntimeError, match="doesn't match"):
        flow.ones(1).add_(flow.ones(3))
    x = flow.ones(2)
    x += flow.ones(2, dtype=flow.float64)
    assert x.dtype is flow.float32
    bytes = flow.tensor([1, 200], dtype=flow.uint8)
    bytes += flow.tensor([1, 100])
    assert bytes.dtype is flow.uint8 and bytes.tolist() == [2, 44]


def test_retained_gradient_follows_the_tensor():
    x = leaf(1.0, 2.0)
    y = x * 2
    y.retain_grad()
    y.mul_(3)
    (y * 5).sum().backward()
    assert y.grad.tolist() == [5.0, 5.0] and x.grad.tolist() == [30.0, 30.0]


@pytest.mark.parametrize(
    ("index", "kind"),
    [(2, IndexError), ((0, 0, 0), IndexError), (1.0, IndexError), ("a", TypeError),
     (slice(None, None, -1), ValueError)],
)  # fmt: skip
def test_refused_indices(index, kind):
    with pytest.raises(kind):
        flow.ones(2, 3)[index]


def test_windows_are_a_view():
    w = leaf(1.0, 2.0, 3.0, 4.0, 5.0)
    x = w * 1.0
    pairs = x.unfold(0, 2, 2)
    pairs.mul_(10.0)
    assert x.tolist() == [10.0, 20.0, 30.0, 40.0, 5.0]
    x.mul_(2.0)
    assert pairs.tolist() == [[20.0, 40.0], [60.0, 80.0]]
    (pairs.sum() + x.sum()).backward()
    assert w.grad.tolist() == [40.0, 40.0, 40.0, 40.0, 2.0]
    overlapping = x.detach().unfold(0, 3, 1)
    with pytest.raises(RuntimeError, match="single memory location"):
        overlapping.mul_(2.0)


@pytest.mark.parametrize(("size", "step"), [(6, 1), (2, 0)])
def test_windows_that_are_refused(size, step):
    with pytest.raises(RuntimeError):
        flow.ones(5).unfold(0, size, step)
