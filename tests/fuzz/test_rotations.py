"""The fuzzer's theme of rotations: loops over time in which arrays take turns."""

import pytest

from srcgrad.passes.carried_arrays import _CarriedArrays
from srcgrad.passes.copies_in_time import CopiesInTime
from tests.fuzz import Check, Settings, run
from tests.fuzz.runner import FAILURES, run_one
from tests.tools.turns import share

LOOPS = Settings(Check("loops"), alone="rotations")
CPU = Settings(Check("cpu"), alone="rotations")


def failures(results):
    bad = [r for r in results if r.outcome.kind in FAILURES]
    return [(r.seed, r.outcome.kind, r.outcome.stage, r.outcome.detail[:300]) for r in bad]


def test_rotations_are_right():
    assert not failures(run(share(range(60)), LOOPS))


def test_rotations_are_right_as_machine_code():
    assert not failures(run(share(range(100, 106)), CPU))


def test_rotations_to_second_order_and_with_each_pass_off():
    second = Settings(Check("loops", 2), alone="rotations")
    assert not failures(run(share(range(200, 204)), second))
    every = Settings(Check("loops", passes="all"), alone="rotations")
    assert not failures(run(share(range(300, 302)), every))


# ---- teeth ----
@pytest.mark.parametrize(
    ("owner", "proof", "weak", "seed"),
    [
        (CopiesInTime, "is_used_after", False, 1),
        (CopiesInTime, "is_used_after", False, 13),
        (_CarriedArrays, "is_before", True, 5),
        (_CarriedArrays, "are_distinct", True, 14),
    ],
)
def test_a_weaker_proof_is_noticed(owner, proof, weak, seed, monkeypatch):
    assert run_one(seed, LOOPS).outcome.kind == "ok"
    monkeypatch.setattr(owner, proof, lambda *_: weak)
    assert run_one(seed, LOOPS).outcome.kind in FAILURES
