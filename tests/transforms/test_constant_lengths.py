"""Programs for calls in which a length is the constant that a check compares it with.

Calls with other lengths, with branches that are for different ones, with loops that never run: each
has the gradient by differences, or the exception of plain Python.
"""

import numpy as np
import pytest

import srcgrad as flow
from tests.transforms.test_equal_lengths import agrees, arguments, by_differences

B = np.array([0.5, 0.0, 1.0])
TWO, THREE, FOUR = np.array([1.0, 2.0]), np.array([1.0, 2.0, 3.0]), np.array([4.0, 3.0, 2.0, 1.0])
LENGTHS = [1, 3, 4, 3, 1, 4, 4, 0, 3, 2, 5, 0, 3]


def particle(x, v, dt):
    """A particle in a field, whose place has the length of the field."""
    for _ in range(3):
        e = np.array([-x[0], -2 * x[1], np.sin(x[2])])
        v = v + dt[0] * (e + np.cross(v, B))
        x = x + dt[0] * v
    return np.sum(x * x) + np.sum(v * x)


def rotations(angles, v, w):
    """A chain of rotations: the length of what is carried is checked in the loop."""
    for a in angles:
        c, s = np.cos(a), np.sin(a)
        v = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]) @ v
    return np.sum(v * w)


def in_a_loop(x, y, k):
    for _ in range(len(k) - 2):
        x = x + np.array([1.0, 2.0, 3.0], dtype=x.dtype) * y[0]
    return np.sum(x * x)


def branches(x, y, k):
    """Each for another length: none may be taken for constant."""
    if len(k) > 2:
        out = np.sum(x * np.array([1.0, 2.0, 3.0]))
    else:
        out = np.sum(x * np.array([4.0, 3.0, 2.0, 1.0]))
    return out * np.sum(y) * k[0]


def products(x, y, k):
    if len(k) > 2:
        m = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]])
        out = np.sum(np.sin(m @ x))
    else:
        m = np.array([[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]])
        out = np.sum(np.sin(m @ x))
    return out * y[0] * k[0]


def computed(x, y, k):
    """Of lengths that are computed the checks contradict one another as well."""
    if len(k) > 2:
        out = np.sum(x[1:] * np.array([4.0, 3.0, 2.0]) * np.sum(x * np.array([1.0, 2.0, 3.0, 1.0])))
    else:
        out = np.sum(x[1:] * np.array([4.0, 3.0, 2.0, 1.0]))
    return out * np.sum(y) * k[0]


def reshaped(x, y, k):
    if len(k) > 2:
        out = np.sum(x[:4].reshape(2, 2) @ np.array([1.0, 2.0]))
    else:
        out = np.sum(x * np.array([4.0, 3.0, 2.0]))
    return out * np.sum(y) * k[0]


def stored(x, y, k):
    out = np.zeros(3)
    for i in range(len(k)):
        out[:] = out + x
        out[i % 3] = out[i % 3] * y[0]
    x[0] = 2.0
    return np.sum(out * x)


def gradient(f, target="python"):
    return flow.value_and_grad(flow.compile(f, target=target), (0, 1, 2))


def right(f, g, args):
    """The gradient is that by differences; where plain Python raises, so does the call."""
    try:
        value = f(*[a.copy() for a in args])
    except (ValueError, IndexError) as error:
        with pytest.raises(type(error)):
            g(*args)
        return
    got, grads = g(*args)
    assert np.allclose(got, value)
    wanted = by_differences(lambda *a: f(*[v.copy() for v in a]), args)
    for mine, other in zip(grads, wanted, strict=True):
        assert mine.shape == other.shape
        assert np.allclose(mine, other, atol=1e-6), (mine, other)


# ---- every call is right ----
PROGRAMS = [in_a_loop, branches, products, computed, reshaped, stored]


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("f", PROGRAMS)
def test_lengths_change_between_calls(f, target):
    g = gradient(f, target)
    for seed, n in enumerate(LENGTHS):
        if f is reshaped and n == 1:
            continue  # refused when compiling: a length of 1 is known, and cannot be right
        for k in (2, 3, 4):
            for m in {n, 3, 1}:
                right(f, g, arguments((n, m, k), seed))


@pytest.mark.parametrize(
    "first", [(3, 3, 2), (3, 3, 4), (4, 4, 2), (4, 1, 4), (5, 3, 2), (5, 5, 3)]
)
@pytest.mark.parametrize("f", PROGRAMS)
def test_any_length_may_come_first(f, first):
    g = gradient(f)
    for shape in (first, (3, 3, 4), (4, 4, 2), (5, 3, 2), (4, 2, 3), first):
        right(f, g, arguments(shape))


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("f", [particle, rotations])
def test_small_programs(f, target):
    g = gradient(f, target)
    for seed, shape in enumerate(
        [(3, 3, 3), (4, 3, 3), (1, 3, 3), (3, 3, 1), (5, 3, 3), (3, 3, 3)]
    ):
        right(f, g, arguments(shape, seed))


def test_a_loop_that_never_runs_says_nothing():
    g = gradient(in_a_loop)
    for n in (5, 3, 5, 4):
        agrees(in_a_loop, g, arguments((n, n, 2)))
    agrees(in_a_loop, g, arguments((3, 3, 5)))


def test_layouts_dtypes_and_one_array_twice():
    g = gradient(particle, "cpu")
    x, v, dt = arguments((6, 6, 1))
    for args in ([x[::2], v[::-2], dt], [x[:3], x[:3], dt], [x[:3], x[1:4], dt], [x[::2]] * 3):
        right(particle, g, args)
    single = [a.astype(np.float32) for a in (x[:3], v[:3], dt)]
    g = gradient(in_a_loop, "cpu")
    for args in ([*single[:2], np.ones(4)], [x[:3], single[1], np.ones(4)]):
        value, grads = g(*args)
        wanted = gradient(in_a_loop)(*[a.astype(float) for a in args])
        assert np.allclose(value, wanted[0], rtol=1e-5)
        for mine, other, a in zip(grads, wanted[1], args, strict=True):
            assert mine.dtype == a.dtype
            assert np.allclose(mine, other, rtol=1e-4, atol=1e-5)


def test_infinities_pass():
    g = gradient(rotations, "cpu")
    h = gradient(rotations)
    for bad in (np.inf, -np.inf, np.nan):
        a, v, w = arguments((2, 3, 3))
        v[2] = bad
        (value, grads), (other, wanted) = g(a, v, w), h(a, v, w)
        with np.errstate(invalid="ignore"):
            plain = rotations(a, v, w)
        assert np.array_equal([value, other], [plain, plain], equal_nan=True)
        for mine, those in zip(grads, wanted, strict=True):
            assert np.allclose(mine, those, equal_nan=True)


# ---- results ----
def moved(x, v):
    for _ in range(2):
        x = x + 0.5 * v
        v = v + np.array([1.0, 2.0, 3.0]) * np.sin(x)
    return x * 2.0, v


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_results_are_arrays_of_their_own(target):
    c = flow.compile(moved, target=target)
    for n in (3, 3, 1, 4, 3):
        x, v = arguments((n, 3))
        if n == 4:
            with pytest.raises(ValueError, match="broadcast"):
                c(x, v)
            continue
        before = x.copy(), v.copy()
        out = c(x, v)
        for mine, wanted in zip(out, moved(x, v), strict=True):
            assert np.allclose(mine, wanted)
            mine[:] = 7.0
        assert np.array_equal(x, before[0])
        assert np.array_equal(v, before[1])
        assert not np.shares_memory(*out)


def test_a_result_that_is_an_argument_is_that_argument():
    def f(x, k):
        for _ in range(k):
            x = x + np.array([1.0, 2.0, 3.0])
        return x

    c = flow.compile(f, target="python")
    x = arguments((3,))[0]
    assert np.allclose(c(x, 2), f(x, 2))
    assert c(x, 0) is x


def test_one_array_returned_twice_is_one():
    def f(x):
        y = x * np.array([1.0, 2.0, 3.0])
        return y, y[1:]

    c = flow.compile(f, target="python")
    a, b = c(arguments((3,))[0])
    assert np.shares_memory(a, b)


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_matrices_are_returned(target):
    def f(r, w):
        for _ in range(2):
            r = r @ np.array([[0.0, 1.0], [2.0, 3.0]]) * w
        return np.sum(r[0] * r[1])

    g = flow.value_and_grad(flow.compile(f, target=target), (0, 1))
    r, w = np.arange(4.0).reshape(2, 2), 0.5 * np.ones((2, 2))
    for args in ((r, w), (r.T, w), (np.arange(6.0).reshape(3, 2), w[:1]), (r, w)):
        got, grads = g(*args)
        assert np.allclose(got, f(*args))
        for k, x in enumerate(args):
            step = np.random.default_rng(k).standard_normal(x.shape)
            up, down = list(args), list(args)
            up[k], down[k] = x + 1e-6 * step, x - 1e-6 * step
            assert np.allclose(np.sum(grads[k] * step), (f(*up) - f(*down)) / 2e-6, atol=1e-5)


# ---- every transform ----
@pytest.mark.parametrize("lengths", [(3, 1, 4, 3), (4, 3, 1)])
def test_jvp_vjp_and_jacobians(lengths):
    def f(x):
        for _ in range(2):
            x = np.sin(x) * np.array([1.0, 2.0, 3.0])
        return x

    c = flow.compile(f, target="python")
    jacobians = flow.jacrev(c), flow.jacfwd(c)
    for n in lengths:
        (x,) = arguments((n,))
        if n == 4:
            with pytest.raises(ValueError, match="broadcast"):
                flow.vjp(c, x)
            continue
        eye = 1e-6 * np.eye(n)
        wanted = np.stack([(f(x + e) - f(x - e)) / 2e-6 for e in eye], axis=1)
        for j in jacobians:
            assert np.allclose(j(x), wanted, atol=1e-8)
        value, pull = flow.vjp(c, x)
        assert np.allclose(value, f(x))
        assert np.allclose(pull(THREE), THREE @ wanted, atol=1e-7)
        assert np.allclose(flow.jvp(c, (x,), (np.cos(x),))[1], wanted @ np.cos(x), atol=1e-7)


def test_second_derivatives():
    first = flow.grad(flow.compile(particle, target="python"))
    g = flow.grad(flow.compile(lambda x, v, dt: np.sum(first(x, v, dt) ** 2), target="python"))
    args = arguments((3, 3, 3))
    wanted = by_differences(lambda *a: np.sum(first(*a) ** 2), args)[0]
    assert np.allclose(g(*args), wanted, atol=1e-5)


def test_captured_lengths_count():
    held = arguments((3,))[0]

    def f(x):
        for _ in range(2):
            x = x + held * np.array([1.0, 2.0, 3.0])
        return np.sum(x * x)

    g = flow.value_and_grad(flow.compile(f, target="python"))
    for n, m in ((3, 3), (1, 3), (3, 1), (4, 4), (3, 3), (3, 4)):
        x, held = arguments((n, m))
        try:
            value = f(x)
        except ValueError:
            with pytest.raises(ValueError, match="broadcast"):
                g(x)
            continue
        got, grad = g(x)
        assert np.allclose(got, value)
        assert np.allclose(grad, by_differences(f, [x])[0], atol=1e-6)


# ---- what is built ----
def test_lengths_become_constant(builds):
    g = gradient(in_a_loop)
    args = arguments((3, 3, 4))
    g(*args)
    assert "check_broadcast" not in g.ir("adjoint", *args)
    assert "x: f64[3], y: f64[n], k: f64[n1]" in g.ir("primal", *args)
    for n in (3, 5, 6, 3):
        right(in_a_loop, g, arguments((n, n, 2)))
    assert len(builds) == 2


def test_no_array_is_left_of_a_small_program():
    args = arguments((3, 3, 1))
    text = gradient(particle).ir("adjoint", *args)
    loops = [line for line in text.splitlines() if line.startswith(" " * 8)]
    assert loops
    assert not any("f64[3]" in line for line in loops)


def test_branches_for_other_lengths_make_none_constant():
    g = gradient(branches)
    args = arguments((3, 3, 3))
    g(*args)
    assert "x: f64[n]" in g.ir("primal", *args)


def test_the_reason_is_on_record(caplog):
    caplog.set_level("INFO", logger="srcgrad")
    g = gradient(lambda x, y, k: in_a_loop(x, y, k))
    for n in (3, 5, 3):
        g(*arguments((n, n, 2)))
    (message,) = [r.getMessage() for r in caplog.records if " again because " in r.getMessage()]
    assert "the lengths x.shape[0] and 3 differ, and were equal" in message


# ---- the way of a call whose lengths are part of the signature ----
def test_lengths_that_are_known_when_compiling_have_a_fast_path(builds):
    g = gradient(particle)
    short = arguments((3, 3, 1))
    right(particle, g, short)
    (fast,) = [f for fs in g._fast.values() for f in fs]
    assert fast(*short)[0] == g(*short)[0]
    assert len(builds) == 1
    with pytest.raises(ValueError, match="incompatible dimensions"):
        g(*arguments((3, 4, 1)))
    right(particle, g, short)


def test_a_captured_array_of_another_length_is_seen():
    field = np.array([1.0, 2.0, 3.0])

    def f(x):
        return np.sum(np.array([c * x[0] for c in field]) ** 2)

    g = flow.grad(flow.compile(f, target="python"))
    for n in (3, 3, 2, 4, 3, 1):
        field = np.arange(1.0, n + 1)
        x = np.array([0.5, 1.0])
        assert np.allclose(g(x), by_differences(f, [x])[0], atol=1e-6)
