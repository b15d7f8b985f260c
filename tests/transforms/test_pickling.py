"""Compiled objects in other processes: by name with pickle, by value with cloudpickle."""

import os
import pickle
import subprocess
import sys
from pathlib import Path

import cloudpickle
import numpy as np
import pytest

import srcgrad as flow
from srcgrad.frontend.source import fingerprint
from tests.tools.mistakes import on_python

ROOT = Path(__file__).parents[2]
FUNCTIONS = """
import numpy as np
import srcgrad as flow

STIFFNESS = 3.0

# cell
def helper(x):
    return np.sin(x) * STIFFNESS

# cell
def energy(x):
    return np.sum(helper(x) * x)

# cell
@flow.compile(target="python")
def decorated(x):
    return np.sum(helper(x) * x)

# cell
def python(f):
    return flow.compile(f, target="python")

def made_in(scale):
    return lambda x: np.sum(scale * helper(x) * x)

of_source = {}
exec("def stated(x): return 3.0 * (x * x).sum()", of_source)
MADE = {
    "a function": flow.grad(python(energy)),
    "one of a decorator": flow.grad(decorated),
    "a decorator's": decorated,
    "a lambda with a closure": flow.value_and_grad(python(made_in(2.0))),
    "a stated source": flow.grad(flow.compile(
        of_source["stated"], target="python", source="def stated(x): return 3.0 * (x * x).sum()")),
}
"""
SENT = """
import cloudpickle, sys
open(sys.argv[1], "wb").write(cloudpickle.dumps(MADE))
"""
NOTEBOOK = """
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
for cell in open(sys.argv[2]).read().split("# cell"):
    assert shell.run_cell(cell).success
open(sys.argv[1], "wb").write(shell.ev("cloudpickle.dumps(MADE)"))
"""
X = np.array([0.5, 2.0])


def python(*command: str, cwd: Path) -> None:
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run([sys.executable, *command], cwd=cwd, env=env, check=True)


def check(made: dict):
    slope = 3.0 * (np.cos(X) * X + np.sin(X))
    np.testing.assert_allclose(made["a function"](X), slope)
    np.testing.assert_allclose(made["one of a decorator"](X), slope)
    np.testing.assert_allclose(made["a decorator's"](X), np.sum(3.0 * np.sin(X) * X))
    np.testing.assert_allclose(made["a lambda with a closure"](X)[1], 2.0 * slope)
    np.testing.assert_allclose(made["a stated source"](X), 6.0 * X)


def test_functions_of_a_script_go_by_value(tmp_path):
    """This process has another main program, and the script is gone."""
    script, sent = tmp_path / "script.py", tmp_path / "sent"
    script.write_text(FUNCTIONS + SENT)
    python(str(script), str(sent), cwd=tmp_path)
    script.unlink()
    check(pickle.loads(sent.read_bytes()))


def test_functions_of_a_notebook_go_by_value(tmp_path):
    script, cells, sent = tmp_path / "shell.py", tmp_path / "cells.py", tmp_path / "sent"
    script.write_text("import sys\n" + NOTEBOOK)
    cells.write_text("import cloudpickle\n" + FUNCTIONS)
    python(str(script), str(sent), str(cells), cwd=tmp_path)
    check(pickle.loads(sent.read_bytes()))


SPAWNED = """
if __name__ == "__main__":
    import multiprocessing
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        for name in ("a function", "one of a decorator"):
            assert np.allclose(pool.map(MADE[name], [np.ones(2)])[0], MADE[name](np.ones(2)))
"""


def test_functions_of_a_script_go_by_name_where_it_is_run_again(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(FUNCTIONS + SPAWNED)
    python(str(script), cwd=tmp_path)


def cube(x):
    return x * x * x


@pytest.mark.parametrize("pickler", [pickle, cloudpickle])
def test_functions_of_modules_go_by_name(pickler):
    sent = pickler.dumps(on_python(cube))
    assert b"return x" not in sent
    again = pickle.loads(sent)
    assert again.function is cube and again(2.0) == 12.0


def slope_in(scale):
    def inner(x):
        return scale * x * x

    return lambda x: inner(x) + x


def of_another_process(pickled: bytes) -> str:
    """What another process makes of it, which has not imported this module."""
    script = "import pickle, sys; print(pickle.loads(sys.stdin.buffer.read())(3.0))"
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", script], input=pickled, env=env, capture_output=True, check=True
    )
    return done.stdout.decode().strip()


def test_inner_functions_of_modules_go_by_value():
    sent = cloudpickle.dumps(on_python(slope_in(5.0)))
    assert of_another_process(sent) == "31.0"


def test_signatures_are_told_apart_where_bodies_are_equal():
    made = {}
    for signature in ("x, y", "x, /, y", "x, *, y", "x, *y"):
        exec(f"def f({signature}):\n    return x", scope := {})
        made[signature] = fingerprint(scope["f"].__code__)
    assert len(set(made.values())) == 4


def test_modules_that_are_chosen_go_by_value(tmp_path, monkeypatch):
    (tmp_path / "chosen.py").write_text(
        "def helper(x):\n    return x * x\n\n\ndef square(x):\n    return helper(x) + x\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    import chosen  # pyright: ignore[reportMissingImports]

    cloudpickle.register_pickle_by_value(chosen)
    try:
        sent = cloudpickle.dumps(on_python(chosen.square))
    finally:
        cloudpickle.unregister_pickle_by_value(chosen)
    assert of_another_process(sent) == "7.0"


def test_functions_of_one_name_and_line_are_told_apart(tmp_path):
    """A cell that was run again: what holds the older function gets the older text."""
    script, cells, sent = tmp_path / "shell.py", tmp_path / "cells.py", tmp_path / "sent"
    script.write_text("import sys\n" + NOTEBOOK)
    cells.write_text(
        "import cloudpickle, srcgrad as flow\n"
        "def by(h): return flow.grad(flow.compile(lambda x: h(x), target='python'))\n"
        "# cell\ndef f(x): return 2.0 * x\n# cell\nMADE = [by(f)]\n"
        "# cell\ndef f(x): return 3.0 * x\n# cell\nMADE = [*MADE, by(f)]\n"
    )
    python(str(script), str(sent), str(cells), cwd=tmp_path)
    assert [f(1.0) for f in pickle.loads(sent.read_bytes())] == [2.0, 3.0]


def test_functions_without_a_name_are_refused_as_pickle_refuses_them():
    for pickled in (lambda x: x * x, on_python(lambda x: x * x)):
        with pytest.raises((pickle.PicklingError, AttributeError)):
            pickle.dumps(pickled)
    assert pickle.loads(cloudpickle.dumps(flow.grad(lambda x: x * x)))(3.0) == 6.0
