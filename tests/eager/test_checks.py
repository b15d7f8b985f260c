"""gradcheck and gradgradcheck, anomaly mode, hooks on what is saved, mark_dirty."""

import re

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.autograd import Function, gradcheck, gradgradcheck


def leaf(values):
    return flow.tensor(values, dtype=flow.float64, requires_grad=True)


class Tripled(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 3


def test_gradcheck_finds_a_wrong_gradient():
    with pytest.raises(flow.autograd.GradcheckError) as caught:
        gradcheck(Tripled.apply, (leaf([1.0, 2.0]),))
    assert isinstance(caught.value, RuntimeError)
    assert str(caught.value).replace("srcgrad.", "") == (
        "Jacobian mismatch for output 0 with respect to input 0,\n"
        "numerical:tensor([[2.0000, 0.0000],\n        [0.0000, 2.0000]], dtype=float64)\n"
        "analytical:tensor([[3., 0.],\n        [0., 3.]], dtype=float64)\n"
    )
    assert not gradcheck(Tripled.apply, (leaf([1.0, 2.0]),), raise_exception=False)


def test_gradcheck_passes_what_is_right():
    x, w = leaf([[0.3, 0.7], [1.1, 0.2]]), leaf([0.5, 1.5])
    assert gradcheck(lambda x, w: (flow.tanh(x @ w), x.prod()), (x, w))
    assert gradgradcheck(lambda x, w: (flow.tanh(x @ w), x.prod()), (x, w))
    assert gradcheck(lambda x, k: x * k, (x, 3.0))


def test_gradgradcheck_finds_a_wrong_second_gradient():
    class Cube(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return g * 3 * x.detach() ** 2

    assert gradcheck(Cube.apply, (leaf([1.0, 2.0]),))
    with pytest.raises(flow.autograd.GradcheckError, match="with respect to input 0"):
        gradgradcheck(Cube.apply, (leaf([1.0, 2.0]),))


def test_gradcheck_looks_at_its_inputs():
    with pytest.raises(ValueError, match="at least one input tensor to require gradient"):
        gradcheck(lambda x: x, (flow.ones(2),))
    with pytest.warns(UserWarning, match="not a double precision"):
        gradcheck(lambda x: x * 2, (flow.ones(2, requires_grad=True),), atol=1.0, eps=0.01)
    with pytest.raises(RuntimeError, match="expected to be zero"):
        gradcheck(lambda x: x.detach() * 2, (leaf([1.0]),))
    with pytest.raises(NotImplementedError):
        gradcheck(lambda x: x, (leaf([1.0]),), check_forward_ad=True)


def test_a_gradient_that_differs_between_runs():
    calls = []

    class Random(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            calls.append(g)
            return g * (2 + 1e-7 * len(calls))

    with pytest.raises(RuntimeError, match="not reentrant"):
        gradcheck(Random.apply, (leaf([1.0]),))


# ---- anomaly mode ----
def test_a_nan_names_the_line_that_recorded_it():
    x = leaf([0.0, 1.0])
    with pytest.raises(RuntimeError) as caught, flow.autograd.detect_anomaly():
        y = x * 3
        z = y / x  # the line
        z.sum().backward()
    text = str(caught.value)
    assert text.startswith("Function 'DivBackward0' returned nan values in its 1th output.")
    assert re.search(r'File ".*test_checks.py", line \d+, in test_a_nan', text)
    assert "z = y / x  # the line" in text
    assert not flow.autograd.is_anomaly_enabled()
    (x * 3 / x).sum().backward()  # no error outside
    assert np.isnan(x.grad.numpy()[0])


def test_a_nan_in_a_chain_is_seen():
    x = leaf([-1.0, 2.0])
    with flow.autograd.detect_anomaly():
        y = ((x * 2.0).sqrt() * 3.0) * 2.0
        with pytest.raises(RuntimeError, match="'SqrtBackward0' returned nan"):
            y.backward(flow.ones(2, dtype=y.dtype))


def test_a_nan_in_a_tensor_without_dims():
    x = leaf(0.0)
    with pytest.raises(RuntimeError, match="returned nan"), flow.autograd.detect_anomaly():
        (x / x).backward()


def test_an_error_in_backward_names_its_line():
    class Faulty(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            raise KeyError("no")

    flow.autograd.set_detect_anomaly(True, check_nan=False)
    try:
        y = Faulty.apply(leaf([1.0]))
        with pytest.raises(KeyError) as caught:
            y.sum().backward()
    finally:
        flow.autograd.set_detect_anomaly(False)
    assert "Error detected in FaultyBackward" in caught.value.__notes__[0]
    assert "y = Faulty.apply" in caught.value.__notes__[0]


def test_anomaly_mode_changes_no_gradient():
    def run():
        x = leaf([0.3, 0.8])
        y = (flow.tanh(x * 2) / (x + 1) - x**2 + x[0]).sum()
        y.backward()
        return x.grad.tolist()

    with flow.autograd.set_detect_anomaly(True):
        watched = run()
    assert watched == run()


# ---- what is saved ----
def test_saved_tensors_hooks():
    kept = []

    def pack(t):
        kept.append(t.tolist())
        return len(kept) - 1

    def unpack(k):
        return flow.tensor(kept[k], dtype=flow.float64)

    x, w = leaf([1.0, 2.0]), leaf([3.0, 4.0])
    with flow.autograd.graph.saved_tensors_hooks(pack, unpack):
        y = (x * w).exp() + x
    assert kept == [[1.0, 2.0], [3.0, 4.0], y.sub(x).tolist()]
    (gx,) = flow.autograd.grad(y.sum(), x, create_graph=True)
    np.testing.assert_allclose(gx.detach().numpy(), [3 * np.exp(3) + 1, 4 * np.exp(8) + 1])
    gx.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), [9 * np.exp(3), 16 * np.exp(8)])


def test_hooks_of_a_function_and_a_wrong_unpack():
    class Square(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return 2 * x * g

    hooks = flow.autograd.graph.saved_tensors_hooks
    x = leaf([1.0, 2.0])
    with hooks(lambda t: t.numpy() * 10, flow.from_numpy):
        Square.apply(x).sum().backward()
    assert x.grad.tolist() == [20.0, 40.0]
    with hooks(lambda t: t, lambda t: 3):
        y = x.exp()
    with pytest.raises(TypeError, match="unpack_hook expected to be a Tensor"):
        y.sum().backward()


# ---- functions that modify their arguments ----
class Doubled(Function):
    @staticmethod
    def forward(ctx, x):
        x.mul_(2.0)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, g):
        return g * 2


def test_mark_dirty():
    x = leaf([1.0, 2.0])
    y = x * 3
    before = y._version
    z = Doubled.apply(y)
    assert z is y and y.tolist() == [6.0, 12.0] and y._version > before
    assert y.grad_fn.label == "DoubledBackward"
    (y * y).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), 2 * 36 * x.detach().numpy())


def test_mark_dirty_of_a_view():
    x = leaf([1.0, 2.0, 3.0])
    y = x * 1
    Doubled.apply(y[1:])
    assert y.tolist() == [1.0, 4.0, 6.0]
    y.sum().backward()
    assert x.grad.tolist() == [1.0, 2.0, 2.0]


def test_what_mark_dirty_refuses():
    with pytest.raises(RuntimeError, match="a leaf Tensor that requires grad"):
        Doubled.apply(leaf([1.0]))

    class Forgotten(Doubled):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            return x * 2

    with pytest.raises(RuntimeError, match="must all be outputs of the Function"):
        Forgotten.apply(leaf([1.0]) * 1)


def test_what_was_modified_is_noticed_by_others():
    y = leaf([1.0, 2.0]) * 3
    s = (y * y).sum()
    Doubled.apply(y)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        s.backward()
