"""Tracebacks show the user's frames only, in at most a dozen lines, wherever they are printed."""

import functools
import logging
import os
import pickle
import re
import subprocess
import sys
import traceback
from pathlib import Path

import numpy as np
import pytest
import scipy.optimize

import srcgrad as flow
from srcgrad import tracebacks
from srcgrad.eager import PUBLIC
from tests.tools.mistakes import HEAD, MISTAKES, in_pytest, on_python

ROOT = Path(__file__).parents[1]
MOST = 12
names = [m.name for m in MISTAKES]


def ran(*command: str, cwd: Path) -> str:
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    env.pop("SRCGRAD_TRACEBACK", None)
    done = subprocess.run(
        [sys.executable, *command], cwd=cwd, env=env, capture_output=True, text=True
    )
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def shown(tmp_path_factory) -> dict[str, str]:
    """What a terminal and IPython show, by place and mistake."""
    text = ran("-m", "tests.tools.mistakes", str(tmp_path_factory.mktemp("scripts")), cwd=ROOT)
    parts = re.split(r"^==== (\w+ \w+)\n", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


@pytest.fixture(scope="module")
def by_pytest(tmp_path_factory) -> dict[str, str]:
    """What pytest shows of a test that makes the mistake."""
    folder = tmp_path_factory.mktemp("tests")
    for m in MISTAKES:
        in_pytest(m, folder)
    text = ran("-m", "pytest", "-q", "-p", "no:cacheprovider", "-rN", ".", cwd=folder)
    parts = re.split(r"^_+ test_(\w+) _+\n", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def check(m, text: str):
    lines = [line for line in text.splitlines() if line.strip()]
    assert len(lines) <= MOST, text
    assert m.line.strip() in text and m.seen.strip() in text, text
    assert str(ROOT / "srcgrad") not in text, text


def test_there_are_thirty():
    assert len(set(names)) == len(names) >= 30


@pytest.mark.parametrize("place", ["terminal", "ipython"])
@pytest.mark.parametrize("m", MISTAKES, ids=names)
def test_error_is_a_dozen_lines(m, place, shown):
    text = shown[f"{place} {m.name}"].strip("\n")
    check(m, text)
    assert len(text.splitlines()) <= MOST, text


@pytest.mark.parametrize("m", MISTAKES, ids=names)
def test_error_is_a_dozen_lines_in_pytest(m, by_pytest):
    check(m, by_pytest[m.name])


def test_a_script_shows_what_was_compared(tmp_path, shown):
    m = next(m for m in MISTAKES if m.name == "product")
    file = tmp_path / f"{m.name}.py"
    file.write_text(f"{HEAD}{m.line}\n")
    last = shown[f"terminal {m.name}"].strip().splitlines()[-1]
    assert ran(str(file), cwd=tmp_path).splitlines()[-1] == last
    assert len(ran(str(file), cwd=tmp_path).splitlines()) == 5


def frames(error: BaseException) -> list[str]:
    return [f.name for f in traceback.extract_tb(error.__traceback__)]


def caught(function, *args):
    with pytest.raises(Exception) as info:
        function(*args)
    return info.value


def refused(x):
    return np.sum(np.histogramdd(x))


def test_all_frames_are_shown_if_that_is_asked_for(monkeypatch):
    assert frames(caught(flow.grad(refused), np.ones(2))) == ["caught"]
    monkeypatch.setenv("SRCGRAD_TRACEBACK", "full")
    assert len(frames(caught(flow.grad(refused), np.ones(2)))) > 10


def test_logged_errors_are_short(caplog):
    try:
        flow.grad(refused)(np.ones(2))
    except NotImplementedError:
        logging.getLogger("tests").exception("failed")
    assert "histogramdd" in caplog.text and str(ROOT / "srcgrad") not in caplog.text


def chained(x):
    try:
        return {}["missing"]
    except KeyError as error:
        raise ValueError("mine") from error


def test_the_users_own_cause_stays():
    called = flow.opaque(chained, 0.0, vjp=lambda primals, g: (g,))
    error = caught(on_python(lambda x: called(x) * x), 2.0)
    assert frames(error) == ["caught", "chained"]
    assert isinstance(error.__cause__, KeyError) and frames(error.__cause__) == ["chained"]


def test_what_the_user_was_handling_stays():
    def handling():
        try:
            raise OSError("first")
        except OSError:
            flow.grad(np.histogramdd)

    error = caught(handling)
    assert isinstance(error.__context__, OSError) and not error.__suppress_context__


@pytest.mark.parametrize("m", MISTAKES, ids=names)
def test_inner_exceptions_are_not_told(m, shown):
    """The compiler's own KeyErrors and the like are no part of the story."""
    assert shown[f"terminal {m.name}"].count("Traceback") == 1


def test_frames_between_two_of_the_users_stay():
    """SciPy's, where the user calls SciPy, which calls a gradient."""
    gradient = flow.grad(refused)
    error = caught(lambda: scipy.optimize.minimize(lambda x: x @ x, np.ones(2), jac=gradient))
    assert frames(error)[:2] == ["caught", "<lambda>"] and "minimize" in frames(error)


def test_a_project_in_a_folder_of_the_same_name_is_a_users(tmp_path):
    folder = tmp_path / "srcgrad"
    folder.mkdir()
    text = "def simulate(x):\n    raise RuntimeError('no convergence')\n"
    scope = {"__name__": "srcgrad_of_mine"}
    exec(compile(text, str(folder / "mine.py"), "exec"), scope)
    called = flow.opaque(scope["simulate"], 0.0, vjp=lambda primals, g: (g,))
    assert frames(caught(on_python(lambda x: called(x) * x), 2.0)) == ["caught", "simulate"]


def test_a_fault_of_ours_is_told_in_full():
    @tracebacks.entrance
    def entered():
        return scope["inner"]()

    scope = {"entered": entered}
    text = "def inner():\n    assert False, 'a fault'\n"
    exec(compile(text, tracebacks.OURS + "made_up.py", "exec"), scope)
    assert frames(caught(entered)) == ["caught", "call", "entered", "inner"]


PUBLIC_MODULES = (
    "amp", "array_api", "linalg", "nn", "nn.functional", "nn.utils", "ops", "optim", "testing",
)  # fmt: skip


def public() -> list:
    found = [getattr(flow, name) for name in {*flow.__all__, *PUBLIC}]
    for name in PUBLIC_MODULES:
        module = functools.reduce(getattr, name.split("."), flow)
        names = getattr(module, "__all__", dir(module))
        found += [getattr(module, n) for n in names if not n.startswith("_")]
    ours = [f for f in found if str(getattr(f, "__module__", "")).startswith("srcgrad")]
    return [f for f in ours if hasattr(f, "__name__")]


def test_what_is_public_is_an_entrance():
    for value in public():
        found = vars(value) if isinstance(value, type) else {value.__name__: value}
        for name, f in found.items():
            if type(f) is type(frames) and not name.startswith("_"):
                assert hasattr(f, "srcgrad_within"), f"{f.__qualname__} of {f.__module__}"


def test_entrances_are_pickled_by_name():
    for f in (flow.nn.functional.silu, flow.sum, flow.grad, flow.nn.utils.clip_grad_norm_):
        assert pickle.loads(pickle.dumps(f)) is f


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: flow.nn.functional.cross_entropy(flow.ones(2), 4), "cross_entropy()"),
        (lambda: flow.cat([1.0, 2.0]), "cat()"),
        (lambda: flow.zeros_like(4), "zeros_like()"),
    ],
)
def test_what_is_no_tensor_is_named(call, text):
    with pytest.raises(TypeError, match=re.escape(text)) as caught:
        call()
    assert "'_" not in str(caught.value)


def test_an_attribute_that_the_users_own_code_lacks_stays():
    class Net(flow.nn.Module):
        def forward(self, x):
            return x.nothing

    with pytest.raises(AttributeError, match="'int' object has no attribute 'nothing'"):
        Net()(4)
