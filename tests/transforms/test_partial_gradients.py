"""Warnings about gradients that leave out what a loop finds by comparisons."""

import warnings

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.errors import PartialGradientWarning

X = np.array([1.5, 2.0, 3.0])


def root(a):
    low, high = 0.0, 10.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        if middle * middle > a:
            high = middle
        else:
            low = middle
    return low


def bisection(a):
    return a * root(a)


def until_it_is_narrow(a):
    low, high, x = 0.0, 10.0, 5.0
    while high - low > 1e-10:
        value = x**3 - a
        if value == 0.0:
            break
        elif value < 0.0:
            low = x
        else:
            high = x
        x = low + 0.5 * (high - low)
    return x + a


def of_arrays(a):
    low, high = np.zeros(3), np.full(3, 10.0)
    for _ in range(50):
        middle = 0.5 * (low + high)
        above = middle * middle > a
        high = np.where(above, middle, high)
        low = np.where(above, low, middle)
    return np.sum(a * (low + high))


def weighted_by_the_test(a):
    low, high, x = 0.0, 4.0, 2.0
    for _ in range(60):
        below = x * x < a
        low = low + (x - low) * below
        high = high + (x - high) * (not below)
        x = (low + high) / 2
    return x * a


def mixed_by_the_test(a):
    low, high, x = np.zeros(3), np.full(3, 4.0), np.full(3, 2.0)
    for _ in range(60):
        below = x * x < a
        low, high = below * x + (1 - below) * low, below * high + (1.0 - below) * x
        x = (low + high) / 2
    return np.sum(x * a)


def switched_by_the_test(a):
    low, high = 0.5, 4.0
    for k in range(10):
        below = a < 1.0 + k
        low = low * below + 0.5 * (1 - below)
        high = high - 0.1 * below
    return (low + high) * a


def golden_section(a):
    left, right = 0.0, 4.0
    for _ in range(40):
        p, q = right - 0.618 * (right - left), left + 0.618 * (right - left)
        if (p - a) ** 2 < (q - a) ** 2:
            right = q
        else:
            left = p
    return a + left


def begun_at_the_argument(a):
    """The ends vary with the argument, but not as the root does."""
    low, high = 0.0, max(1.0, a)
    while high - low > 1e-12:
        middle = 0.5 * (low + high)
        if middle * middle > a:
            high = middle
        else:
            low = middle
    return 0.5 * (low + high)


def around_the_argument(a):
    left, right = a - 1.0, a + 3.0
    for _ in range(60):
        p, q = right - 0.618 * (right - left), left + 0.618 * (right - left)
        if (p - 0.5 * a) ** 2 < (q - 0.5 * a) ** 2:
            right = q
        else:
            left = p
    return left


def safeguarded_newton(a):
    """What is new varies with the argument as the root does."""
    low, high, x = 0.0, max(1.0, a), 1.0
    for _ in range(40):
        if x * x < a:
            low = x
        else:
            high = x
        x -= (x * x - a) / (2.0 * x)
        if x < low or x > high:
            x = 0.5 * (low + high)
    return x + 0.0 * (low + high)


def false_position(a):
    low, high = 0.0, 2.0
    for _ in range(60):
        x = low + (a - low * low) * (high - low) / (high * high - low * low)
        if x * x < a:
            low = x
        else:
            high = x
    return low


def moved_besides(a):
    """An end that may be moved before the comparison, and a value that other paths reach."""
    low, high, x, y = -8.0, 8.0, 0.0, 0.0
    for _ in range(60):
        y = a + x
        if y < 0.0:
            low += 1.0
            y *= -1.0
        if abs(y - a) < 1e-12:
            break
        if y * y <= a:
            low = x
        else:
            high = x
        x = 0.5 * (low + high)
    return y


def geometric(a):
    low, high = 1e-3, 1e3
    for _ in range(60):
        middle = np.sqrt(low * high)
        if middle * middle > a:
            high = middle
        else:
            low = middle
    return a * low


def golden_section_with_kept_values(a):
    left, right = 0.0, 4.0
    p, q = right - 0.618 * (right - left), left + 0.618 * (right - left)
    fp, fq = (p - a) ** 2, (q - a) ** 2
    for _ in range(40):
        if fp < fq:
            right, q, fq = q, p, fp
            p = right - 0.618 * (right - left)
            fp = (p - a) ** 2
        else:
            left, p, fp = p, q, fq
            q = left + 0.618 * (right - left)
            fq = (q - a) ** 2
    return a + left


# ---- descents: a step that is shortened and a point that is moved are no interval ----
def value_and_slope(x, a):
    return (x - a) ** 2 + 0.1 * x**4, 2.0 * (x - a) + 0.4 * x**3


def descent_with_momentum(a, start, scale):
    x, m = start, 0.0
    fx = scale * value_and_slope(x, a)[0]
    for _ in range(300):
        moved = 0.5 * m + 0.2 * value_and_slope(x, a)[1]
        new = x - moved
        value = scale * value_and_slope(new, a)[0]
        if value < fx:
            x, fx = new, value
        else:
            m = 0.5 * moved
    return x * scale


def descent_with_a_radius(a, start, scale):
    x, radius = start, 1.0
    fx = scale * value_and_slope(x, a)[0]
    for _ in range(200):
        moved = -value_and_slope(x, a)[1] / (2.0 + 1.2 * x * x)
        moved = max(min(moved, radius), -radius)
        new = x + moved
        value = scale * value_and_slope(new, a)[0]
        if value < fx:
            x, fx = new, value
        else:
            radius = 0.5 * abs(moved)
    return x * scale


def descent_from_an_array(a, start, scale):
    x, m = start * np.ones(2), np.zeros(2)
    fx = scale * np.sum(value_and_slope(x, a)[0])
    for _ in range(300):
        moved = 0.5 * m + 0.2 * value_and_slope(x, a)[1]
        new = x - moved
        value = scale * np.sum(value_and_slope(new, a)[0])
        if value < fx:
            x, fx = new, value
        else:
            m = 0.5 * moved
    return np.sum(x) * scale


DESCENTS = [descent_with_momentum, descent_with_a_radius, descent_from_an_array]


def counted(x):
    n, s = 0.0, 0.0
    for v in x * np.ones(3):
        if v > 1.7:
            n += 1.0
        s += v
    return s * n


def newton(a):
    x, n = 1.0, 0.0
    while abs(x * x - a) > 1e-12:
        x -= (x * x - a) / (2.0 * x)
        n += 1.0
    return x * n


def adaptive(a):
    y, t, h = 1.0, 0.0, 0.1
    while t < 1.0:
        step = h * a * y
        if abs(step) > 0.2:
            h *= 0.5
        else:
            y, t = y + step, t + h
    return y


def between(a):
    """Both ends move with the argument: they are clipped to it."""
    low, high = 0.0, 10.0
    for k in range(5):
        if k * a > 3.0:
            high = min(high, a)
        else:
            low = max(low, 0.1 * a)
    return low + high


def of_constants(a):
    low, high = 0.0, 10.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        if middle * middle > 2.0:
            high = middle
        else:
            low = middle
    return low * a


def meant(a):
    return a * flow.stop_gradient(root(a))


solve = flow.implicit_root(lambda x, a: x * x - a, lambda x0, a: root(a))


def sorted_values(a):
    """A trip exchanges values that the loop carries."""
    x, y, z, n = a, 2.0 * a, 1.5 * a, 0
    while n < 3 and x < 50.0:
        n += 1
        for k in range(12):
            if x > k * 0.1 * y:
                x, y = y, x
            if y > z:
                y, z = z, y
        x = x * 1.1
    return x + y * y - 3.0 * z


def implicit(a):
    return a * solve(1.0, a)


def corrected(a):
    x = flow.stop_gradient(root(a))
    return a * (x - (x * x - a) / (2.0 * x))


def issued(f, *args):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        f(*args)
    return [str(w.message) for w in caught if w.category is PartialGradientWarning]


NARROWING = [
    (bisection, 2.0, ("low", "high")),
    (until_it_is_narrow, 2.0, ("low", "high")),
    (moved_besides, 2.0, ("low", "high")),
    (of_arrays, X, ("low", "high")),
    (golden_section, 1.5, ("left", "right")),
    (begun_at_the_argument, 2.0, ("low", "high")),
    (around_the_argument, 2.0, ("left", "right")),
    (weighted_by_the_test, 2.0, ("low", "high")),
    (mixed_by_the_test, X, ("low", "high")),
    (geometric, 2.0, ("low", "high")),
    (golden_section_with_kept_values, 1.5, ("left", "right")),
]


@pytest.mark.parametrize(("f", "at", "ends"), NARROWING, ids=lambda v: getattr(v, "__name__", ""))
def test_an_interval_that_is_narrowed(f, at, ends):
    g = flow.grad(flow.compile(f, target="python", cache=False))
    (text,) = issued(g, at)
    assert f"the gradient of {f.__name__}() with respect to a leaves out how " in text
    assert all(f"'{end}'" in text for end in ends) and "implicit_root" in text
    assert not issued(g, at)
    along = flow.compile(f, target="python", cache=False)
    (text,) = issued(lambda x: flow.jvp(along, (x,), (np.ones_like(x),)), at)
    assert "leaves out how " in text and " depend on the input: " in text


@pytest.mark.parametrize(
    "f",
    [
        counted, newton, adaptive, between, of_constants, meant, switched_by_the_test,
        safeguarded_newton, false_position, sorted_values,
    ],
)  # fmt: skip
def test_no_warning(f):
    assert not issued(flow.grad(flow.compile(f, target="python", cache=False)), 2.0)


@pytest.mark.parametrize("f", DESCENTS)
def test_no_warning_for_a_descent_and_its_gradient_is_right(f):
    g = flow.grad(flow.compile(f, target="python", cache=False), (0, 1, 2))
    at = (0.7, 0.1, 2.0)
    assert not issued(g, *at)
    for k, slope in enumerate(g(*at)):
        up, down = ([v + h * (j == k) for j, v in enumerate(at)] for h in (1e-5, -1e-5))
        assert slope == pytest.approx((f(*up) - f(*down)) / 2e-5, abs=1e-3)


@pytest.mark.parametrize("f", [implicit, corrected])
def test_the_ways_out(f):
    g = flow.grad(flow.compile(f, target="python", cache=False))
    assert not issued(g, 2.0)
    assert g(2.0) == pytest.approx(1.5 * np.sqrt(2.0), rel=1e-7)
