"""Programs run on the simulated device; tests marked `cuda` run on a GPU, and only where one is."""

from contextlib import nullcontext

import pytest

from srcgrad.backends.cuda.machine import machine
from srcgrad.backends.cuda.selection import using
from srcgrad.backends.cuda.simulator import Simulator
from tests.cuda.kernel_forms import compiled

__all__ = ["compiled"]


def pytest_configure(config: pytest.Config):
    config.addinivalue_line("markers", "cuda: runs on a GPU, skipped without one")


def pytest_runtest_setup(item: pytest.Item):
    if item.get_closest_marker("cuda") and machine().problem:
        pytest.skip(machine().problem)


@pytest.fixture(autouse=True)
def simulated(request: pytest.FixtureRequest):
    on_gpu = request.node.get_closest_marker("cuda")
    with nullcontext() if on_gpu else using(Simulator()):
        yield
