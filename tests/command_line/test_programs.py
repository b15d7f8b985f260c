"""Commands on a function of a file: what they print, and their exit codes."""

import subprocess
import sys

import pytest

from srcgrad.command_line import main

MODEL = """
import numpy as np

RATE = 0.5

def loss(x, k=2.0):
    return np.sum(x**k) * RATE

def hostile(x):
    a = np.spam(x)
    b = open("data.txt")
    return x

def wrong(x):
    return float(np.round(x[0] * 1e3)) * x[0]

def raises(x):
    raise ValueError("no data")

class Model:
    @staticmethod
    def energy(x):
        return x @ x
"""


@pytest.fixture
def model(tmp_path, monkeypatch: pytest.MonkeyPatch):
    file = tmp_path / "model.py"
    file.write_text(MODEL)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delitem(sys.modules, "model", raising=False)
    yield file
    sys.modules.pop("model", None)


def test_check(model, capsys):
    assert main(["check", "model.py:loss", "--args", "np.ones(3) * RATE"]) == 0
    assert "agree with differences" in capsys.readouterr().out
    assert main(["check", "model.py:Model.energy", "--args", "np.ones(3)"]) == 0


def test_annotate(model, capsys):
    assert main(["annotate", "model.py:loss", "-o", "loss.html", "--args", "np.ones(3)"]) == 0
    assert "loss.html: value_and_grad of loss" in capsys.readouterr().out
    page = (model.parent / "loss.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>") and "loss_grad(x, k" in page
    assert main(["annotate", "model.py:raises", "--args", "np.ones(3)"]) == 1
    assert "ValueError: no data" in capsys.readouterr().out


def test_problems_are_printed_together_without_a_traceback(model, capsys):
    assert main(["check", "model.py:hostile", "--args", "np.ones(3)"]) == 1
    out = capsys.readouterr().out
    assert "np.spam(x)" in out and 'open("data.txt")' in out and "Traceback" not in out
    assert main(["check", "model.py:raises", "--args", "np.ones(3)"]) == 1
    assert "ValueError: no data" in capsys.readouterr().out


def test_show_explain_and_export(model, capsys, tmp_path):
    args = ["--args", "np.ones(3), 2.0"]
    assert main(["show", "model.py:loss", *args]) == 0
    assert "def loss_grad(x, k=2.0):" in capsys.readouterr().out
    assert main(["show", "model.py:loss", "--stage", "ir", "--transform", "compile", *args]) == 0
    assert "def loss(x: f64[n]" in capsys.readouterr().out
    assert main(["explain", "model.py:loss", *args]) == 0
    assert "frontend" in capsys.readouterr().out
    made = ["export", "model.py:loss", "--output", "slope.py", "--wrt", "0,1", *args]
    assert main(made) == 0
    command = "import numpy as np, slope; print(slope.loss_grad(np.ones(3), 2.0)[1][0])"
    run = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True)
    assert run.stdout.strip() == "[1. 1. 1.]", run.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["check", "model.py"], "write FILE:FUNCTION"),
        (["check", "nowhere.py:loss"], "there is no file nowhere.py"),
        (["check", "model.py:los"], "has no function 'los'; it has loss, hostile"),
        (["check", "model.py:loss"], 'loss() takes x: --args "..."'),
        (["check", "model.py:loss", "--args", "ones(3)"], "NameError: name 'ones'"),
        (["show", "model.py:loss", "--args", "1.0", "--wrt", "x"], "positions are numbers"),
    ],
)
def test_what_is_not_written_well(model, capsys, arguments, said):
    assert main(arguments) == 2
    assert said in capsys.readouterr().err


def test_a_file_that_runs_something_where_it_is_imported(model, capsys):
    model.write_text(MODEL + "\n1 / 0\n")
    assert main(["check", "model.py:loss", "--args", "np.ones(3)"]) == 2
    said = capsys.readouterr().err
    assert "ZeroDivisionError" in said and '__name__ == "__main__"' in said


def test_the_console_script_is_declared():
    from pathlib import Path

    text = (Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    assert '[project.scripts]\nsrcgrad = "srcgrad.command_line:main"' in text
