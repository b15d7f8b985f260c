"""`--full` adds the long tests: every case on every backend, and with each pass off.

`--update-golden` and `--update-docs` rewrite what is printed by the code and kept in files.
"""

import gc
import os
import sys

import numpy as np
import pytest

# tests change what stages do: nothing that one has made is read by another
os.environ["SRCGRAD_CACHE_STAGES"] = "0"


def pytest_addoption(parser: pytest.Parser):
    parser.addoption("--full", action="store_true", help="run the long tests as well")
    parser.addoption("--checks", help="of each case, run these checks alone: value,gradient")
    parser.addoption("--update-golden", action="store_true", help="rewrite tests/golden")
    parser.addoption("--update-docs", action="store_true", help="rewrite printed texts in docs")


def pytest_configure(config: pytest.Config):
    config.addinivalue_line("markers", "full: runs only under --full")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]):
    if config.getoption("--full"):
        return
    long = [item for item in items if item.get_closest_marker("full")]
    items[:] = [item for item in items if not item.get_closest_marker("full")]
    config.hook.pytest_deselected(items=long)


def pytest_collection_finish():
    """Tens of thousands of tests stay alive: the garbage collector need not go through them."""
    gc.collect()
    gc.freeze()


def forget():
    """Let what was built be built again."""
    reuse = sys.modules.get("srcgrad.transforms.reuse")
    if reuse is not None:  # some tests run without the compiler
        reuse.forget()


@pytest.fixture(autouse=True)
def anew():
    """What another test has built is built again: tests change what builds."""
    forget()


@pytest.fixture
def monkeypatch(monkeypatch):
    """Pytest's; what was built before a patch is built again with it."""
    patch = monkeypatch.setattr

    def patched(*args, **named):
        patch(*args, **named)
        forget()

    monkeypatch.setattr = patched
    return monkeypatch


@pytest.fixture
def quiet():
    """NumPy's warnings off: a branch that is not taken may well compute NaN."""
    with np.errstate(all="ignore"):
        yield


@pytest.fixture
def cuda(monkeypatch):
    """One device for tensors, whose arrays are those of the stand-in for CuPy."""
    import srcgrad as flow  # some tests run without the compiler
    from srcgrad.eager import devices
    from tests.eager import remote

    library = remote.library()
    monkeypatch.setattr(devices, "library", lambda: library)
    monkeypatch.setitem(sys.modules, "cupyx.scipy.special", remote.Special())
    return flow.device("cuda:0")
