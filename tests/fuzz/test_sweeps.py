"""The fuzzer's theme of sweeps: triangular loops in place, whose elements become variables."""

import pytest

from srcgrad.passes.dead_stores import _DeadStores
from srcgrad.passes.scalar_replacement import Element
from tests.fuzz import Check, Settings, run
from tests.fuzz.runner import FAILURES, run_one
from tests.tools.turns import share

LOOPS = Settings(Check("loops"), alone="sweeps")
CPU = Settings(Check("cpu"), alone="sweeps")


def failures(results):
    bad = [r for r in results if r.outcome.kind in FAILURES]
    return [(r.seed, r.outcome.kind, r.outcome.stage, r.outcome.detail[:300]) for r in bad]


def test_sweeps_are_right():
    assert not failures(run(share(range(60)), LOOPS))


def test_sweeps_are_right_as_machine_code():
    assert not failures(run(share(range(100, 108)), CPU))


def test_sweeps_to_second_order_and_with_each_pass_off():
    second = Settings(Check("loops", 2), alone="sweeps")
    assert not failures(run(share(range(200, 204)), second))
    every = Settings(Check("loops", passes="all"), alone="sweeps")
    assert not failures(run(share(range(300, 302)), every))


# ---- teeth ----
@pytest.mark.parametrize("seed", [1, 5])
def test_elements_that_may_be_one_are_noticed(seed, monkeypatch):
    assert run_one(seed, LOOPS).outcome.kind == "ok"
    monkeypatch.setattr(Element, "is_apart", lambda self, other, ranges: True)
    assert run_one(seed, LOOPS).outcome.kind in FAILURES


@pytest.mark.parametrize(
    ("proof", "seed"),
    [("apart_later", 7), ("apart_later", 13), ("apart_in_trip", 0), ("apart_in_trip", 2)],
)
def test_elements_that_are_read_again_are_noticed(proof, seed, monkeypatch):
    assert run_one(seed, LOOPS).outcome.kind == "ok"
    monkeypatch.setattr(_DeadStores, proof, lambda *_: True)
    assert run_one(seed, LOOPS).outcome.kind in FAILURES
