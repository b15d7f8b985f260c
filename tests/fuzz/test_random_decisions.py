"""The fuzzer's theme of decisions, programs of one theme, and the checks at a kink."""

from dataclasses import replace

import numpy as np
import pytest

from tests.fuzz import Check, Settings, Subject, check, generate, run
from tests.fuzz.__main__ import main
from tests.fuzz.census import census
from tests.fuzz.generate import TINY
from tests.fuzz.runner import failures, run_one, tally
from tests.fuzz.themes.wide_vocabulary import THEMES
from tests.fuzz.tree import Expr, Line, Program, size
from tests.tools.turns import share

ALONE = Settings(alone="decisions")
# (w - 0.613) is 0 at the point of every program
KINKED = Program(
    3,
    ("x", "w", "n", "y"),
    (Line("x = x * x + np.maximum((w - 0.613) * y, 0.0)"),),
    Expr("s", "np.sum(x * w)"),
)


def test_programs_of_one_theme_are_small():
    for theme in THEMES:
        programs = [generate(seed, replace(TINY, alone=theme.name)) for seed in range(5)]
        assert max(map(size, programs)) <= TINY.largest
        assert len({p.source() for p in programs}) == 5
    assert ALONE.drawn == replace(TINY, alone="decisions")


@pytest.mark.about("tests/fuzz/")
def test_ties_are_common():
    programs = [generate(seed, ALONE.drawn) for seed in range(300)]
    shares = census(programs, ("decision", "tie", "kink"))
    assert shares["decision"] == 1.0 and shares["tie"] > 0.1 and shares["kink"] > 0.01


def test_decisions_are_right():
    results = list(run(share(range(40)), ALONE))
    assert not failures(results)
    assert tally(results)["ok"] >= 0.9 * len(results) - 1


def test_decisions_to_second_order_and_in_single_precision():
    settings = Settings(Check(order=2, single=True), alone="decisions")
    assert not failures(run(share(range(100, 106)), settings))


@pytest.mark.parametrize("seed", [0, 1])
def test_decisions_that_are_taken_twice_are_found(seed):
    """By Numba, which rounds otherwise: a wrong number, and NaN."""
    settings = replace(ALONE, check=Check("all"))
    assert not failures([run_one(seed, settings)])
    assert failures([run_one(seed, replace(settings, without="decided-once"))])


def test_the_command_line_takes_one_theme(capsys):
    assert main(["--theme", "decisions", "--programs", "2", "--seed", "7"]) == 0
    assert "2 ok" in capsys.readouterr().out


# ---- where differences are no judge ----
def test_a_kink_is_no_derivative_but_a_number():
    outcome = check(KINKED, Subject.srcgrad())
    assert outcome.kind == "discarded" and "do not settle" in outcome.detail


@pytest.mark.parametrize("change", [lambda g: g * np.nan, lambda g: g + 0.1])
def test_a_kink_without_a_number_or_with_two_is_wrong(change):
    real = Subject.srcgrad()

    def spoilt(fn, grad_position):
        exact = real.grad(fn, grad_position=grad_position)
        return lambda *args: tuple(map(change, exact(*args)))

    outcome = check(KINKED, replace(real, grad=spoilt))
    assert (outcome.kind, outcome.stage.partition(",")[0]) == ("wrong", "kink")


# ---- routes ----
def test_value_and_gradient_of_a_route_are_one_program():
    smooth = replace(KINKED, body=())
    asked = []

    def spoilt(fn, grad_position):
        import srcgrad as flow

        asked.append(grad_position)
        exact = flow.value_and_grad(fn, grad_position)
        return lambda *args: (exact(*args)[0] + 0.1, exact(*args)[1])

    subject = replace(Subject.srcgrad(), value_and_grad=spoilt)
    outcome = check(smooth, subject, Check(passes="sampled"))
    assert (outcome.kind, outcome.stage.partition(",")[0]) == ("wrong", "routes")
    assert asked == [(0, 1, 3)]


def test_processes_are_followed_by_others(monkeypatch: pytest.MonkeyPatch):
    from tests.fuzz import runner

    monkeypatch.setattr(runner, "CHUNK", 1)
    monkeypatch.setattr(runner, "CHUNKS", 1)
    results = list(run(range(5), ALONE, jobs=2))
    assert [r.seed for r in results] == [0, 1, 2, 3, 4] and not failures(results)
