"""Sixty mistakes of six kinds of users: the error's length, its place, and its way out followed."""

import builtins
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import srcgrad as flow
from tests.tools.mistakes import HEAD
from tests.tools.mistakes_of_users import FOLLOWED, USERS
from tests.tools.notebooks import error_of, executed

ROOT = Path(__file__).parents[1]
MOST = 12
NAMES = [m.name for m in FOLLOWED]


def test_there_are_ten_of_each():
    assert [len({m.name for m in group}) for group in USERS.values()] == [10] * 6
    assert len({*NAMES}) == 60


@pytest.fixture(scope="module")
def shown(tmp_path_factory) -> dict[str, str]:
    """What a terminal and IPython show, by place and mistake."""
    folder = tmp_path_factory.mktemp("scripts")
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    env.pop("SRCGRAD_TRACEBACK", None)
    command = [sys.executable, "-m", "tests.tools.mistakes", str(folder), "users"]
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True)
    parts = re.split(r"^==== (\w+ \w+)\n", done.stdout, flags=re.MULTILINE)
    assert len(parts) == 1 + 4 * 60, done.stderr
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def check(m, text: str, place: str) -> None:
    """A dozen lines that hold the user's line, what is wrong and the way out."""
    lines = [line for line in text.splitlines() if line.strip()]
    assert len(lines) <= MOST, text
    for part in (m.line.strip(), m.seen.strip(), m.says):
        assert part in text, text
    assert re.search(place, text), text
    assert str(ROOT / "srcgrad") not in text, text


@pytest.mark.parametrize("m", FOLLOWED, ids=NAMES)
def test_the_error(m, shown):
    check(m, shown[f"terminal {m.name}"], rf'File ".*{m.name}.py", line \d+')
    check(m, shown[f"ipython {m.name}"], r"Cell In\[\d+\], line \d+")
    assert "ipython-input" not in shown[f"ipython {m.name}"]


@pytest.mark.parametrize("m", FOLLOWED, ids=NAMES)
def test_its_way_out(m, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    *body, last = m.mended.split("\n")
    file = tmp_path / f"{m.name}.py"
    file.write_text("\n".join([HEAD, *body, f"result = {last}", ""]), encoding="utf-8")
    scope = {"__name__": m.name, "np": np, "flow": flow}
    exec(compile(file.read_text(encoding="utf-8"), str(file), "exec"), scope)
    assert scope["result"] == m.result


def test_input_of_a_kernel(monkeypatch):
    """Notebooks replace `input` by a method of their own."""

    class Kernel:
        def raw_input(self, prompt=""):
            return "2.0"

    def f(x):
        return float(input("factor: ")) * x

    monkeypatch.setattr(builtins, "input", Kernel().raw_input)
    with pytest.raises(NotImplementedError, match=r"input\(\) is not supported"):
        flow.grad(f)(3.0)


@pytest.mark.parametrize("users", USERS)
def test_in_jupyter(users, tmp_path, monkeypatch):
    """A kernel's own messages: places are cells, in the traceback and in the text below it."""
    sources = [f"{HEAD}{m.definitions}\n{m.line}" for m in USERS[users]]
    cells = executed(sources, tmp_path, monkeypatch)
    for k, (m, cell) in enumerate(zip(USERS[users], cells, strict=True), 1):
        text = error_of(cell)[1]
        text = re.sub(r"^ +\d+ .*\n", "", text, flags=re.MULTILINE)  # IPython's lines around one
        check(m, text, rf"Cell In\[{k}\], line \d+")
        assert "ipykernel" not in text, text
