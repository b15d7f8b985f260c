"""A call of each function in docs/support.md on the tape: right by differences, or refused."""

from typing import Any

import numpy as np
import pytest

import srcgrad as flow
from tests.support.samples import SAMPLES, Sample, inputs
from tests.tools.structures import copied, float_leaves
from tests.tools.turns import share

pytestmark = pytest.mark.filterwarnings("ignore")


def loss(out: Any) -> Any:
    """A number that depends on every float of a result."""
    total = 0.0
    for k, v in enumerate(float_leaves(out)):
        total = total + np.sum(v * np.cos(1.0 + k + np.arange(np.size(v))).reshape(np.shape(v)))
    return total


def positions(args: tuple) -> tuple[int, ...]:
    arrays = {i for i, a in enumerate(args) if isinstance(a, np.ndarray) and a.dtype.kind == "f"}
    return tuple(i for i, a in enumerate(args) if i in arrays or isinstance(a, float))


TAKEN = [s for s in SAMPLES if positions(s.arguments(inputs()))]


@pytest.mark.parametrize("sample", share(TAKEN), ids=lambda s: s.line)
def test_a_sample(sample: Sample):
    f, args = sample.program(), sample.arguments(inputs())
    at = positions(args)
    try:
        made = flow.grad(lambda *a: loss(f(*a)), at, mode="tape")(*copied(args))
    except flow.UnsupportedError as error:
        assert error.location is not None
        return
    except TypeError as error:  # of a function of C: a recorded number is no float to it
        assert "Recorded" in str(error)
        return
    draw = np.random.default_rng(0)
    moves = {i: draw.normal(size=np.shape(args[i])) for i in at}
    parts = made if isinstance(made, tuple) else (made,)
    rate = sum(np.sum(g * moves[i]) for i, g in zip(at, parts, strict=True))
    if np.iscomplexobj(loss(f(*copied(args)))):
        pytest.fail("a complex result has no gradient")
    errors = [abs(slope(f, args, moves, h) - rate) for h in (1e-4, 1e-5, 1e-6)]
    assert min(errors) <= 1e-5 * (1.0 + abs(rate))


def slope(f: Any, args: tuple, moves: dict[int, Any], h: float) -> float:
    up, down = (
        loss(f(*(a + s * h * moves[i] if i in moves else a for i, a in enumerate(copied(args)))))
        for s in (1.0, -1.0)
    )
    return (up - down) / (2.0 * h)
