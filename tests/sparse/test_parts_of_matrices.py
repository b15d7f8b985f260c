"""Parts of SciPy's sparse matrices in compiled code: by indices, real parts, copies."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from scipy.sparse import linalg

import srcgrad as flow
from srcgrad.errors import UnsupportedError
from tests.tools.turns import share

RNG = np.random.default_rng(3)
DENSE = RNG.normal(size=(5, 4)) * (RNG.uniform(size=(5, 4)) < 0.6)
MASK = np.array([True, False, True, True, False])
COMPRESSED = (sparse.csr_matrix, sparse.csc_matrix, sparse.csr_array, sparse.csc_array)
X = np.array([0.7, 1.3])

BY_INDEX = {
    "an element": lambda a: a[1, 2], "from the end": lambda a: a[-1, -2],
    "rows": lambda a: a[1:4], "columns": lambda a: a[:, 1:], "steps": lambda a: a[::-2, [2, 0]],
    "a list": lambda a: a[[3, 0, 3]], "a mask": lambda a: a[MASK],
    "ix_": lambda a: a[np.ix_([1, 2], [3, 0])], "nothing": lambda a: a[[]],
    "down and across": lambda a: a[np.array([[4], [2]]), [1, 1, 0]],
    "a block, transposed": lambda a: a[1:3, 1:3].T,
}  # fmt: skip
OF_MATRICES = {
    "a row": lambda a: a[2], "a column": lambda a: a[:, 1], "of a row": lambda a: a[2, [0, 3]],
    "of a column": lambda a: a[[0, 3], 2], "getrow": lambda a: a.getrow(1),
    "getcol": lambda a: a.getcol(-1),
}  # fmt: skip


def dense(v):
    return v.toarray() if sparse.issparse(v) else np.atleast_2d(v)


def checked(made, part, targets=("python",)):
    """Value, class and gradient of a part of a matrix against SciPy's and differences."""

    def loss(x):
        taken = part(made(x))
        w = np.cos(np.arange(4.0)) + 1.0
        shown = taken.toarray() if sparse.issparse(taken) else np.atleast_2d(taken)
        return np.sum(shown @ w[: shown.shape[1]] * (1.0 + np.arange(shown.shape[0])))

    step = 1e-6 * np.eye(2)
    wanted = [(loss(X + h) - loss(X - h)) / 2e-6 for h in step]
    for target in targets:
        part_here = flow.compile(lambda x: dense(part(made(x))), target=target)
        assert_allclose(part_here(X), dense(part(made(X))))
        value, slope = flow.value_and_grad(loss, target=target)(X)
        assert_allclose(value, loss(X))
        assert_allclose(slope, wanted, atol=1e-8)


@pytest.mark.parametrize("name", share(BY_INDEX))
@pytest.mark.parametrize("cls", COMPRESSED)
def test_by_indices(cls, name):
    checked(lambda x: cls(DENSE) * x[0], BY_INDEX[name])


@pytest.mark.parametrize("name", OF_MATRICES)
@pytest.mark.parametrize("cls", COMPRESSED[:2])
def test_rows_and_columns_of_matrices(cls, name):
    checked(lambda x: cls(DENSE) * x[0], OF_MATRICES[name])


@pytest.mark.parametrize("cls", [*COMPRESSED, sparse.coo_matrix, sparse.dia_matrix])
def test_real_and_imaginary_parts_and_copies(cls):
    whole = cls(DENSE * (1.0 + 2.0j))

    def made(x):
        return whole * (x[0] + 1j * x[1])

    checked(made, lambda a: a.real)
    checked(made, lambda a: a.imag)
    real = cls(DENSE)
    checked(lambda x: x, lambda x: real.copy() * x[1], ("python", "cpu"))


def test_a_system_of_a_block():
    square = sparse.csr_matrix(DENSE[:4] + 3.0 * np.eye(4))
    kept = np.array([2, 0, 3])

    def loss(x):
        block = (square * x[0])[np.array([kept]).T, kept].tocsc()
        return np.sum(linalg.splu(block).solve(np.arange(3.0) * x[1]))

    checked(lambda x: square * x[1], lambda a: a[np.array([kept]).T, kept], ("python", "cpu"))
    slope = flow.grad(loss, target="python")(X)
    assert_allclose(slope, [-loss(X) / X[0], loss(X) / X[1]])


def test_a_copy_is_one_and_a_real_part_shares():
    def f(x):
        a = sparse.csr_array(DENSE) * x[0]
        b, c = a.copy(), a.real
        b.data[0] = 0.0
        c.data[1] = 0.0
        return np.sum(a.data)

    assert_allclose(flow.compile(f, target="python")(X), f(X))


@pytest.mark.parametrize("key", [(5, 0), (0, 4), ([5], slice(None)), (slice(None), [-5])])
def test_an_index_outside_raises(key):
    a = sparse.csr_matrix(DENSE)
    with pytest.raises(IndexError):
        a[key]
    with pytest.raises(IndexError, match="out of range"):
        flow.compile(lambda x: (a * x[0])[key].sum(), target="python")(X)


@pytest.mark.parametrize(
    ("cls", "key", "reason"),
    [
        (sparse.csr_matrix, ([0, 1], [1, 2]), "elements of a sparse matrix by two arrays"),
        (sparse.csr_array, 1, "a row or column of a sparse array"),
        (sparse.csr_matrix, [0.5], "indexed by floats"),
        (sparse.csr_matrix, Ellipsis, "None or ... as an index"),
        (sparse.csr_matrix, (0, 1, 2), "another number of parts"),
        (sparse.csr_matrix, (slice(None), np.array([[0, 1]])), "of two axes"),
    ],
)
def test_refusals(cls, key, reason):
    a = cls(DENSE)
    with pytest.raises(UnsupportedError, match=reason):
        flow.compile(lambda x: (a * x[0])[key].sum(), target="python")(X)


UNSORTED = sparse.dia_array((np.arange(-2.0, 6.0).reshape(2, 4), np.array([1, -1])), shape=(3, 4))
IN_PLACES = ([2, 0, 1, 1, 0], [1, 1, 3, 3, 2])
WITH_ZEROS = sparse.coo_array((np.array([1.0, 0.0, 2.0, -2.0, 3.0]), IN_PLACES), shape=(3, 4))


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("a", [
    *(make(np.where(DENSE < 0.5, DENSE, 0.0)) for make in COMPRESSED),
    UNSORTED, sparse.dia_matrix(UNSORTED), WITH_ZEROS,
    sparse.csc_array((WITH_ZEROS.data, WITH_ZEROS.coords), shape=(3, 4)),
])  # fmt: skip
def test_the_places_of_nonzeros_are_those_of_scipy(a, target):
    """In SciPy's order; zeros that are stored are no such places."""

    def f(a, x):
        rows, columns = a.nonzero()
        return np.sum(x[rows] * (columns + 1.0) ** 2 * np.arange(len(rows)))

    x = RNG.normal(size=a.shape[0])
    value, slope = flow.value_and_grad(f, 1, target=target)(a, x)
    rows, columns = a.nonzero()
    expected = np.zeros(len(x))
    np.add.at(expected, rows, (columns + 1.0) ** 2 * np.arange(len(rows)))
    assert_allclose(value, f(a, x), rtol=1e-13)
    assert_allclose(slope, expected, rtol=1e-13)
    made = flow.compile(lambda a: a.nonzero(), target=target)(a)
    assert [(v.dtype, *v) for v in made] == [(v.dtype, *v) for v in (rows, columns)]
