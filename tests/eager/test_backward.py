"""The engine: accumulation, release, roots and inputs, long chains, memory."""

import gc
import weakref

import numpy as np
import pytest

import srcgrad as flow


def leaf(*values):
    return flow.tensor(values[0] if len(values) == 1 else list(values), requires_grad=True)


def test_the_tutorial_numbers():
    n1 = flow.tensor(np.pi / 2, dtype=flow.float32, requires_grad=True)
    n2 = flow.sin(n1)
    n2.retain_grad()
    flow.pow(n2, 2).backward()
    assert repr(n1.grad) == "tensor(-8.7423e-08, dtype=srcgrad.float32)"
    assert repr(n2.grad) == "tensor(2., dtype=srcgrad.float32)"


def test_gradients_accumulate_in_leaves_and_meet_in_nodes():
    x = leaf(3.0)
    a, b = x * 2, x * x
    (a * b + a).backward()
    assert x.grad.item() == 56.0
    (x * 1).backward()
    assert x.grad.item() == 57.0
    y = leaf(1.0)
    z = y
    for _ in range(60):
        z = z + z
    z.backward()
    assert y.grad.item() == 2.0**60


def test_two_leaves_do_not_share_a_gradient():
    x, y = leaf(1.0, 1.0), leaf(1.0, 1.0)
    g = flow.ones(2)
    (x + y).backward(g)
    x.grad.add_(5)
    assert y.grad.tolist() == [1.0, 1.0] and g.tolist() == [1.0, 1.0]


RELEASES = [lambda x: x * x, lambda x: x**2, lambda x: x.exp(), lambda x: x.max(), lambda x: 2 / x,
            lambda x: flow.where(x > 1, x, x), lambda x: x @ x]  # fmt: skip
KEEPS_NOTHING = [lambda x: x + x, lambda x: x - 1, lambda x: -x, lambda x: x.sum(), lambda x: x.T,
                 lambda x: x.reshape(2, 1), lambda x: x[0], lambda x: x.clone(), lambda x: x.mean(),
                 lambda x: flow.cat([x, x]), lambda x: x * 3]  # fmt: skip


@pytest.mark.parametrize("k", range(len(RELEASES)))
def test_a_second_backward_through_state_is_an_error(k):
    y = RELEASES[k](leaf(1.0, 2.0)).sum()
    y.backward(retain_graph=True)
    y.backward()
    with pytest.raises(RuntimeError, match=r"has been released\.\nMaybe you try to backward"):
        y.backward()


@pytest.mark.parametrize("k", range(len(KEEPS_NOTHING)))
def test_what_keeps_nothing_can_be_walked_again(k):
    x = leaf(1.0, 2.0)
    y = KEEPS_NOTHING[k](x).sum()
    y.backward()
    once = x.grad.clone()
    y.backward()
    assert x.grad.tolist() == (once * 2).tolist()


def test_grad_walks_only_what_leads_to_its_inputs():
    x, y = leaf(1.0), leaf(2.0)
    z = x**2 + y
    assert flow.autograd.grad(z, x)[0].item() == 2.0
    assert flow.autograd.grad(z, y)[0].item() == 1.0
    assert x.grad is None and y.grad is None
    with pytest.raises(RuntimeError):
        z.backward()


def test_grad_of_inner_and_repeated_inputs():
    x = leaf(2.0)
    y = x * x
    assert [g.item() for g in flow.autograd.grad(y * 3, [y, x])] == [3.0, 12.0]
    assert [g.item() for g in flow.autograd.grad(x * x, [x, x])] == [4.0, 4.0]
    assert flow.autograd.grad(x, x)[0].item() == 1.0
    assert flow.autograd.grad(x * x, [x, leaf(1.0)], allow_unused=True)[1] is None


def test_backward_into_some_inputs():
    x, w = leaf(2.0), leaf(3.0)
    h = x * w
    (h * 2).backward(inputs=[x, h])
    assert (x.grad.item(), w.grad, h.grad.item()) == (6.0, None, 2.0)


def test_several_roots():
    x = leaf(1.0, 2.0)
    flow.autograd.backward([x.sum(), x * x], [None, flow.ones(2)])
    assert x.grad.tolist() == [3.0, 5.0]


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (lambda x: (x * 2).backward(), RuntimeError, "created only for scalar outputs"),
        (lambda x: x.detach().sum().backward(), RuntimeError, "does not require grad and does not"),
        (lambda x: x.backward(flow.ones(3)), RuntimeError, r"\(\(3,\) vs \(2,\)\)"),
        (lambda x: x.backward([1.0, 2.0]), TypeError, "Tensors or None, but got float"),
        (lambda x: flow.autograd.backward([x, x], [x]), RuntimeError, "2 tensors and 1 gradients"),
        (lambda x: flow.autograd.grad(x.sum(), []), RuntimeError, "cannot be empty"),
        (lambda x: flow.autograd.grad(x.sum(), leaf(1.0)), RuntimeError, "index 0 appears to not"),
        (lambda x: flow.autograd.grad(x.sum(), flow.ones(2)), RuntimeError, "does not require"),
        (lambda x: setattr(x, "grad", flow.ones(3)), RuntimeError, "gradient of size"),
        (lambda x: setattr(x, "grad", 1.0), TypeError, "expected to be a Tensor or None"),
        (lambda x: x.numpy(), RuntimeError, "Use tensor.detach"),
        (lambda x: setattr(x * 2, "requires_grad", False), RuntimeError, "of leaf tensors"),
        (lambda x: flow.tensor([1], requires_grad=True), RuntimeError, "floating point"),
        (lambda x: flow.ones(2).retain_grad(), RuntimeError, "can't retain_grad"),
        (lambda x: bool(x), RuntimeError, "ambiguous"),
        (lambda x: x.item(), RuntimeError, "2 elements cannot be converted"),
        (lambda x: x + flow.ones(3), RuntimeError, r"tensor a \(2\) must match .* b \(3\)"),
        (lambda x: x.backwad(), AttributeError, "no attribute 'backwad'. Did you mean: 'backward'"),
    ],
)  # fmt: skip
def test_refusals(call, kind, text):
    with pytest.raises(kind, match=text):
        call(leaf(1.0, 2.0))


def test_derivatives_of_any_order():
    x = leaf(2.0)
    g = x**5
    for want in (80.0, 160.0, 240.0, 240.0, 120.0):
        (g,) = flow.autograd.grad(g, x, create_graph=True)
        assert g.item() == want
    y = flow.tensor(0.5, dtype=flow.float64, requires_grad=True)
    g = flow.tanh(y) * flow.exp(y)
    (g,) = flow.autograd.grad(g, y, create_graph=True)
    (g,) = flow.autograd.grad(g, y)
    t = np.tanh(0.5)
    want = np.exp(0.5) * (t + 2 * (1 - t * t) - 2 * t * (1 - t * t))
    assert abs(g.item() - want) < 1e-14


def test_backward_with_create_graph_leaves_a_gradient_with_history():
    x = leaf(2.0)
    (x**3).backward(create_graph=True)
    assert x.grad.requires_grad
    x.grad.backward()
    assert x.grad.item() == 24.0


def test_several_hundred_thousand_operations():
    x = leaf(1.0)
    y = x
    for _ in range(100_000):
        y = y * 1.0 + 0.0
        y = -y
    y.backward()
    assert x.grad.item() == 1.0
    z = x
    for _ in range(100_000):
        z = z * 1.0
    del z  # released without recursion
    assert flow.autograd.grad(y, x)[0].item() == 1.0


def test_long_chains_of_every_kind_of_node():
    class Same(flow.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 1

        @staticmethod
        def backward(ctx, g):
            return g

    w = flow.tensor(1.0, requires_grad=True)
    kinds = [lambda y: y * w, lambda y: y / w, Same.apply, lambda y: (y * 1).mul_(w), flow.relu]
    for step in kinds:
        y = w * 1
        for _ in range(5_000):
            y = step(y)
        (g,) = flow.autograd.grad(y, w, retain_graph=True)
        y.backward()
        assert w.grad.item() == g.item() and abs(g.item()) in (4999.0, 5001.0, 1.0)
        w.grad = None
        del y
    y = w * 1
    for _ in range(3_000):
        y = y * w
    (g,) = flow.autograd.grad(y, w, create_graph=True)
    assert flow.autograd.grad(g, w)[0].item() == 3001 * 3000


def test_results_and_graphs_are_freed_without_the_collector():
    gc.disable()
    try:
        x = leaf(1.0, 2.0)
        y = (x * 2).exp()
        node = weakref.ref(y.grad_fn)
        tensor = weakref.ref(y)
        z = (y * y).sum()
        z.backward()
        del y, z
        assert node() is None and tensor() is None
    finally:
        gc.enable()


def test_hooks_do_not_keep_what_they_refer_to():
    x = leaf(1.0)
    y = x * 2
    y.register_hook(lambda g, kept=y: g * kept.detach())
    node = weakref.ref(y.grad_fn)
    y.backward()
    del y
    gc.collect()
    assert node() is None and x.grad.item() == 4.0


def test_new_data_is_noticed():
    x = leaf(1.0, 2.0)
    y = (x * x).sum()
    x.data = flow.zeros(2)
    with pytest.raises(RuntimeError, match="modified"):
        y.backward()


def test_a_training_loop_does_not_grow():
    w = flow.tensor(np.ones((3, 2), np.float32), requires_grad=True)
    x = flow.ones(4, 3)

    def step():
        ((x @ w).T * 2).sum().backward()
        with flow.no_grad():
            w.sub_(w.grad * 1e-3)
        w.grad = None

    for _ in range(20):
        step()
    gc.collect()
    before = len(gc.get_objects())
    for _ in range(300):
        step()
    gc.collect()
    assert len(gc.get_objects()) < before + 50 and len(w._store.views) < 8


def test_what_no_rule_reads_is_not_kept():
    x = leaf(1.0, 2.0)
    y = x * 2
    ref = weakref.ref(y._a)
    z = y.sum() + 1
    del y
    assert ref() is None
    z.backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_hooks_see_the_sum_once_and_may_replace_it():
    x = leaf(2.0)
    y, seen = x * 1, []
    y.retain_grad()
    first = y.register_hook(lambda g: seen.append(g.item()))
    y.register_hook(lambda g: g * 5)
    (y * 2 + y * 3).backward(retain_graph=True)
    assert (seen, y.grad.item(), x.grad.item()) == ([5.0], 25.0, 25.0)
    first.remove()
    first.remove()
    (y * 1).backward()
    assert seen == [5.0] and x.grad.item() == 30.0


def test_hooks_on_leaves():
    x, seen, after = leaf(2.0), [], []
    x.register_hook(lambda g: seen.append(g.item()))
    x.register_hook(lambda g: g.mul_(10) and None)
    x.register_post_accumulate_grad_hook(lambda p: after.append(p.grad.item()))
    (x * 2 + x).backward()
    assert (seen, after, x.grad.item()) == ([3.0], [30.0], 30.0)
    assert flow.autograd.grad(x * 2, x)[0].item() == 20.0
    with pytest.raises(RuntimeError, match="cannot register a hook"):
        flow.ones(2).register_hook(print)
    with pytest.raises(TypeError):
        x.register_hook(3)


def test_the_graph_can_be_followed():
    x = leaf(1.0, 2.0)
    y = (x * x).sum()
    assert type(y.grad_fn).__name__ == "SumBackward0" and y.grad_fn.name() == "SumBackward0"
    ((product, _),) = y.grad_fn.next_functions
    assert product.name() == "MulBackward0"
    assert product.next_functions[0][0].variable is x
    assert x.grad_fn is None and x.is_leaf and not y.is_leaf


def test_a_gradient_that_somebody_holds_is_not_written_over():
    x = leaf(1.0, 2.0)
    middle = (x * 2.0).exp()
    middle.retain_grad()
    kept = []
    scaled = middle * 3.0
    scaled.register_hook(kept.append)
    y = (scaled * 4.0) * 5.0
    seed = flow.tensor([1.0, 10.0])
    y.backward(seed, retain_graph=True)
    assert seed.tolist() == [1.0, 10.0]
    assert kept[0].tolist() == [20.0, 200.0] and middle.grad.tolist() == [60.0, 600.0]
    for g, want in zip(
        flow.autograd.grad(y, [scaled, middle], seed, retain_graph=True),
        ([20.0, 200.0], [60.0, 600.0]),
        strict=True,
    ):
        assert g.tolist() == want
    # one array arrives at both summands
    a, b = leaf(1.0, 2.0), leaf(3.0, 4.0)
    (a * 2.0 + b * 3.0).backward(seed)
    assert a.grad.tolist() == [2.0, 20.0] and b.grad.tolist() == [3.0, 30.0]

    class Constant(flow.autograd.Function):
        g = flow.tensor([1.0, 1.0])

        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, g):
            return Constant.g

    Constant.apply(a * 2.0).sum().backward()
    assert Constant.g.tolist() == [1.0, 1.0]


def test_arrays_beside_tensors_are_read_when_the_operation_runs():
    a = np.array([1.0, 2.0, 3.0])
    t = flow.tensor(np.ones(3), requires_grad=True)
    y = (t * a).sum() + t @ a + (a / t).sum()
    a[:] = 100.0
    y.backward()
    assert t.grad.tolist() == [1.0, 2.0, 3.0]
