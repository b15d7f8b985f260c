"""Hooks of nodes and of several gradients, batches of gradients, functions with `setup_context`."""

import pytest

import srcgrad as flow
from srcgrad.autograd import graph


def leaf(*values):
    return flow.tensor(list(values), requires_grad=True)


# ---- hooks of nodes ----
def test_a_hook_of_a_node_sees_and_replaces_gradients():
    x, seen = leaf(1.0, 2.0), []
    y = x * 3
    y.grad_fn.register_prehook(lambda arriving: seen.append(arriving))
    handle = y.grad_fn.register_hook(lambda leaving, arriving: (leaving[0] * 10,))
    y.sum().backward()
    assert x.grad.tolist() == [30.0, 30.0]
    assert [t.tolist() for t in seen[0]] == [[1.0, 1.0]]
    handle.remove()
    (z,) = flow.autograd.grad((x * 3).sum(), x)
    assert z.tolist() == [3.0, 3.0]


def test_a_hook_of_a_node_with_two_operands():
    x, y, seen = leaf(2.0), leaf(5.0), []
    z = x * y
    z.grad_fn.register_hook(lambda leaving, arriving: seen.append((leaving, arriving)))
    z.grad_fn.register_prehook(lambda arriving: (arriving[0] * 2,))
    z.sum().backward()
    assert (x.grad.item(), y.grad.item()) == (10.0, 4.0)
    ((leaving, arriving),) = seen
    assert [t.item() for t in leaving] == [10.0, 4.0]
    assert arriving[0].item() == 2.0
    w = x * y
    w.grad_fn.register_hook(lambda leaving, arriving: leaving[:1])
    with pytest.raises(RuntimeError, match="returned 1 gradients instead of 2"):
        w.backward()


def test_a_hook_of_a_node_takes_part_in_second_derivatives():
    x = leaf(2.0)
    y = x**3
    y.grad_fn.register_hook(lambda leaving, arriving: (leaving[0] * x,))
    (g,) = flow.autograd.grad(y.sum(), x, create_graph=True)
    assert g.item() == 24.0  # 3 x^2, times x
    assert flow.autograd.grad(g, x)[0].item() == 36.0


# ---- several gradients ----
def test_gradients_of_one_pass_together():
    x, y, unused, seen = leaf(2.0), leaf(5.0), leaf(1.0), []
    handle = graph.register_multi_grad_hook([x, y, unused], seen.append)
    (x * y).sum().backward()
    (x * x).sum().backward()
    handle.remove()
    (x * y).sum().backward()
    found = [[g and g.item() for g in each] for each in seen]
    assert found == [[5.0, 2.0, None], [4.0, None, None]]


def test_the_first_gradient_of_each_pass():
    x, y, seen = leaf(2.0), leaf(5.0), []
    with graph.register_multi_grad_hook((x, y), seen.append, mode="any"):
        for _ in range(2):
            (x * y).sum().backward()
    assert len(seen) == 2
    with pytest.raises(ValueError, match="Expects mode to be one of"):
        graph.register_multi_grad_hook((x, y), seen.append, mode="some")


def test_a_pass_that_fails_leaves_nothing_behind():
    x, y, seen = leaf(2.0), leaf(5.0), []
    graph.register_multi_grad_hook((x, y), seen.append)
    z = x.exp()
    z.register_hook(lambda g: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        (z * y).sum().backward()
    (x * 3).sum().backward()
    assert [[g and g.item() for g in each] for each in seen] == [[3.0, None]]


def test_a_pass_within_a_pass():
    x, seen = leaf(2.0), []

    class Within(flow.autograd.Function):
        @staticmethod
        def forward(ctx, a):
            return a * 2

        @staticmethod
        def backward(ctx, g):
            b = leaf(1.0)
            with flow.enable_grad():
                (b * 7).sum().backward()
            return g * b.grad

    y = leaf(3.0)
    graph.register_multi_grad_hook((x, y), seen.append)
    (Within.apply(x) * y).sum().backward()
    assert [[g.item() for g in each] for each in seen] == [[21.0, 4.0]]


# ---- saved values ----
def test_saved_values_on_the_cpu():
    x = leaf(1.0, 2.0)
    with graph.save_on_cpu():
        y = x * x
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 4.0]


def test_hooks_of_saved_values_can_be_refused():
    with (
        graph.disable_saved_tensors_hooks("not here"),
        pytest.raises(RuntimeError, match="not here"),
        graph.save_on_cpu(),
    ):
        pass
    with graph.save_on_cpu():
        pass


# ---- autograd.grad ----
def test_batches_of_weights():
    x, unused = leaf(1.0, 3.0), leaf(1.0)
    y = x * x
    (rows,) = flow.autograd.grad(y, x, flow.eye(2), is_grads_batched=True, retain_graph=True)
    assert rows.tolist() == [[2.0, 0.0], [0.0, 6.0]]
    made = flow.autograd.grad(
        y, (x, unused), flow.eye(2), True, True, is_grads_batched=True, materialize_grads=True
    )
    assert made[1].tolist() == [[0.0], [0.0]]
    assert flow.autograd.grad(made[0].sum(), x)[0].tolist() == [2.0, 2.0]
    with pytest.raises(RuntimeError, match="need a first dim of one length"):
        flow.autograd.grad(y.sum(), x, is_grads_batched=True)
    flow.autograd.grad(y, x, flow.eye(2), is_grads_batched=True)
    with pytest.raises(RuntimeError, match="released"):
        flow.autograd.grad(y, x, flow.eye(2), is_grads_batched=True)


def test_zeros_in_place_of_none():
    x, unused = leaf(1.0), leaf(1.0, 2.0)
    made = flow.autograd.grad(x * x, (x, unused), materialize_grads=True)
    assert [g.tolist() for g in made] == [[2.0], [0.0, 0.0]]
    assert flow.autograd.grad(x * x, (x, unused), allow_unused=True)[1] is None
    with pytest.raises(ValueError, match="Expected allow_unused to be True"):
        flow.autograd.grad(x * x, unused, allow_unused=False, materialize_grads=True)


# ---- functions, flags, parts of complex numbers ----
def test_a_function_with_its_context_apart():
    class Square(flow.autograd.Function):
        @staticmethod
        def forward(x, times):
            return x * x * times

        @staticmethod
        def setup_context(ctx, inputs, output):
            x, ctx.times = inputs
            ctx.save_for_backward(x)

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return 2 * x * g * ctx.times, None

    x = leaf(3.0)
    y = Square.apply(x, 2.0)
    assert (type(y.grad_fn).__name__, y.grad_fn.name()) == ("SquareBackward", "SquareBackward")
    (g,) = flow.autograd.grad(y, x, create_graph=True)
    assert (g.item(), flow.autograd.grad(g, x)[0].item()) == (12.0, 4.0)


@pytest.mark.parametrize("flag", [1, "yes", None])
def test_requires_grad_is_a_bool(flag):
    x = flow.ones(2)
    with pytest.raises(RuntimeError, match="requires_grad must be a bool"):
        x.requires_grad = flag
    assert not x.requires_grad


def test_parts_of_complex_numbers():
    z = flow.tensor([1 + 2j])
    assert (z.real.tolist(), z.imag.tolist(), flow.imag(z).tolist()) == ([1.0], [2.0], [2.0])
    z.real.zero_()
    assert z.tolist() == [2j]
    x = leaf(1.0)
    assert x.real is x
    with pytest.raises(RuntimeError, match="non-complex dtypes"):
        x.imag  # noqa: B018 (its error is tested)
