"""Kinds of functions and calls: keywords, defaults, methods, partials, pickling, threads."""

import functools
import pickle
import threading

import numpy as np
import pytest

import srcgrad as flow


def compiled(f):
    return flow.compile(f, target="python")


# ---- how a call spells its arguments ----
@compiled
def spelled(x, y=2.0, *, z=5.0):
    return x * y * y + z * x


@pytest.mark.parametrize(
    ("call", "want"),
    [
        (lambda g: g(3.0), (9.0, 12.0)),
        (lambda g: g(3.0, 1.0), (6.0, 6.0)),
        (lambda g: g(y=1.0, x=3.0), (6.0, 6.0)),
        (lambda g: g(3.0, z=0.0), (4.0, 12.0)),
    ],
)
def test_positions_follow_the_signature(call, want):
    assert call(flow.grad(spelled, (0, 1))) == want


def test_a_keyword_only_argument_has_a_position_too():
    assert flow.grad(spelled, 2)(3.0) == 3.0


def test_star_arguments():
    @compiled
    def f(x, *rest, **named):
        return x * rest[0] * rest[1] * named["k"]

    assert flow.grad(f)(2.0, 3.0, 4.0, k=5.0) == 60.0
    assert flow.grad(f, 1)(2.0, 3.0, 4.0, k=5.0) == 40.0
    assert flow.grad(f, (1, 2))(2.0, 3.0, 4.0, k=5.0) == (40.0, 30.0)


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_kinds_of_arguments_are_told_apart_at_every_call(target):
    def f(x, a):
        return np.sum(x * x) * a

    g, base = flow.grad(flow.compile(f, target=target)), np.arange(12.0)
    kinds = [
        base, base[:1], base[::2], base.astype(np.float32), base.reshape(3, 4), base.reshape(12, 1),
        base.reshape(3, 4).T, np.array(2.0), 2.0, np.float32(2.0), base,
    ]  # fmt: skip
    for _ in range(2):
        for x in kinds:
            for a in (2.0, 3, np.float32(2.0), True):
                got = g(x, a)
                assert np.shape(got) == np.shape(x) and np.allclose(got, 2.0 * np.asarray(x) * a)
                assert type(got) is type(x)


# ---- callables ----
class Spring:
    stiffness = 3.0

    def energy(self, x):
        return 0.5 * self.stiffness * x * x

    def __call__(self, x):
        return self.energy(x)

    @flow.compile(target="python")
    def compiled_energy(self, x):
        return self.stiffness * x * x

    @staticmethod
    def double(x):
        return 2.0 * x


def scaled(x, a, b=1.0):
    return a * x * x + b * x


def scaled_once(x):
    return x * x


SPRING = Spring()


def tripled(f):
    @functools.wraps(f)
    def wrapper(*args, **named):
        return 3.0 * f(*args, **named)

    return wrapper


@pytest.mark.parametrize(
    ("f", "want"),
    [
        (tripled(scaled_once), 12.0),
        (SPRING.energy, 6.0),
        (SPRING, 6.0),
        (Spring.double, 2.0),
        (functools.partial(scaled, a=3.0), 13.0),
        (functools.partial(functools.partial(scaled, b=0.0), a=3.0), 12.0),
        (lambda x: x * x * x, 12.0),
    ],
    ids=[
        "decorated",
        "method",
        "instance",
        "staticmethod",
        "partial",
        "partial of partial",
        "lambda",
    ],
)
def test_callables(f, want):
    assert flow.grad(compiled(f))(2.0) == want


def test_an_attribute_is_read_afresh():
    spring = Spring()
    g = flow.grad(compiled(spring.energy))
    assert g(2.0) == 6.0
    spring.stiffness = 5.0
    assert g(2.0) == 10.0


def test_a_compiled_method():
    assert SPRING.compiled_energy(2.0) == 12.0
    assert flow.grad(SPRING.compiled_energy)(2.0) == 12.0


# ---- the object itself ----
@flow.compile(target="python")
def module_level(x):
    return x * x


module_gradient = flow.grad(module_level)


@pytest.mark.parametrize("name", ["module_level", "module_gradient"])
def test_pickling(name):
    object_ = globals()[name]
    assert object_(3.0) == (9.0 if name == "module_level" else 6.0)
    again = pickle.loads(pickle.dumps(object_))
    assert again(3.0) == object_(3.0)
    assert repr(again) == repr(object_)


def test_repr():
    assert repr(module_level) == "<srcgrad.compile of module_level(x) on python>"
    assert repr(module_gradient) == "<srcgrad.grad of module_level(x) on python>"
    second = flow.value_and_grad(flow.grad(spelled, 1), (0, 2))
    shown = "value_and_grad(0, 2) of grad(1) of spelled(x, y=2.0, *, z=5.0)"
    assert repr(second) == f"<srcgrad.{shown} on python>"


def test_it_looks_like_the_function():
    assert module_level.__name__ == "module_level" and module_level.__doc__ is None
    assert spelled.__wrapped__(1.0) == 9.0


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_threads_may_make_the_first_call_together(target):
    def f(x):
        s = 0.0
        for i in range(len(x)):
            s += x[i] * x[i]
        return s

    g, results = flow.grad(flow.compile(f, target=target)), {}
    barrier = threading.Barrier(4)

    def work(k):
        barrier.wait()
        results[k] = g(np.full(3, float(k))).tolist()

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert results == {k: [2.0 * k] * 3 for k in range(4)}
    assert len(g._entries) == 1
