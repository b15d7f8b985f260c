"""Random draws in compiled code: the numbers of plain Python, once each, in order."""

import dataclasses
import math
import random

import numpy as np
import pytest

import srcgrad as flow
from tests.draws.streams import MAKERS, check, check_gradient, same, state_of

X = np.array([1.0, 2.0, 3.0])


# ---- the global generators ----
def scalars(x):
    return x * np.random.normal(x, 2.0) + np.random.rand() - np.random.uniform(1.0, x)


def arrays(x):
    a, b = np.random.randn(3, 4), np.random.random_sample((4, 2))
    return np.random.normal(x, 0.5, (3, 2)) + a[:, :2] * b[:3], np.random.standard_normal(5)


def of_python(x):
    return x * random.random(), random.random()


def bare(x):
    return np.random.normal(), np.random.uniform(), np.random.random(), np.random.standard_normal()


@pytest.mark.parametrize("f", [scalars, arrays, of_python, bare])
def test_global_generators(f):
    check(f, 1.5)


# ---- generators that are passed ----
def in_loops(x, rng):
    s = 0.0
    for _ in range(5):
        if rng.uniform() < 0.5:
            s = s + rng.normal() * x
        else:
            s = s - rng.normal(x, 1.0)
        rng.normal()  # counts, although nobody reads it
    return s


def by_its_test(x, rng):
    s, n = 0.0, 0
    while rng.random() < 0.9:
        s = s + x * rng.standard_normal()
        n += 1
    return s * n


def helper(x, rng, scale=2.0):
    return rng.normal(x, scale, size=3)


def in_helpers(x, rng):
    return np.sum(helper(x, rng) * helper(x * x, rng, 0.5))


def of_one_form(x, rng):
    a = rng.normal(size=3)
    b = rng.normal(size=3)
    return np.sum((a - b) * x)


def in_both_branches(x, rng):
    if x > 1.0:
        y = rng.normal(size=2)
    else:
        y = rng.normal(size=2)
    if x > 1.0:
        z = rng.normal(size=2)
    else:
        z = rng.normal(size=2)
    return np.sum(x * y * z)


def overwritten(x, rng):
    y = rng.normal(size=4)
    s = 0.0
    for k in range(4):
        s = s + x * y[k] ** 2
        y[k] = rng.random()
    y *= 2.0
    return s + np.sum(y) * x


def in_a_try(x, rng):
    try:
        z = rng.normal()
        y = math.sqrt(x * z)
    except ValueError:
        y = rng.random() * x
    return y


def left_early(x, rng):
    for k in range(10):
        z = rng.normal(x, 1.0)
        if z > 1.0:
            return z * k
        if z < -5.0:
            break
    return x * z


def comprehension(x, rng):
    a, b, c = [x * rng.normal() for _ in range(3)]
    return a - b * c


PROGRAMS = [
    in_loops, by_its_test, in_helpers, of_one_form, in_both_branches, overwritten, in_a_try,
    left_early, comprehension,
]  # fmt: skip


@pytest.mark.parametrize("maker", MAKERS.values(), ids=MAKERS)
@pytest.mark.parametrize("f", PROGRAMS)
def test_generators_that_are_passed(f, maker):
    for x in (0.8, 1.5):
        check(f, x, maker=maker)
        check_gradient(f, x, maker)


@pytest.mark.parametrize("f", [in_loops, by_its_test, overwritten, in_both_branches])
def test_on_the_cpu(f):
    check(f, 1.5, maker=np.random.default_rng, target="cpu")
    check_gradient(f, 1.5, np.random.default_rng, target="cpu")


def of_parameters(w, rng):
    loc, scale = w[:2], np.exp(w[2:])
    a = rng.normal(loc, scale) + rng.normal(loc[:, None], scale, (3, 2, 2)).sum()
    return np.sum(a * rng.uniform(loc, loc + scale) ** 2)


@pytest.mark.parametrize("maker", MAKERS.values(), ids=MAKERS)
def test_parameters_that_broadcast(maker):
    w = np.array([0.2, -0.4, 0.1, 0.3])
    check(of_parameters, w, maker=maker)
    check_gradient(of_parameters, w, maker)


def sizes(x, n, rng):
    return rng.normal(x, 1.0, (n, 3)), rng.random((n, x.shape[0])), rng.normal(size=x.shape)


def test_sizes_of_the_run():
    for n in (0, 1, 4):
        check(sizes, X, n, maker=np.random.default_rng)


def single(x, rng):
    out = np.zeros(3)
    rng.random(out=out)
    made = rng.standard_normal(3, dtype=np.float32), rng.random(dtype=np.float32)
    return (*made, rng.random((2, 2), np.float32), out * x)


def test_dtypes_and_out():
    check(single, 2.0, maker=np.random.default_rng)


# ---- which generator ----
def shifted(x, rng):
    return x + rng.normal()


def test_one_program_is_for_all_generators():
    compiled = flow.compile(shifted, target="python")
    for seed in range(4):
        assert compiled(1.0, np.random.default_rng(seed)) == shifted(
            1.0, np.random.default_rng(seed)
        )
    assert len(list(compiled._entries)) == 1


held = np.random.default_rng(0)


def captured(x):
    return x * held.normal(x)


def test_a_captured_generator_is_the_one_of_the_moment():
    global held
    compiled, gradient = (flow.compile(f, target="python") for f in (captured, flow.grad(captured)))
    for seed in (0, 5):
        held, plain = np.random.default_rng(seed), np.random.default_rng(seed)
        assert compiled(2.0) == 2.0 * plain.normal(2.0)
        assert gradient(2.0) == pytest.approx(4.0 + plain.normal(0.0), rel=1e-12)
        assert state_of(held) == state_of(plain)
    held = np.random.RandomState(3)
    assert compiled(2.0) == 2.0 * np.random.RandomState(3).normal(2.0)


normal = held.normal


def bound(x):
    return x * normal(x, 2.0)


def test_a_bound_method():
    global normal
    for seed in (1, 2):
        normal = np.random.default_rng(seed).normal
        assert flow.compile(bound, target="python")(2.0) == 2.0 * np.random.default_rng(
            seed
        ).normal(2.0, 2.0)


@dataclasses.dataclass
class Walk:
    x: float
    rng: object

    def step(self, y):
        return self.x * y * self.rng.normal()


class Model:
    def __init__(self, seed):
        self.rng, self.noise = np.random.default_rng(seed), [random.Random(seed)]

    def loss(self, x):
        return x * self.rng.normal() + self.noise[0].random()


def walked(w, y):
    return w.step(y) + w.step(y)


def test_attributes_of_objects():
    a, b = Walk(2.0, np.random.default_rng(1)), Walk(2.0, np.random.default_rng(1))
    compiled = flow.compile(walked, target="python")
    assert same(compiled(a, 3.0), walked(b, 3.0)) and state_of(a.rng) == state_of(b.rng)
    found = flow.grad(compiled)(a, 3.0)
    assert found.x == pytest.approx(3.0 * (b.rng.normal() + b.rng.normal()))
    assert found.rng is None
    one, other = Model(1), Model(1)
    assert same(flow.compile(one.loss, target="python")(2.0), other.loss(2.0))
    assert flow.grad(one.loss)(2.0) == pytest.approx(other.rng.normal())


def of_several(generators, x):
    s = 0.0
    for g in generators:
        s = s + x * g.normal()
    return s


def test_one_generator_under_two_names_is_one_stream():
    compiled = flow.compile(of_several, target="python")
    for makers in ((1, 2), (1, 1)):
        a, b = ({s: np.random.default_rng(s) for s in makers} for _ in range(2))
        assert same(compiled([a[s] for s in makers], 2.0), of_several([b[s] for s in makers], 2.0))


def by_default(x, rng=None):
    rng = np.random if rng is None else rng
    assert isinstance(rng, np.random.Generator)
    return x * rng.normal()


def test_none_for_a_generator():
    check(by_default, 2.0, maker=np.random.default_rng)
