"""Every case on the simulated device: right, or refused with a line."""

from collections import Counter

import pytest

from srcgrad.errors import UnsupportedError
from tests.cases import CASES, Case, sample
from tests.modes import Modes
from tests.test_cases import close

pytestmark = pytest.mark.usefixtures("quiet")
SAMPLE = sample(150)
RIGHT = 105  # of these, at least


def outcome(case: Case) -> str:
    """ "right", or why it is refused; fails if it is neither."""
    try:
        value, grads = Modes(case, "cuda").value_and_grad(case.arguments())
    except UnsupportedError as refused:
        assert refused.location is not None, str(refused)
        return str(refused).splitlines()[0]
    want_value, want = Modes(case).value_and_grad(case.arguments())
    close(value, want_value, 1e-11, "value")
    close(grads, want, 1e-10, "gradient")
    return "right"


def test_a_sample():
    found = Counter(map(outcome, SAMPLE))
    print("\n".join(f"{n:5} {reason}" for reason, n in found.most_common()))
    assert found["right"] >= RIGHT


@pytest.mark.full
@pytest.mark.parametrize("case", CASES, ids=lambda c: c.id)
def test_cases(case: Case):
    outcome(case)
