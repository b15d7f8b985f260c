"""The fuzzer's theme of recurrences: plain loops, in which passes change the order of trips."""

import pytest

from srcgrad.passes.trips import Trips
from tests.fuzz import Check, Settings, run
from tests.fuzz.runner import FAILURES, run_one
from tests.tools.turns import share

LOOPS = Settings(Check("loops"), alone="recurrences")


def failures(results):
    bad = [r for r in results if r.outcome.kind in FAILURES]
    return [(r.seed, r.outcome.kind, r.outcome.stage, r.outcome.detail[:300]) for r in bad]


def test_recurrences_are_right():
    assert not failures(run(share(range(60)), LOOPS))


def test_recurrences_to_second_order_and_with_each_pass_off():
    assert not failures(
        run(share(range(100, 106)), Settings(Check("loops", 2), alone="recurrences"))
    )
    every = Settings(Check("loops", passes="all"), alone="recurrences")
    assert not failures(run(share(range(200, 203)), every))


@pytest.mark.parametrize("seed", [15, 17])
def test_a_pass_that_takes_running_sums_for_sums_is_noticed(seed, monkeypatch):
    assert run_one(seed, LOOPS).outcome.kind == "ok"
    monkeypatch.setattr(Trips, "carries_only_sums", lambda self: True)
    assert run_one(seed, LOOPS).outcome.kind in FAILURES
