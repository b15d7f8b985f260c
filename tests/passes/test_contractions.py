"""Contractions: loops that multiply and sum are products of matrices, where that is right."""

from types import FunctionType

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.frontend.requirements import Requirements
from srcgrad.ir.nodes import Def, For
from srcgrad.ir.walk import walk
from srcgrad.passes import checking, without
from srcgrad.passes.contractions.nests import Nest
from srcgrad.primitives import arrays
from srcgrad.testing import gradcheck
from srcgrad.transforms.specs import Primal
from tests.tools.products import small_products

rng = np.random.default_rng(0)
A, B = rng.normal(size=(4, 3)), rng.normal(size=(3, 5))


def products(f, *args):
    """The number of products of matrices in a program, before it is differentiated."""
    names = f.__code__.co_varnames[: f.__code__.co_argcount]
    program = Primal(f).program(dict(zip(names, args, strict=True)), Requirements())
    return sum(isinstance(s, Def) and s.op is arrays.matmul for s in walk(program.function.body))


def anew(f):
    """The same function, as one that was not compiled before."""
    return FunctionType(f.__code__, f.__globals__, f.__name__, f.__defaults__, f.__closure__)


def outcome(f, args, target):
    """The value, the gradients and the arguments afterwards, or what is raised."""
    args = [np.copy(a, order="K") if isinstance(a, np.ndarray) else a for a in args]
    try:
        value = flow.compile(anew(f), target=target)(*args)
    except Exception as error:
        return type(error).__mro__[-4:-2], str(error).splitlines()[0], [np.copy(a) for a in args]
    g = flow.grad(flow.compile(anew(f), target=target), tuple(range(len(args))))
    return value, g(*args), [np.copy(a) for a in args]


def same(f, *args, target="python"):
    """Checks that a program with products does what it does without, and returns the outcome."""
    with small_products(), checking():
        new = outcome(f, args, target)
    with without("contractions"):
        old = outcome(f, args, target)
    if isinstance(old[1], str):
        assert new[:2] == old[:2]
    else:
        for a, b in zip((new[0], *new[1]), (old[0], *old[1]), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-13)
    for a, b in zip(new[2], old[2], strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-13, atol=1e-14)
    return new


# ---- loops that are products ----
def added(a, b):
    y = np.zeros((len(a), b.shape[1]))
    for i in range(len(a)):
        for j in range(b.shape[1]):
            for k in range(len(b)):
                y[i, j] += a[i, k] * b[k, j]
    return np.sum(np.sin(y))


def outer_sum(a, b):
    y = np.ones((len(a), b.shape[1]))
    for k in range(len(b)):
        for j in range(b.shape[1]):
            for i in range(len(a)):
                y[i, j] -= a[i, k] * (2.0 * b[k, j])
    return np.sum(np.sin(y))


def turned(a, b):
    y = np.zeros((b.shape[1], len(a)))
    for j in range(b.shape[1]):
        for k in range(len(b)):
            for i in range(len(a)):
                y[j, i] += 0.5 * b[k, j] * a[i, k]
    return np.sum(np.sin(y))


def number(a, b):
    y = np.zeros((len(a), b.shape[1]))
    for i in range(len(a)):
        for j in range(b.shape[1]):
            s = 0.0
            for k in range(len(b)):
                s += a[i, k] * b[k, j]
            y[i, j] = s
    return np.sum(np.sin(y))


def of_rows(a, b):
    total = 0.0
    for i in range(len(a)):
        row = a[i]
        for j in range(b.shape[1]):
            s = 0.1 * j
            for k in range(len(b)):
                s = s + row[k] * b[k][j]
            total += np.sin(s) * s if s > 0.0 else s
    return total


def from_elements(a, b):
    y = np.ones((len(a), b.shape[1]))
    for i in range(len(a)):
        for j in range(b.shape[1]):
            for k in range(len(b)):
                y[i, j] = y[i, j] + a[i, k] * b[k, j]
    return np.sum(np.sin(y))


def parts(a, b):
    y = np.zeros((6, 8))
    for i in range(1, len(a)):
        for j in range(b.shape[1] - 1, 0, -1):
            for k in range(2):
                y[i, 2 * j - 1] += a[i - 1, k + 1] * b[1 - k, j - 1]
    return np.sum(np.sin(y))


def windows(a, b):
    m = len(a) - 1
    y = np.zeros((m, b.shape[1] - 1))
    for i in range(m):
        for j in range(b.shape[1] - 1):
            for k in range(2):
                y[i, j] += a[i + k, 2] * b[k, j]
    return np.sum(np.sin(y))


def spread(a, b):
    y = np.zeros(b.shape[1] + len(a) - 1)
    for i in range(len(a)):
        for j in range(b.shape[1]):
            for k in range(len(b)):
                y[i + j] += a[i, k] * b[k, j]
    return np.sum(np.sin(y))


def computed(a, b):
    y = np.zeros((len(a), b.shape[1]))
    for k in range(len(b)):
        w = np.cos(a[0, k])
        for i in range(len(a)):
            for j in range(b.shape[1]):
                y[i, j] += (a[i, k] - a[0, k]) * w * np.exp(b[k, j])
    return np.sum(np.sin(y))


def one_array(a, b):
    y = np.zeros((len(a), len(a)))
    for i in range(len(a)):
        for j in range(len(a)):
            for k in range(a.shape[1]):
                y[i, j] += a[i, k] * a[j, k]
    return np.sum(np.sin(y)) + b[0, 0]


def in_time(a, b):
    y = np.zeros((len(a), b.shape[1]))
    for _ in range(2):
        for i in range(len(a)):
            for j in range(b.shape[1]):
                for k in range(len(b)):
                    y[i, j] += a[i, k] * b[k, j]
        b = np.sin(b) * y[0, 0]
        a[:, 0] = y[:, 1]
    return np.sum(np.sin(y))


def in_singles(a, b):
    y = np.zeros((len(a), b.shape[1]), np.float32)
    for i in range(len(a)):
        for j in range(b.shape[1]):
            for k in range(len(b)):
                y[i, j] += np.float32(a[i, k]) * np.float32(b[k, j])
    return np.sum(np.sin(y * 1.0))


def per_trip(a, b):
    y = np.ones(b.shape[1])
    total = 0.0
    for i in range(len(a)):
        y[:] = 0.1
        for k in range(len(b)):
            for j in range(b.shape[1]):
                y[j] += a[i, k] * b[k, j]
        total += np.sum(np.sin(y)) * y[0]
    return total + y[1]


def made_per_trip(a, b):
    total = 0.0
    for i in range(len(a)):
        y = np.ones(b.shape[1]) * a[i, 0]
        z = y[::-1]
        for k in range(len(b)):
            for j in range(1, b.shape[1]):
                z[j - 1] -= 0.5 * a[i, k] * b[k, j]
        total += np.sum(np.sin(y)) * y[0]
    return total


def rows_per_trip(a, b):
    y = np.ones((len(a), b.shape[1]))
    for i in range(len(a)):
        y[i] *= 0.5
        for k in range(len(b)):
            for j in range(b.shape[1]):
                y[i, j] += a[i, k] * b[k, j]
        y[i, 0] += np.sin(y[0, 1])
    return np.sum(np.sin(y))


PRODUCTS = (
    added, outer_sum, turned, number, of_rows, from_elements, parts, windows, spread, computed,
    one_array, in_time, in_singles, per_trip, made_per_trip, rows_per_trip,
)  # fmt: skip


@pytest.mark.parametrize("f", PRODUCTS)
def test_a_product(f):
    with small_products():
        assert products(f, A, B) == 1
    if f is in_singles:
        return
    same(f, A, B)
    with small_products():
        gradcheck(anew(f), (A, B), target="python", order=2)


@pytest.mark.parametrize("f", [outer_sum, of_rows, parts, windows, spread, in_time, made_per_trip])
def test_a_product_as_machine_code(f):
    same(f, A, B, target="cpu")


def layouts():
    big = rng.normal(size=(8, 9))
    yield A.copy(order="F"), B.copy(order="F")
    yield big[::2, ::3], big[1:4, 1:6]
    yield big[3::-1, 2::-1], big[2::-1, 4::-1]
    yield np.zeros((0, 3)), B
    yield A, np.zeros((3, 0))
    yield np.zeros((4, 0)), np.zeros((0, 5))
    yield A[:1], B
    yield A, B[:, :1]
    yield A[:, :1], B[:1]
    yield big[:5, :5], big[:5, :5]
    fixed = A.copy()
    fixed.flags.writeable = False
    yield fixed, B


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("f", [added, number])
def test_any_layout_and_length(f, target):
    for args in layouts():
        same(f, *args, target=target)


def elements(a, b):
    y = np.zeros((len(a), b.shape[1]))
    for i in range(len(a)):
        for j in range(b.shape[1]):
            for k in range(len(b)):
                y[i, j] += a[i, k] * b[k, j]
    return y


def test_what_is_not_finite_stays():
    b = B.copy()
    b[1, 2], b[2, 0], b[0, 4] = np.inf, np.nan, -np.inf
    for a in (np.zeros((4, 3)), A):
        with small_products(), np.errstate(invalid="ignore"):
            found = flow.compile(anew(elements), target="python")(a, b)
            np.testing.assert_array_equal(np.isnan(found), np.isnan(elements(a, b)))


# ---- loops that stay ----
def triangle(a, b):
    y = np.zeros((4, 5))
    for i in range(4):
        for j in range(i, 5):
            for k in range(3):
                y[i, j] += a[i, k] * b[k, j]
    return np.sum(y)


def conditional(a, b):
    y = np.zeros((4, 5))
    for i in range(4):
        for j in range(5):
            for k in range(3):
                if a[i, k] > 0.0:
                    y[i, j] += a[i, k] * b[k, j]
    return np.sum(y)


def until(a, b):
    y = np.zeros((4, 5))
    for i in range(4):
        for j in range(5):
            for k in range(3):
                if k > i:
                    break
                y[i, j] += a[i, k] * b[k, j]
    return np.sum(y)


def in_place(a, b):
    for i in range(4):
        for j in range(3):
            for k in range(3):
                a[i, j] += a[i, k] * b[k, j]
    return np.sum(a)


def by_views(a, b):
    c = a[:, 1:]
    for i in range(4):
        for j in range(2):
            for k in range(3):
                c[i, j] += a[i, k] * b[k, j]
    return np.sum(a)


def changed_meanwhile(a, b):
    y = np.zeros((4, 5))
    for i in range(4):
        for j in range(5):
            s = 0.0
            for k in range(3):
                s += a[i, k] * b[k, j]
            y[i, j] = s
            b[0, j] = 0.5 * s
    return np.sum(y)


def changed_between(a, b):
    y = np.zeros(b.shape[1])
    total = 0.0
    for i in range(len(a)):
        for k in range(len(b)):
            for j in range(len(y)):
                y[j] += a[i, k] * b[k, j]
        b[1, 2] = np.sin(y[0])
        total += y[2]
    return total


def of_the_sum(a, b):
    y = np.zeros((4, 5))
    for i in range(4):
        for j in range(5):
            s = 0.0
            for k in range(3):
                s += a[i, k] * b[k, j] * s
            y[i, j] = s
    return np.sum(y)


def several(a, b):
    y = np.zeros((4, 5))
    for i in range(4):
        for j in range(5):
            for _ in range(2):
                for k in range(3):
                    y[i, j] += a[i, k] * b[k, j]
    return np.sum(y)


def of_three(a, b):
    y = np.zeros((4, 5))
    for i in range(4):
        for j in range(5):
            for k in range(3):
                y[i, j] += a[i, k] * b[k, j] * a[j % 4, 0] * np.sin(a[i, 0] * b[0, j])
    return np.sum(y)


def wider(a, b):
    y = np.zeros((4, 5))
    x, z = a.astype(np.float32), b.astype(np.float32)
    for i in range(4):
        for j in range(5):
            for k in range(3):
                y[i, j] += x[i, k] * z[k, j]
    return np.sum(y)


def of_integers(a, b):
    y, x = np.zeros((4, 5), int), np.arange(12).reshape(4, 3)
    for i in range(4):
        for j in range(5):
            for k in range(3):
                y[i, j] += x[i, k] * x[k, j % 3]
    return np.sum(a[0] * y[0, :3]) + b[0, 0]


LOOPS = (
    triangle, conditional, until, in_place, by_views, changed_meanwhile,
    changed_between, of_the_sum, several,
    of_three, wider, of_integers,
)  # fmt: skip


@pytest.mark.parametrize("f", LOOPS)
def test_loops_that_stay(f):
    with small_products():
        assert products(f, A, B) == 0
    same(f, A, B)


def stored(y, a, b):
    for i in range(4):
        for j in range(5):
            for k in range(3):
                y[i, j] += a[i, k] * b[k, j]
    return np.sum(y)


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_an_argument_that_is_also_stored_to(target):
    same(stored, np.zeros((4, 5)), A, B, target=target)
    x = rng.normal(size=(6, 6))
    f = flow.compile(anew(stored), target=target)
    whole, low, high, right = np.s_[:], np.s_[:4], np.s_[2:], np.s_[:, 1:]
    for at, of in ((whole, whole), (low, high), (right, whole)):
        want, found = x.copy(), x.copy()
        value = stored(want[at], want[of], B)
        with small_products():
            np.testing.assert_allclose(f(found[at], found[of], B), value, rtol=1e-12)
        np.testing.assert_allclose(found, want, rtol=1e-12)


@pytest.mark.parametrize(
    ("a", "b"), [(A[:, :2], B), (A, B[:, :4]), (A[:3], B), (A, B[:2]), (A[:3, :1], B[:1])]
)
def test_places_out_of_bounds(a, b):
    kind, message, _ = same(stored, np.zeros((4, 5)), a, b)
    assert LookupError in kind and "out of bounds" in message


def wrapped(a, b):
    y = np.zeros((4, 5))
    for i in range(4):
        for j in range(5):
            for k in range(3):
                y[i, j] += a[i + 1 - len(b), k] * b[k, j]
    return np.sum(np.sin(y))


def test_places_before_the_first_count_from_the_last():
    with small_products():
        assert products(wrapped, A, B) == 1
    same(wrapped, A, B)


# ---- sizes and settings ----
@pytest.mark.parametrize("lengths", [(7, 9, 300), (300, 7, 9), (9, 300, 7), (8, 8, 63)])
def test_short_loops_run_as_loops(lengths):
    n, k, m = lengths
    a, b = rng.normal(size=(n, k)), rng.normal(size=(k, m))
    assert products(elements, a, b) == 1
    found = flow.compile(anew(elements), target="python")(a, b)
    np.testing.assert_array_equal(found, elements(a, b))


def by_constants(a, b):
    y = np.zeros((4, 5))
    for i in range(4):
        for j in range(5):
            for k in range(3):
                y[i, j] += a[i, k] * b[k, j]
    return np.sum(y)


def test_loops_that_are_known_to_be_short_stay():
    assert products(by_constants, A, B) == 0


def test_additions_keep_their_order_where_they_have_to():
    a, b = rng.normal(size=(20, 30)), rng.normal(size=(30, 25))
    f = flow.compile(anew(elements), target="python", fastmath=False)
    np.testing.assert_array_equal(f(a, b), elements(a, b))
    assert np.any(flow.compile(anew(elements), target="python")(a, b) != elements(a, b))


# ---- teeth ----
@pytest.mark.parametrize(
    ("proof", "weak", "f"),
    [
        ("leaves_alone", True, in_place),
        ("leaves_alone", True, by_views),
        ("leaves_alone", True, changed_meanwhile),
        ("leaves_alone", True, changed_between),
        ("checks", (), wrapped),
        ("is_fixed", True, triangle),
    ],
)
def test_a_weaker_proof_is_noticed(proof, weak, f, monkeypatch):
    monkeypatch.setattr(Nest, proof, lambda *_: weak)
    with pytest.raises((AssertionError, TypeError, ValueError)):
        same(f, A, B)


# ---- the lengths of a call ----
def counts(f):
    """The numbers of loops and of products in each program of a function, the newest first."""
    found = []
    for e in f._entries[next(iter(f._entries))]:
        body = walk(e.program.function.body)
        products = sum(isinstance(s, Def) and s.op is arrays.matmul for s in body)
        found.append((sum(isinstance(s, For) for s in body), products))
    return found


LONG = rng.normal(size=(20, 30)), rng.normal(size=(30, 25))


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize(
    ("calls", "programs"),
    [((LONG, (A, B), LONG), [(3, 1), (0, 1)]), (((A, B), (A[:2], B), LONG), [(3, 1), (3, 0)])],
)
def test_the_first_call_decides_what_is_compiled(calls, programs, target):
    f = flow.compile(anew(elements), target=target)
    for a, b in calls:
        np.testing.assert_allclose(f(a, b), elements(a, b), rtol=1e-12)
    assert sorted(counts(f)) == sorted(programs)
    g = flow.grad(flow.compile(anew(added), target=target), (0, 1))
    for a, b in calls:
        with without("contractions"):
            old = flow.grad(flow.compile(anew(added), target=target), (0, 1))(a, b)
        for x, y in zip(g(a, b), old, strict=True):
            np.testing.assert_allclose(x, y, rtol=1e-12, atol=1e-12)
