"""Gradients as tasks of Dask: on two workers of a cluster, one of which dies, and on threads."""

import importlib.util
import os
import signal
import time
from pathlib import Path

import numpy as np
import pytest

import srcgrad as flow
from srcgrad import distributed

if not importlib.util.find_spec("distributed"):
    pytest.skip("Dask is not installed: pip install 'srcgrad[dask]'", allow_module_level=True)

import dask
import dask.array
from dask.distributed import Client, LocalCluster

from tests.tools.kept import ROOT

RNG = np.random.default_rng(5)
X, Y = RNG.normal(size=(30, 3)), RNG.normal(size=30)
PARAMS = {"w": np.array([0.1, -0.2, 0.3]), "b": 0.5, "steps": 3}


@flow.compile(target="python")
def decay(k, x):
    for _ in range(5):
        x = x - 0.1 * k * x**2
    return np.sum(x)


def squares(p, x, y):
    return np.sum((x @ p["w"] + p["b"] - y) ** 2)


def dies_once(k, file):
    """The gradient, from a worker that ends by SIGKILL the first time."""
    if not os.path.exists(file):
        Path(file).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return flow.grad(decay)(k, np.ones(3))


@pytest.fixture(scope="module")
def client():
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = str(ROOT)
    with (
        dask.config.set({"distributed.worker.daemon": False}),
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as made,
    ):
        yield made
    os.environ.pop("PYTHONPATH")
    if before is not None:
        os.environ["PYTHONPATH"] = before


def test_an_ensemble_of_gradients_is_the_loop(client):
    """By name a module's function, by value a function of this place."""
    ks = np.linspace(0.0, 2.0, 200)
    by_name, exponent = flow.grad(decay), 3.0
    by_value = flow.grad(flow.compile(lambda k: np.sin(k) ** exponent, target="python"))
    x = np.linspace(1.0, 2.0, 4)
    sent = client.map(by_name, ks.tolist(), x=x, pure=False)
    assert client.gather(sent) == [by_name(k, x) for k in ks.tolist()]
    sent = client.map(by_value, ks.tolist()[:20], pure=False)
    assert client.gather(sent) == [by_value(k) for k in ks.tolist()[:20]]
    assert len({w["pid"] for w in client.run(_process).values()}) == 2


def _process():
    return {"pid": os.getpid()}


def test_a_worker_that_dies_is_replaced(client, tmp_path: Path):
    sent = client.map(dies_once, [0.5, 1.0, 1.5, 2.0], file=str(tmp_path / "died"), pure=False)
    wanted = [flow.grad(decay)(k, np.ones(3)) for k in (0.5, 1.0, 1.5, 2.0)]
    assert client.gather(sent) == wanted
    assert (tmp_path / "died").exists()
    end = time.monotonic() + 60
    while len(client.scheduler_info()["workers"]) < 2 and time.monotonic() < end:
        time.sleep(0.1)
    assert len(client.scheduler_info()["workers"]) == 2


def test_chunks_on_a_cluster(client):
    step = distributed.over_chunks(
        flow.value_and_grad(flow.compile(squares, target="python")), batch=(1, 2)
    )
    x, y = dask.array.from_array(X, chunks=(4, 3)), dask.array.from_array(Y, chunks=4)
    assert_near(client.compute(step(PARAMS, x, y)).result(), PARAMS, squares, "sum")


@pytest.mark.parametrize("reduce", ["sum", "mean"])
@pytest.mark.parametrize("chunk", [1, 7, 30])
def test_chunks(reduce: str, chunk: int):
    def mean(p, x, y):
        return squares(p, x, y) / len(y)

    f = squares if reduce == "sum" else mean
    step = distributed.over_chunks(
        flow.value_and_grad(flow.compile(f, target="python")), (1, 2), reduce
    )
    x, y = dask.array.from_array(X, chunks=(chunk, 3)), dask.array.from_array(Y, chunks=chunk)
    made = [step(PARAMS, x, y).compute(scheduler=s) for s in ("synchronous", "threads")]
    assert repr(made[0]) == repr(made[1])
    assert_near(made[0], PARAMS, f, reduce)


def assert_near(found, params, f, reduce):
    value, gradient = flow.value_and_grad(flow.compile(f, target="python"))(params, X, Y)
    np.testing.assert_allclose(found[0], value, rtol=1e-13)
    np.testing.assert_allclose(found[1]["w"], gradient["w"], rtol=1e-12)
    np.testing.assert_allclose(found[1]["b"], gradient["b"], rtol=1e-12)
    assert found[1]["steps"] is None
    assert type(found[1]["b"]) is float


def test_wrong_arguments():
    x = dask.array.from_array(X, chunks=(4, 3))
    y = dask.array.from_array(Y, chunks=5)
    f = flow.grad(squares)
    for make, text in (
        (lambda: distributed.over_chunks(f, (1, 2))(PARAMS, x, y), "chunks of .* rows"),
        (lambda: distributed.over_chunks(f, (1, 2))(PARAMS, X, Y), "no array of Dask"),
        (
            lambda: distributed.over_chunks(f, 1)(PARAMS, x.rechunk((4, 1)), Y),
            "more than the first",
        ),
        (lambda: distributed.over_chunks(f, ()), "names no argument"),
        (lambda: distributed.over_chunks(f, 1, "max"), "reduce must be"),
    ):
        with pytest.raises((TypeError, ValueError), match=text):
            make()
