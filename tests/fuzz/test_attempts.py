"""Programs of `try` alone: values, gradients, arguments and exceptions are plain Python's."""

import pytest

from tests.fuzz import Check, Outcome, Program, Settings, Subject, check, run
from tests.fuzz.runner import failures, tally
from tests.fuzz.shrink import candidates
from tests.fuzz.tree import Expr, Line, Try, size
from tests.tools.turns import share

TIMES = {"python": 60, "cpu": 8}


@pytest.mark.parametrize("target", TIMES)
def test_programs(target):
    settings = Settings(Check(target), alone="attempts", largest=90)
    results = list(run(share(range(4000, 4000 + TIMES[target])), settings))
    assert not failures(results)
    assert tally(results)["refused"] <= 0.33 * len(results) + 1


def program(last: str) -> Program:
    attempt = Try((Line("s = x[n + 2]"),), (("IndexError", (Line(last),)),), (Line("s = w"),))
    return Program(3, ("x", "w", "n"), (attempt,), Expr("s", "s * x[0]"))


def test_an_exception_is_compared():
    """Where plain Python raises, compiled code must, and the same."""
    raising = program("raise")
    assert check(raising, Subject.srcgrad()).detail == "raises IndexError, and so here"
    real = Subject.srcgrad()
    for fn in (lambda x, w, n: w, lambda x, w, n: {}[n]):
        spoilt = Subject(lambda _, target, fn=fn: fn, real.grad, real.jvp, real.refusal)
        outcome: Outcome = check(raising, spoilt)
        assert (outcome.kind, outcome.stage) == ("wrong", "exception")


def test_a_try_is_shrunk():
    whole = program("s = 0.5 * w")
    assert check(whole, Subject.srcgrad()).kind == "ok"
    smaller = list(candidates(whole))
    assert all(size(p) <= size(whole) for p in smaller)
    texts = [p.source() for p in smaller]
    assert any("try" not in text for text in texts)
    assert any("try" in text and "else" not in text for text in texts)
    assert any("s = 0.5 * w" not in text and "try" in text for text in texts)
