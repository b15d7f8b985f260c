"""Every case through every check: one test a case, which reports each check that fails.

Checks stand in `tests/checks`. `--full` runs all of them on every case; `--checks value,gradient`
those of these names alone.
"""

import pytest

from tests.cases import CASES, Case
from tests.checks import CHECKS, Check, Record, failures
from tests.checks.touched import is_touched
from tests.tools.turns import is_in_turn, turn

pytestmark = pytest.mark.usefixtures("quiet")


def is_due(check: Check, record: Record) -> bool:
    """Whether the default run of this commit tries the check on the case.

    The first arguments of a function are tried by every run, others by one of four.
    """
    if record.case.instance and not is_in_turn(record.case.id, "arguments", turn()):
        return is_touched(record)
    if check.always(record.case) or not check.rotates:
        return check.always(record.case)
    return is_in_turn(record.case.id, check.name, turn()) or is_touched(record)


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.id)
def test_case(case: Case, request: pytest.FixtureRequest):
    names = request.config.getoption("--checks")
    checks = [c for c in CHECKS if c.of(case) and (not names or c.name in names.split(","))]
    chosen = bool(names or request.config.getoption("--full"))
    failed = failures(case, checks, lambda c, r: chosen or is_due(c, r))
    assert not failed, report(failed)


def report(failed: dict[str, str]) -> str:
    return f"fails {', '.join(failed)}\n\n" + "\n".join(
        f"---- {name} ----\n{text}" for name, text in failed.items()
    )


def test_each_failing_check_is_reported(monkeypatch: pytest.MonkeyPatch):
    def first(record):
        raise AssertionError("one thing")

    def second(record):
        raise ValueError("another")

    checks = [Check(run, bool, bool, False) for run in (first, lambda record: None, second)]
    text = report(failures(CASES[0], checks))
    assert "first, second" in text and "one thing" in text and "another" in text
