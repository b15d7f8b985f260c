"""The theme of distributed loops: recurrences in blocks of three trips, their functions ahead."""

import pytest

from srcgrad.passes import ahead, phases
from tests.fuzz import Check, Settings, run
from tests.fuzz.runner import FAILURES, run_one
from tests.tools.blocks import small_blocks
from tests.tools.turns import share

LOOPS = Settings(Check("loops"), alone="distributed")
CPU = Settings(Check("cpu"), alone="distributed")


@pytest.fixture(autouse=True)
def small():
    with small_blocks():
        yield


def failures(results):
    bad = [r for r in results if r.outcome.kind in FAILURES]
    return [(r.seed, r.outcome.kind, r.outcome.stage, r.outcome.detail[:300]) for r in bad]


def test_distributed_loops_are_right():
    assert not failures(run(share(range(60)), LOOPS))


def test_distributed_loops_are_right_as_machine_code():
    assert not failures(run(share(range(100, 108)), CPU))


def test_distributed_loops_to_second_order_and_with_each_pass_off():
    second = Settings(Check("loops", 2), alone="distributed")
    assert not failures(run(share(range(200, 204)), second))
    every = Settings(Check("loops", passes="all"), alone="distributed")
    assert not failures(run(share(range(300, 302)), every))


# ---- teeth ----
@pytest.mark.parametrize(
    ("owner", "name", "weak", "seed"),
    [
        (ahead, "classes_written", lambda block, classes: set(), 53),
        (ahead, "touched", lambda s: [], 25),
        (phases, "touched", lambda s: [], 60),
    ],
)
def test_a_weaker_proof_is_noticed(owner, name, weak, seed, monkeypatch):
    assert run_one(seed, LOOPS).outcome.kind == "ok"
    monkeypatch.setattr(owner, name, weak)
    assert run_one(seed, LOOPS).outcome.kind in FAILURES
