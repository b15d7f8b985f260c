"""Lists that one place makes for items of several kinds have NumPy's dtypes, each its own."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import srcgrad as flow

WIDE = np.array([1.0, 2.0, 3.0, -1.0])
NARROW = WIDE.astype(np.float32)
WHOLE = np.array([1, 2, 3, -4])
numbers = flow.compile(lambda v: np.array([u * 2.0 for u in v if u > 0.0]))


def squares(v):
    out = []
    for i in range(v.shape[0]):
        if v[i] > 0.0:
            out.append(v[i] * v[i])
    return np.array(out)


def from_an_item(v):
    out = [v[0]]
    for i in range(1, v.shape[0]):
        out.append(out[-1] * 0.5 + v[i])
    return np.array(out)


def from_an_int(v):
    out = [0]
    for i in range(v.shape[0]):
        out.append(out[-1] + v[i])
    return np.array(out)


def rows(v):
    out = []
    for i in range(v.shape[0]):
        if v[i] > 0.0:
            out.append(v * v[i])
    return np.array(out)


def pairs(v):
    out = []
    for i in range(v.shape[0]):
        if v[i] > 0.0:
            out.append((v[i], i))
    return np.array([a for a, _ in out])


def sums_by_number(v):
    found = {}
    for i in range(v.shape[0]):
        found[int(v[i])] = found.get(int(v[i]), 0) + v[i]
    return np.array(list(found.values()))


def again(v, depth):
    return squares(v) if depth == 0 else again(v, depth - 1) * 2


def in_a_closure(v):
    def inner():
        return np.array([u for u in v if u > 0.0])

    return inner()


def of_a_function(v):
    def applied(f, n):
        out = []
        for i in range(n):
            if i > 0:
                out.append(f(i))
        return np.array(out)

    return applied(lambda i: v[i], v.shape[0])


class Log:
    def __init__(self, v):
        self.v, self.held = v, []

    def run(self):
        for i in range(self.v.shape[0]):
            if self.v[i] > 0.0:
                self.held.append(self.v[i])
        return np.array(self.held)


def of_an_object(v):
    return Log(v).run()


HELPERS = (
    squares, from_an_item, from_an_int, rows, pairs, sums_by_number, in_a_closure, of_a_function,
    of_an_object, lambda v: again(v, 3), lambda v: numbers(v),
)  # fmt: skip


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("helper", HELPERS)
def test_each_call_of_a_helper_has_lists_of_its_own_kind(helper, target):
    def both(x, y):
        return helper(x), helper(y), helper(x)

    for given in ((WIDE, NARROW), (NARROW, WIDE)):
        _like_python(both, given, target)


def test_lists_of_integers_beside_lists_of_floats():
    _like_python(lambda x, n: (from_an_int(n), from_an_int(x)), (WIDE, WHOLE), "python")


def test_trips_of_unrolled_loops_have_lists_of_their_own_kinds():
    def by_trip(x, y):
        out = []
        for v in (x, y):
            kept = []
            for i in range(v.shape[0]):
                if v[i] > 0.0:
                    kept.append(v[i])
            out.append(np.array(kept))
        return out[0], out[1]

    def by_item(x, y):
        out = [np.array([u for u in v if u > 0.0]) for v in (x, y)]
        return out[0], out[1]

    def by_key(x, y):
        table, out = {"x": x, "y": y}, []
        for key in table:
            out.append(np.array([u for u in table[key] if u > 0.0]))
        return out[0], out[1]

    def by_yield(x, y):
        def arrays():
            yield x
            yield y

        out = []
        for v in arrays():
            out.append(np.array([u for u in v if u > 0.0]))
        return out[0], out[1]

    for f in (by_trip, by_item, by_key, by_yield):
        _like_python(f, (WIDE, NARROW), "python")


def test_a_number_decides_the_kind_of_a_list():
    def of(v, bits):
        return from_an_item(v.astype(np.float32) if bits == 32 else v)

    _like_python(lambda x: (of(x, 64), of(x, 32)), (WIDE,), "python")


def test_one_list_of_both_kinds_is_wide():
    def both(x, y):
        out = []
        for v in (x, y):
            for i in range(v.shape[0]):
                if v[i] > 0.0:
                    out.append(v[i])
        return np.array(out)

    _like_python(both, (NARROW, WIDE), "python")


def test_an_array_of_numbers_of_python_and_of_numpy_has_the_dtype_of_numpy():
    def from_a_float(y):
        out = [0.0]
        for i in range(y.shape[0]):
            out.append(out[-1] * 0.5 + y[i])
        return (
            np.array(out),
            np.sum(out),
            np.concatenate((out, y)),
            np.array(sorted(out)),
            np.array(out[1:]),
        )

    def on_a_path(y):
        out = []
        for i in range(y.shape[0]):
            out.append(y[i] if y[i] > 0.0 else 1)
        more = list(out)
        more.append(2.0)
        return np.array(out), np.array(more)

    def in_pairs(y):
        out = [(0.5, 1)]
        for i in range(y.shape[0]):
            if y[i] > 0.0:
                out.append((y[i], 2))
        return np.array(out)

    for f in (from_a_float, on_a_path, in_pairs):
        _like_python(f, (NARROW,), "python")


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_gradients_have_the_dtype_of_their_argument(target):
    def loss(x, y):
        return np.sum(from_an_item(x)) + np.sum(squares(y)) + np.sum(from_an_item(y))

    by_x, by_y = flow.grad(loss, argnums=(0, 1), target=target)(WIDE, NARROW)
    assert (by_x.dtype, by_y.dtype) == (np.float64, np.float32)
    assert_allclose(by_x, [1.875, 1.75, 1.5, 1.0])
    assert_allclose(by_y, by_x + np.array([2.0, 4.0, 6.0, 0.0]), rtol=1e-6)


def _like_python(f, given, target):
    made, plain = flow.compile(f, target=target)(*given), f(*given)
    made, plain = ([v] if isinstance(v, np.ndarray) else v for v in (made, plain))
    for a, b in zip(made, plain, strict=True):
        a, b = np.asarray(a), np.asarray(b)
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        assert_allclose(a, b, rtol=1e-6)


def of_a_class_inside(v):
    class Values:
        def __init__(self, first):
            self.values, self.pairs = [first], []

        def add(self, u):
            self.values.append(u)
            self.pairs.append((u, len(self.values)))

    held, other = Values(v[0]), Values(1.0)
    for i in range(1, v.shape[0]):
        if v[i] > 0.0:
            held.add(v[i] * 0.5)
        other.add(2.0)
    return np.array(held.values), np.array(other.values), sum(u * k for u, k in held.pairs)


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_lists_of_instances_of_a_class_inside(target):
    """The class is another one in each attempt, the list is the same."""
    for v in (WIDE, NARROW):
        _like_python(of_a_class_inside, (v,), target)


def many_lists(x, n):
    a, b, c, d = [], [], [], []
    y = x
    for i in range(n):
        y = y * 0.9 + x
        a.append(y)
        b.append(y * 2.0)
        c.append((y, i))
        d.append(i)
    return sum(a) + sum(b) + sum(p * q for p, q in c) + sum(d)


def test_lists_that_grow_in_one_loop_are_found_together():
    f = flow.compile(many_lists, target="python")
    assert np.isclose(f(0.3, 5), many_lists(0.3, 5))
    assert "(begun 3 times" in str(f.explain())  # and once for the list that `sum` makes
