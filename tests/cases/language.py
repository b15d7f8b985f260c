"""Python the language: sequences, comprehensions, unpacking, printing, import aliases."""

import functools
import operator
import warnings
from collections.abc import Callable
from typing import Generic, TypeVar, cast

import numpy
import numpy as anything
import numpy as np
from numpy import exp, sin
from numpy import tanh as squash

from tests.cases.registry import case, mat, signed, vec

HALF = 0.5
NAMES = ("sin", "cos")
T = TypeVar("T")


class Box(Generic[T]):
    def __init__(self, held: T):
        self.held = held

    def twice(self):
        return 2.0 * self.held


@case(vec(4), vec(4, 1), tags=("p40",))
def enumerate_and_zip(x, y):
    s = 0.0
    for i, v in enumerate(x):
        s += v * y[i] * i
    for a, b in zip(x, y):  # noqa: B905 (as it is written)
        s += a / b
    for k, (a, b) in enumerate(zip(x[1:], y), start=1):  # noqa: B905 (as it is written)
        s += k * a * b
    return s


@case(vec(4), 3, tags=("p40",))
@case(vec(4), 0, tags=("p40",))
def list_append_then_array(x, n):
    values = []
    for i in range(n):
        values.append(x[i] * x[i + 1])
    a = np.array(values)
    return np.sum(a * a) + len(values) * x[0]


@case(vec(3), tags=("p40",))
def list_of_arrays(x):
    parts = [x, x * 2.0]
    parts.append(np.sin(x))
    parts += [x[::-1]]
    stacked = np.array(parts)
    return np.sum(stacked[1] * stacked[2]) + np.concatenate(parts)[4] + parts[-1][0]


@case(vec(3), 2, tags=("p40",))
def printed(x, n):
    s = 0.0
    for i in range(n):
        s += x[i] ** 2
        print("partial", i, s)
    print(f"{s=:.3f}", x[0], end="\n")
    return s


@case(vec(3), 2, tags=("p40",))
def nested_loops_and_functions(x, n):
    def inner(a, b):
        def innermost(c):
            return c * a

        return innermost(b) + b

    s = 0.0
    for i in range(n):
        for j in range(i, 3):
            s += inner(x[i], x[j]) * (i + j)
    return s


@case(vec(3), tags=("p40",))
def lambdas(x):
    square = lambda v: v * v
    scaled = lambda v, k=2.0, *, shift=0.1: k * v + shift
    return np.sum(square(x)) + scaled(x[0]) * scaled(x[1], 3.0, shift=x[2])


@case(vec(3), 1.2, tags=("p40",))
def checked_arguments(x, limit):
    if len(x) != 3:
        raise ValueError(f"expected 3 numbers, got {len(x)}: {x!r}")
    assert limit > 0, f"limit is {limit:.2f}"
    if limit < 0.0:
        raise RuntimeError("negative")
    return np.sum(x) * limit


@case(vec(3), tags=("p40",))
def import_aliases(x):
    s = anything.sum(sin(x) * exp(x)) + numpy.cos(x[0])
    return s + squash(x[1]) * HALF + numpy.linalg.norm(x)


@case(0.4, 1.3, tags=("p40",))
def import_inside(x, y):
    import math

    from numpy import cos

    return math.sin(x) * cos(y)


@case(vec(4), tags=("p40",))
def comprehensions(x):
    squares = [x[i] ** 2 for i in range(4)]
    table = {name: getattr(np, name)(x[0]) for name in NAMES}
    nested = [[x[i] * x[j] for j in range(2)] for i in range(2)]
    pairs = {k: v for k, v in zip(("a", "b"), (x[1], x[2]))}  # noqa: B905 (as it is written)
    chosen = [x[k] for k in (0, 1, 3) if k != 1]
    s = sum(squares) + table["sin"] * table["cos"] + nested[1][0] * pairs["b"]
    return s + chosen[1] + sum(v * v for v in squares)


@case(vec(4), tags=("p40",))
def comprehension_over_array(x):
    values = np.array([np.sin(v) * k for k, v in enumerate(x)])
    return np.sum(values**2) + max([v for v in (x[0], x[1], 2.0)])


@case(vec(4), tags=("p40",))
def comprehension_that_stores_to_what_it_runs_over(x):
    """Each item is read when its turn comes."""

    def smear(k):
        x[1:] += 0.3 * np.tanh(k * x[:-1])
        return x[0]

    doubled = np.array([0.5 * v * smear(v) for v in x])
    # zip as it is mostly written: without `strict`
    pairs = [u * smear(v) for u, v in zip(x, x[::-1])]  # noqa: B905 (as it is written)
    return np.sum(doubled) + pairs[2] + pairs[3] + sum(v * smear(v) for v in x)


@case(vec(5), tags=("p40",))
def starred_unpacking(x):
    first, *middle, last = (x[0], x[1] * 2.0, x[2], x[4])
    a, *rest = [first, *middle]
    numbers = (*rest, last, a)
    return numbers[0] * numbers[1] + numbers[-1] * len(numbers)


@case(vec(3), tags=("p40",))
def array_unpacked(x):
    a, b, c = x
    (d, e), f = (b, c), a
    return a * b + d * e * f


@case(vec(12), 2, tags=("p40",))
def cross_of_slices(x, n):
    total = 0.0
    for i in range(n):
        torque = np.cross(x[3 * i : 3 * i + 3], x[i + 1 : i + 4])
        total += torque @ torque * x[i]
    return total + np.cross(x[n : n + 3], [1.0, x[0], 2.0])[1]


@case(vec(12), mat(3, 2), tags=("p40",))
def slices_and_rows_unpacked(x, m):
    total = 0.0
    for i in range(len(x) // 4):
        a, b, c = x[4 * i : 4 * i + 3]
        turned = np.eye(3)
        turned[1, 1] = turned[2, 2] = np.cos(a)
        turned[2, 1], turned[1, 2] = b, -b
        total += np.sum(turned @ np.array([a, b, c]) * x[i : i + 3])
    first, second, third = m
    first[0] += third[1]  # a view of the argument
    for p, q in m:
        total += p * q
    return total + first @ second


@case(vec(4), tags=("p40",))
def slices_and_negative_indices_of_tuples(x):
    parts = (x[0], x[1], x[2] * x[3])
    head, tail = parts[:2], parts[-1]
    return head[0] * head[1] + tail * len(parts) + sum(parts[::2])


@case(signed(4), tags=("p40",))
def walrus_and_chained_comparison(x):
    s = 0.0
    for i in range(4):
        if -0.5 < (v := x[i] * 1.5) < 1.5:
            s += v * v
        else:
            s -= v
    return s


@case(vec(4), tags=("p40",))
def higher_order(x):
    total = functools.reduce(lambda a, b: a * b + 0.1, [x[0], x[1], x[2]])
    mapped = list(map(lambda v: v * v, (x[0], x[3])))
    return total + mapped[0] * mapped[1] + operator.mul(x[0], x[1])


@case(mat(2, 3), tags=("p40",))
def reversed_and_sorted_static(a):
    s = 0.0
    for i in reversed(range(3)):
        s = s * 0.5 + a[0, i]
    for key in sorted({"b": 1, "a": 0}):
        s += a[1, 0 if key == "a" else 2]
    return s * s


@case(vec(3), tags=("p40",))
def type_tests(x):
    s = x.sum() if isinstance(x, np.ndarray) and x.ndim == 1 else 0.0
    if x.dtype == np.float64 or x.dtype == np.float32:
        s = s * s
    return s * (2 if hasattr(x, "shape") else 1) * x.size


@case(vec(3), tags=("p40",))
def docstring_and_annotations(x: np.ndarray, scale: float = 2.0) -> float:
    """Annotations and docstrings are no statements of the program."""
    y: float = x[0] * scale
    z: np.ndarray
    z = x * y
    pass
    ...
    return z.sum()


@case(vec(4))
def chosen_by_a_key(x):
    """`max` and `min` with a key that is only known at run time, of numbers and of tuples."""
    k = max(range(4), key=lambda i: x[i])
    value, weight = min([(x[0], 1.0), (x[1] ** 2, 2.0)], key=lambda p: p[0] * p[1])
    return value * weight + x[k] ** 2 + max(x, key=lambda v: -v) * max([], default=3.0)


@case(0.7)
def functions_made_in_a_comprehension(x):
    """They share the comprehension's names, which hold the last item when they are called."""
    late = [lambda v: v**k for k in range(1, 4)]  # noqa: B023 (bound late, as Python does)
    bound = [lambda v, k=k: v * k for k in range(1, 4)]
    return late[0](x) + late[2](x) * bound[0](x) + bound[2](x) ** 2


@case(vec(3))
def classes_with_parameters(x):
    wide = cast(np.dtype[np.floating], x.dtype).itemsize > 2
    rows = cast(list[np.ndarray], [x, 2.0 * x])
    by = cast(Callable[[float], float], lambda v: v * v)
    held = Box[np.ndarray](rows[1]).twice() if wide else cast(float | None, x)
    return np.sum(held * by(x))


@case(vec(3))
def warnings_that_a_context_ignores(x):
    with warnings.catch_warnings(action="ignore", category=RuntimeWarning):
        warnings.warn("not shown", RuntimeWarning, stacklevel=1)
        y = x * x
    return np.sum(y)


@case(vec(3))
def names_that_a_module_has(x):
    there, missing = "HALF" in globals(), "QUARTER" not in globals()
    return np.sum(x) * globals()["HALF"] if there and missing else x[0]


@case(vec(5), 0.8, wrt=(0,))
@case(vec(5), 9.0, wrt=(0,))
def walrus_in_filtered_comprehensions(x, limit):
    def summed(a):
        nonlocal total
        return [(total := total + v) for v in a if v > limit]

    y, last, total = x[0], None, 0.0 * x[0]
    kept = {k: (y := v) for k, v in enumerate(x) if v > limit}
    squares = [s * 2.0 for v in x if (s := v * v) > limit]
    all_of_them = sum((last := v) for v in x if v > limit)
    pairs = [p for v in x if v > limit for w in x if (p := v * w) > 0.6]
    parts = sum(kept.values()) * y + sum(squares) * s + sum(pairs) + sum(summed(x)) * total
    return parts + (all_of_them if last is None else all_of_them * last) + x[1]
