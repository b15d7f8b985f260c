"""The oracles, without srcgrad, and what the cases are together."""

from collections import namedtuple
from dataclasses import dataclass

import numpy as np
import pytest

from tests.cases import CASES, sample
from tests.tools.oracles import (
    check_dot,
    check_gradient,
    derivative,
)
from tests.tools.structures import copied, flatten, restrided, same, unflatten

PROGRAMS = {f"p{n}" for n in range(1, 43)} - {
    "p27",  # refused: tests/errors
    "p31",  # refused: tests/errors
    "p35",  # checkpointed loops
    "p36",  # every case is called twice
}


def test_every_program_has_a_case():
    assert {tag for c in CASES for tag in c.tags} >= PROGRAMS


def test_ids_are_unique_and_the_sample_spreads():
    assert len({c.id for c in CASES}) == len(CASES)
    chosen = sample(90)
    assert len(chosen) == 90
    assert {c.theme for c in chosen} == {c.theme for c in CASES if c.cpu}


def test_derivative_of_known_functions():
    value, error = derivative(lambda t: np.array([np.exp(2.0 + t), np.sin(3.0 * t)]))
    assert np.allclose(value, [np.exp(2.0), 3.0], rtol=1e-10)
    assert np.all(error < 1e-8)


def test_derivative_sees_kinks_and_jumps():
    left, _ = derivative(lambda t: np.array([abs(t)]), side=-1)
    right, _ = derivative(lambda t: np.array([abs(t)]), side=1)
    assert (left, right) == (-1.0, 1.0)
    _, error = derivative(lambda t: np.array([float(t > 0)]))
    assert error > 1.0


def test_a_wrong_gradient_is_found():
    x = np.array([0.3, 1.2])
    check_gradient(lambda v: np.sum(v**3), (x,), (0,), (3.0 * x**2,))
    with pytest.raises(AssertionError, match="differences"):
        check_gradient(lambda v: np.sum(v**3), (x,), (0,), (3.0 * x**2 + 1e-5,))


def test_a_wrong_tangent_is_found():
    x, u = np.array([0.3, 1.2]), np.array([1.0, -0.5])
    check_dot(np.sum(2.0 * x * u), 1.0, 2.0 * x, u)
    with pytest.raises(AssertionError, match="forward"):
        check_dot(np.sum(2.0 * x * u) + 1e-8, 1.0, 2.0 * x, u)


Pair = namedtuple("Pair", "a b")


@dataclass(frozen=True)
class Checked:
    values: np.ndarray
    name: str = "n"

    def __post_init__(self):
        assert np.all(self.values > 0)


def test_structures_round_trip():
    tree = (0.5, {"k": [np.arange(3.0), 7]}, Pair(np.float32(2.0), "s"), Checked(np.ones(2)), None)
    flat = flatten(tree)
    assert flat.tolist() == [0.5, 0.0, 1.0, 2.0, 2.0, 1.0, 1.0]
    assert same(unflatten(flat, tree), tree)
    gradient = unflatten(-flat, tree, keep_others=False)
    assert gradient[1]["k"][1] is None and gradient[3].name is None
    assert gradient[3].values.tolist() == [-1.0, -1.0]


@pytest.mark.parametrize("step", [2, -1, -2])
def test_layouts_survive_copies(step: int):
    x = restrided(np.arange(6.0).reshape(2, 3), step)
    assert np.array_equal(x, np.arange(6.0).reshape(2, 3))
    assert copied(x).strides == x.strides
    assert not np.shares_memory(copied(x), x)
    assert np.array_equal(copied(x), x)
