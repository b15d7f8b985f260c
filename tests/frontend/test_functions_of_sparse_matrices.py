"""Functions of the values that a sparse matrix of SciPy stores: powers, roots, absolute values."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

import srcgrad as flow

ROWS, COLUMNS = np.array([2, 0, 1, 2, 2]), np.array([0, 1, 1, 0, 2])  # (2, 0) is there twice
X = np.array([0.3, -0.4, 0.7, 0.25, 0.6])
FORMATS = [sparse.csr_matrix, sparse.csr_array, sparse.csc_matrix, sparse.csc_array]
NAMES = [
    "arcsin", "arcsinh", "arctan", "arctanh", "ceil", "deg2rad", "expm1", "floor", "log1p",
    "rad2deg", "rint", "sign", "sin", "sinh", "tan", "tanh", "trunc",
]  # fmt: skip


def check(f, *args, target="python"):
    value, gradient = flow.value_and_grad(flow.compile(f, target=target))(*args)
    assert_allclose(value, f(*args), rtol=1e-13)
    x, *others = args
    steps = 1e-6 * np.eye(5)
    differences = [(f(x + s, *others) - f(x - s, *others)) / 2e-6 for s in steps]
    assert_allclose(gradient, differences, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("cls", FORMATS)
def test_powers(cls):
    def f(x):
        m = cls((x, (ROWS, COLUMNS)), shape=(3, 3))
        squares = m.power(2)
        inverse = squares.power(-1.5, dtype=np.float64)
        return np.sum((abs(m) + inverse) @ np.array([1.0, 2.0, 3.0])) + np.sum(squares.data**2)

    for target in ("python", "cpu"):
        check(f, X, target=target)
        check(f, X[::-1] * 1.3, target=target)


@pytest.mark.parametrize("name", NAMES)
def test_functions(name):
    def f(x):
        total = 0.0
        for cls in FORMATS[:3]:
            m = getattr(cls((x, (ROWS, COLUMNS)), shape=(3, 3)), name)()
            total = total + np.sum(m.toarray() * np.arange(9.0).reshape(3, 3))
        return total

    check(f, X)


def coordinates(x):
    return sparse.coo_matrix((x, (ROWS, COLUMNS))).power(2).sum()


def a_place_twice(x):
    columns, starts = np.array([1, 1, 0, 2, 2]), np.array([0, 2, 3, 5])
    return sparse.csr_matrix((x, columns, starts), (3, 3)).power(2).sum()


def places_not_in_order(x):
    columns, starts = np.array([1, 0, 0, 2, 1]), np.array([0, 2, 3, 5])
    return sparse.csr_matrix((x, columns, starts), (3, 3)).sin().sum()


@pytest.mark.parametrize("f", [coordinates, a_place_twice, places_not_in_order])
def test_what_scipy_changes_in_the_matrix_is_refused(f):
    with pytest.raises(NotImplementedError, match=r"use a\.to"):
        flow.grad(flow.compile(f, target="python"))(X)


def test_the_way_out():
    def f(x):
        columns, starts = np.array([1, 1, 0, 2, 2]), np.array([0, 2, 3, 5])
        m = sparse.csr_matrix((x, columns, starts), (3, 3)).tocoo().tocsr()
        return m.sqrt().sum() + m.power(3).sum()

    check(f, np.array([0.4, 0.2, 0.9, 1.1, 0.3]))


def zero_power(x):
    return sparse.csr_array((x, (ROWS, COLUMNS))).power(0).sum()


def power_of_an_array(x):
    return sparse.csr_array((x, (ROWS, COLUMNS))).power(np.ones(2)).sum()


@pytest.mark.parametrize("f", [zero_power, power_of_an_array])
def test_what_scipy_raises(f):
    for g in (f, flow.grad(flow.compile(f, target="python"))):
        with pytest.raises(NotImplementedError):
            g(X)


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_indices_that_are_floats(target):
    def f(x, rows):
        columns, starts = np.array([1.0, 1.9, 0.0, 2.0, 2.5]), np.array([0.0, 2.0, 3.0, 5.0])
        total = 0.0
        for cls in (sparse.csr_matrix, sparse.csc_array):
            total += np.sum(cls((x, (rows, columns)), shape=(3, 3)) @ np.arange(3.0) ** 2)
            total += np.sum((cls((x, columns, starts), (3, 3)) @ np.arange(1.0, 4.0)) ** 2)
        return total + np.sum(sparse.coo_array((x, (rows, columns)), (3, 3)).toarray() ** 2)

    check(f, X, ROWS + 0.5, target=target)
    check(f, X * 2.0, ROWS[::-1] * 1.0, target=target)


def test_no_shape_is_found_of_indices_that_are_floats():
    f = lambda x: sparse.csr_matrix((x, (ROWS * 1.0, COLUMNS))).toarray()
    for each in (f, flow.compile(f)):
        with pytest.raises(TypeError, match="interpreted as an integer"):
            each(X)


def sums_of_narrow_integers(x):
    m = sparse.csr_array((x.reshape(1, 5) * 300.0).astype(np.int32).astype(np.int8))
    return m.sum(axis=0), m.sum(axis=1), m.sum()


def differences_of_unsigned_ones(x):
    m = sparse.csr_array((x.reshape(1, 5) ** 2 * 200.0).astype(np.uint8))
    return (m - m * 2).toarray(), m - np.arange(5, dtype=np.uint8), m.size


def quotients(x):
    m = sparse.csr_array(x.reshape(1, 5).astype(np.float32))
    n = sparse.csr_matrix((x.reshape(1, 5) * 9.0).astype(int))
    return (m / 2).toarray(), (m / x[0]).toarray(), (m / np.float32(3.0)).toarray(), n.data / 2


def diagonals_of_integers(x):
    a = sparse.diags([1, -2, 1], [-1, 0, 1], shape=(3, 3))
    b = sparse.diags_array([[1, 2, 3]], offsets=[0], dtype=int)
    return a.toarray(), b.toarray(), sparse.eye(3, dtype=int).toarray(), (a * x[0]).toarray()


def own_places(x):
    m = sparse.csr_array(x.reshape(1, 5))
    n = -m
    n.indices[0] = 1
    return m.indices.astype(float), n.indices.astype(float)


OF_SCIPY = [
    sums_of_narrow_integers, differences_of_unsigned_ones, quotients, diagonals_of_integers,
    own_places,
]  # fmt: skip


@pytest.mark.filterwarnings("ignore:Input has data type")
@pytest.mark.parametrize("f", OF_SCIPY)
def test_dtypes_and_places_are_scipys(f):
    got, want = flow.compile(f, target="python")(X), f(X)
    for g, w in zip(got, want, strict=True):
        assert np.asarray(g).dtype == np.asarray(w).dtype
        assert_allclose(g, w, rtol=1e-7)
