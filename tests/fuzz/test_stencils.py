"""The fuzzer's theme of stencils: loops over time from old arrays to new ones."""

import pytest

from srcgrad.passes.lower.fusion_group import FusionGroup
from srcgrad.passes.lower.nest import Nest
from srcgrad.passes.neighbours import Neighbours
from tests.fuzz import Check, Settings, run
from tests.fuzz.runner import FAILURES, run_one
from tests.tools.turns import share

LOOPS = Settings(Check("loops"), alone="stencils")
CPU = Settings(Check("cpu"), alone="stencils")


def failures(results):
    bad = [r for r in results if r.outcome.kind in FAILURES]
    return [(r.seed, r.outcome.kind, r.outcome.stage, r.outcome.detail[:300]) for r in bad]


def test_stencils_are_right():
    assert not failures(run(share(range(60)), LOOPS))


def test_stencils_are_right_as_machine_code():
    assert not failures(run(share(range(100, 106)), CPU))


def test_stencils_to_second_order_and_with_each_pass_off():
    second = Settings(Check("loops", 2), alone="stencils")
    assert not failures(run(share(range(200, 204)), second))
    every = Settings(Check("loops", passes="all"), alone="stencils")
    assert not failures(run(share(range(300, 302)), every))


# ---- teeth ----
@pytest.mark.parametrize(
    ("proof", "weak", "seed"),
    [("keeps", True, 1), ("keeps", True, 22), ("late", (), 7), ("late", (), 11)],
)
def test_neighbours_that_a_trip_changes_are_noticed(proof, weak, seed, monkeypatch):
    assert run_one(seed, LOOPS).outcome.kind == "ok"
    monkeypatch.setattr(Neighbours, proof, lambda *_: weak)
    assert run_one(seed, LOOPS).outcome.kind in FAILURES


@pytest.mark.parametrize(
    ("owner", "proof", "weak", "seed"),
    [
        (FusionGroup, "_only_sums", True, 16),
        (Nest, "_added", frozenset(), 1),
        (Nest, "_added", frozenset(), 11),
    ],
)
def test_additions_that_are_not_alone_are_noticed(owner, proof, weak, seed, monkeypatch):
    assert run_one(seed, LOOPS).outcome.kind == "ok"
    monkeypatch.setattr(owner, proof, lambda *_: weak)
    assert run_one(seed, LOOPS).outcome.kind in FAILURES
