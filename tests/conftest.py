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
    parser.addoption("--update-golden", action="store_true", help="rewrite tests/golden")
    parser.addoption("--update-docs", action="store_true", help="rewrite printed texts in docs")


def pytest_configure(config: pytest.Config):
    config.addinivalue_line("markers", "full: runs only under --full")
    config.addinivalue_line("markers", "together: tests of a case share what was built for it")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]):
    together(items)
    if config.getoption("--full"):
        return
    long = [item for item in items if item.get_closest_marker("full")]
    items[:] = [item for item in items if not item.get_closest_marker("full")]
    config.hook.pytest_deselected(items=long)


def pytest_collection_finish():
    """Tens of thousands of tests stay alive: the garbage collector need not go through them."""
    gc.collect()
    gc.freeze()


def together(items: list[pytest.Item]):
    """Let tests so marked follow each other by their cases, in the places that they have."""
    places = [k for k, item in enumerate(items) if item.get_closest_marker("together")]
    first: dict[str, int] = {}
    for k in places:
        first.setdefault(case_of(items[k]), k)
    ordered = sorted([items[k] for k in places], key=lambda item: first[case_of(item)])
    for k, item in zip(places, ordered, strict=True):
        items[k] = item


def case_of(item: pytest.Item) -> str:
    """The file of a test and the case that it runs; "" if it is not one of those together."""
    if item.get_closest_marker("together") is None:
        return ""
    spec = item.callspec  # type: ignore[attr-defined]  (what is marked has parameters)
    return f"{item.path}[{spec.params['case'].id}]"


def forget():
    """Let what was built be built again."""
    reuse = sys.modules.get("srcgrad.transforms.reuse")
    if reuse is not None:  # some tests run without the compiler
        reuse.forget()


_last_case = ""


@pytest.fixture(autouse=True)
def anew(request: pytest.FixtureRequest):
    """What another test has built is built again: tests change what builds."""
    global _last_case
    case = case_of(request.node)
    if not case or case != _last_case:
        forget()
    _last_case = case


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
