"""Generators that programs make and seed themselves."""

import numbers
import random

import numpy as np
import pytest

import srcgrad as flow
from tests.draws.streams import check, global_state, same, seeded, state_of


def of_a_seed(x, seed):
    rng = np.random.default_rng(seed)
    return x * rng.normal(size=3)


def of_a_known_seed(x, seed):
    rng, other = np.random.default_rng(7), np.random.default_rng(7)
    return x * (rng.normal() - other.random()), rng.normal() - other.random()


def of_a_state(x, seed):
    rng = np.random.RandomState(seed)
    return x * rng.normal(size=3) + rng.rand()


def of_python(x, seed):
    one, other = random.Random(seed), random.Random("seed")
    return x * one.random() - other.random()


def one_for_each_trip(x, seed):
    s = 0.0
    for k in range(4):
        rng = np.random.default_rng(seed + k)
        for _ in range(3):
            s = s + x * rng.normal()
    return s


def several(x, seed):
    streams = [np.random.default_rng([seed, k]) for k in range(3)]
    s = 0.0
    for _ in range(2):
        for rng in streams:
            s = s * 0.5 + x * rng.random()
    return s


def seeded_inside(x, seed):
    np.random.seed(seed)
    random.seed(seed + 1)
    a = np.random.normal() * random.random()
    np.random.seed(3)
    random.seed(4)
    return x * a + np.random.rand() - random.random()


def check_random_state(seed):
    """As scikit-learn and SciPy write it."""
    if seed is None or seed is np.random:
        return np.random.mtrand._rand
    if isinstance(seed, numbers.Integral | np.integer):
        return np.random.RandomState(seed)
    if isinstance(seed, np.random.RandomState | np.random.Generator):
        return seed
    raise ValueError(f"{seed!r} cannot be used to seed a RandomState instance")


def by_the_helper(x, seed):
    return x * check_random_state(seed).normal(size=2)


class Sampler:
    def __init__(self, seed=None):
        self.rng = np.random.default_rng(seed)

    def draw(self, scale):
        return scale * self.rng.normal()


def in_an_object(x, seed):
    sampler = Sampler(seed)
    return sampler.draw(x) + sampler.draw(2.0 * x)


def of_bits(x, seed):
    bits = np.random.PCG64(seed)
    one, other = np.random.Generator(bits), np.random.default_rng(bits)
    third = np.random.Generator(np.random.SFC64(3))
    return x * one.normal() - other.normal() * one.random(), third.random()


PROGRAMS = [
    of_bits,
    of_a_seed, of_a_known_seed, of_a_state, of_python, one_for_each_trip, several, seeded_inside,
    by_the_helper, in_an_object,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS)
def test_made_inside(f):
    for seed in (3, 4):
        check(f, 1.5, seed)


@pytest.mark.parametrize("f", [of_a_state, one_for_each_trip, several, seeded_inside])
def test_on_the_cpu(f):
    check(f, 1.5, 3, target="cpu")


@pytest.mark.parametrize("f", [one_for_each_trip, several, seeded_inside, in_an_object])
def test_gradients(f):
    seeded(1)
    found = flow.grad(f)(1.5, 3)
    state = global_state()
    seeded(1)
    low = f(1.0, 3)
    assert state == global_state()
    seeded(1)
    assert found == pytest.approx(f(2.0, 3) - low, rel=1e-12)


def test_the_helper_takes_generators():
    for maker in (np.random.default_rng, np.random.RandomState):
        given, plain = maker(2), maker(2)
        compiled = flow.compile(by_the_helper, target="python")
        assert same(compiled(1.5, given), by_the_helper(1.5, plain))
        assert state_of(given) == state_of(plain)
    check(by_the_helper, 1.5, None)


def by_none(x, rng=None):
    rng = np.random.default_rng() if rng is None else rng
    return x * rng.normal()


def test_a_generator_without_a_seed():
    compiled = flow.compile(by_none, target="python")
    assert compiled(1.0) != compiled(1.0)
    assert compiled(1.0, np.random.default_rng(3)) == by_none(1.0, np.random.default_rng(3))


def given_back(seed):
    rng = np.random.default_rng(seed)
    rng.normal()
    return rng, seed * 2.0


def passed_through(rng, x):
    return np.random.default_rng(rng), x * rng.normal()


def test_generators_are_results():
    made, _ = flow.compile(given_back, target="python")(3)
    assert state_of(made) == state_of(given_back(3)[0])
    rng = np.random.default_rng(3)
    assert flow.compile(passed_through, target="python")(rng, 2.0)[0] is rng


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_a_wrong_seed_raises_as_numpy_does(target):
    for f in (of_a_seed, of_a_state):
        with pytest.raises(ValueError) as plain:
            f(1.0, -1)
        with pytest.raises(ValueError) as ours:
            flow.compile(f, target=target)(1.0, -1)
        assert str(plain.value) in str(ours.value)


def of_given_bits(x, bits):
    return x * np.random.Generator(bits).normal()


def test_a_source_of_bits_that_is_passed():
    for maker in (np.random.PCG64, np.random.Philox, np.random.MT19937):
        ours, plain = maker(3), maker(3)
        compiled = flow.compile(of_given_bits, target="python")
        for _ in range(2):
            assert compiled(2.0, ours) == of_given_bits(2.0, plain)
        assert str(ours.state) == str(plain.state)


def of_bits_of_the_machine(x):
    return x * np.random.Generator(np.random.PCG64()).normal(size=3)


def test_products_are_of_the_run_of_the_value():
    bits = np.random.PCG64(3)
    out, pull = flow.vjp(of_given_bits, 2.0, bits)
    after = str(bits.state)
    for _ in range(2):
        assert pull(1.0)[0] == out / 2.0
    assert str(bits.state) == after
    out, pull = flow.vjp(of_bits_of_the_machine, 2.0)
    np.testing.assert_allclose(pull(np.ones(3))[0], np.sum(out) / 2.0, rtol=1e-12)


def test_many_generators_are_forgotten():
    from srcgrad.tree import random_generators

    compiled = flow.compile(by_none, target="python")
    for seed in range(3000):
        compiled(1.0, np.random.default_rng(seed))
    assert len(random_generators._known) < 2500
