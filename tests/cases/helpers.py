"""Helper functions: mutating, nested, with defaults, recursion-free call trees."""

import numpy as np

from tests.cases.registry import case, signed, vec


def square(x):
    return np.sum(x * x)


def mixed(z, w):
    return np.sin(z) * w + z


@case(vec(4), vec(4, 1), tags=("p7",))
@case(signed(3), vec(3, 1), tags=("p7",))
def overwritten_after_read(x, z):
    y = square(x)
    x[:] = mixed(z, x)
    return square(x) + y * x[0]


@case(vec(4), 0.8, tags=("p7",))
def overwritten_across_calls(x, a):
    y = mixed(x, a)
    fill(x, y, a)
    z = mixed(x, a)
    fill(x, z, y[0])
    return square(x) + square(y) + square(z)


def fill(out, a, c):
    out[:] = a * c
    out[0] += c


@case(vec(5), 4, tags=("p10",))
def helper_with_output(x, n):
    out = np.empty(5)
    s = 0.0
    for _ in range(n):
        fill(out, x, s + 1.0)
        s = np.sum(out * out) * 0.05
        fill(out[1:], x[1:], np.sin(s))
        s += out[1] * out[0] * 0.1
    return s


def pick(x, default, use_default):
    if use_default:
        return default
    return x


@case(1.3, 0.4, True, tags=("p32",))
@case(1.3, 0.4, False, tags=("p32",))
def passed_through_or_constant(x, y, flag):
    a = pick(x, 2.0, flag)
    b = pick(x * y, y, not flag)
    return a * b + x * y


@case(vec(3), True, tags=("p32",))
@case(vec(3), False, tags=("p32",))
def array_passed_through(x, flag):
    y = pick(x, np.ones_like(x), flag)
    y[1] = y[0] * x[2]
    return np.sum(x * y)


def shifted(x, *, by=1, scale=0.5, wrap=True):
    y = np.zeros_like(x)
    y[by:] = x[:-by] * scale
    if wrap:
        y[:by] = x[-by:]
    return y


@case(vec(6), tags=("p40",))
def keywords_and_defaults(x):
    a = shifted(x)
    b = shifted(x, by=2, wrap=False)
    c = shifted(scale=x[0], x=a)
    return np.sum(a * b) + np.sum(c)


def weighted(first, *rest, scale=1.0):
    s = first
    for k, r in enumerate(rest):
        s = s + r * (k + 2)
    return s * scale


@case(0.3, 1.2, vec(3), tags=("p40",))
def variable_arguments(a, b, x):
    parts = (a, b * b, a * b)
    return weighted(a) + weighted(*parts, scale=b) * weighted(x[0], *x[1:])


def collected(**named):
    return named["a"] * named["b"] + named.get("c", 1.0)


@case(0.3, 1.2, tags=("p40",))
def keyword_collection(a, b):
    options = {"a": a * b, "b": b}
    return collected(**options) + collected(a=a, b=b, c=a)


@case(1.1, 4, tags=("p40",))
def nested_function(x, n):
    scale = np.sin(x)

    def step(s, k):
        return s * scale + k * x

    s = x
    for k in range(n):
        s = step(s, k)
    return s


@case(vec(4), tags=("p40",))
def nested_function_with_nonlocal(x):
    total = 0.0

    def add(v):
        nonlocal total
        total = total + v * v

    for i in range(4):
        add(x[i] * (i + 1))
    return total


@case(0.9, tags=("p40",))
def function_as_argument(x):
    def twice(f, v):
        return f(f(v))

    return twice(lambda v: np.sin(v) * x, x) + twice(np.exp, -x)


def depth_0(x):
    return np.sin(x) * x


def depth_1(x):
    return depth_0(x) + depth_0(0.5 * x)


def depth_2(x):
    return depth_1(x) * depth_1(x + 0.1)


def depth_3(x):
    return depth_2(x) + depth_2(x * x)


@case(0.8)
def call_tree(x):
    return depth_3(x) * depth_3(1.0 - x)


def min_and_max(x):
    low, high = x[0], x[0]
    for i in range(1, len(x)):
        if x[i] < low:
            low = x[i]
        if x[i] > high:
            high = x[i]
    return low, high


@case(vec(6))
def several_results(x):
    low, high = min_and_max(x)
    (first, _), rest = (low * 2.0, high), x[1:]
    return (high - low) * first + np.sum(rest) * low


def accumulate(state, v):
    state[0] += v
    state[1] *= v
    return state


@case(vec(5))
def helper_returns_its_argument(x):
    state = np.array([0.0, 1.0])
    for i in range(5):
        state = accumulate(state, x[i])
    return state[0] * state[1]


def factorial_like(x, n):
    return 1.0 if n == 0 else x * factorial_like(x + 0.1, n - 1)


@case(0.9)
def static_recursion(x):
    return factorial_like(x, 4)
