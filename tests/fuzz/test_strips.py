"""The fuzzer's theme of ensembles: recurrences that run side by side, in strips of three."""

import pytest

from srcgrad.passes.dependence import Dependence
from srcgrad.passes.strips.candidates import Candidates
from srcgrad.passes.verdicts import Dependent, Independent
from tests.fuzz import Check, Settings, run
from tests.fuzz.runner import FAILURES, run_one
from tests.tools.strips import small_strips
from tests.tools.turns import share

LOOPS = Settings(Check("loops"), alone="ensembles")
CPU = Settings(Check("cpu"), alone="ensembles")


@pytest.fixture(autouse=True)
def small():
    with small_strips():
        yield


def failures(results):
    bad = [r for r in results if r.outcome.kind in FAILURES]
    return [(r.seed, r.outcome.kind, r.outcome.stage, r.outcome.detail[:300]) for r in bad]


def test_ensembles_are_right():
    assert not failures(run(share(range(60)), LOOPS))


def test_ensembles_are_right_as_machine_code():
    assert not failures(run(share(range(100, 108)), CPU))


def test_ensembles_to_second_order_and_with_each_pass_off():
    second = Settings(Check("loops", 2), alone="ensembles")
    assert not failures(run(share(range(200, 204)), second))
    every = Settings(Check("loops", passes="all"), alone="ensembles")
    assert not failures(run(share(range(300, 302)), every))


# ---- teeth ----
def believing(prove):
    """A proof that takes all trips for independent."""

    def of(self, loop):
        found = prove(self, loop)
        return Independent((None,) * len(loop.params)) if isinstance(found, Dependent) else found

    return of


@pytest.mark.parametrize("seed", [3, 10])
def test_a_proof_that_is_too_weak_is_noticed(seed, monkeypatch):
    assert run_one(seed, LOOPS).outcome.kind == "ok"
    monkeypatch.setattr(Dependence, "of", believing(Dependence.of))
    assert run_one(seed, LOOPS).outcome.kind in FAILURES


def test_loops_of_other_lengths_in_other_trips_are_noticed(monkeypatch):
    assert run_one(6, LOOPS).outcome.kind == "ok"
    monkeypatch.setattr(Candidates, "has_form", lambda self, block, uniform, inside=False: True)
    assert run_one(6, LOOPS).outcome.kind in FAILURES
