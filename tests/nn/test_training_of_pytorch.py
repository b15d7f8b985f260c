"""Optimizers and learning rates with PyTorch's numbers, and optimizers of plain arrays."""

import copy
import json

import numpy as np
import pytest

import srcgrad as flow
from srcgrad import optim
from tests.nn import training

RECORDED = json.loads(training.RECORDED.read_text())


def close(made, wanted):
    np.testing.assert_allclose(made, wanted, rtol=1e-9, atol=1e-12)


def test_all_are_recorded():
    names = [f"optimizer {n}" for n in training.OPTIMIZERS]
    assert list(RECORDED) == names + [f"schedule {n}" for n in training.SCHEDULES]


@pytest.mark.parametrize("name", training.OPTIMIZERS)
def test_optimizers(name):
    close(training.trajectory(name, flow), RECORDED[f"optimizer {name}"])


@pytest.mark.parametrize("name", training.SCHEDULES)
def test_schedules(name):
    close(training.rates(name, flow), RECORDED[f"schedule {name}"])


@pytest.mark.parametrize("name", [*training.OPTIMIZERS, *training.SCHEDULES])
def test_the_record_is_pytorchs(name):
    torch = pytest.importorskip("torch")
    if name in training.OPTIMIZERS:
        close(training.trajectory(name, torch), RECORDED[f"optimizer {name}"])
    else:
        close(training.rates(name, torch), RECORDED[f"schedule {name}"])


def rosenbrock(w):
    return (100.0 * (w[1:] - w[:-1] ** 2) ** 2 + (1.0 - w[:-1]) ** 2).sum()


def test_lbfgs_with_a_line_search():
    w = flow.nn.Parameter(flow.tensor([-1.2, 1.0, 0.5], dtype=flow.float64))
    optimizer = optim.LBFGS([w], max_iter=200, line_search_fn="strong_wolfe")

    def closure():
        optimizer.zero_grad()
        loss = rosenbrock(w)
        loss.backward()
        return loss

    optimizer.step(closure)
    np.testing.assert_allclose(w.tolist(), 1.0, rtol=1e-5)
    assert optimizer.state[w]["func_evals"] < 120


def test_schedules_go_on():
    def made(lr=0.5):
        optimizer = optim.SGD([flow.nn.Parameter(flow.ones(1))], lr=lr)
        return optimizer, optim.lr_scheduler.StepLR(optimizer, 2, 0.5)

    optimizer, schedule = made()
    for _ in range(3):
        schedule.step()
    other, resumed = made()
    other.load_state_dict(optimizer.state_dict())
    resumed.load_state_dict(schedule.state_dict())
    schedule.step(), resumed.step()
    assert optimizer.param_groups[0]["lr"] == other.param_groups[0]["lr"] == 0.125
    with pytest.raises(KeyError, match="initial_lr"):
        optim.lr_scheduler.StepLR(made()[0].__class__([flow.nn.Parameter(flow.ones(1))]), 2, 0.5, 3)


# ---- plain arrays ----
TREES = [
    {"w": np.array([1.0, -2.0]), "b": np.array(0.5)},
    [np.array([1.0, -2.0]), np.array(0.5)],
    (np.array([[1.0, -2.0]]), {"k": [np.array([0.5, 0.1], np.float32)]}),
]
KINDS = [
    (optim.SGD, {"momentum": 0.9}), (optim.Adam, {}), (optim.AdamW, {}), (optim.RMSprop, {}),
    (optim.Adagrad, {}),
]  # fmt: skip


def squares(tree):
    return sum(((leaf - 0.3) ** 2).sum() for leaf in flow.tree.leaves(tree))


@pytest.mark.parametrize("tree", TREES, ids=["dict", "list", "nested"])
@pytest.mark.parametrize(("kind", "options"), KINDS)
def test_arrays_are_updated_as_tensors_are(tree, kind, options):
    params = copy.deepcopy(tree)
    tensors = [flow.nn.Parameter(flow.tensor(a)) for a in flow.tree.leaves(tree)]
    optimizer, other = kind(params, lr=0.1, **options), kind(tensors, lr=0.1, **options)
    gradient = flow.grad(squares)
    for _ in range(4):
        assert optimizer.step(gradient(params)) is None
        other.zero_grad()
        squares(tensors).backward()
        other.step()
    for a, t in zip(flow.tree.leaves(params), tensors, strict=True):
        np.testing.assert_allclose(a, t.detach().numpy(), rtol=1e-6)
    assert squares(params) < squares(tree)


def test_state_of_arrays_is_saved():
    params = {"w": np.array([1.0, 2.0])}
    one = optim.Adam(params, lr=0.1)
    one.step({"w": np.array([1.0, -1.0])})
    other = optim.Adam({"w": params["w"].copy()}, lr=0.1)
    other.load_state_dict(one.state_dict())
    again = other.param_groups[0]["params"][0]
    one.step({"w": np.array([0.5, 0.5])})
    other.step({"w": np.array([0.5, 0.5])})
    np.testing.assert_allclose(again.numpy(), params["w"])


def test_gradients_may_be_given_for_tensors():
    w = flow.nn.Parameter(flow.tensor([1.0, 2.0]))
    optim.SGD([w], lr=0.5).step([flow.tensor([2.0, 2.0])])
    assert w.tolist() == [0.0, 1.0]
    groups = [{"params": [w]}, {"params": [np.ones(1)], "lr": 1.0}]
    optimizer = optim.SGD(groups, lr=0.5)
    optimizer.step([None, np.ones(1)])
    assert w.tolist() == [0.0, 1.0] and groups[1]["params"][0].tolist() == [0.0]


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: optim.SGD({"n": np.array([1])}, 0.1), "arrays of floats"),
        (lambda: optim.SGD({"n": 1.0}, 0.1), "updated in place"),
        (lambda: optim.SGD([], 0.1), "empty parameter list"),
        (lambda: optim.SGD({"w": np.ones(2)}, 0.1).step(), "step\\(gradients\\)"),
        (lambda: optim.SGD({"w": np.ones(2)}, 0.1).step({"v": np.ones(2)}), "another structure"),
        (lambda: optim.SGD({"w": np.ones(2)}, 0.1).step({"w": np.ones(3)}), "has shape"),
        (lambda: optim.Adam([flow.nn.Parameter(flow.ones(1))], differentiable=True), "flow.grad"),
        (lambda: optim.LBFGS([flow.nn.Parameter(flow.ones(1))]).step(), "step\\(closure\\)"),
        (lambda: optim.lr_scheduler.OneCycleLR(optim.SGD([flow.ones(1)]), 1.0), "total_steps"),
    ],
)
def test_errors(make, text):
    with pytest.raises((TypeError, ValueError), match=text):
        make()


def test_an_array_that_may_not_be_written():
    a = np.ones(2)
    a.flags.writeable = False
    with pytest.raises(TypeError, match="may not be written"):
        optim.SGD({"a": a}, 0.1)


@pytest.mark.parametrize("name", ["Adadelta", "NAdam", "lr_scheduler.CyclicLR"])
def test_missing_names_say_what_to_write(name):
    home, _, last = f"optim.{name}".rpartition(".")
    module = optim if home == "optim" else optim.lr_scheduler
    with pytest.raises(AttributeError, match="write "):
        getattr(module, last)
