"""Sparse matrices of SciPy in compiled code: products, arithmetic and solutions of equations."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from scipy.sparse import linalg

import srcgrad as flow
from srcgrad.errors import SrcgradError, UnsupportedError
from srcgrad.tree.scipy_sparse import FORMATS
from tests.tools.memo import shared
from tests.tools.turns import share

N = 6
DENSE = np.diag(np.arange(4.0, 4.0 + N)) - np.diag(np.ones(N - 1), 1) - np.diag(np.ones(N - 2), -2)
X = np.linspace(0.5, 1.5, N)
BLOCK = np.outer(X, [1.0, -2.0, 0.5])


def product(a, x):
    return a @ x


def from_right(a, x):
    return x @ a


def by_dot(a, x):
    return a.dot(x)


def transposed(a, x):
    return a.T @ x + a.transpose() @ x


def scaled(a, x):
    return (x[0] * a) @ x + (a * 2.0) @ x - (a / x[1]) @ x + (-a) @ x


def dense(a, x):
    return a.toarray() @ x * x[0]


def on_diagonals(a, x):
    return a.diagonal() * x + np.sum(a.diagonal(1) * x[1:]) + np.sum(a.diagonal(-2)) * x


def totals(a, x):
    return a.sum() * x


def sums(a, x):
    return (a + a.T) @ x - (2.0 * a - a.T) @ x * x


def shifted(a, x):
    return (a + dense_part(x)) @ x


def dense_part(x):
    return np.outer(x, x)


def elements(a, x):
    return a.multiply(x) @ x


def in_formats(a, x):
    return a.tocsr() @ x + a.tocsc() @ x * x + a.tocoo() @ x


def stepped(a, x):
    n = a.shape[0]
    for _ in range(3):
        x = linalg.spsolve(sparse.identity(n, format="csc") + 0.1 * x[0] * a, x)
    return x


def solved(a, x):
    return linalg.spsolve(a.tocsc(), x)


def by_factors(a, x):
    lu = linalg.splu(a.tocsc())
    return lu.solve(x) * lu.solve(x * x, "T")


def by_function(a, x):
    solve = linalg.factorized(a.tocsc())
    return solve(solve(x))


def by_gradients(a, x):
    y, info = linalg.cg(a + a.T, x, rtol=1e-13)
    return y + info


def by_bicgstab(a, x):
    return linalg.bicgstab(a, x, x0=x, rtol=1e-13)[0]


def by_gmres(a, x):
    return linalg.gmres(a, x, rtol=1e-13, atol=1e-13)[0]


def products(a, x):
    b = 0.1 * a  # the sine of results as large as a @ a @ a hides their slope from differences
    twice = (b.T @ b.tocsc()).diagonal() + (b.tocoo() @ b).toarray() @ x
    return (b @ b @ (x[0] * b).T) @ x + twice


def adjoints(a, x):
    z = (1.0 + 2.0j * x[0]) * a
    return np.abs((z.conj().T @ z + np.conj(z)).toarray()) @ x


def of_inferred_shape(a, x):
    n = range(len(x))
    b = sparse.coo_array((x, (n, n))) @ sparse.csr_matrix((x, ([0, 2, 5, 0, 1, 5], n)))
    c = sparse.csc_array((x, np.array([0, 5, 1, 3, 2, 2]), np.array([0, 2, 2, 3, 5, 6, 6])))
    return a @ (b @ x) + b.shape[1] * (c @ x) * c.shape[0]


FUNCTIONS = [
    product, from_right, by_dot, transposed, scaled, dense, on_diagonals, totals, sums, shifted,
    elements, in_formats, stepped, solved, by_factors, by_function, by_gradients, by_bicgstab,
    by_gmres, products, adjoints, of_inferred_shape,
]  # fmt: skip
PAIRS = [(f, cls) for f in FUNCTIONS for cls in FORMATS]


def differences(f, x, v, h=1e-5):
    return (f(x + h * v) - f(x - h * v)) / (2.0 * h)


def loss_of(f, a):
    def loss(x):
        return np.sum(np.sin(f(a, x)))

    return loss


def is_defined(f, cls):
    """Whether SciPy's own result is an array: some of a matrix class are of the class np.matrix."""
    return not (issubclass(cls, sparse.spmatrix) and f in (shifted,))


@pytest.mark.parametrize(
    ("f", "cls"),
    share([p for p in PAIRS if is_defined(*p)]),
    ids=lambda v: v.__name__,
)
def test_functions_of_captured_matrices(f, cls):
    a = cls(DENSE)
    check(f, a, X, "python")


@pytest.mark.parametrize("f", share(FUNCTIONS), ids=lambda f: f.__name__)
def test_functions_on_cpu(f):
    check(f, sparse.csr_array(DENSE), X, "cpu")


@shared
def check(f, a, x, target):
    loss = loss_of(f, a)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        want = loss(x)
        v = np.cos(np.arange(N))
        slope = differences(loss, x, v)
    compiled = flow.compile(loss, target=target)
    value, gradient = flow.value_and_grad(compiled)(x)
    assert_allclose(value, want, rtol=1e-9)
    assert_allclose(gradient @ v, slope, rtol=1e-6, atol=1e-7)
    assert_allclose(flow.jvp(compiled, (x,), (v,))[1], gradient @ v, rtol=1e-8, atol=1e-10)
    second = flow.hvp(compiled)(x, v)
    assert_allclose(second @ v, differences(flow.grad(compiled), x, v) @ v, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("f", [product, from_right, solved, by_factors], ids=lambda f: f.__name__)
def test_several_columns(f):
    a = sparse.csc_array(DENSE)
    block = BLOCK.T if f is from_right else BLOCK

    def loss(x):
        return np.sum(np.sin(f(a, x)))

    compiled = flow.compile(loss, target="python")
    value, gradient = flow.value_and_grad(compiled)(block)
    assert_allclose(value, loss(block), rtol=1e-12)
    v = np.cos(block)
    assert_allclose(np.sum(gradient * v), differences(loss, block, v), rtol=1e-6)
    assert_allclose(flow.jvp(compiled, (block,), (v,))[1], np.sum(gradient * v), rtol=1e-10)


def test_a_matrix_is_an_argument():
    def loss(a, x):
        return np.sum((a @ x) ** 2)

    for cls in FORMATS:
        a = cls(DENSE)
        got = flow.grad(flow.compile(loss, target="python"), 1)(a, X)
        assert_allclose(got, 2.0 * DENSE.T @ (DENSE @ X), rtol=1e-12)


ROWS, COLUMNS = np.array([0, 1, 2, 2, 0, 2]), np.array([0, 1, 2, 0, 0, 2])


@pytest.mark.parametrize("cls", [c for c in FORMATS if "dia" not in c.__name__])
@pytest.mark.parametrize("solve", [False, True])
def test_matrices_that_are_made_of_what_is_differentiated(cls, solve):
    def loss(values):
        a = cls((values, (ROWS, COLUMNS)), shape=(3, 3))
        right = np.array([1.0, 2.0, 3.0])
        return np.sum((linalg.spsolve(a.tocsc(), right) if solve else a @ right) ** 2)

    x = np.array([2.0, 3.0, 4.0, 1.0, 0.5, 0.25])
    v = np.cos(np.arange(6.0))
    compiled = flow.compile(loss, target="python")
    value, gradient = flow.value_and_grad(compiled)(x)
    assert_allclose(value, loss(x), rtol=1e-12)
    assert_allclose(gradient @ v, differences(loss, x, v), rtol=1e-6)
    assert_allclose(flow.jvp(compiled, (x,), (v,))[1], gradient @ v, rtol=1e-10)
    assert_allclose(
        flow.hvp(compiled)(x, v) @ v, differences(flow.grad(compiled), x, v) @ v, rtol=1e-5
    )


def with_diagonals(x):
    return sparse.diags([x, x[1:], -1.0], [0, 1, -1], shape=(N, N), format="csr")


def with_diagonals_as_array(x):
    return sparse.diags_array([x, x[1:] * x[0]], offsets=[0, 1])


def with_one_diagonal(x):
    return sparse.diags(x) + sparse.eye(N, k=1)


def with_aligned_diagonals(x):
    """Offsets that the run tells, elements outside of the matrix, and one that is 0."""
    rows = np.stack([x, x**2 - x[1] ** 2, np.sin(x)])
    return sparse.spdiags(rows, np.arange(0, -rows.shape[0], -1), N, N)


def with_aligned_diagonals_in_a_format(x):
    wide = sparse.spdiags([x, 2.0 * x], [2, -1], (N, N), format="csr")
    return wide + sparse.spdiags([x], 1) * sparse.spdiags(x, -2, N, N).tocsc()


def with_identity(x):
    return x[0] * sparse.identity(N) + sparse.eye_array(N, format="csc") * x[1]


@pytest.mark.parametrize(
    "make",
    [
        with_diagonals, with_diagonals_as_array, with_one_diagonal, with_aligned_diagonals,
        with_aligned_diagonals_in_a_format, with_identity,
    ],
)  # fmt: skip
def test_constructors(make):
    def loss(x):
        return np.sum(make(x) @ x**2)

    v = np.cos(np.arange(N))
    value, gradient = flow.value_and_grad(flow.compile(loss, target="python"))(X)
    assert_allclose(value, loss(X), rtol=1e-12)
    assert_allclose(gradient @ v, differences(loss, X, v), rtol=1e-7)


def test_as_many_offsets_as_diagonals():
    def loss(x):
        return np.sum(sparse.spdiags([x, x], [0, 1, 2], N, N) @ x)

    for f in (loss, flow.compile(loss, target="python")):
        with pytest.raises(ValueError, match="number of diagonals"):
            f(X)


def test_captured_factors():
    lu = linalg.splu(sparse.csc_array(DENSE))

    def loss(x):
        return np.sum(lu.solve(x) ** 2 * lu.solve(np.sin(x), trans="T"))

    v = np.cos(np.arange(N))
    for target in ("python", "cpu"):
        compiled = flow.compile(loss, target=target)
        value, gradient = flow.value_and_grad(compiled)(X)
        assert_allclose(value, loss(X), rtol=1e-12)
        assert_allclose(gradient @ v, differences(loss, X, v), rtol=1e-6)
        assert_allclose(flow.jvp(compiled, (X,), (v,))[1], gradient @ v, rtol=1e-10)


def test_changes_of_a_captured_matrix_are_seen():
    a = sparse.csr_array(DENSE)

    @flow.compile(target="python")
    def loss(x):
        return np.sum(a @ x)

    assert_allclose(flow.grad(loss)(X), DENSE.sum(axis=0))
    a.data *= 2.0
    assert_allclose(flow.grad(loss)(X), 2.0 * DENSE.sum(axis=0))
    a = sparse.csc_array(3.0 * DENSE)
    assert_allclose(flow.grad(loss)(X), 3.0 * DENSE.sum(axis=0))


def test_singular_and_unconverged_raise():
    a = sparse.csc_array(np.diag([1.0, 0.0, 2.0]))
    with pytest.raises(np.linalg.LinAlgError, match="no inverse"):
        flow.grad(flow.compile(lambda x: np.sum(linalg.spsolve(a, x)), target="python"))(np.ones(3))
    b = sparse.csr_array(DENSE)
    loss = flow.compile(
        lambda x: np.sum(linalg.bicgstab(b, x, maxiter=1, rtol=1e-14)[0]), target="python"
    )
    with pytest.raises(RuntimeError, match="has not converged"):
        flow.grad(loss)(X)


@pytest.mark.parametrize(
    ("f", "reason"),
    [
        (lambda a, x: linalg.spsolve(a, a) @ x, "a sparse right-hand side"),
        (lambda a, x: linalg.cg(a, x, M=a)[0], "a preconditioner"),
    ],
)
def test_refusals(f, reason):
    a = sparse.csr_array(DENSE)
    with pytest.raises(UnsupportedError, match=reason):
        flow.grad(flow.compile(lambda x: np.sum(f(a, x)), target="python"))(X)


def test_adjoint_of_a_matrix():
    a = sparse.csr_matrix(DENSE * 1.0j)
    f = flow.compile(lambda x: np.abs((a.getH() * (x[0] * a)).toarray()) @ x, target="python")
    assert_allclose(f(X), np.abs((a.getH() * (X[0] * a)).toarray()) @ X)


@pytest.mark.parametrize("rows", [[], [0, 1]])
def test_shapes_that_follow_from_no_indices(rows):
    rows = np.array(rows, dtype=np.int64)

    def f(x):
        return np.sum(sparse.coo_array((x[: len(rows)], (rows, rows[:0]))).toarray())

    with pytest.raises(ValueError, match="cannot infer dimensions from zero sized"):
        f(X)
    with pytest.raises(ValueError, match="cannot infer dimensions from zero sized"):
        flow.compile(f, target="python")(X)


@pytest.mark.parametrize("transform", [flow.grad, flow.jacobian, flow.value_and_grad])
def test_a_matrix_is_a_constant(transform):
    loss = flow.compile(lambda a, x: np.sum(a @ x), target="python")
    with pytest.raises(SrcgradError, match="holds a csc_matrix, which is a constant"):
        transform(loss)(sparse.csc_matrix(DENSE), X)


def test_results_are_matrices():
    @flow.compile(target="python")
    def transposed_and_scaled(a, x):
        return a.T * x[0], a + sparse.eye(N)

    for cls in FORMATS:
        t, shifted = transposed_and_scaled(cls(DENSE), X)
        assert_allclose(t.toarray(), DENSE.T * X[0])
        assert_allclose(shifted.toarray(), DENSE + np.eye(N))


def test_other_formats_name_the_conversion():
    a = sparse.lil_array(DENSE)
    with pytest.raises(SrcgradError, match=r"a\.tocsr\(\)"):
        flow.grad(flow.compile(lambda x: np.sum(a @ x), target="python"))(X)
