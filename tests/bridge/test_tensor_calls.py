"""Calls of compiled functions with tensors: kinds of arguments, modes, release, refusals."""

from dataclasses import dataclass

import numpy as np
import pytest

import srcgrad as flow


def compiled(f):
    return flow.compile(f, target="python")


def leaf(*values, dtype=np.float64):
    return flow.tensor(np.array(values, dtype), requires_grad=True)


def test_mixed_arguments_are_handled_in_kind():
    @compiled
    def f(x, a, n, scale):
        return np.sum(x * a) * scale + n, n, x > 0

    x, a = leaf(1.0, 2.0), np.array([3.0, 4.0])
    value, n, positive = f(x, a, 2, 0.5)
    assert n == 2 and type(n) is int
    assert isinstance(positive, flow.Tensor) and not positive.requires_grad
    value.backward()
    a[:] = 0.0  # the caller's array was read in time
    np.testing.assert_array_equal(x.grad.numpy(), [1.5, 2.0])


def test_an_array_changed_before_backward():
    @compiled
    def f(x, a):
        return np.sum(x * a)

    x, a = leaf(1.0, 2.0), np.array([3.0, 4.0])
    y = f(x, a)
    a[:] = 0.0
    y.backward()
    np.testing.assert_array_equal(x.grad.numpy(), [3.0, 4.0])


def test_gradients_have_the_kind_of_their_argument():
    @compiled
    def f(x, a, c):
        return np.sum(x * a) * c

    by_x, by_a, by_c = flow.grad(f, (0, 1, 2))(leaf(1.0, 2.0), np.array([3.0, 4.0]), 2.0)
    assert isinstance(by_x, flow.Tensor) and type(by_a) is np.ndarray and type(by_c) is float
    value, _ = flow.value_and_grad(f)(leaf(1.0), np.ones(1), 2.0)
    assert isinstance(value, flow.Tensor)


weight = flow.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=flow.float64, requires_grad=True)


@compiled
def linear(x):
    return np.sum(np.tanh(weight @ x))


def test_a_captured_tensor_gets_its_gradient():
    x = np.array([0.1, 0.2])
    weight.grad = None
    y = linear(x)
    assert isinstance(y, flow.Tensor)
    y.backward()
    want = np.outer(1 - np.tanh(weight.detach().numpy() @ x) ** 2, x)
    np.testing.assert_allclose(weight.grad.numpy(), want, 1e-14)
    with flow.no_grad():
        assert not linear(x).requires_grad
        weight.mul_(2.0)  # read afresh
    changed = np.sum(np.tanh(weight.detach().numpy() @ x))
    np.testing.assert_allclose(linear(x).item(), changed, 1e-14)


def test_closures_capture_parameters():
    w = flow.nn.Parameter(flow.tensor([1.0, 2.0]))
    bias = flow.tensor(0.5, requires_grad=True)

    @compiled
    def f(x):
        return (w * x).sum() + bias

    f(flow.tensor([3.0, 4.0])).backward()
    assert w.grad.tolist() == [3.0, 4.0] and bias.grad.item() == 1.0
    assert w.grad.dtype == flow.float32


def test_second_backward_and_retain_graph():
    @compiled
    def f(x):
        y = x.copy()
        for i in range(1, len(y)):
            y[i] = y[i] * y[i - 1]  # rewound by the reverse sweep
        return np.sum(y)

    x = leaf(1.0, 2.0, 3.0)
    y = f(x)
    y.backward(retain_graph=True)
    first = x.grad.numpy().copy()
    y.backward()
    np.testing.assert_array_equal(x.grad.numpy(), 2 * first)
    with pytest.raises(RuntimeError, match="has been released"):
        y.backward()


def test_what_keeps_nothing_can_be_walked_again():
    @compiled
    def f(x):
        return np.sum(2.0 * x)

    x = leaf(1.0, 2.0)
    y = f(x)
    y.backward()
    y.backward()
    assert x.grad.tolist() == [4.0, 4.0]


def test_several_outputs_and_structures():
    @dataclass
    class State:
        position: object
        mass: object

    @compiled
    def f(state, table):
        return {"a": state.position * table["w"], "b": (np.sum(state.position), state.mass)}

    state, w = State(leaf(1.0, 2.0), 3.0), leaf(5.0, 7.0)
    out = f(state, {"w": w})
    flow.autograd.backward([out["a"].sum(), out["b"][0]])
    assert state.position.grad.tolist() == [6.0, 8.0] and w.grad.tolist() == [1.0, 2.0]
    g = flow.grad(f)(state, {"w": w})
    assert type(g) is State and isinstance(g.position, flow.Tensor)


def test_only_wanted_gradients_are_made():
    @compiled
    def f(x, w):
        return np.sum(x * w)

    x, w = flow.tensor([1.0, 2.0]), leaf(3.0, 4.0, dtype=np.float32)
    f(x, w).backward()
    assert x.grad is None and w.grad.tolist() == [1.0, 2.0]


def test_what_a_result_does_not_depend_on_has_no_gradient():
    @compiled
    def f(x, w, s):
        t = 0.0
        for i in range(len(x)):
            t += x[i] * x[i]
        return t, np.sum(w) * 0, 2.0

    x, w, s = leaf(1.0, 2.0), leaf(3.0, 4.0), leaf(1.0)
    out = f(x, w, s)[0]
    with pytest.raises(RuntimeError, match="at index 1 appears to not have been used"):
        flow.autograd.grad(out, [x, s], retain_graph=True)
    by_x, by_s = flow.autograd.grad(out, [x, s], allow_unused=True, create_graph=True)
    assert by_s is None and by_x.tolist() == [2.0, 4.0]
    out.backward()
    assert s.grad is None
    assert not compiled(lambda x: x.shape[0] * 1.0)(x).requires_grad


def test_no_graph_without_need():
    @compiled
    def f(x):
        return x * x

    assert f(flow.tensor([2.0])).grad_fn is None
    with flow.no_grad():
        assert f(leaf(2.0)).grad_fn is None
    assert f(leaf(2.0)).grad_fn is not None
    assert f(leaf(2.0)).detach().numpy().tolist() == [4.0]


def test_an_operand_modified_in_place_is_an_error():
    @compiled
    def f(x):
        return np.sum(np.sin(x))

    x = leaf(1.0, 2.0).clone()
    y = f(x)
    x.add_(1.0)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()


def test_a_result_modified_in_place_is_an_error():
    @compiled
    def f(x):
        return np.exp(x)

    y = f(leaf(1.0, 2.0))
    z = y.sum()
    with flow.no_grad():
        y.mul_(2.0)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.backward()


def test_a_result_in_the_memory_of_an_argument_is_a_view():
    @compiled
    def f(x):
        return x, x[1:]

    x = leaf(1.0, 2.0)
    same, rest = f(x)
    for y in (same, rest):
        assert np.shares_memory(y.detach().numpy(), x.detach().numpy())
        assert y._is_view() and y._base is x and not y.is_leaf
    (same.sum() + rest.sum()).backward()
    assert x.grad.tolist() == [1.0, 2.0]


def test_hooks_and_eager_operations_around():
    @compiled
    def f(x):
        return np.sin(x)

    x = leaf(1.0, 2.0)
    seen = []
    y = f(x * 2.0)
    y.register_hook(lambda g: seen.append(g.tolist()))
    (y * 3.0).sum().backward()
    assert seen == [[3.0, 3.0]]
    np.testing.assert_allclose(x.grad.numpy(), 6.0 * np.cos([2.0, 4.0]), 1e-15)


def test_third_order():
    @compiled
    def f(x):
        return np.sum(x**4)

    x = leaf(1.5)
    g = f(x)
    for _ in range(3):
        (g,) = flow.autograd.grad(g.sum(), x, create_graph=True)
    assert g.item() == 24.0 * 1.5


def test_vjp_and_jvp():
    @compiled
    def f(x, a):
        return np.sin(x) * a, np.sum(x)

    x = leaf(1.0, 2.0)
    (y, s), pull = flow.vjp(f, x, 3.0)
    by_x, by_a = pull(flow.ones(2, dtype=flow.float64), 1.0)
    np.testing.assert_allclose(by_x.detach().numpy(), 3.0 * np.cos([1.0, 2.0]) + 1.0)
    np.testing.assert_allclose(by_a, np.sin([1.0, 2.0]).sum())
    assert type(by_a) is float and isinstance(y, flow.Tensor) and isinstance(s, flow.Tensor)
    by_x.sum().backward()  # recorded as usual
    np.testing.assert_allclose(x.grad.numpy(), -3.0 * np.sin([1.0, 2.0]))
    _, (dy, ds) = flow.jvp(f, (x, 3.0), (flow.ones(2, dtype=flow.float64), 0.0))
    np.testing.assert_allclose(dy.detach().numpy(), 3.0 * np.cos([1.0, 2.0]))
    assert ds.item() == 2.0


def test_numbers_of_no_dims_may_meet_numbers():
    @compiled
    def f(a):
        while a < 10.0:
            a = a * a
        return max(a, 0.0)

    a = flow.tensor(2.5, requires_grad=True)
    f(a).backward()
    assert a.grad.item() == 4 * 2.5**3


def test_training_steps_do_not_grow():
    w = leaf(1.0, 1.0)

    @compiled
    def loss(x):
        return np.sum((w * x - 1.0) ** 2)

    for _ in range(50):
        w.grad = None
        loss(np.array([0.5, 0.25])).backward()
        with flow.no_grad():
            w -= 0.5 * w.grad
    assert len(loss._entries) == 1
    np.testing.assert_allclose(w.detach().numpy() * [0.5, 0.25], [1.0, 1.0], 0.1)


def test_checks_and_jacobians_of_compiled_functions():
    f = compiled(lambda x: np.sin(x) * x)
    x = leaf(0.5, 1.5)
    assert flow.autograd.gradcheck(f, (x,)) and flow.autograd.gradgradcheck(f, (x,))
    made = flow.autograd.functional.jacobian(f, x).numpy()
    a = x.detach().numpy()
    np.testing.assert_allclose(made, np.diag(np.cos(a) * a + np.sin(a)), 1e-14)


def test_anomaly_mode_names_the_line_of_a_call():
    f = compiled(lambda x: np.sum(x / x))
    x = leaf(0.0, 1.0)
    nan = pytest.raises(RuntimeError, match="returned nan")
    with nan as caught, flow.autograd.detect_anomaly():
        f(x).backward()
    assert "f(x).backward()" in str(caught.value)


def test_the_picture_of_a_call():
    x = leaf(1.0, 2.0)
    f = compiled(lambda x: np.sum(np.sin(x)))
    text = flow.tools.graph(f(x) * 2.0, names={"x": x})
    assert "keeps (2,)" in text and "x\\n(2,)" in text


def test_calls_of_several_kinds_in_turn():
    @compiled
    def f(x, a):
        return np.sum(x * a), x + a

    x, wide = leaf(1.0, 2.0), leaf(1.0, 2.0, dtype=np.float32)
    calls = [(x, 3.0), (wide, 3.0), (np.ones(2), 3.0), (x, np.array([1.0, 2.0])), (x, x)]
    for _ in range(3):  # the second time each has a way of its own
        for one, other in calls:
            total, both = f(one, other)
            a, b = (v.detach().numpy() if isinstance(v, flow.Tensor) else v for v in (one, other))
            tensors = isinstance(one, flow.Tensor)
            assert isinstance(total, flow.Tensor) == isinstance(both, flow.Tensor) == tensors
            np.testing.assert_allclose(total.item(), np.sum(a * b), 1e-6)
            if tensors:
                assert both.dtype == one.dtype
                (g,) = flow.autograd.grad(total, one)
                want = 2 * a if one is other else np.broadcast_to(b, 2)
                np.testing.assert_allclose(g.numpy(), want)


def test_a_captured_tensor_that_is_replaced():
    held = {"w": leaf(1.0, 2.0)}

    @compiled
    def f(x):
        return np.sum(held["w"] * x)

    x = np.array([3.0, 4.0])
    for w in (held["w"], leaf(2.0, 2.0), flow.tensor([1.0, 1.0]), np.ones(2), leaf(5.0)):
        held["w"] = w
        for _ in range(2):
            y = f(x)
            raw = w.detach().numpy() if isinstance(w, flow.Tensor) else w
            np.testing.assert_allclose(float(y), np.sum(raw * x))
            assert isinstance(y, flow.Tensor) == isinstance(w, flow.Tensor)
            if isinstance(w, flow.Tensor) and w.requires_grad:
                w.grad = None
                y.backward()
                assert w.grad.tolist() == ([7.0] if w.numel() == 1 else x.tolist())


@pytest.mark.parametrize(
    ("error", "raised"),
    [(AttributeError("a bug"), flow.errors.CompilerError), (MemoryError(), MemoryError)],
)
def test_a_fault_is_met_once(monkeypatch, error, raised):
    met = []

    def trace(*args):
        met.append(args)
        raise error

    monkeypatch.setattr("srcgrad.transforms.specs.trace", trace)
    with pytest.raises(raised):
        compiled(lambda x: x * x)(flow.tensor(3.0))
    assert len(met) == 1


def test_second_derivatives_take_cotangents_that_are_not_contiguous():
    f = flow.compile(lambda x: x**3)
    x = flow.tensor([1.0, 2.0], dtype=flow.float64, requires_grad=True)
    w = flow.tensor(3.0, dtype=flow.float64, requires_grad=True)
    (g,) = flow.autograd.grad(f(x), x, w.expand(2), create_graph=True)
    h, k = flow.autograd.grad(g.sum(), (x, w))
    assert h.tolist() == [18.0, 36.0] and k.item() == 15.0


class OwnBackward(flow.nn.Cell):
    """A cell whose backward gives too few gradients."""

    def construct(self, x, y):
        return x * y

    def bprop(self, x, y, out, dout):
        return (dout,)


def test_what_is_wrong_with_a_backward_pass_is_the_error():
    """What the compiler says of it is no reason: a hand-written backward is run on the tape."""
    with pytest.raises(RuntimeError, match="returns 1 gradients for 2 inputs") as caught:
        flow.grad(OwnBackward(), (0, 1))(flow.tensor(2.0), flow.tensor(3.0))
    assert not isinstance(caught.value, NotImplementedError)
