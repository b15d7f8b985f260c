"""Draws under transforms: once each, pathwise derivatives, and what is refused."""

import math
import random
import subprocess
import sys

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.errors import UnsupportedError
from tests.draws.streams import MAKERS, check, same, state_of

X = np.array([1.0, 2.0, 3.0])


# ---- transforms ----
def filled(x, rng):
    y = np.zeros(3)
    for i in range(3):
        y[i] = x[i] * rng.normal() + x[0] * rng.random()
        y[i] = y[i] ** 2
    return y


def total(x, rng):
    return np.sum(filled(x, rng))


def columns(f, x, step=1e-6):
    units = np.eye(3) * step
    given = [
        (f(x + e, MAKERS["default_rng"](3)), f(x - e, MAKERS["default_rng"](3))) for e in units
    ]
    return np.stack([(a - b) / (2.0 * step) for a, b in given], axis=-1)


def test_all_rows_of_a_jacobian_are_of_one_run():
    left = np.random.default_rng(3)
    filled(X, left)
    for transform in (flow.jacobian, flow.jacfwd, flow.jacrev):
        given = np.random.default_rng(3)
        np.testing.assert_allclose(transform(filled)(X, given), columns(filled, X), rtol=1e-6)
        assert state_of(given) == state_of(left)
    gradient = flow.grad(total)
    given = np.random.default_rng(3)
    wanted = columns(gradient, X)
    np.testing.assert_allclose(flow.hessian(total)(X, given), wanted, rtol=1e-5)
    assert state_of(given) == state_of(left)
    given, v = np.random.default_rng(3), np.array([1.0, -2.0, 0.5])
    np.testing.assert_allclose(flow.hvp(total)(X, v, given), wanted @ v, rtol=1e-5)
    assert state_of(given) == state_of(left)


def test_products_are_of_the_run_of_the_value():
    given, plain = np.random.default_rng(3), np.random.default_rng(3)
    out, dots = flow.jvp(filled, (X, given), (np.ones(3), None))
    assert same(out, filled(X, plain))
    np.testing.assert_allclose(dots, columns(filled, X) @ np.ones(3), rtol=1e-6)
    given = np.random.default_rng(3)
    out, pull = flow.vjp(filled, X, given)
    assert same(out, filled(X, np.random.default_rng(3))) and state_of(given) == state_of(plain)
    given.normal()
    for _ in range(2):
        np.testing.assert_allclose(pull(np.ones(3))[0], np.ones(3) @ columns(filled, X), rtol=1e-6)
    plain.normal()
    assert state_of(given) == state_of(plain)


def seeded_by_the_machine(x):
    a, b, c = np.random.default_rng(), np.random.RandomState(), random.Random()
    np.random.seed()
    return x * (a.normal() + b.rand(3) * c.random() + np.random.randn(3))


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_products_are_of_the_run_of_the_value_where_the_machine_chose_the_seeds(target):
    f = flow.compile(seeded_by_the_machine, target=target, cache=False)
    out, pull = flow.vjp(f, 2.0)
    for _ in range(2):  # linear: of another run the sum would be another one
        np.testing.assert_allclose(pull(np.ones(3))[0], np.sum(out) / 2.0, rtol=1e-12)
    assert not np.array_equal(f(2.0), out)


def shifted(x, rng):
    return x + rng.normal()


def test_items_of_a_batch_draw_in_order():
    given, plain = np.random.default_rng(3), np.random.default_rng(3)
    batched = flow.vmap(shifted, in_axes=(0, None))
    assert same(batched(X, given), np.array([shifted(x, plain) for x in X]))
    assert state_of(given) == state_of(plain)


def test_the_tape_has_the_same_gradient():
    recorded = flow.grad(total, mode="tape")(X, np.random.default_rng(3))
    found = flow.grad(total)(X, np.random.default_rng(3))
    np.testing.assert_allclose(found, recorded, rtol=1e-12)


def test_the_check_of_gradients_draws_nothing_more(monkeypatch):
    monkeypatch.setenv("SRCGRAD_CHECK", "1")
    given, plain = np.random.default_rng(3), np.random.default_rng(3)
    flow.grad(lambda x, rng: total(x, rng))(X, given)
    total(X, plain)
    assert state_of(given) == state_of(plain)


# ---- what raises, and what is refused ----
def wrong(x, rng):
    a = rng.random()
    return a + rng.normal(0.0, x)


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_a_wrong_parameter_leaves_the_generator_as_numpy_does(target):
    for scale in (-1.0, -0.0):
        given, plain = np.random.default_rng(3), np.random.default_rng(3)
        with pytest.raises(ValueError, match="scale < 0"):
            wrong(scale, plain)
        with pytest.raises(ValueError, match="scale < 0"):
            flow.compile(wrong, target=target)(scale, given)
        assert state_of(given) == state_of(plain)


def raises_after(x, rng):
    try:
        y = math.sqrt(x * rng.normal() - 5.0)
    except ValueError:
        y = rng.random() * x
    return y


def raises_in_a_loop(x, rng):
    s = 0.0
    try:
        for _ in range(3):
            s += rng.normal()
            if s > x:
                raise ValueError
    except ValueError:
        s = rng.random() * x
    return s


def in_segments(x, rng):
    for _ in flow.checkpointed(range(10)):
        x = x + 0.1 * np.sin(x) * rng.normal()
    return x


generator = np.random.default_rng(0)


@flow.checkpoint
def step(x):
    return x * generator.normal()


def recomputed(x, rng):
    return step(x) * 2.0


def pulled(x, rng):
    def f(y):
        return y * y * rng.normal()

    _, pull = flow.vjp(f, x)
    return pull(1.0)[0]


@pytest.mark.parametrize(
    ("f", "said"),
    [
        (flow.compile(raises_after), "in a 'try'"),
        (flow.compile(raises_in_a_loop), "in a 'try'"),
        (flow.grad(in_segments), "runs its trips again"),
        (flow.grad(recomputed), "runs what was run before"),
        (flow.compile(pulled), "runs the function again"),
    ],
)
def test_what_would_draw_again_is_refused(f, said):
    given = np.random.default_rng(3)
    before = state_of(given), state_of(generator)
    with pytest.raises(UnsupportedError, match=said):
        f(1.0, given)
    assert (state_of(given), state_of(generator)) == before


def test_a_loop_with_segments_runs_without_a_derivative():
    check(in_segments, 1.0, maker=np.random.default_rng)


def test_sparsity_is_refused():
    with pytest.raises(UnsupportedError, match="random numbers are drawn"):
        flow.sparsity(filled, X, np.random.default_rng(3))


PROCESS = """
import numpy as np, srcgrad as flow

def f(x, rng):
    s = 0.0
    for _ in range(4):
        s = s + rng.normal(x, 2.0) * np.random.normal()
    return s

np.random.seed(4)
print(flow.compile(f)(1.5, np.random.default_rng(3)))
np.random.seed(4)
print(f(1.5, np.random.default_rng(3)))
"""


def test_a_program_of_the_cache_draws_as_the_first_did(tmp_path, monkeypatch):
    monkeypatch.setenv("SRCGRAD_CACHE_DIR", str(tmp_path))
    file = tmp_path / "program.py"
    file.write_text(PROCESS)
    for _ in range(2):
        run = subprocess.run([sys.executable, file], capture_output=True, text=True, check=True)
        one, other = run.stdout.split()
        assert one == other


def test_the_package_does_not_import_numpy_random():
    code = "import srcgrad, sys; print('numpy.random' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "False\n"


@pytest.mark.parametrize("generator", [np.random.default_rng(0), random.Random(1)])
def test_a_generator_has_no_gradient(generator):
    with pytest.raises(TypeError, match="only floats have gradients") as found:
        flow.grad(lambda x, rng: x * rng.random(), 1)(1.0, generator)
    assert "choose another argument" in str(found.value)
