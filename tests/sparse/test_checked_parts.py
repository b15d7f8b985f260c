"""Arrays that are no parts of a sparse matrix: what SciPy raises, before anything is computed."""

import linecache
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse import linalg

import srcgrad as flow

X, K = np.arange(1.0, 9.0), np.arange(8)
PARTS = {
    "fewer values": "csr_array((x[:3], k % 4, p)).toarray()",
    "more values": "csc_matrix((x, k[:7] % 4, p)) @ x[:4]",
    "a pointer beyond": "csr_array((x, k % 4, p + [0, 0, 0, 0, 1])).sum()",
    "a pointer after 0": "csr_array((x, k % 4, p + [1, 0, 0, 0, 0])).toarray()",
    "too few pointers": "csr_array((x, k % 4, p), shape=(5, 4)).toarray()",
    "too few pointers of columns": "csc_array((x, k % 4, p), shape=(4, 5)).toarray()",
    "fewer rows": "coo_array((x, (k[:7], k))).toarray()",
    "fewer values of places": "csr_matrix((x[:3], (k, k))) @ x",
    "a row outside": "csr_array((x, (k, k)), shape=(4, 9)) @ np.ones(9)",
    "a column outside": "coo_array((x, (k, k)), shape=(9, 4)).toarray()",
    "a diagonal outside": "diags([x], [9], shape=(8, 8)).toarray()",
    "a diagonal below": "eye(4, 4, -5).toarray()",
    "a negative row": "coo_array((x, (k - 1, k))).toarray()",
}


def program(call: str) -> Any:
    source = f"def f(x, k, p):\n    return sparse.{call}\n"
    linecache.cache[call] = (len(source), None, source.splitlines(True), call)
    scope: dict = {"np": np, "sparse": sparse}
    exec(compile(source, call, "exec"), scope)
    return scope["f"]


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("name", PARTS)
def test_what_is_no_part(name: str, target: str):
    f, args = program(PARTS[name]), (X, K, np.array([0, 2, 4, 6, 8]))
    with pytest.raises(ValueError) as wanted:
        f(*args)
    with pytest.raises(ValueError) as raised:
        flow.compile(f, target=target)(*args)
    assert str(raised.value).startswith(str(wanted.value))


def test_values_after_the_last_row():
    """SciPy leaves them out."""
    f = program("csr_array((x, k % 4, p)).sum()")
    with pytest.raises(NotImplementedError, match="cut off data and indices"):
        flow.compile(f, target="python")(X, K, np.array([0, 2, 4, 6, 7]))
    assert flow.compile(f, target="python")(X, K, np.array([0, 2, 4, 6, 8])) == X.sum()


def test_a_matrix_without_an_inverse():
    def f(x):
        return linalg.splu(sparse.csc_array(np.outer(x, x))).solve(x)

    for g in (f, flow.compile(f, target="python")):
        with pytest.raises(RuntimeError, match="singular"):
            g(X)


@pytest.mark.parametrize("call", ["csr_array(p, shape=(3, 4))", "coo_array(sparse.eye(3), (3, 9))"])
def test_another_shape(call: str):
    """SciPy raises ValueError, or makes the matrix wider."""
    f, p = program(f"{call}.toarray() * p.sum()"), np.ones((3, 3))
    with pytest.raises(NotImplementedError, match="leave it out"):
        flow.compile(f, target="python")(X, K, p)


def test_diagonals_that_are_longer_than_theirs():
    def f(x):
        return sparse.diags([x, x * 2.0, x], [0, 1, -3]).toarray()

    assert np.array_equal(flow.compile(f, target="python")(X), f(X))
    flow.testing.gradcheck(lambda x: np.sum(np.sin(f(x))), (X,), target="python")
