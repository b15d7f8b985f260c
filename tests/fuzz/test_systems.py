"""The fuzzer's theme of systems: matrices that loops keep, store to, transpose or bind anew."""

import pytest

from srcgrad.passes import checking, factor_once
from tests.fuzz import Check, Settings, run
from tests.fuzz.runner import FAILURES, run_one
from tests.tools.turns import share

PYTHON = Settings(Check("python"), alone="systems")
CPU = Settings(Check("cpu"), alone="systems")


def failures(results):
    bad = [r for r in results if r.outcome.kind in FAILURES]
    return [(r.seed, r.outcome.kind, r.outcome.stage, r.outcome.detail[:300]) for r in bad]


def test_systems_are_right():
    with checking():
        assert not failures(run(share(range(80)), PYTHON))


def test_systems_are_right_as_machine_code():
    assert not failures(run(share(range(100, 104)), CPU))


def test_systems_to_second_order_and_with_each_pass_off():
    second = Settings(Check("python", 2), alone="systems")
    assert not failures(run(share(range(200, 204)), second))
    every = Settings(Check("python", passes="all"), alone="systems")
    assert not failures(run(share(range(300, 302)), every))


# ---- teeth ----
@pytest.mark.parametrize("seed", [18, 55])
def test_matrices_that_a_trip_changes_are_noticed(seed, monkeypatch):
    assert run_one(seed, PYTHON).outcome.kind == "ok"
    monkeypatch.setattr(factor_once, "classes_written", lambda *_: set())
    assert run_one(seed, PYTHON).outcome.kind in FAILURES
