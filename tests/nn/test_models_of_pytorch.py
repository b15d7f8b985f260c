"""Models of PyTorch's layers: the same shapes, names, numbers and gradients, on the tape and
compiled; against recorded numbers, and against PyTorch where it is installed."""

import json

import numpy as np
import pytest

import srcgrad as flow
from tests.nn import models
from tests.tools.turns import share

RECORDED = json.loads(models.RECORDED.read_text())


def agree(made, wanted):
    assert {k: made[k] for k in ("shapes", "parameters", "state")} == {
        k: wanted[k] for k in ("shapes", "parameters", "state")
    }
    assert list(made["state"]) == list(wanted["state"])
    for kind in ("outputs", "gradients", "averages"):
        close(made[kind], wanted[kind])


def close(made, wanted):
    np.testing.assert_allclose(made, wanted, rtol=1e-9, atol=1e-9)


def test_every_model_is_recorded():
    assert list(RECORDED) == list(models.MODELS)


@pytest.mark.parametrize("name", models.MODELS)
def test_the_tape_has_the_recorded_numbers(name):
    agree(models.run(name, flow), RECORDED[name])


@pytest.mark.parametrize("name", models.MODELS)
def test_pytorch_itself(name):
    torch = pytest.importorskip("torch")
    agree(models.run(name, flow), models.run(name, torch))


@pytest.mark.parametrize("name", share(list(models.MODELS)))
def test_compiled(name):
    """The gradients by inputs and parameters, and the averages that move, of compiled code."""
    make, shapes = models.MODELS[name]
    model = models.filled(make(flow.nn), flow.no_grad)
    xs = [flow.tensor(models.values(s, 0.5 + k)) for k, s in enumerate(shapes)]
    sizes = RECORDED[name]["shapes"]
    adjoints = [flow.tensor(models.values(s, 0.3) + 0.2) for s in sizes]

    def loss(*xs):
        outputs = models.results(model(*xs))
        return sum([(t * a).sum() for t, a in zip(outputs, adjoints, strict=True)])

    weights = list(model.parameters())
    flow.set_context(mode=flow.GRAPH_MODE)
    try:
        dxs, dws = flow.grad(loss, tuple(range(len(xs))), weights)(*xs)
    finally:
        flow.set_context(mode=None)
    dxs = dxs if isinstance(dxs, tuple) else (dxs,)
    made = [models.described(g.numpy()) for g in (*dxs, *dws)]
    close(made, RECORDED[name]["gradients"])
    averages = [models.described(b.detach().numpy()) for b in model.buffers()]
    close(averages, RECORDED[name]["averages"])
