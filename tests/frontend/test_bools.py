"""Python's bools count as integers, NumPy's do not: each keeps the arithmetic of its own."""

import itertools

import numpy as np
import pytest

import srcgrad as flow
from tests.frontend.scalars import check

OF_TWO = {
    "add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y, "floordiv": lambda x, y: x // y, "mod": lambda x, y: x % y,
    "pow": lambda x, y: x**y, "and": lambda x, y: x & y, "or": lambda x, y: x | y,
    "xor": lambda x, y: x ^ y, "shift": lambda x, y: x << y, "sum": lambda x, y: sum([x, y]),
    "equal": lambda x, y: x == y,
    "comparisons": lambda x, y: (x < y) + (y < x), "difference": lambda x, y: (x < y) - (y < x),
    "sum of comparisons": lambda x, y: sum((x < y, y < x, x == y)),
    "a number": lambda x, y: (x < y) * 2.5, "a list": lambda x, y: (x in [y]) + True,
    "any": lambda x, y: any([x < y, y < x]) + all([x == y]), "lists": lambda x, y: ([x] == [y]) + 1,
    "negated": lambda x, y: (not x) + (not (x, y)), "converted": lambda x, y: bool(x) + np.bool_(y),
}  # fmt: skip
OF_ONE = {
    "negative": lambda x: -x, "positive": lambda x: +x, "invert": lambda x: ~x,
    "abs": lambda x: abs(x) + 1, "twice": lambda x: x + x, "parts": lambda x: (x.real, x.imag),
    "isnan": lambda x: np.isnan(x) + 1, "of a comparison": lambda x: (~(x < 2), -(x < 2)),
    "of equality": lambda x: (x == 1) + (x == 1), "numbers": lambda x: (int(x), float(x)),
    "truth": lambda x: (bool(x), np.bool_(x), not x), "product": lambda x: (x < 1) * (x < 2),
    "class": lambda x: isinstance(x < 2, bool),
}  # fmt: skip
BOOLS = [True, False, np.True_, np.False_]
DIVISIONS = ("div", "floordiv", "mod")  # by zero: of NumPy's integers an error in compiled code too


@pytest.mark.parametrize("name", OF_TWO)
def test_of_two(name):
    others = [3, 0, np.int8(3), 1.5, np.float32(0.5), np.int64(-2)]
    pairs = [*itertools.product(BOOLS, BOOLS), *itertools.product(BOOLS, others)]
    for x, y in pairs:
        python = all(type(v) in (bool, int) for v in (x, y))
        if y or python or name not in DIVISIONS:
            check(OF_TWO[name], (x, y), "python")


@pytest.mark.parametrize("name", OF_ONE)
def test_of_one(name):
    for x in (*BOOLS, 1, 1.0, np.float32(1.0), np.int16(3)):
        check(OF_ONE[name], (x,), "python")


@pytest.mark.parametrize("x", [True, np.True_], ids=["Python's", "NumPy's"])
def test_compiled(x):
    def f(x, y, a):
        count = 0
        for v in a:
            count += v > 0.5
        return x + y, x * y, ~x, (x < y) + (a[0] < a[1]), count, x & y, y or x, a[0] < a[1]

    check(f, (x, x, np.array([0.2, 0.9, 1.5])), "cpu")


def test_a_signature_of_each():
    f = flow.compile(lambda x: x + x)
    assert f(True) == 2
    assert f(np.True_) is np.True_


def test_gradient():
    g = lambda x: np.sum(x * (x[0] < x[1])) + (x[0] < x[1]) * x[2] * ((x[1] > 0) + (x[2] > 0))
    assert flow.grad(g)(np.array([1.0, 2.0, 3.0])).tolist() == [1.0, 1.0, 2.0]


def flags_of_the_run(x, n):
    of_numpy, of_python, narrow = [], [], []
    for k in range(n):
        of_numpy.append(x[k] > 0.2)
        of_python.append(k % 3 > 0)
        narrow.append(np.uint8(100 + k))
    totals = [sum(v) for v in (of_numpy, of_python, narrow)]
    from_numbers = [sum(of_numpy, 10), sum(of_python, 0.5), sum(of_numpy, np.float32(0.5))]
    from_bools = [sum(of_python, True), sum(of_numpy, np.True_), sum(of_numpy, True)]
    from_others = [sum(narrow, np.int8(3)), sum(of_python, 1j), sum(of_numpy, np.int8(100))]
    shares = [sum(of_python) / len(of_python), len(of_numpy) - sum(of_numpy[1:])]
    return totals, from_numbers, from_bools, from_others, shares, of_numpy.count(True)


def rows_of_the_run(x, n):
    flags, narrow = [], []
    for k in range(n):
        flags.append(x[:2] > 0.2 * k)
        narrow.append(np.full(2, 100 + k, np.uint8))
    from_numbers = [sum(flags, 0.5), sum(narrow, 1), sum(narrow, np.float32(1.0))]
    return sum(flags), sum(narrow), from_numbers, sum(flags, np.zeros(2, np.int8))


def known_flags(x, n):
    flags = [x[0] > 0.2, x[1] > 0.2, x[2] > 0.2]
    return sum(flags), flags.count(True), flags.count(False), (*flags, x[0] < 0.0).count(True)


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize(
    "f", [flags_of_the_run, rows_of_the_run, known_flags], ids=lambda f: f.__name__
)
def test_flags_are_counted(f, target):
    check(f, (np.array([0.3, 0.9, 0.15, 4.0]), 4), target)
    check(f, (np.array([0.1, 0.05, 0.15, 4.0]), 3), target)


def test_gradient_by_the_number_of_flags():
    def f(x):
        above = [v > 0.2 for v in x if v > 0.0]
        return np.sum(x) * sum(above) / len(above)

    slope = flow.grad(flow.compile(f, target="python"))(np.array([0.3, 0.9, 0.15, -4.0]))
    assert slope.tolist() == [2 / 3] * 4


def truth_of_items(x, n):
    pairs, empty, records, texts = [], [], [], []
    for k in range(n):
        pairs.append((k % 2, -k))
        empty.append(())
        records.append({"a": x[k]})
        texts.append("" if k % 2 else "a")
    found = [all(pairs), any(pairs), all(empty), any(empty), all(records), any(records)]
    return found, all(texts), any(texts), all(p[0] for p in pairs), any(p[1] for p in pairs)


def test_items_are_true_by_their_length():
    for n in (0, 1, 3):
        check(truth_of_items, (np.array([0.0, 0.9, 0.15]), n), "python")


def test_rows_have_no_truth_value():
    def f(x, n):
        rows = []
        for k in range(n):
            rows.append(x * k)
        return 1.0 if all(rows) else 2.0

    with pytest.raises(ValueError, match="truth value"):
        flow.compile(f, target="python")(np.array([0.0, 0.9]), 2)
