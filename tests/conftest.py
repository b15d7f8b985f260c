"""`--full` adds the long tests: every case on every backend, and with each pass off.

`--smoke` runs some 400 tests from all files, the same each time: for a Python or a NumPy beside
the one that runs everything. Where a library of `NEEDED` is not installed, its folder is left out.

`--update-golden` and `--update-docs` rewrite what is printed by the code and kept in files.
"""

import gc
import os
import signal
import sys
import zlib
from collections import defaultdict
from importlib.util import find_spec
from pathlib import Path

# Before SciPy is imported: OpenBLAS divides a triangular solve of four equations among threads. It
# takes 28 ms (8 ms of the processor) where other processes keep the cores busy, and 3 us in one.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import pytest
import scipy.linalg
import scipy.special

from tests.tools import turns

# tests change what stages do: nothing that one has made is read by another
os.environ["SRCGRAD_CACHE_STAGES"] = "0"
HERE = Path(__file__).parent
NEEDED = {HERE / "cuda": ["numba_cuda"], HERE / "interop": ["torch", "jax", "pytensor"]}
SMOKE = 400  # tests
RARELY = (100_000, 50, 1000)  # the collector's thresholds: by default its passes take 8 % of a run


def pytest_addoption(parser: pytest.Parser):
    parser.addoption("--full", action="store_true", help="run the long tests as well")
    parser.addoption("--smoke", action="store_true", help="run some 400 tests from all files")
    parser.addoption("--dearest", type=int, default=0, help="print so many of the dearest files")
    parser.addoption("--checks", help="of each case, run these checks alone: value,gradient")
    parser.addoption("--update-golden", action="store_true", help="rewrite tests/golden")
    parser.addoption("--update-docs", action="store_true", help="rewrite printed texts in docs")


def pytest_configure(config: pytest.Config):
    config.addinivalue_line("markers", "full: runs only under --full")
    config.addinivalue_line("markers", "about(folder): runs if the folder has changed, or --full")
    config.addinivalue_line("markers", "early: looks at all objects of the process, while few are")
    turns.everything = config.getoption("--full")
    gc.set_threshold(*RARELY)  # what collection makes stays


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave out the folders that need a library which is not installed."""
    return True if lacking(collection_path) else None


def lacking(folder: Path) -> list[str]:
    return [name for name in NEEDED.get(folder, ()) if not find_spec(name)]


def pytest_report_header() -> list[str]:
    """The folders that are left out, and why."""
    return [
        f"not installed: {', '.join(lacking(folder))}; no tests of {folder.name}"
        for folder in NEEDED
        if lacking(folder)
    ]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]):
    items.sort(key=lambda item: item.get_closest_marker("early") is None)
    left_out = []
    if not config.getoption("--full"):
        left_out = [item for item in items if is_long(item)]
    if config.getoption("--smoke"):
        chosen = smoke([item for item in items if not is_long(item)])
        left_out = [item for item in items if item not in chosen]
    if left_out:
        others = set(left_out)
        items[:] = [item for item in items if item not in others]
        config.hook.pytest_deselected(items=left_out)


def is_long(item: pytest.Item) -> bool:
    """Whether a test is for `--full`: always, or as long as what it is about has not changed."""
    about = item.get_closest_marker("about")
    if about is None:
        return item.get_closest_marker("full") is not None
    return not any(file.startswith(about.args[0]) for file in turns.changed_files())


def smoke(items: list[pytest.Item]) -> set[pytest.Item]:
    """About SMOKE tests: of each file the same share, chosen by their names."""
    share = SMOKE / len(items)
    chance = lambda item: zlib.crc32(item.nodeid.encode()) / 2**32
    return {item for item in items if chance(item) < share}


def pytest_terminal_summary(terminalreporter, config: pytest.Config):
    """The files whose tests took longest, by the seconds of all processes together."""
    seconds: dict[str, float] = defaultdict(float)
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                seconds[report.nodeid.partition("::")[0]] += report.duration
    if count := config.getoption("--dearest"):
        terminalreporter.section(f"the {count} dearest files")
        for file, spent in sorted(seconds.items(), key=lambda s: -s[1])[:count]:
            terminalreporter.write_line(f"{spent:8.1f} s  {file}")


def pytest_collection_finish():
    """Tens of thousands of tests stay alive: the garbage collector need not go through them."""
    gc.collect()
    gc.freeze()


_finished = 0


def pytest_runtest_logfinish():
    """Nor through what earlier tests have left: compiled code, which stays with its process."""
    global _finished
    _finished += 1
    if _finished % 250 == 0:
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
def interruptible():
    """Python's handler of SIGINT, which shells have jobs in the background ignore."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


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
    for module in (scipy.special, scipy.linalg):
        name = module.__name__.replace("scipy", "cupyx.scipy", 1)
        monkeypatch.setitem(sys.modules, name, remote.Functions(module))
    return flow.device("cuda:0")
