"""What compiling reports: records, and a line on a terminal that waits; nothing elsewhere."""

import io
import logging
import os
import re
import subprocess
import sys
import threading
import time
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


ROOT = Path(srcgrad.__file__).parents[1]
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
    monkeypatch.setattr(progress, "TICK", 0.01)
    monkeypatch.setattr(progress, "_here", progress._Here())
    monkeypatch.delenv("CI", raising=False)
    return made


def slow():
    """Compiles until the line has been written twice, if there is one."""
    line = progress._here.line
    if line is not None and not line.stream.closed:
        until = time.monotonic() + 30.0
        while line.stream.getvalue().count("\r") < 2 and time.monotonic() < until:
            time.sleep(0.01)
    return Made


def screen(written):
    """What a terminal shows of a line that is written over."""
    shown = []
    for part in written.split("\r"):
        shown[: len(part)] = part
    return "".join(shown)


def no_thread():
    return not any(t.name == "srcgrad progress" for t in threading.enumerate())


def test_records(function, caplog):
    caplog.set_level(logging.INFO, logger="srcgrad")
    progress.announced(function, lambda: Made)
    first, last = (r.getMessage() for r in caplog.records)
    assert first == "compiling f for (f64[n], float): 2 statements"
    assert last.startswith("compiled f in 0.0 s")


def test_a_line_after_a_while(function, terminal):
    assert progress.announced(function, slow) is Made
    texts = [t for t in terminal.getvalue().split("\r") if t.strip()]
    assert len(texts) >= 2
    for text in texts:
        assert re.fullmatch(r"srcgrad: compiling f, \d+ s \(machine code\)", text.rstrip())
    assert screen(terminal.getvalue()).strip() == ""  # it is taken away
    assert "\n" not in terminal.getvalue()
    assert no_thread()


def test_the_stages_of_a_build(terminal, monkeypatch):
    """The frontend waits in a function of the user's, as it would over a long one."""
    stages = []
    f = srcgrad.compile(lambda x: np.sum(x * 4.25), cache=False, target="python")
    monkeypatch.setattr(
        "srcgrad.transforms.specs.prepared",
        lambda f, made=srcgrad.transforms.specs.prepared: (
            stages.append(progress._here.line.stage), slow(), made(f)
        )[-1],
    )  # fmt: skip
    srcgrad.grad(f)(np.ones(3))
    assert stages == ["passes"]
    assert "srcgrad: compiling <lambda>, 0 s (passes)" in terminal.getvalue()
    assert screen(terminal.getvalue()).strip() == ""


def test_two_builds_are_one_wait(function, terminal, monkeypatch):
    with progress.waiting("f"):
        began = progress._here.line.start_time
    with progress.waiting("f"):
        assert progress._here.line.start_time == began
        with progress.waiting("g"):
            assert progress._here.line.what == "f"
    monkeypatch.setattr(progress, "ONE_WAIT", -1.0)
    with progress.waiting("f"):
        assert progress._here.line.start_time > began


def test_a_narrow_terminal(function, terminal, monkeypatch):
    monkeypatch.setenv("COLUMNS", "20")
    progress.announced(function, slow)
    assert max(map(len, terminal.getvalue().split("\r"))) == 19


def test_no_line_where_it_is_fast(function, terminal, monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 60.0)
    progress.announced(function, lambda: Made)
    assert terminal.getvalue() == ""
    assert no_thread()


def test_no_line_where_compiling_fails(function, terminal):
    with pytest.raises(ZeroDivisionError):
        progress.announced(function, lambda: (slow(), 1 / 0))
    assert screen(terminal.getvalue()).strip() == ""
    assert no_thread()


@pytest.mark.parametrize("why", ["a file", "CI", "closed", "none"])
def test_nobody_waits(function, terminal, monkeypatch, why):
    if why == "CI":
        monkeypatch.setenv("CI", "true")
    elif why == "closed":
        terminal.close()
    else:
        at(monkeypatch, io.StringIO() if why == "a file" else None)
    progress.announced(function, slow)
    assert why == "closed" or terminal.getvalue() == ""


def test_a_notebook_is_watched():
    stream = type("OutStream", (), {"__module__": "ipykernel.iostream"})()
    assert progress._is_watched(stream) or os.environ.get("CI")


def test_in_jupyter(monkeypatch, tmp_path):
    """A kernel shows the line among what a cell writes, and takes it away."""
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    from nbformat import v4

    source = """
import numpy as np, srcgrad as flow
from srcgrad.backends import progress
progress.PATIENCE = progress.TICK = 0.01
total = flow.grad(flow.compile(lambda x: np.sum(np.sin(x * 7.125) ** 3), cache=False))(np.zeros(2))
"""
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), *sys.path]))
    notebook = v4.new_notebook(cells=[v4.new_code_cell(source)])
    run = nbclient.NotebookClient(
        notebook, timeout=120, kernel_name="python3",
        resources={"metadata": {"path": str(tmp_path)}},
    )  # fmt: skip
    (cell,) = run.execute().cells
    written = "".join(out.text for out in cell.outputs if out.output_type == "stream")
    assert "srcgrad: compiling" in written
    assert screen(written).strip() == ""


# ---- the environment ----
CODE = """
import numpy as np, srcgrad as flow
f = flow.compile(lambda x: np.sum(x), target="python")
f(np.ones(3)), f(np.ones((3, 3)))
"""


def run(level, tmp_path):
    """The stderr of a process with this level in its environment."""
    (tmp_path / "program.py").write_text(CODE)
    env = {**os.environ, "PYTHONPATH": str(ROOT), "SRCGRAD_LOG": level}
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
