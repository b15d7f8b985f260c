"""What a call that raises leaves behind, and what a function that is dropped: nothing."""

import gc
import linecache
import logging
import sys
import warnings
import weakref

import numpy as np
import pytest
import scipy.linalg

import srcgrad as flow
from srcgrad.backends.cpu import loading

X = np.array([0.5, 1.5, 2.5])


def out_of_range(x, k):
    return x[k] * 2.0


def of_two_lengths(x, k):
    return np.sum(x * np.ones(k))


def raised(x, k):
    if x[0] < k:
        raise ValueError("small")
    return x[0]


def singular(x, k):
    return np.sum(np.linalg.inv(np.diag(x * 0.0)))


def no_root(x, k):
    return np.sum(scipy.linalg.sqrtm(np.array([[0.0, 1.0], [0.0, 0.0]]) * x[0]).real)


def of_the_user(x):
    raise KeyError(f"text of {float(x[0])}")


opaque = flow.opaque(of_the_user, lambda x: x)


def called_back(x, k):
    return np.sum(opaque(x))


def warned(x, k):
    warnings.warn("it is small", RuntimeWarning, stacklevel=1)
    return np.sum(x)


def too_large(x, k):
    return np.zeros(k * 10**12)[k] + x[0]


FAILING = (
    out_of_range, of_two_lengths, raised, singular, no_root, called_back, warned, too_large,
)  # fmt: skip


@pytest.mark.parametrize("fn", FAILING, ids=lambda f: f.__name__)
@pytest.mark.filterwarnings("error:it is small")
def test_a_call_that_raises_leaves_nothing(fn):
    f = flow.compile(fn)
    for k in range(20):
        failing(f, k)
    # once: the test runner's own threads may make objects meanwhile
    assert any(blocks_left(f) < 150 for _ in range(3))


def blocks_left(f):
    """The blocks of memory that 300 calls leave with Python; each left three and more."""
    gc.collect()
    before = sys.getallocatedblocks()
    for k in range(300):
        failing(f, 1000 + k)  # small integers are shared
    gc.collect()
    return sys.getallocatedblocks() - before


def failing(f, k):
    try:
        f(X, 1000 + k)
    except (IndexError, ValueError, KeyError, RuntimeWarning, np.linalg.LinAlgError, MemoryError):
        return
    raise AssertionError("nothing was raised")


# ---- functions that are dropped ----
def call_once(number, target):
    """Make a function that no other is like, differentiate it, call it and drop it."""
    file, scope = f"<made {number}>", {"np": np}
    text = f"def f(x):\n    return np.sum(np.sin(x) * x * {number}.5)\n"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    exec(compile(text, file, "exec"), scope)
    flow.value_and_grad(flow.compile(scope["f"], target=target, cache=False))(X)
    del linecache.cache[file]


@pytest.mark.parametrize(("target", "times"), [("cpu", 12), ("python", 60)])
def test_what_was_made_of_a_function_goes_with_it(monkeypatch, target, times):
    """Its engine with the machine code, its texts, its modules."""
    engines, load = [], loading.loaded

    def loaded(code):
        engine = load(code)
        engines.append(weakref.ref(engine))
        return engine

    for k in range(3):
        call_once(k, target)
    monkeypatch.setattr(loading, "loaded", loaded)
    gc.collect()
    modules, texts, stays = set(sys.modules), set(linecache.cache), len(loading._engines)
    for k in range(3, 3 + times):
        call_once(k, target)
    gc.collect()
    assert len(engines) == (times if target == "cpu" else 0)
    assert not [e for e in engines if e() is not None] and len(loading._engines) == stays
    assert {m for m in set(sys.modules) - modules if "srcgrad" in m} == set()
    assert {t for t in set(linecache.cache) - texts if "srcgrad" in t} == set()


def test_texts_of_equal_functions_are_found_until_the_last_is_dropped():
    def made():
        return flow.compile(lambda x: np.sum(x * 3.0), target="python")

    first, second = made(), made()
    before = set(linecache.cache)
    first(X), second(X)
    (file,) = {t for t in set(linecache.cache) - before if t.startswith("<srcgrad ")}
    del first
    gc.collect()
    assert file in linecache.cache and second(X) == pytest.approx(13.5)


def test_machine_code_lives_as_long_as_its_function():
    """Results and exceptions do too, whose function is gone."""
    g = flow.value_and_grad(flow.compile(lambda x, k: np.sum(x * x) * x[k], cache=False))
    _, gradient = g(X, 0)
    with pytest.raises(IndexError) as error:
        g(X, 9)
    del g
    gc.collect()
    np.testing.assert_allclose(gradient[0], np.sum(X * X) + 2 * X[0] * X[0])
    assert "index 9" in str(error.value) and logging.getLogger("srcgrad")
