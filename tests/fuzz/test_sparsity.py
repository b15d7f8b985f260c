"""Random programs: no element of a derivative is missing in the sparsity."""

import numpy as np

import srcgrad as flow
from srcgrad.errors import SrcgradError
from tests.fuzz import generate
from tests.fuzz.inputs import point
from tests.fuzz.source import copied, loaded
from tests.tools.structures import flatten, unflatten
from tests.tools.turns import share

PROBES = 6  # unit vectors


def misses(seed: int) -> bool | None:
    """Whether the sparsity of a program misses an element; None if it is refused, or it raises."""
    drawn = generate(seed)
    with loaded(drawn.source(), f"sparsity {seed}") as names, np.errstate(all="ignore"):
        at = point(drawn)
        if not at.positions:
            return None
        f = flow.compile(names["f"], target="python")
        try:
            found = flow.sparsity(f, *copied(at.args), grad_position=tuple(at.positions))
            chosen = tuple(at.args[i] for i in at.positions)
            size = flatten(chosen).size
            for k in range(min(size, PROBES)):
                along = unflatten(np.eye(1, size, k)[0], chosen, keep_others=False)
                tangents = [None] * len(at.args)
                for i, t in zip(at.positions, along, strict=True):
                    tangents[i] = t
                dots = flatten(flow.jvp(f, copied(at.args), tuple(tangents))[1])
                if np.any((np.nan_to_num(dots) != 0) & ~found[:, [k]].toarray()[:, 0]):
                    return True
        except (SrcgradError, ArithmeticError, ValueError, IndexError):
            return None
    return False


def test_nothing_is_missing():
    answers = [misses(seed) for seed in share(range(8000, 8036))]
    assert True not in answers
    assert answers.count(False) >= 0.25 * len(answers)
