"""Programs without a warning about zero gradients: some path has a derivative, or zero is meant."""

from collections.abc import Callable

import numpy as np

import srcgrad as flow
from tests.transforms.blocked import X

SILENT: list[tuple[Callable, tuple]] = []


def silent(*args):
    return lambda f: SILENT.append((f, args)) or f


@silent(X)
def a_rounded_factor(x):
    return np.sum(np.round(x) * x)


@silent(X)
def rounded_in_part(x):
    return np.sum(np.round(x)) + x[0]


@silent(X)
def straight_through(x):
    return np.sum(x + flow.stop_gradient(np.round(x) - x))


@silent(X)
def constant_on_purpose(x):
    return np.sum(np.round(flow.stop_gradient(x)))


@silent(X)
def stopped(x):
    return np.sum(flow.stop_gradient(np.floor(x)))


@silent(X)
def mask(x):
    return np.sum(np.where(x > 0, x, 0))


@silent(X)
def relu(x):
    return np.sum(np.maximum(x, 0))


@silent(X)
def mask_as_a_factor(x):
    return np.sum((x > 0) * x)


@silent(X)
def picked(x):
    return x[np.argmax(x)]


@silent(X)
def sorted_by_itself(x):
    return np.sum(x[np.argsort(x)] * np.arange(3))


@silent(X)
def largest(x):
    return np.max(x) - np.median(x)


@silent(1.5)
def one_branch(x):
    if x > 1:
        return 2.0
    return x


@silent(0.5)
def the_other_branch(x):
    if x > 1:
        return x
    return 2.0


@silent(9.0)
def halved(x):
    while x > 1:
        x = x / 2
    return x


@silent(X)
def unused(x):
    return 2.0


@silent(X)
def length(x):
    return 1.0 * len(x)


@silent(X)
def shape(x):
    return np.sum(np.ones_like(x)) * x.shape[0]


@silent(X, 0.3)
def threshold_is_another_argument(x, t):
    return np.sum(np.where(x > t, x, 0))


@silent(X)
def looked_at_in_an_assertion(x):
    assert np.sum(x) > -100
    if x[0] > 100:
        raise ValueError("large")
    return np.sum(x)


@silent(X)
def only_checked(x):
    if x[0] > 100:
        raise ValueError("large")
    return 2.0


@silent(X)
def stored_where_it_is_positive(x):
    out = np.zeros(3)
    for i in range(3):
        if x[i] > 0:
            out[i] = x[i]
    return np.sum(out)


@silent(X, 0)
def never_taken(x, n):
    total = np.sum(np.round(x))
    for i in range(n):
        total += x[i]
    return total


def remainder(v):
    return v - np.floor(v)


@silent(X)
def remainder_in_a_helper(x):
    return np.sum(remainder(x)) + np.sum(x % 0.4)


@silent(X)
def clipped(x):
    return np.sum(np.clip(x, 5, 6))


@silent(X)
def absolute(x):
    return np.sum(abs(x)) + np.linalg.norm(x, 1)


@silent(X)
def remembered_index(x):
    best, at = x[0], 0
    for i in range(3):
        if x[i] > best:
            best, at = x[i], i
    return best + at


@silent({"w": X, "k": 2.0})
def a_used_dict(p):
    return np.sum(p["w"]) * p["k"]


@silent(X)
def interpolated(x):
    return np.sum(np.interp(x, np.linspace(-1, 3, 9), np.linspace(-1, 3, 9) ** 2))


@flow.custom_vjp
def surrogate(x):
    return np.round(x)


surrogate.defvjp(lambda x: (np.round(x), None), lambda kept, g: (g,))


@silent(X)
def a_rule_of_its_own(x):
    return np.sum(surrogate(x))
