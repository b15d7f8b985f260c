"""Two processes and one empty cache: one compiles, both are right; SIGKILL leaves all working."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from tests.tools.kept import ROOT

PROGRAM = """
import sys, time
from pathlib import Path
import numpy as np
import srcgrad as flow
from srcgrad.backends.cpu.emit import numba_internals as inside

here, waits = Path(sys.argv[1]), len(sys.argv) > 2
compiled, made = inside.optimised, []

def optimised(text):
    made.append(text)
    (here / "compiling").touch()
    if waits:
        time.sleep(600)
    time.sleep(0.3)
    return compiled(text)

inside.optimised = optimised

def loss(x):
    s = 0.0
    for i in range(len(x)):
        s += np.sin(x[i]) ** 3 * x[i - 1]
    return s

print(flow.grad(loss)(np.array([0.3, 0.7, 1.1])).tolist(), len(made))
"""
X = np.array([0.3, 0.7, 1.1])
BEFORE, AFTER = np.roll(X, 1), np.roll(X, -1)
GRADIENT = 3.0 * np.sin(X) ** 2 * np.cos(X) * BEFORE + np.sin(AFTER) ** 3


def started(folder: Path, *words: str) -> subprocess.Popen:
    (folder / "program.py").write_text(PROGRAM, encoding="utf-8")
    env = {**os.environ, "PYTHONPATH": str(ROOT), "SRCGRAD_CACHE_DIR": str(folder / "cache")}
    return subprocess.Popen(
        [sys.executable, str(folder / "program.py"), str(folder), *words],
        env=env, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip


def answer(process: subprocess.Popen) -> tuple[np.ndarray, int]:
    out, _ = process.communicate(timeout=120)
    assert process.returncode == 0
    numbers, _, count = out.strip().rpartition(" ")
    return np.array([float(v) for v in numbers.strip("[]").split(",")]), int(count)


def test_one_of_two_compiles(tmp_path: Path):
    found = [answer(p) for p in [started(tmp_path), started(tmp_path)]]
    for gradient, _ in found:
        np.testing.assert_allclose(gradient, GRADIENT, rtol=1e-13)
    assert sum(count for _, count in found) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_what_is_killed_while_it_compiles_leaves_a_cache_that_works(tmp_path: Path):
    killed = started(tmp_path, "waits")
    end = time.monotonic() + 120
    while not (tmp_path / "compiling").exists() and time.monotonic() < end:
        time.sleep(0.02)
    killed.send_signal(signal.SIGKILL)
    killed.communicate(timeout=30)
    assert killed.returncode == -signal.SIGKILL
    gradient, count = answer(started(tmp_path))
    np.testing.assert_allclose(gradient, GRADIENT, rtol=1e-13)
    assert count == 1
    again = answer(started(tmp_path))
    assert again[1] == 0
    assert not list((tmp_path / "cache").glob(".*lock"))
