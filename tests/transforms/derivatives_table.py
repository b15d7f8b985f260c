"""Functions of one number, by what they are made of, and structures of their arguments.

Each is smooth where it is evaluated. A function is given as text where it stores, branches or
loops, so that the table reads as one; `A` and `M` are captured.
"""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

A = np.random.default_rng(5).normal(size=(4, 3)) / 2
M = A.T @ A + 2.0 * np.eye(3)


class Pair(NamedTuple):
    left: Any
    right: Any


@dataclass
class Layer:
    w: Any
    b: Any
    size: int = 2


def column(n, seed=0):
    return np.random.default_rng(seed).uniform(0.3, 1.2, n)


def square(n, seed=0):
    return column((n, n), seed) + n * np.eye(n)


# ---- loops, stores, branches, views ----
def loop(x):
    s = 0.0
    for i in range(len(x)):
        s += x[i] ** 3 * (i + 1)
    return s


def recurrence(x):
    s = x[0]
    for i in range(1, len(x)):
        s = np.sin(s) * x[i] + x[i - 1]
    return s


def nested_loops(x):
    s = 0.0
    for i in range(len(x)):
        for j in range(i + 1):
            s += x[i] * x[j] ** 2
    return s


def while_newton(x):
    y = x[0]
    k = 0
    while k < 4:
        y = y - (y * y - x[1]) / (2.0 * y)
        k += 1
    return y * x[2]


def stores(x):
    y = np.zeros(len(x))
    for i in range(len(x)):
        y[i] = x[i] * x[i - 1]
    return np.sum(y**2)


def overwrites(x):
    y = x.copy()
    for _ in range(3):
        y[1:] = y[1:] * y[:-1] + 0.1
    return np.sum(y)


def stores_to_its_argument(x):
    x[0] = x[0] * x[1]
    return np.sum(x**3)


def branch(x):
    if x[0] > 0.0:
        return np.sum(x**2 * x[0])
    return np.sum(x)


def branch_in_a_loop(x):
    s = 0.0
    for i in range(len(x)):
        if i % 2 == 0:
            s += x[i] ** 3
        else:
            s += np.exp(x[i])
    return s


def early_return(x):
    for i in range(len(x)):
        if i == 2:
            return x[i] ** 2 * x[0]
    return 0.0 * x[0]


def views(x):
    y = x[::2]
    z = x[1:][::-1]
    return np.sum(y**2) + np.sum(z * z[0])


def view_written_through(x):
    y = x * 1.0
    row = y[1:3]
    row *= x[0]
    return np.sum(y**2)


def stencil(x):
    u = x.copy()
    for _ in range(2):
        u[1:-1] = u[1:-1] + 0.1 * (u[2:] - 2.0 * u[1:-1] + u[:-2]) * u[1:-1]
    return np.sum(u**2)


def listed(x):
    parts = [x * k for k in range(1, 4)]
    total = 0.0
    for p in parts:
        total = total + np.sum(p**2) * p[0]
    return total


def rolled(x):
    return np.sum(np.roll(x, 1) * x**2)


def gathered(x):
    return np.sum(x[np.array([0, 2, 2, 1])] ** 3)


def masked(x):
    return np.sum(np.where(x > 0.7, x**3, np.exp(x)))


def largest(x):
    return np.max(x) ** 3 + np.sum(x)


# ---- structures ----
def of_dict(p):
    return np.sum((A @ p["w"]) ** 2) * p["b"] ** 3


def of_nested(p):
    return np.sum(p["layers"][0] ** 2) * p["layers"][1][0] + p["n"] * p["layers"][1][1] ** 2


def of_pair(p):
    return np.sum(p.left * p.right**2)


def of_dataclass(layer):
    return np.sum(np.tanh(layer.w * layer.b)) * layer.size


def of_tuple(p):
    a, b = p
    return np.sum(np.outer(a, b) ** 2)


def of_list(p):
    return p[0] ** 2 * p[1] + np.sin(p[2] * p[0])


# ---- several arguments ----
def two(x, y):
    return np.sum(x**2) * np.sum(np.sin(y))


def mixed(x, s, n):
    return s**n * np.sum(x**3) + s * x[0]


def with_default(x, c=1.5):
    return np.sum(np.exp(c * x))


def with_keyword(x, *, c=1.5):
    return c * np.sum(x**3)


def several(*xs):
    return np.sum(xs[0] * xs[1] ** 2)


def several_after(a, *xs):
    return a**3 + np.sum(xs[0] ** 2)


@dataclass(frozen=True)
class Row:
    function: Any
    args: tuple
    positions: Any = 0
    kwargs: dict = field(default_factory=dict)
    name: str = ""

    @property
    def id(self):
        return self.name or self.function.__name__


def row(name, function, *args, positions=0):
    return Row(function, args, positions, name=name)


X = column(4)
ROWS = (
    *(Row(f, (X,)) for f in (
        loop, recurrence, nested_loops, while_newton, stores, overwrites, stores_to_its_argument,
        branch, branch_in_a_loop, early_return, views, view_written_through, stencil, listed,
        rolled, gathered, masked, largest,
    )),
    row("cubes", lambda x: np.sum(x**3), X),
    row("products", lambda x: np.prod(x), X),
    row("quotients", lambda x: np.sum(x[1:] / x[:-1]), X),
    row("log_sum_exp", lambda x: np.log(np.sum(np.exp(x))), X),
    row("norm", lambda x: np.linalg.norm(x), X),
    row("power", lambda x: np.sum(x ** x[0]), X),
    row("hyperbolic", lambda x: np.sum(np.tanh(x) * np.cosh(x)), X),
    row("arcs", lambda x: np.sum(np.arctan2(x[1:], x[:-1])), X),
    row("logistic", lambda w: np.sum(np.log1p(np.exp(-(A @ w)))), column(3)),
    row("quadratic", lambda x: 0.5 * x @ (M @ x), column(3)),
    row("linear", lambda x: np.sum(A @ x), column(3)),
    row("network", lambda w: np.sum(np.tanh(w @ np.tanh(w @ X[:3]))), square(3)),
    row("rosenbrock", lambda x: np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2), X),
    row("variance", lambda x: np.var(x) * np.mean(x), X),
    row("cumulative", lambda x: np.sum(np.cumsum(x) ** 2), X),
    row("sorted", lambda x: np.sum(np.sort(x) ** 2 * np.arange(4)), X),
    row("polynomial", lambda x: np.polyval(x, 0.7) ** 2, X),
    row("matrix_trace", lambda a: np.trace(a @ a @ a), square(3)),
    row("solve", lambda a: np.sum(np.linalg.solve(a, np.ones(3)) ** 2), square(3)),
    row("inverse", lambda a: np.sum(np.linalg.inv(a)), square(3)),
    row("determinant", lambda a: np.log(np.linalg.det(a)), square(3)),
    row("cholesky", lambda a: np.sum(np.linalg.cholesky(a @ a.T) ** 3), square(2)),
    row("eigenvalues", lambda a: np.sum(np.linalg.eigvalsh(a + a.T) ** 3), square(2)),
    row("einsum", lambda a: np.einsum("ij,jk,ki->", a, a, a), square(3)),
    row("axes", lambda a: np.sum(np.sum(a, axis=0) ** 2 * np.mean(a, axis=1)), square(3)),
    row("transposed", lambda a: np.sum(a.T[0] * a[1] ** 2), square(3)),
    row("three_dims", lambda a: np.sum(a[0] * a[1] ** 2), column((2, 2, 2))),
    row("reshaped", lambda a: np.sum(a.reshape(-1)[1:] ** 3) * a[0, 0], square(2)),
    row("one_element", lambda x: np.sum(x**3), column(1)),
    row("empty", lambda x: np.sum(x**3), column(0)),
    row("empty_matrix", lambda x: np.sum(x**2), column((0, 3))),
    row("rank_zero", lambda x: np.sin(x) * x, np.array(0.7)),
    row("number", lambda x: np.sin(x) * x**2, 0.7),
    row("constant", lambda x: 2.0 * np.sum(x), X),
    row("of_numpy_number", lambda x: x**3, np.float64(0.7)),
    row("of_dict", of_dict, {"w": column(3), "b": 0.8}),
    row("of_nested", of_nested, {"layers": [column(2), (0.5, 0.25)], "n": 3}),
    row("of_pair", of_pair, Pair(column(3), column(3, 1))),
    row("of_dataclass", of_dataclass, Layer(column(2), 0.5)),
    row("of_tuple", of_tuple, (column(2), column(3))),
    row("of_list", of_list, [0.3, 0.9, 1.1]),
    Row(two, (X, column(3)), 0),
    row("two_by_second", two, X, column(3), positions=1),
    row("two_by_both", two, X, column(3), positions=(0, 1)),
    row("two_swapped", two, X, column(3), positions=(1, 0)),
    row("mixed_by_both", mixed, X, 0.8, 3, positions=(0, 1)),
    row("mixed_by_number", mixed, X, 0.8, 3, positions=1),
    row("with_default", with_default, X),
    row("default_by_both", with_default, X, 0.5, positions=(0, 1)),
    row("with_keyword", with_keyword, X),
    row("several", several, X, column(4, 1), positions=(0, 1)),
    row("several_after", several_after, 0.5, X, positions=(0, 1)),
    row("dict_and_array", lambda p, x: p["a"] ** 2 * np.sum(x**2) * p["b"], {"a": 0.5, "b": 0.7},
        X, positions=(0, 1)),
)  # fmt: skip
