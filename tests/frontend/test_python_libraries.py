"""Functions of Python's own libraries in compiled code: iterators, operators, integers, queues."""

import bisect
import functools
import itertools
import math
import operator
import sys
from collections import OrderedDict, deque
from typing import Any

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.errors import SrcgradError
from tests.tools.turns import share

X = np.array([0.3, 1.7, -0.4, 0.9, 2.2])


def group_sums(x):
    return sum((1.0 + k) * sum(g) ** 2 for k, g in itertools.groupby(x, key=lambda v: v > 0))


def groups_of_a_list(x):
    total = 0.0
    for k, g in itertools.groupby(sorted(["aa", "b", "cc", "ddd"], key=len), key=len):
        total += k * x[len(list(g))]
    return total


def groups_without_a_key(x):
    return sum(k * x[sum(1 for _ in g)] for k, g in itertools.groupby([1, 1, 2, 3, 3]))


def first_of_each_group(x):
    same = itertools.groupby([x[0], x[1], x[2]], key=lambda v: v > 0.0)
    return sum(sum(g) ** 2 for _, g in same) + sum(
        next(g) * k for k, g in itertools.groupby([1, 1, 2, 3])
    )


def until_and_after(x):
    up = itertools.takewhile(lambda v: v > 0, x)
    down = itertools.dropwhile(lambda v: v > 0, x)
    return sum(v * v for v in up) + 2.0 * sum(down)


def chosen(x):
    chosen = itertools.compress(x, [1, 0, 1, 0, 1])
    return sum(chosen) * sum(itertools.filterfalse(lambda v: v > 0, x))


def in_a_cycle(x):
    total = 0.0
    for v, w in zip(x, itertools.cycle([1.0, -2.0])):
        total += v * w
    return total + sum(itertools.islice(itertools.cycle(x), 7)) ** 2


def every_second_square(x):
    return sum(itertools.islice((v * v for v in x), 1, None, 2))


def twice(x):
    a, b = itertools.tee(x)
    next(b)
    return sum(u * v for u, v in zip(a, b, strict=False))


def operators(x):
    y = operator.iadd(x.copy(), 1.0)
    items = operator.concat([x[0]], [x[1], 3.0])
    operator.setitem(items, 2, x[2])
    operator.delitem(items, 0)
    flag = operator.and_(operator.not_(False), operator.truth(1))
    chosen = x[operator.xor(2, 1)] if flag else x[0]
    counted = operator.countOf([1, 2, 2], 2) * operator.indexOf([1, 2, 2], 2)
    total = operator.imul(operator.isub(operator.pos(x[3]), 1.0), 2.0) * operator.abs(x[2])
    there = operator.contains([1, 2], 2) and operator.is_not(x, None)
    return np.sum(y * y) + items[1] * chosen * counted + (total if there else 0.0)


def places_in_lists(x, n=3):
    items = [3, 1, 2, 1, n]
    return x[items.index(1, 2)] * x[items.index(n, 1, 5)] + x[items.index(1, -3)]


def places_of_the_run(x, n):
    items = [3, 1, 2, 1, n]
    grown = [v for v in x]
    return x[items.index(1, n)] * x[items.index(2, -n - 1, n + 1)] + grown.index(x[3], n) * x[0]


def powers_of_integers(x, n):
    return x[0] * (
        pow(n, 5, 7) + pow(n + 1, 3, -5) * 10 + pow(3, -1, 7) + pow(base=2, exp=3, mod=5)
    )


def texts_of_integers(x):
    cube = functools.partial(pow, exp=3)
    return cube(x[1]) * int("ff", 16) + x[0] * int("0x1f", base=0) + len(bin(10)) + int(hex(7), 16)


def products(x):
    return math.prod([v for v in x], start=2.0) + math.prod([x[0], x[1]])


def queues(x):
    d = operator.add(deque([x[0], 1.0], 3), deque([x[1], x[2]]))
    d.appendleft(d.pop())
    e = 2 * deque([x[3], x[4]])
    e *= 2
    return d[0] * d[2] + e[3] * len(e) + e[4] * len(d)


def ordered_keys(x):
    d = OrderedDict.fromkeys(["b", "a"], 0.0)
    d["a"] += x[0]
    d.move_to_end("b")
    return next(iter(d.values())) * x[1] + len(d)


def sorted_as_they_come(x):
    down, up = [], [1.0, 2.0]
    for v in x:
        bisect.insort(down, v)
    bisect.insort_left(up, x[1])
    pairs = [(x[0], 1), (x[1], 2)]
    bisect.insort(pairs, (x[3], 5), key=lambda p: p[0])
    return down[0] - 2.0 * down[2] + up[1] ** 2 + pairs[1][0] * pairs[1][1]


PROGRAMS: list[tuple[Any, tuple]] = [
    (f, (X,))
    for f in (
        group_sums, groups_of_a_list, groups_without_a_key, first_of_each_group, until_and_after,
        chosen, in_a_cycle, every_second_square, twice, operators, places_in_lists,
        texts_of_integers, products, queues, ordered_keys, sorted_as_they_come,
    )
]  # fmt: skip
PROGRAMS += [(f, (X, 2)) for f in (places_of_the_run, powers_of_integers)]
if sys.version_info >= (3, 12):

    def batches(x):
        static = sum(sum(b) ** 2 for b in itertools.batched([x[0], x[1], x[2]], 2))
        return static + sum(b[0] * sum(b) for b in itertools.batched(x, 2))

    PROGRAMS.append((batches, (X,)))


def check(f: Any, args: tuple, target: str) -> None:
    np.testing.assert_allclose(flow.compile(f, target=target)(*args), f(*args), rtol=1e-12)
    flow.testing.gradcheck(lambda x: f(x, *args[1:]), args[:1], target=target)


@pytest.mark.parametrize(("f", "args"), PROGRAMS, ids=lambda v: getattr(v, "__name__", ""))
def test_programs(f: Any, args: tuple):
    check(f, args, "python")


@pytest.mark.parametrize(
    ("f", "args"), share(PROGRAMS)[::3], ids=lambda v: getattr(v, "__name__", "")
)
def test_programs_on_the_cpu(f: Any, args: tuple):
    check(f, args, "cpu")


def test_remainders_are_the_nearest():
    def f(x, y):
        return math.remainder(x, y)

    compiled, slopes = flow.compile(f, target="python"), flow.grad(f, (0, 1), target="python")
    values = [0.0, -0.0, 0.3, 1.0, 2.5, 3.0, 5.0, 7.0, -5.5, -7.0, 1e300, 5e-324]
    for x, y in itertools.product(values, [2.0, -2.0, 0.7, 5e-324, math.inf]):
        want = f(x, y)
        got = compiled(x, y)
        assert got == want and math.copysign(1.0, got) == math.copysign(1.0, want), (x, y)
    for x, y in [(0.3, 0.7), (2.9, 0.7), (-3.1, 0.7), (5.2, -2.0), (6.9, 2.0)]:
        nearest = round((x - f(x, y)) / y)
        assert slopes(x, y) == (1.0, -nearest)
    assert math.isnan(compiled(math.nan, 1.0)) and math.isnan(compiled(1.0, 0.0))


def test_a_remainder_that_is_not_defined_is_caught():
    def f(x, y):
        try:
            return math.remainder(x, y)
        except ValueError:
            return -x

    compiled = flow.compile(f, target="python")
    assert compiled(2.0, 0.0) == f(2.0, 0.0) and compiled(2.5, 2.0) == f(2.5, 2.0)


@pytest.mark.parametrize("mod", [1, 2, 7, -7, 2**31 - 1])
def test_powers_of_the_run(mod):
    def f(b, e, m):
        return pow(b, e, m)

    compiled = flow.compile(f, target="python")
    for b, e in itertools.product([-5, 0, 1, 3, 12345678], [0, 1, 2, 31]):
        assert compiled(b, e, mod) == f(b, e, mod)
    for args, error in (
        ((2, 3, 0), ValueError),
        ((2, -1, 7), SrcgradError),
        ((2, 3, 2**40), SrcgradError),
    ):
        with pytest.raises(error):
            compiled(*args)


@pytest.mark.parametrize(
    ("f", "error"),
    [
        (lambda x: [1, 2, 1].index(2, 2) * x, ValueError),
        (lambda x: (1, 2, 1).index(1, 1, 2) * x, ValueError),
        (lambda x: int("9", 8) * x, ValueError),
        (lambda x: pow(x, 2, 3), TypeError),
        (lambda x: operator.add(deque([x]), [x])[0], TypeError),
        (lambda x: pow(2, -1, 4) * x, ValueError),
    ],
)
def test_errors_are_those_of_python(f: Any, error: Any):
    with pytest.raises(error):
        f(2.0)
    with pytest.raises(error):
        flow.compile(f, target="python")(2.0)


def test_an_array_that_changes_while_its_groups_are_taken_is_refused():
    def f(x):
        total = 0.0
        for _, g in itertools.groupby(x, key=lambda v: v > 0):
            x[-1] = 3.0
            total += sum(g)
        return total

    with pytest.raises(SrcgradError, match="groupby"):
        flow.compile(f, target="python")(X.copy())
