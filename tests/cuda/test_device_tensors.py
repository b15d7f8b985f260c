"""Compiled code for cuda called with tensors on a device: results and gradients stay there.

The device is simulated; the library of its tensors is the one that eager tensors are tested with.
"""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.backends.cuda.selection import using
from srcgrad.backends.cuda.simulator import Simulator


@pytest.fixture(autouse=True)
def simulated():
    with using(Simulator()):
        yield


X, W = np.linspace(0.1, 1.0, 6).reshape(2, 3), np.arange(3.0)


def loss(x, w):
    return np.sum(np.sin(x) * w)


def several(x, w):
    y = x * w
    return y, y.sum(axis=0), np.mean(y), x.shape[0], y


def methods(x, w):
    return (x.sin() * w).sum() + flow.tanh(x).mean()


def stored(x, w):
    x += w
    return x.sum()


def branches(x, w):
    """Numbers that the host reads: a length, a condition, a step."""
    s = x.sum()
    if s > 2.0:
        x = x * s
    for _ in range(w.shape[0]):
        x = np.sin(x) + 0.1 * w
    return x.mean()


def scalar(x, w):
    """A gradient whose reverse sweep gets nothing but a number."""
    return x.sum() + 2.0 * w.sum()


def tensors(where, requires_grad=True):
    return [flow.tensor(a, device=where, requires_grad=requires_grad) for a in (X, W)]


def same(found, wanted):
    assert found.device.type == "cuda"
    assert found.dtype == wanted.dtype
    np.testing.assert_allclose(found.asnumpy(), wanted.asnumpy(), rtol=1e-12)


@pytest.mark.parametrize("f", [loss, methods, branches, scalar], ids=lambda f: f.__name__)
def test_backward(f, cuda):
    compiled, plain = flow.compile(f, target="cuda"), flow.compile(f)
    for _ in range(3):  # specialised, the general way, the fast path
        (x, w), (a, b) = tensors(cuda), tensors("cpu")
        y, z = compiled(x, w), plain(a, b)
        same(y.detach(), z.detach())
        y.backward()
        z.backward()
        same(x.grad, a.grad)
        same(w.grad, b.grad)


@pytest.mark.parametrize("f", [loss, methods, branches, scalar], ids=lambda f: f.__name__)
def test_transforms(f, cuda):
    for recorded in (False, True):
        given, wanted = tensors(cuda, recorded), tensors("cpu", recorded)
        for transform in (flow.value_and_grad, flow.grad, flow.jacrev):
            for _ in range(2):
                found = transform(flow.compile(f, target="cuda"), (0, 1))(*given)
                expected = transform(f, (0, 1))(*wanted)
                assert_same(found, expected)
        found, pull = flow.vjp(flow.compile(f, target="cuda"), *given)
        expected, pull_cpu = flow.vjp(f, *wanted)
        assert_same((found, pull(1.0), pull(found)), (expected, pull_cpu(1.0), pull_cpu(expected)))


def assert_same(found, wanted):
    if isinstance(wanted, tuple):
        for a, b in zip(found, wanted, strict=True):
            assert_same(a, b)
    else:
        same(found.detach(), wanted.detach())


def test_second_order(cuda):
    (x, w), (a, b) = tensors(cuda), tensors("cpu")
    for f, (p, q) in ((flow.compile(loss, target="cuda"), (x, w)), (loss, (a, b))):
        (g,) = flow.autograd.grad(f(p, q), [p], create_graph=True)
        (g * g).sum().backward()
    same(x.grad, a.grad)
    same(w.grad, b.grad)


def test_results_of_all_kinds(cuda):
    for recorded in (False, True):
        found = flow.compile(several, target="cuda")(*tensors(cuda, recorded))
        wanted = flow.compile(several)(*tensors("cpu", recorded))
        assert found[3] == wanted[3] == 2
        for k in (0, 1, 2, 4):
            same(found[k].detach(), wanted[k].detach())


def test_a_store_is_recorded(cuda):
    compiled = flow.compile(stored, target="cuda")
    x, w = tensors(cuda)
    y = x * 2.0
    version = y._version
    z = compiled(y, w)
    assert y._version > version
    z.backward()
    np.testing.assert_array_equal(y.detach().asnumpy(), 2 * X + W)
    np.testing.assert_array_equal(x.grad.asnumpy(), np.full((2, 3), 2.0))
    np.testing.assert_array_equal(w.grad.asnumpy(), np.full(3, 2.0))
    with flow.no_grad():
        z = compiled(y, w)
    np.testing.assert_array_equal(y.detach().asnumpy(), 2 * X + 2 * W)
    assert z.device.type == "cuda"


def test_beside_arrays_and_numbers(cuda):
    x, _ = tensors(cuda)
    y = flow.compile(loss, target="cuda")(x, W)
    y.backward()
    same(x.grad, flow.tensor(np.cos(X) * W, dtype=flow.float64))
    y = flow.compile(lambda x, a: np.sum(x * a), target="cuda")(x, flow.tensor(2.0))
    assert y.device.type == "cuda"


def test_the_target_cpu_names_the_way_out(cuda):
    x, w = tensors(cuda)
    with pytest.raises(
        flow.errors.ArgumentTypeError, match=r"'x' is on a GPU.*target is 'cpu'"
    ) as e:
        flow.compile(loss)(x, w)
    assert "x.cpu()" in str(e.value)
    assert flow.compile(loss)(x.cpu(), w.cpu()).device.type == "cpu"


# ---- captured ----
def network(where):
    flow.manual_seed(0)
    layers = flow.nn.Linear(3, 4), flow.nn.Tanh(), flow.nn.Linear(4, 1)
    return flow.nn.Sequential(*layers).double().to(where)


def trained(where, target):
    model, x = network(where), flow.tensor(X, device=where)
    step = flow.compile(lambda x: (model(x) ** 2).mean(), target=target)
    optimizer = flow.optim.SGD(model.parameters(), lr=0.1, momentum=0.5)
    for _ in range(3):
        optimizer.zero_grad()
        step(x).backward()
        optimizer.step()
    return [p.detach() for p in model.parameters()]


def test_a_network_is_trained(cuda):
    for found, wanted in zip(trained(cuda, "cuda"), trained("cpu", "cpu"), strict=True):
        same(found, wanted)


def test_gradients_by_weights(cuda):
    def made(where, target):
        model, x = network(where), flow.tensor(X, device=where)
        weights = tuple(model.parameters())
        f = flow.value_and_grad(lambda x: (model(x) ** 2).mean(), 0, weights, target=target)
        return f(x)

    assert_same(made(cuda, "cuda"), made("cpu", "cpu"))


def test_captured_tensors(cuda):
    w, scale = flow.tensor(W, device=cuda, requires_grad=True), flow.tensor(2.0, device=cuda)
    f = flow.compile(lambda x: (x * w * scale).sum(), target="cuda")
    for _ in range(3):
        w.grad = None
        f(flow.tensor(X, device=cuda)).backward()
        same(w.grad, flow.tensor(2.0 * X.sum(axis=0), dtype=flow.float64))
    with pytest.raises(flow.errors.ArgumentTypeError, match="captured 'w' is on a GPU"):
        flow.compile(lambda x: (x * w).sum())(flow.tensor(X))


def test_captured_arrays():
    class Array:
        """Of a library of which nothing else is known."""

        shape = W.shape
        __cuda_array_interface__ = property(lambda self: W.__array_interface__ | {"version": 3})

    w = Array()
    assert flow.compile(lambda x: np.sum(x * w), target="cuda")(X) == pytest.approx(np.sum(X * W))
    with pytest.raises(flow.errors.ArgumentTypeError, match="captured 'w' is on a GPU"):
        flow.compile(lambda x: np.sum(x * w))(X)
