"""Functions in PyTorch's graph: values and derivatives are those of PyTorch's own operations."""

import numpy as np
import pytest
import torch
from torch.autograd import gradcheck, gradgradcheck

import srcgrad as flow


def drawn(*shape, kind=torch.float64, grad=True):
    generator = torch.Generator().manual_seed(len(shape))
    return torch.rand(shape, dtype=kind, generator=generator).requires_grad_(grad)


def steps(u, c, n):
    u = u.copy()
    for _ in range(n):
        u[1:-1] += c * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return u


def settled(x):
    while np.sum(x * x) > 1e-2:
        x = 0.5 * x * np.cos(x)
    return x


def layers(params, x):
    y = x @ params["w"] + params["b"]
    return {"out": np.tanh(y), "loss": np.sum(y * y), "rows": len(x)}


def test_values_and_gradients_are_those_of_its_operations():
    f = flow.to_torch(lambda x, y: np.sum(np.sin(x) @ y) * x)
    x, y = drawn(3), drawn(3, 2)
    got, want = f(x, y), torch.sum(torch.sin(x) @ y) * x
    torch.testing.assert_close(got, want)
    for a, b in zip(
        *(torch.autograd.grad((v * v).sum(), (x, y)) for v in (got, want)), strict=True
    ):
        torch.testing.assert_close(a, b)


@pytest.mark.parametrize(
    ("f", "args"), [(steps, (drawn(6), drawn())), (settled, (drawn(4),))], ids=["steps", "settled"]
)
def test_loops_to_second_order(f, args):
    given = (*args, 3) if f is steps else args
    run = flow.to_torch(f)
    call = lambda *args: run(*args, *given[len(args) :])
    torch.testing.assert_close(call(*args).detach(), torch.tensor(f(*map(array, given))))
    assert gradcheck(call, args) and gradgradcheck(call, args)


def array(v):
    return v.detach().numpy()[()] if isinstance(v, torch.Tensor) else v


def test_structures_and_what_is_no_tensor():
    f = flow.to_torch(layers)
    params, x = {"w": drawn(3, 2), "b": drawn(2)}, drawn(4, 3, grad=False)
    made = f(params, x=x)
    y = x @ params["w"] + params["b"]
    torch.testing.assert_close(made["out"], torch.tanh(y))
    torch.testing.assert_close(made["loss"], torch.sum(y * y))
    assert made["rows"] == 4
    made["loss"].backward()
    torch.testing.assert_close(params["w"].grad, 2.0 * x.T @ y.detach())
    assert x.grad is None


def test_results_have_memory_of_their_own_and_dtypes_stay():
    x = drawn(4, kind=torch.float32)
    for f, want in ((lambda x: x, x), (lambda x: x[::-1], x.flip(0)), (lambda x: x[1:], x[1:])):
        y = flow.to_torch(f)(x)
        assert y.dtype == torch.float32 and torch.equal(y, want)
        assert not np.shares_memory(x.detach().numpy(), y.detach().numpy())
        assert torch.equal(*(torch.autograd.grad(v.mul_(2).sum(), x)[0] for v in (y, want * 1.0)))


def test_nothing_is_recorded_without_need():
    f = flow.to_torch(lambda x: x * 2.0)
    x = drawn(2)
    assert f(x).requires_grad and not f(x.detach()).requires_grad
    with torch.no_grad():
        assert not f(x).requires_grad


def test_integers_have_no_gradient():
    f = flow.to_torch(lambda x, k: (x[k] * x[k], k + 1))
    x, k = drawn(3), torch.tensor([2, 0, 2])
    y, more = f(x, k)
    assert more.dtype == torch.int64 and not more.requires_grad
    y.sum().backward()
    torch.testing.assert_close(x.grad, torch.tensor([2.0, 0.0, 4.0]) * x.detach())


@pytest.mark.parametrize("grad", [False, True])
def test_stores_to_arguments_are_refused_before_they_happen(grad):
    def stores(x, y):
        x[0] = y
        return np.sum(x)

    x, y = drawn(3, grad=grad), drawn()
    before = x.detach().clone()
    with pytest.raises(RuntimeError, match=r"may not be written|in-place operation"):
        flow.to_torch(stores)(x, y)
    with pytest.raises((RuntimeError, ValueError)), torch.no_grad():
        flow.to_torch(stores)(x, y)
    assert torch.equal(x.detach(), before)


def test_what_is_changed_between_the_sweeps_is_found():
    f = flow.to_torch(np.exp)
    x = drawn(3)
    y = f(x)
    with torch.no_grad():
        x.mul_(2.0)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_a_result_that_the_sweep_needs_may_not_change():
    f = flow.to_torch(lambda x: np.tanh(np.exp(x)))
    x = drawn(3)
    want = torch.autograd.grad(torch.tanh(torch.exp(x)).mul(2.0).sum(), x)[0]
    y = f(x)
    try:
        got = torch.autograd.grad(y.mul_(2.0).sum(), x)[0]
    except RuntimeError as error:
        assert "modified by an inplace operation" in str(error)
    else:
        torch.testing.assert_close(got, want)


def test_within_a_module_and_a_training_step():
    class Layer(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.rate = torch.nn.Parameter(torch.tensor(0.1, dtype=torch.float64))
            self.run = flow.to_torch(steps)

        def forward(self, u):
            return self.run(u, self.rate, 4)

    layer, u = Layer(), drawn(8, grad=False)
    optimizer = torch.optim.SGD(layer.parameters(), 0.01)
    losses = []
    for _ in range(3):
        loss = torch.var(layer(u))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses == sorted(losses, reverse=True) and losses[2] < losses[0]


def test_complex_tensors():
    f = flow.to_torch(lambda z: np.sum(np.abs(z) ** 2))
    z = torch.tensor([1.0 + 2.0j, 3.0j])
    assert f(z).item() == 14.0
    with pytest.raises(flow.UnsupportedError, match="complex tensors that require grad"):
        f(z.requires_grad_())
    g = flow.to_torch(lambda a, b: np.sum(np.abs(a + 1j * b) ** 2))
    g(z.real, z.imag).backward()
    torch.testing.assert_close(z.grad, 2.0 * z.detach())


def test_results_share_no_memory_with_each_other_or_with_what_is_captured():
    held = np.ones(2)
    for f in (lambda x: (x * 2.0,) * 2, lambda x: (held, x * held), lambda x: (held[:1], x)):
        x = drawn(2)
        first, second = flow.to_torch(f)(x)
        before = second.detach().clone()
        first.mul_(3.0)
        assert torch.equal(second.detach(), before) and held.tolist() == [1.0, 1.0]


@pytest.mark.parametrize("captured", [False, True])
def test_arrays_that_change_between_the_sweeps_change_no_derivative(captured):
    w, x = np.array([1.0, 2.0, 3.0]), drawn(3)
    if captured:
        y = flow.to_torch(lambda x: np.sum(x**2 * w))(x)
    else:
        y = flow.to_torch(lambda x, w: np.sum(x**2 * w))(x, w)
    want = 2.0 * x.detach() * torch.tensor(w)
    w[:] = 0.0
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    torch.testing.assert_close(g.detach(), want)
    (h,) = torch.autograd.grad(g.sum(), x)
    torch.testing.assert_close(h, torch.tensor([2.0, 4.0, 6.0], dtype=h.dtype))


def test_cotangents_that_are_not_contiguous():
    f, x = flow.to_torch(lambda x: x**4), drawn(3)
    g = f(x)
    for k in range(4):
        (g,) = torch.autograd.grad(g.sum(), x, create_graph=True)
        torch.testing.assert_close(g, [4, 12, 24, 24][k] * x ** (3 - k))


def test_forward_mode_is_refused():
    f = flow.to_torch(lambda x: np.sum(x * x))
    with torch.autograd.forward_ad.dual_level():
        x = torch.autograd.forward_ad.make_dual(drawn(2, grad=False), torch.ones(2).double())
        with pytest.raises(RuntimeError, match="forward"):
            f(x)


def test_what_numpy_has_no_arrays_of_is_refused():
    with pytest.raises(flow.UnsupportedError, match="bfloat16"):
        flow.to_torch(np.sin)(torch.ones(2, dtype=torch.bfloat16))
    z = torch.tensor([1.0 + 2.0j]).conj().imag  # a view with its sign kept aside
    assert flow.to_torch(lambda x: x * 2.0)(z).tolist() == [-4.0]
