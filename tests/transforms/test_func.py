"""`flow.func`: the transforms with PyTorch's arguments, nesting and refusals."""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad import func, nn


def values(tree):
    return flow.tree.map(lambda t: t.tolist() if hasattr(t, "tolist") else t, tree)


def cubes(x):
    return (x**3).sum()


X = flow.tensor([1.0, 2.0])


@pytest.mark.parametrize("x", [X, np.array([1.0, 2.0])], ids=["tensor", "array"])
def test_gradients(x):
    assert func.grad(cubes)(x).tolist() == [3.0, 12.0]
    assert values(func.grad_and_value(cubes)(x)) == ([3.0, 12.0], 9.0)
    both = func.grad(lambda x, y: (x * y).sum(), argnums=(0, 1))(x, 3 * x)
    assert values(both) == ([3.0, 6.0], [1.0, 2.0])
    assert values(func.grad(cubes, argnums=(0,))(x)) == ([3.0, 12.0],)
    assert func.hessian(cubes)(x).tolist() == [[6.0, 0.0], [0.0, 12.0]]


def test_auxiliary_values_are_what_the_function_returned():
    f = lambda x: (cubes(x), {"twice": 2 * x})
    assert values(func.grad(f, has_aux=True)(X)) == ([3.0, 12.0], {"twice": [2.0, 4.0]})
    made = func.grad_and_value(f, has_aux=True)(X)
    assert values(made) == ([3.0, 12.0], (9.0, {"twice": [2.0, 4.0]}))


def test_transforms_nest():
    third = func.grad(func.grad(func.grad(lambda x: x**4)))
    assert third(2.0) == third(flow.tensor(2.0)).item() == 48.0
    assert func.vmap(func.grad(lambda x: x**3))(X).tolist() == [3.0, 12.0]
    assert func.jacrev(func.grad(cubes))(X).tolist() == func.hessian(cubes)(X).tolist()
    assert flow.compile(lambda x: func.grad(cubes)(x) * x)(X).tolist() == [3.0, 24.0]


def test_products():
    out, vjp_fn = func.vjp(lambda x: x**2, X)
    assert values((out, vjp_fn(flow.ones(2)))) == ([1.0, 4.0], ([2.0, 4.0],))
    out, vjp_fn, aux = func.vjp(lambda x: (x**2, x + 1), X, has_aux=True)
    assert values((out, vjp_fn(flow.ones(2)), aux)) == ([1.0, 4.0], ([2.0, 4.0],), [2.0, 3.0])
    assert values(func.jvp(lambda x: x**2, (X,), (flow.ones(2),))) == ([1.0, 4.0], [2.0, 4.0])
    assert func.linearize(lambda x: x**2, X)[1](flow.ones(2)).tolist() == [2.0, 4.0]
    made = func.vmap(lambda x, y: x * y, in_dims=(0, None), out_dims=1)(flow.ones(3, 2), X)
    assert made.shape == (2, 3)


@pytest.mark.parametrize("call, kind, text", [
    (lambda: func.grad(lambda x: x**2)(X), RuntimeError, "Expected f.* to return a scalar"),
    (lambda: func.grad(lambda x: x**2)(np.ones(2)), RuntimeError, "jacrev APIs instead"),
    (lambda: func.grad(3.0), TypeError, "pass the function itself"),
    (lambda: func.jvp(cubes, X, X), RuntimeError, "Expected primals to be a tuple"),
    (lambda: func.vmap(cubes, randomness="different"), ValueError, "draw random numbers outside"),
])  # fmt: skip
def test_refusals(call, kind, text):
    with pytest.raises(kind, match=text):
        call()


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.one = nn.Linear(2, 2, bias=False)
        self.two = nn.Linear(2, 2, bias=False)
        self.two.weight = self.one.weight
        self.register_buffer("shift", flow.ones(2))

    def forward(self, x, times=1.0):
        return self.two(self.one(x)) * times + self.shift


def test_a_module_with_other_tensors():
    net = Tied()
    before = net(X).tolist()
    weights = {"one.weight": 2 * flow.eye(2), "shift": flow.zeros(2)}
    assert func.functional_call(net, weights, (X,)).tolist() == [4.0, 8.0]
    assert func.functional_call(net, weights, X, {"times": 3.0}).tolist() == [12.0, 24.0]
    apart = func.functional_call(net, [weights, {"two.weight": flow.eye(2)}], X, tie_weights=False)
    assert apart.tolist() == [2.0, 4.0]
    assert net(X).tolist() == before
    for wrong, strict in (({"three": X}, False), (weights, True)):
        with pytest.raises(RuntimeError, match=r"key\(s\) when calling functional_call"):
            func.functional_call(net, wrong, X, strict=strict)
    with pytest.raises(RuntimeError):
        func.functional_call(net, {"one.weight": flow.ones(3, 3)}, X)
    assert net(X).tolist() == before


def test_gradients_by_the_weights_of_a_module_for_each_sample():
    net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
    weights = {k: v.detach() for k, v in net.named_parameters()}
    xs = flow.randn(4, 2)

    def loss(weights, x):
        return (func.functional_call(net, weights, (x,)) ** 2).sum()

    made = func.vmap(func.grad(loss), in_dims=(None, 0))(weights, xs)
    for k in range(4):
        net.zero_grad()
        (net(xs[k]) ** 2).sum().backward()
        for name, p in net.named_parameters():
            np.testing.assert_allclose(made[name][k].numpy(), p.grad.numpy(), rtol=2e-5, atol=1e-6)
