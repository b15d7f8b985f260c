"""Programs for calls whose lengths are equal, and for others: each call runs the one that is right.

Gradients are compared with those by differences; what is built is counted.
"""

import logging

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.transforms import reuse

PATTERNS = [(5, 5, 5), (3, 7, 7), (7, 3, 3), (7, 3, 7), (6, 6, 6), (0, 0, 0), (2, 2, 2), (3, 3, 3)]
WITH_ONES = [(1, 4, 4), (3, 1, 5), (3, 5, 1), (1, 1, 4), (1, 1, 1), (4, 4, 1), (1, 3, 1)]


def stencil(a, b, c):
    """Its interiors broadcast where one of them is one long."""
    for _ in range(2):
        a = np.sin(a)
        inner = a[1:-1] * b[1:-1] + c[1:-1] * b[1:-1]
    return np.sum(inner) + np.sum(a[:-1] * a[1:])


def mixed(a, b, c):
    """Whole arrays in a loop: their lengths may differ where one is 1."""
    s = 0.0
    for k in range(3):
        s = s + np.sum(a * b + k) + np.sum(np.cos(b) * c)
    return s


def stored(a, b, c):
    out = np.zeros(len(a))
    for _ in range(2):
        out[1:-1] = out[1:-1] + a[1:-1] * b[1:-1]
        out[1:-1] = out[1:-1] * c[1:-1]
    return np.sum(out * a)


def arguments(shape, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.uniform(0.5, 1.5, n) for n in shape]


def by_differences(f, args):
    grads = []
    for k, x in enumerate(args):
        g = np.zeros_like(x)
        for i in range(x.size):
            up, down = [v.copy() for v in args], [v.copy() for v in args]
            up[k][i] += 1e-6
            down[k][i] -= 1e-6
            g[i] = (f(*up) - f(*down)) / 2e-6
        grads.append(g)
    return grads


def gradient(f, target="python"):
    return flow.value_and_grad(flow.compile(f, target=target), tuple(range(3)))


def agrees(f, g, args):
    """The gradient is that by differences; where plain Python raises, so does the call."""
    try:
        value = f(*args)
    except ValueError as error:
        with pytest.raises(ValueError, match="broadcast") as got:
            g(*args)
        assert str(error).strip() in str(got.value)
        return
    got, grads = g(*args)
    assert np.allclose(got, value)
    for mine, wanted in zip(grads, by_differences(f, args), strict=True):
        assert mine.shape == wanted.shape
        assert np.allclose(mine, wanted, atol=1e-7), (mine, wanted)


# ---- every call is right ----
@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("f", [stencil, mixed, stored])
def test_patterns_change_between_calls(f, target):
    g = gradient(f, target)
    for seed, shape in enumerate([*PATTERNS, *WITH_ONES, *reversed(PATTERNS)]):
        agrees(f, g, arguments(shape, seed))


@pytest.mark.parametrize("first", [*PATTERNS, *WITH_ONES])
def test_any_pattern_may_come_first(first):
    g = gradient(stencil)
    for shape in (first, (5, 5, 5), (3, 7, 7), first):
        agrees(stencil, g, arguments(shape))


def test_arguments_that_are_one_array():
    g = gradient(stencil)
    a, b = arguments((6, 3))
    for args in ([a, a, a], [a, b, a], [b, b, a], [a[:5], a[1:], a[:5]], [a[:3], a[1:], a[1:]]):
        agrees(stencil, g, [np.asarray(v) for v in args])


def test_other_layouts_and_ranks():
    def f(a, b, c):
        for _ in range(2):
            a = a * 1.5
            inner = a[1:-1, 1:-1] * b[1:-1, 1:-1] + c
        return np.sum(inner * inner)

    g = gradient(f)
    square = np.arange(25.0).reshape(5, 5) / 25
    wide, tall = square[:3], square[:, :3]
    for a, b in ((square, square.T), (wide, wide), (wide, tall), (tall, wide.T), (square, wide)):
        for c in (np.ones((3, 3)), np.ones((1, 3)), np.ones((3, 1)), np.ones((1, 1))):
            args = [np.array(a), b, c]
            try:
                value = f(*args)
            except ValueError:
                with pytest.raises(ValueError, match="broadcast"):
                    g(*args)
                continue
            got, grads = g(*args)
            assert np.allclose(got, value)
            for k, x in enumerate(args):
                step = np.random.default_rng(k).standard_normal(x.shape)
                up, down = list(args), list(args)
                up[k], down[k] = x + 1e-6 * step, x - 1e-6 * step
                assert np.allclose(np.sum(grads[k] * step), (f(*up) - f(*down)) / 2e-6)


# ---- every transform ----
@pytest.mark.parametrize("shapes", [PATTERNS[:4], PATTERNS[3::-1]])
def test_jvp_and_vjp(shapes):
    c = flow.compile(stencil, target="python")
    for shape in shapes:
        args = arguments(shape)
        value, pull = flow.vjp(c, *args)
        grads = pull(2.0)
        dots = tuple(np.cos(v) for v in args)
        _, dot = flow.jvp(c, tuple(args), dots)
        wanted = by_differences(stencil, args)
        assert np.allclose(value, stencil(*args))
        assert all(np.allclose(g, 2 * w, atol=1e-6) for g, w in zip(grads, wanted, strict=True))
        assert np.allclose(dot, sum(np.sum(d * w) for d, w in zip(dots, wanted, strict=True)))


@pytest.mark.parametrize("jacobian", [flow.jacrev, flow.jacfwd])
def test_jacobians(jacobian):
    def f(a, b):
        for _ in range(2):
            a = np.sin(a)
        return a[1:-1] * b[1:-1]

    j = jacobian(flow.compile(f, target="python"), 0)
    for n, m in ((5, 5), (3, 6), (6, 3), (5, 5), (4, 4)):
        a, b = arguments((n, m))
        wanted = np.zeros((max(n, m) - 2, n))
        for i in range(n):
            e = np.zeros(n)
            e[i] = 1e-6
            wanted[:, i] = (f(a + e, b) - f(a - e, b)) / 2e-6
        assert np.allclose(j(a, b), wanted, atol=1e-7)


def test_second_derivatives():
    first = flow.grad(flow.compile(inner, target="python"))
    g = flow.grad(flow.compile(lambda a, b: np.sum(first(a, b) ** 2), target="python"))
    for n, m in ((5, 5), (3, 6), (6, 3), (5, 5)):
        a, b = arguments((n, m))
        wanted = by_differences(lambda a, b=b: np.sum(first(a, b) ** 2), [a])[0]
        assert np.allclose(g(a, b), wanted, atol=1e-5)


def inner(a, b):
    for _ in range(2):
        a = np.sin(a)
    return np.sum(a[1:-1] * b[1:-1] ** 2)


# ---- how a call comes to its program ----
def test_what_is_inlined_is_for_all_lengths():
    g = flow.grad(flow.compile(inner, target="python"))
    assert g(*arguments((5, 5))).shape == (5,)

    def outer(a, b):
        return np.sum(g(a, b)) + np.sum(g(a[1:-1], b))

    h = flow.compile(outer, target="python")
    for shape in ((5, 5), (5, 3), (5, 5)):
        args = arguments(shape)
        assert np.allclose(h(*args), np.sum(g(*args)) + np.sum(g(args[0][1:-1], args[1])))


def test_captured_lengths_count():
    held = {"b": arguments((5,))[0]}
    b = held["b"]

    def f(a):
        return inner(a, b)

    g = flow.value_and_grad(flow.compile(f, target="python"))
    for n, m in ((5, 5), (3, 5), (3, 6), (5, 3), (4, 4), (6, 6), (5, 5)):
        a, b = arguments((n, m))
        got, grad = g(a)
        assert np.allclose(got, f(a))
        assert np.allclose(grad, by_differences(f, [a])[0], atol=1e-7)


def test_structures_and_keywords():
    def f(p, c):
        return stencil(p["a"], p["b"], c)

    g = flow.value_and_grad(flow.compile(f, target="python"))
    for seed, shape in enumerate([*PATTERNS[:4], *WITH_ONES[:3], *PATTERNS[:4]]):
        a, b, c = arguments(shape, seed)
        try:
            value = stencil(a, b, c)
        except ValueError:
            continue
        got, grads = g({"a": a, "b": b}, c=c)
        wanted = by_differences(stencil, [a, b, c])
        assert np.allclose(got, value)
        assert np.allclose(grads["a"], wanted[0], atol=1e-7)
        assert np.allclose(grads["b"], wanted[1], atol=1e-7)


def test_tensors():
    c = flow.compile(stencil, target="python")
    for seed, shape in enumerate([*PATTERNS[:4], *PATTERNS[:4], *PATTERNS[:4]]):
        args = arguments(shape, seed)
        tensors = [flow.tensor(v, requires_grad=True) for v in args]
        out = c(*tensors)
        out.backward()
        for t, wanted in zip(tensors, by_differences(stencil, args), strict=True):
            assert np.allclose(t.grad.numpy(), wanted, atol=1e-7)


# ---- what is built ----
@pytest.mark.parametrize("first", [(5, 5, 5), (3, 7, 7), (7, 3, 3)])
def test_two_programs_serve_all_patterns(builds, first):
    g = gradient(stencil)
    rng = np.random.default_rng(1)
    for shape in (first, *rng.choice([3, 7, 7], (30, 3)), *[(n, n, n) for n in range(2, 9)]):
        agrees(stencil, g, arguments(shape))
    assert len(builds) == 2


def test_functions_made_anew_share_both(builds):
    reuse.forget()
    rng = np.random.default_rng(2)
    for shape in rng.choice([3, 7], (20, 2)):
        a, b = arguments(shape)
        f = captured(b)
        assert np.allclose(
            flow.grad(flow.compile(f, target="python"))(a),
            by_differences(lambda a, b=b: inner(a, b), [a])[0],
            atol=1e-7,
        )
    assert len(builds) == 2


def captured(b):
    return lambda a: inner(a, b)


def test_a_call_that_failed_does_not_decide():
    g = gradient(stencil)
    with pytest.raises(ValueError, match="broadcast"):
        g(*arguments((5, 6, 7)))
    g(*arguments((5, 5, 5)))
    assert one_name(g, arguments((5, 5, 5)))


def one_name(g, args):
    return "f64[n], b: f64[n], c: f64[n]" in g.explain(*args)


def test_equal_lengths_have_one_name():
    g = gradient(stencil)
    assert one_name(g, arguments((5, 5, 5)))
    assert not one_name(g, arguments((3, 7, 7)))
    assert "check_broadcast" not in g.ir("adjoint", *arguments((5, 5, 5)))
    assert "check_broadcast" in g.ir("adjoint", *arguments((3, 7, 7)))


def test_lengths_that_nothing_compares_are_free(builds):
    def f(a, b, c):
        return np.sum(a) * np.sum(b) + np.sum(c)

    g = gradient(f)
    for shape in PATTERNS:
        agrees(f, g, arguments(shape))
    assert len(builds) == 1


def test_the_reason_is_on_record(caplog):
    caplog.set_level(logging.INFO, logger="srcgrad")
    g = gradient(lambda a, b, c: stencil(a, b, c))
    for shape in ((5, 5, 5), (3, 7, 7), (7, 3, 3), (5, 5, 5)):
        g(*arguments(shape))
    assert [r.getMessage().partition(" again because ")[2] for r in caplog.records] == [
        "the lengths a.shape[0] and b.shape[0] differ, and were equal"
    ]
    h = flow.grad(flow.compile(lambda a, b: inner(a, b), target="python"))
    h(*arguments((3, 7)))
    h(*arguments((6, 6)))
    assert "are equal, and were not" in caplog.records[-1].getMessage()
