"""What compiling reports: records, and a line on a terminal that waits; nothing elsewhere."""

import io
import logging
import os
import subprocess
import sys
import threading
import types
from pathlib import Path

import numpy as np
import pytest

import srcgrad
from srcgrad.backends import progress
from srcgrad.ir.parse import parse
from srcgrad.primitives import REGISTRY

PROGRAM = """def f(x: f64[n], k: float):
    n: int = dim(x, axis=0)
    y: f64[n] = mul(x, k)
    return (y,)
"""


# what stands for a compiled program
Made = types.SimpleNamespace(cached=False)


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def function():
    return parse(PROGRAM, REGISTRY)


def at(monkeypatch, stream):
    """Make a stream the stderr that is written to; pytest replaces `sys.stderr` itself."""
    monkeypatch.setattr(progress, "sys", types.SimpleNamespace(stderr=stream))


@pytest.fixture
def terminal(monkeypatch):
    """A terminal at which somebody waits."""
    made = Terminal()
    at(monkeypatch, made)
    monkeypatch.setattr(progress, "PATIENCE", 0.01)
    monkeypatch.delenv("CI", raising=False)
    return made


def slow():
    """Compiles until the line has been written, if there is one."""
    for t in threading.enumerate():
        if isinstance(t, threading.Timer):
            t.join()
    return Made


def test_records(function, caplog):
    caplog.set_level(logging.INFO, logger="srcgrad")
    progress.announced(function, True, lambda: Made)
    first, last = (r.getMessage() for r in caplog.records)
    assert first == "compiling f for (f64[n], float): 2 statements"
    assert last.startswith("compiled f in 0.0 s")


def test_a_line_after_a_while(function, terminal):
    assert progress.announced(function, True, slow) is Made
    assert terminal.getvalue() == (
        "srcgrad: compiling f for (f64[n], float): 2 statements; "
        "it is kept on disk for the next time\n"
    )
    assert not any(isinstance(t, threading.Timer) for t in threading.enumerate())


def test_what_is_not_kept_is_not_said_to_be(function, terminal):
    progress.announced(function, False, slow)
    assert "disk" not in terminal.getvalue()


def test_no_line_where_it_is_fast(function, terminal, monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 60.0)
    progress.announced(function, True, lambda: Made)
    assert terminal.getvalue() == ""
    assert not any(isinstance(t, threading.Timer) for t in threading.enumerate())


def test_no_line_where_compiling_fails(function, terminal, monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 60.0)
    with pytest.raises(ZeroDivisionError):
        progress.announced(function, True, lambda: 1 / 0)
    assert not any(isinstance(t, threading.Timer) for t in threading.enumerate())


@pytest.mark.parametrize("why", ["a file", "CI", "closed", "none"])
def test_nobody_waits(function, terminal, monkeypatch, why):
    if why == "CI":
        monkeypatch.setenv("CI", "true")
    elif why == "closed":
        terminal.close()
    else:
        at(monkeypatch, io.StringIO() if why == "a file" else None)
    progress.announced(function, True, slow)
    assert why == "closed" or terminal.getvalue() == ""


def test_a_notebook_is_watched():
    stream = type("OutStream", (), {"__module__": "ipykernel.iostream"})()
    assert progress._is_watched(stream) or os.environ.get("CI")


# ---- the environment ----
CODE = """
import numpy as np, srcgrad as flow
f = flow.compile(lambda x: np.sum(x), target="python")
f(np.ones(3)), f(np.ones((3, 3)))
"""


def run(level, tmp_path):
    """The stderr of a process with this level in its environment."""
    (tmp_path / "program.py").write_text(CODE)
    root = str(Path(srcgrad.__file__).parents[1])
    env = {**os.environ, "PYTHONPATH": root, "SRCGRAD_LOG": level}
    done = subprocess.run(
        [sys.executable, str(tmp_path / "program.py")],
        env=env, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stderr


def test_level(tmp_path):
    assert "srcgrad: built <lambda> again because 'x' has rank 2" in run("info", tmp_path)


@pytest.mark.parametrize("level", ["", "Warning"])
def test_quieter(tmp_path, level):
    assert run(level, tmp_path) == ""


def test_no_such_level(tmp_path):
    told = run("loud", tmp_path)
    assert "SRCGRAD_LOG is 'loud'" in told and "debug, info, warning, error, critical" in told


def test_records_of_a_build(caplog):
    caplog.set_level(logging.INFO, logger="srcgrad")
    f = srcgrad.compile(lambda x: np.sum(x * 3.25), cache=False)
    for _ in range(2):
        f(np.ones(3))
    told = [r.getMessage() for r in caplog.records]
    assert len(told) == 2 and told[0].startswith("compiling lambda_ for (f64[n]): ")
    assert told[1].startswith("compiled lambda_ in ")
