"""Floats that the reverse sweep computes again, rounded otherwise, move no gradient."""

from tests.autodiff.nudged import nudged
from tests.cases import sample
from tests.checks.case_checks import Record, check
from tests.fuzz.nudged_programs import NEAR, apart
from tests.tools.modes import Modes
from tests.tools.structures import flatten
from tests.tools.turns import share

SAMPLE = frozenset(share(sample(210)))


@check(always=SAMPLE.__contains__, changes=True)
def recomputed_floats(record: Record):
    with nudged():
        got = flatten(Modes(record.case).gradient(*record.case.arguments()))
    assert apart(flatten(record.grads), got) <= NEAR
