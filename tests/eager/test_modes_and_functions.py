"""Modes (contexts, decorators, threads, generators) and ``autograd.Function``."""

import threading

import pytest

import srcgrad as flow
from srcgrad.autograd import Function


def test_contexts():
    with flow.no_grad():
        with flow.enable_grad():
            assert flow.is_grad_enabled()
        assert not flow.is_grad_enabled()
    mode = flow.no_grad()
    with mode, mode:
        assert not flow.is_grad_enabled()
    assert flow.is_grad_enabled()
    with pytest.raises(ValueError), flow.no_grad():
        raise ValueError
    assert flow.is_grad_enabled()
    with flow.inference_mode(), flow.enable_grad():
        assert not flow.is_grad_enabled()
    with flow.inference_mode(False):
        assert flow.is_grad_enabled()


def test_set_grad_enabled_sticks_as_a_statement():
    flow.set_grad_enabled(False)
    assert not flow.is_grad_enabled()
    flow.set_grad_enabled(True)
    with flow.set_grad_enabled(False):
        assert not flow.is_grad_enabled()
    assert flow.is_grad_enabled()


@pytest.mark.parametrize(
    "decorator",
    [flow.no_grad, flow.no_grad(), flow.inference_mode, flow.inference_mode(),
     lambda f: flow.set_grad_enabled(False)(f)],
)  # fmt: skip
def test_decorators(decorator):
    @decorator
    def f(depth):
        assert not flow.is_grad_enabled()
        return f(depth - 1) if depth else f.__name__

    assert f(3) == "f" and flow.is_grad_enabled()


def test_generators_run_in_the_mode_each_time():
    @flow.no_grad()
    def g():
        got = yield flow.is_grad_enabled()
        try:
            yield got, flow.is_grad_enabled()
        except KeyError:
            yield flow.is_grad_enabled()
        return 7

    run = g()
    assert next(run) is False and flow.is_grad_enabled()
    assert run.send(3) == (3, False) and flow.is_grad_enabled()
    assert run.throw(KeyError) is False and flow.is_grad_enabled()
    with pytest.raises(StopIteration) as stop:
        next(run)
    assert stop.value.value == 7


def test_modes_belong_to_a_thread():
    seen = []
    with flow.no_grad():
        t = threading.Thread(
            target=lambda: seen.append((flow.ones(1, requires_grad=True) * 2).requires_grad)
        )
        t.start()
        t.join()
    assert seen == [True]


# ---- Function ----
class Exp(Function):
    @staticmethod
    def forward(ctx, i):
        result = i.exp()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return grad_output * result


class Scale(Function):
    @staticmethod
    def forward(ctx, x, y, k):
        ctx.k = k
        ctx.save_for_backward(x, y)
        return x * y * k

    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        Scale.seen = ctx.needs_input_grad, flow.is_grad_enabled()
        return g * y * ctx.k, g * x * ctx.k, None


def test_apply_and_call():
    for call in (Exp.apply, Exp()):
        i = flow.tensor([0.0, 1.0], requires_grad=True)
        o = call(i)
        o.sum().backward()
        assert i.grad.tolist() == o.tolist() and o.grad_fn.name() == "ExpBackward"


def test_context():
    x, y = flow.tensor(2.0, requires_grad=True), flow.tensor(3.0)
    Scale.apply(x, y, 4.0).backward()
    assert x.grad.item() == 12.0 and y.grad is None
    assert Scale.seen == ((True, False, False), False)


def test_second_derivatives_go_through_backward():
    x = flow.tensor(0.5, dtype=flow.float64, requires_grad=True)
    g = Exp.apply(x * x)
    for _ in range(2):
        (g,) = flow.autograd.grad(g, x, create_graph=True)
    want = (2 + 4 * 0.25) * 2.718281828459045**0.25
    assert abs(g.item() - want) < 1e-12


def test_saved_tensors_are_released_and_versioned():
    x = flow.tensor([1.0, 2.0], requires_grad=True)
    h = x * 1
    o = Scale.apply(h, flow.ones(2), 1.0)
    o.sum().backward(retain_graph=True)
    o.sum().backward()
    with pytest.raises(RuntimeError, match="released"):
        o.sum().backward()
    o = Scale.apply(h, flow.ones(2), 1.0)
    h.add_(1)
    with pytest.raises(RuntimeError, match="modified"):
        o.sum().backward()


def test_several_results():
    class Two(Function):
        @staticmethod
        def forward(ctx, x):
            mask = (x > 1).float()
            ctx.mark_non_differentiable(mask)
            return x * 2, x * 3, mask

        @staticmethod
        def backward(ctx, a, b, m):
            Two.seen = a.tolist(), b.tolist(), m.tolist()
            return a * 2 + b * 3

    x = flow.tensor([2.0, 0.0], requires_grad=True)
    o, p, m = Two.apply(x)
    assert (o.requires_grad, p.requires_grad, m.requires_grad) == (True, True, False)
    o.sum().backward(retain_graph=True)
    assert x.grad.tolist() == [2.0, 2.0]
    assert Two.seen == ([1.0, 1.0], [0.0, 0.0], [0.0, 0.0])
    (o * p).sum().backward()
    assert Two.seen[:2] == ([6.0, 0.0], [4.0, 0.0])


def test_a_view_that_forward_returns_has_the_gradient_of_backward():
    class Rows(Function):
        @staticmethod
        def forward(ctx, x):
            return x[:1]

        @staticmethod
        def backward(ctx, g):
            return flow.cat([g * 10, g * 0])

    x = flow.tensor([1.0, 2.0], requires_grad=True)
    h = x * 1
    o = Rows.apply(h)
    h.add_(1)
    o.sum().backward()
    assert x.grad.tolist() == [10.0, 0.0]


def returning(value):
    class F(Function):
        @staticmethod
        def forward(ctx, x, y):
            return x * y

        @staticmethod
        def backward(ctx, g):
            return value(g)

    return F


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (lambda g: g, "incorrect number of gradients .expected 2, got 1"),
        (lambda g: (flow.ones(3), None), r"invalid gradient at index 0 - got \[3\] .* \[2\]"),
        (lambda g: (2.0, None), "expected Variable or None .got float"),
    ],
)
def test_wrong_gradients_are_refused(value, text):
    x = flow.tensor([1.0, 2.0], requires_grad=True)
    with pytest.raises(RuntimeError, match=text):
        returning(value).apply(x, x).sum().backward()


def test_none_is_no_gradient_and_the_same_tensor_gets_both():
    x = flow.tensor([1.0, 2.0], requires_grad=True)
    returning(lambda g: (None, None)).apply(x, x).sum().backward()
    assert x.grad is None
    returning(lambda g: (g * 10, g * 100)).apply(x, x).sum().backward()
    assert x.grad.tolist() == [110.0, 110.0]


def test_what_is_not_there_is_said():
    class Empty(Function):
        pass

    x = flow.tensor(1.0, requires_grad=True)
    with pytest.raises(NotImplementedError, match="forward"):
        Empty.apply(x)
    with pytest.raises(TypeError, match="argument 0 is of type int"):
        Saves.apply(x)


class Saves(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(5)
        return x
