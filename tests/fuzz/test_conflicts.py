"""The fuzzer's theme of conflicts: loops of which one trip may change what all of them read."""

import pytest

from srcgrad.passes import loop_versioning
from tests.fuzz import Check, Settings, run
from tests.fuzz.runner import FAILURES, run_one
from tests.tools.turns import share

LOOPS = Settings(Check("loops"), alone="conflicts")
CPU = Settings(Check("cpu"), alone="conflicts")


def failures(results):
    bad = [r for r in results if r.outcome.kind in FAILURES]
    return [(r.seed, r.outcome.kind, r.outcome.stage, r.outcome.detail[:300]) for r in bad]


def test_conflicts_are_right():
    assert not failures(run(share(range(60)), LOOPS))


def test_conflicts_are_right_as_machine_code():
    assert not failures(run(share(range(100, 108)), CPU))


def test_conflicts_to_second_order_and_with_each_pass_off():
    second = Settings(Check("loops", 2), alone="conflicts")
    assert not failures(run(share(range(200, 204)), second))
    every = Settings(Check("loops", passes="all"), alone="conflicts")
    assert not failures(run(share(range(300, 302)), every))


# ---- teeth ----
@pytest.mark.parametrize(
    ("owner", "name", "weak", "seed"),
    [
        (loop_versioning.Conflict, "reads_first", lambda self: True, 51),
        (loop_versioning.Meeting, "joined", lambda self, other: self, 21),
        (
            loop_versioning._Guard,
            "evaluated",
            lambda self, b, trip: loop_versioning.Const(False, loop_versioning.BOOL),
            2,
        ),
    ],
)
def test_a_weaker_proof_is_noticed(owner, name, weak, seed, monkeypatch):
    assert run_one(seed, LOOPS).outcome.kind == "ok"
    monkeypatch.setattr(owner, name, weak)
    assert run_one(seed, LOOPS).outcome.kind in FAILURES
