"""The fuzzer's theme of workspaces: buffers that each point fills, in strips of three points."""

import pytest

from srcgrad.passes.privatized_buffers import _Privatized
from srcgrad.passes.strips.lanes import Lanes
from tests.fuzz import Check, Settings, run
from tests.fuzz.runner import FAILURES, run_one
from tests.tools.strips import small_strips
from tests.tools.turns import share

LOOPS = Settings(Check("loops"), alone="workspaces")
CPU = Settings(Check("cpu"), alone="workspaces")


@pytest.fixture(autouse=True)
def small():
    with small_strips():
        yield


def failures(results):
    bad = [r for r in results if r.outcome.kind in FAILURES]
    return [(r.seed, r.outcome.kind, r.outcome.stage, r.outcome.detail[:300]) for r in bad]


def test_workspaces_are_right():
    assert not failures(run(share(range(60)), LOOPS))


def test_workspaces_are_right_as_machine_code():
    assert not failures(run(share(range(100, 108)), CPU))


def test_workspaces_to_second_order_and_with_each_pass_off():
    second = Settings(Check("loops", 2), alone="workspaces")
    assert not failures(run(share(range(200, 204)), second))
    every = Settings(Check("loops", passes="all"), alone="workspaces")
    assert not failures(run(share(range(300, 302)), every))


# ---- teeth ----
@pytest.mark.parametrize("seed", [13, 36])
def test_buffers_that_are_filled_in_part_are_noticed(seed, monkeypatch):
    assert run_one(seed, LOOPS).outcome.kind == "ok"
    monkeypatch.setattr(_Privatized, "fills", lambda self, s, x, at: True)
    assert run_one(seed, LOOPS).outcome.kind in FAILURES


@pytest.mark.parametrize("seed", [39])
def test_buffers_that_lanes_leave_as_they_were_are_noticed(seed, monkeypatch):
    assert run_one(seed, LOOPS).outcome.kind == "ok"
    monkeypatch.setattr(Lanes, "made", lambda self, s: None)
    assert run_one(seed, LOOPS).outcome.kind in FAILURES
