"""The theme of contractions: loops over short axes that become products of matrices."""

import pytest

from srcgrad.passes.contractions.nests import Nest
from tests.fuzz import Check, Settings, run
from tests.fuzz.runner import FAILURES, run_one
from tests.tools.products import small_products
from tests.tools.turns import share

PYTHON = Settings(Check("python"), alone="contractions")
CPU = Settings(Check("cpu"), alone="contractions")


@pytest.fixture(autouse=True)
def small():
    with small_products():
        yield


def failures(results):
    bad = [r for r in results if r.outcome.kind in FAILURES]
    return [(r.seed, r.outcome.kind, r.outcome.stage, r.outcome.detail[:300]) for r in bad]


def test_contractions_are_right():
    assert not failures(run(share(range(60)), PYTHON))


def test_contractions_are_right_as_machine_code():
    assert not failures(run(share(range(100, 108)), CPU))


def test_contractions_to_second_order_and_with_each_pass_off():
    second = Settings(Check("python", 2), alone="contractions")
    assert not failures(run(share(range(200, 204)), second))
    every = Settings(Check("loops", passes="all"), alone="contractions")
    assert not failures(run(share(range(300, 302)), every))


# ---- teeth ----
@pytest.mark.parametrize(
    ("proof", "weak", "seed"),
    [
        ("leaves_alone", True, 250),
        ("leaves_alone", True, 275),
        ("checks", (), 45),
        ("checks", (), 62),
    ],
)
def test_a_weaker_proof_is_noticed(proof, weak, seed, monkeypatch):
    assert run_one(seed, PYTHON).outcome.kind == "ok"
    monkeypatch.setattr(Nest, proof, lambda *_: weak)
    assert run_one(seed, PYTHON).outcome.kind in FAILURES
