"""Programs whose gradient with respect to the first argument is zero because it is blocked.

The comment `# the step` marks the line that the warning must name.
"""

import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import srcgrad as flow

WARNING: list[tuple[Callable, tuple]] = []
X = np.array([1.3, -0.7, 2.6])


def warns(*args):
    return lambda f: WARNING.append((f, args)) or f


@dataclass
class Model:
    scale: float
    limit: float


@warns(X)
def rounded(x):
    y = np.round(2 * x)  # the step
    return np.sum(y * y)


@warns(1.3)
def rounded_to_decimals(x):
    return round(x * x * 3.3, 6)  # the step


@warns(1.3)
def rounded_twice(x):
    y = round(x, 6)  # the step
    return round(y, 4)


@warns(1.3)
def rounded_after_a_change(s):
    s /= 1000
    s = round(s, 6)  # the step
    return s


@warns(X)
def rounded_number_of_numpys(x):
    return round(float(np.sum(x * x)), 3)  # the step


@warns(np.array([0.3, 0.9]), 3)
def rounded_in_a_loop(x, n):
    s = 0.0
    for i in range(n):
        y = round(x[i % 2] * i, 2)  # the step
        s += y
    return s


@warns(X)
def floored(x):
    return np.sum(np.floor(x))  # the step


@warns(1.5)
def ceiled(x):
    return 3.0 * math.ceil(x)  # the step


@warns(X)
def truncated(x):
    y = x + 1
    y = np.trunc(y)  # the step
    return np.mean(y)


@warns(X)
def integers(x):
    k = x.astype(int)  # the step
    return np.sum(k * 0.5)


@warns(2.7)
def an_integer(x):
    n = int(x)  # the step
    return n * 1.5


@warns(X)
def floor_division(x):
    return np.sum(x // 2)  # the step


@warns(X, np.ones(3))
def signs(x, w):
    return np.dot(np.sign(x), w)  # the step


@warns(X, np.arange(3.0))
def place_of_the_largest(x, y):
    k = np.argmax(x)  # the step
    return y[k] ** 2


@warns(X, np.arange(3.0))
def order_of_others(x, y):
    return np.sum(y[np.argsort(x)] * np.arange(3))  # the step


@warns(X)
def compared(x):
    return np.mean(x > 0.5)  # the step


@warns(X)
def counted(x):
    return np.count_nonzero(x > 0) * 1.0  # the step


@warns(1.5)
def a_branch(x):
    if x > 1:  # the step
        y = 2.0
    else:
        y = 3.0
    return y


@warns(1.5)
def early_return(x):
    if x > 1:  # the step
        return 2.0
    return 3.0


@warns(40.0)
def trips_of_a_loop(x):
    n = 0.0
    while x > 1:  # the step
        x = x / 2
        n += 1
    return n


@warns(4.5)
def length_of_a_loop(x):
    total = 0.0
    for i in range(int(x)):  # the step
        total += 0.5 * i
    return total


@warns(X)
def stored_in_a_branch(x):
    out = np.zeros(3)
    for i in range(3):
        if x[i] > 0:  # the step
            out[i] = 1.0
    return np.sum(out)


@warns(0.3, X)
def threshold(t, x):
    total = 0.0
    for v in x:
        if v > t:  # the step
            total += v
    return total


@warns(0.3, X)
def broken_off(t, x):
    total = 0.0
    for v in x:
        total += v
        if total < t:  # the step
            break
    return total


@warns(0.3, X)
def masked(t, x):
    return np.sum(np.where(x > t, x, 0))  # the step


def nearest(v):
    return np.rint(v)  # the step


@warns(X)
def in_a_helper(x):
    return np.sum(nearest(x))


@warns(X, np.linspace(0, 1, 5))
def found_in_a_table(x, table):
    k = np.searchsorted(table, x)  # the step
    return np.sum(table[np.minimum(k, 4)])


@warns(Model(2.0, 0.5), X)
def one_leaf_of_a_dataclass(m, x):
    total = 0.0
    for v in x:
        if v < m.limit:  # the step
            total += m.scale * v
    return total


@warns({"w": X, "k": 1.7})
def one_leaf_of_a_dict(p):
    return np.sum(p["w"]) * round(p["k"])  # the step


@warns(np.array([[1.0, 2.0], [3.0, 4.0]]))
def rank(a):
    return 1.0 * np.linalg.matrix_rank(a)  # the step


@warns(X)
def heaviside(x):
    return np.sum(np.heaviside(x, 0.5))  # the step


@warns(X)
def length_of_what_is_made(x):
    n = int(x[2])  # the step
    return np.sum(np.zeros(n) + 1.0)


@warns(X)
def sign_of_a_determinant(x):
    return np.linalg.slogdet(np.outer(x, x) + np.eye(3))[0]  # the step


def only_value(x):
    return np.sum(np.round(x))  # the step


@warns(X)
def in_a_nested_gradient(x):
    return np.sum(x * flow.grad(only_value)(x))


@warns(X)
def second_order(x):
    def product(y):
        return np.sum(np.round(y) * y)  # the step

    return np.sum(flow.grad(product)(x))


@warns(1.3)
def rounded_after_a_branch(x):
    if x > 0:
        y = 2 * x
    else:
        y = x
    return np.round(y)  # the step


@warns(X)
def rounded_after_a_choice(x):
    y = np.where(x > 0, 2 * x, x * x)
    return np.sum(np.floor(y))  # the step


@warns(1.3)
def rounded_after_a_loop(x):
    while x < 9.0:
        x = 2.0 * x
    return round(x, 1)  # the step


@warns(X)
def counted_and_rounded(x):
    n = 0
    for v in x:
        if v > 0.5:  # the step
            n += 1
    return np.sum(np.rint(x)) + 0.0 * n


@warns(X)
def rounded_in_one_branch(x):
    s = np.sum(x)
    if s > 0:
        y = np.round(s)  # the step
    else:
        y = 2.0
    return y


@warns(X, 2)
def stored_and_rounded(x, n):
    out = np.zeros(3)
    for i in range(3):
        if x[i] > n:
            out[i] = 2 * x[i]
        else:
            out[i] = x[i]
    return np.sum(np.trunc(out))  # the step


@warns(X)
def rounded_twice_or_once(x):
    y = np.round(np.floor(x) * 2.0)
    return np.sum(y) + np.sum(np.ceil(x))  # the step


@warns(1.3)
def checked_before_it_is_rounded(x):
    if x > 100.0:
        raise ValueError("large")
    k = int(x)  # the step
    return k * 2.0


def line_of(f: Callable) -> tuple[str, int]:
    """The line with the mark, in the program or a function that it calls."""
    called = [g for g in (nearest, only_value) if g.__name__ in f.__code__.co_names]
    for g in (f, *called):
        lines, first = inspect.getsourcelines(g)
        marked = [k for k, line in enumerate(lines, first) if line.rstrip().endswith("# the step")]
        if marked:
            return inspect.getsourcefile(g), marked[0]
    raise AssertionError(f.__name__)
