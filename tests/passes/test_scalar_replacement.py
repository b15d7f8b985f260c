"""An element that a loop keeps is a variable in it: where that is right, and where it is not."""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.ir.nodes import altered
from srcgrad.passes.scalar_replacement import scalar_replacement
from tests.passes.pass_programs import after, agree, count, program, vec
from tests.passes.with_and_without import with_and_without

PLACES = ("load", "store", "add_at")


def loop(*body, head="for j in range(0, i):", params="x: f64[n], y: f64[m], a: f64"):
    lines = [f"        {line}" for line in body]
    return program(params, "\n".join(["for i in range(0, n):", f"    {head}", *lines]))


SOLVE = ("v: f64 = load(x, j)", "t: f64 = mul(v, a)", "add_at(x, i, t)")
X, Y = vec(1, 2, 3, 4), vec(5, 6, 7, 8)


def kept(f, *calls):
    """The accesses in the innermost loop after the pass, which leaves the results as they were."""
    new = agree(scalar_replacement, f, *calls)
    *_, outer = new.body
    (inner,) = (s for s in outer.body if hasattr(s, "body"))
    return count(new.with_body(inner.body), *PLACES)


@pytest.mark.parametrize(
    ("head", "accesses"),
    [
        ("for j in range(0, i):", 1),
        ("for j in reversed(range(0, i)):", 1),
        ("for j in range(0, n):", 2),  # j may be i
    ],
)
def test_an_element_that_others_differ_from(head, accesses):
    assert kept(loop(*SOLVE, head=head), (X, Y, 0.5), (vec(), Y, 0.5)) == accesses


def test_later_elements():
    f = program(
        "x: f64[n], a: f64",
        """
for i in range(0, n):
    k: int = add(i, 1)
    for j in range(k, n):
        v: f64 = load(x, i)
        t: f64 = mul(v, a)
        store(x, j, t)
""",
    )
    assert kept(f, (X, 0.5)) == 1


def test_a_branch_joins_what_it_stores():
    body = (
        "v: f64 = load(x, j)",
        "c: bool = gt(v, 1.5)",
        "if c:",
        "    add_at(x, i, v)",
        "else:",
        "    w: f64 = load(x, i)",
        "    u: f64 = mul(w, a)",
        "    store(x, i, u)",
    )
    assert kept(loop(*body), (X, Y, 0.5), (-X, Y, 0.5)) == 1


def test_a_python_number_that_is_stored():
    body = ("v: f64 = load(x, j)", "store(x, i, b)", "add_at(x, i, v)")
    f = loop(*body, params="x: f64[n], y: f64[m], b: float")
    assert kept(f, (X, Y, 0.5)) == 1


@pytest.mark.parametrize(
    "body",
    [
        (*SOLVE, "s: f64 = sum(x, axes=(0,))"),  # reads all of it
        (*SOLVE, "z: f64[n] = reshape(x, n)", "store(z, 0, a)"),  # by another name
        ("v: f64 = load(x, j)", "k: int = index(i, m, axis=0)", "store(x, i, v)"),  # may raise
        ("v: f64 = load(y, j)", "add_at(y, i, v)"),  # need not exist
        ("for l in range(0, n):", "    v: f64 = load(x, l)", "    add_at(x, i, v)"),
    ],
)
def test_what_stays(body):
    f = loop(*body)
    before = count(f, *PLACES)
    assert count(agree(scalar_replacement, f, (X, Y, 0.5)), *PLACES) == before


def test_a_promise_is_kept():
    f = loop(*SOLVE)
    outer = f.body[-1]
    promised = altered(outer, body=(altered(outer.body[0], promised=True),))
    f = f.with_body((*f.body[:-1], promised))
    assert count(after(scalar_replacement, f), *PLACES) == count(f, *PLACES)


def test_sums_that_nobody_reads_stay_additions():
    f = loop("v: f64 = load(y, 0)", "add_at(x, i, v)")
    assert count(after(scalar_replacement, f), "add_at") == 1


def test_places_of_a_row_and_of_the_matrix():
    f = program(
        "x: f64[n, n1], a: f64",
        """
n1: int = dim(x, axis=1)
check_range(0, n, n1, axis=1)
for i in range(0, n):
    for j in range(0, i):
        r: f64.strided[n1] = view(x, i, spec=('i', ':'))
        v: f64 = load(r, j)
        t: f64 = mul(v, a)
        add_at(x, i, i, t)
""",
    )
    square = np.arange(20.0).reshape(4, 5)
    assert kept(f, (square, 0.5)) == 1


# ---- programs ----
def solve(L, b):
    x = b.copy()
    for i in range(len(b)):
        for j in range(i):
            x[i] -= L[i, j] * x[j]
        x[i] /= L[i, i]
    return np.sum(x * x)


def cholesky(A):
    A = A.copy()
    n = len(A)
    for j in range(n):
        for k in range(j):
            A[j, j] -= A[j, k] * A[j, k]
        A[j, j] = np.sqrt(A[j, j])
        for i in range(j + 1, n):
            for k in range(j):
                A[i, j] -= A[i, k] * A[j, k]
            A[i, j] /= A[j, j]
    return np.sum(np.tril(A))


def lu(A):
    A = A.copy()
    n = len(A)
    for k in range(n):
        for i in range(k + 1, n):
            A[i, k] /= A[k, k]
            for j in range(k + 1, n):
                A[i, j] -= A[i, k] * A[k, j]
    return np.sum(A * A)


MATRIX = np.cos(np.arange(25.0)).reshape(5, 5)
SPD = MATRIX @ MATRIX.T + 5.0 * np.eye(5)
CASES = [
    (solve, (np.tril(MATRIX) + 3.0 * np.eye(5), np.arange(5.0))),
    (cholesky, (SPD,)),
    (lu, (SPD,)),
]


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize(("f", "args"), CASES, ids=["solve", "cholesky", "lu"])
def test_factorizations(f, args, target):
    flow.testing.gradcheck(f, args, target=target, order=2 if target == "python" else 1)


@pytest.mark.parametrize(("f", "args"), CASES, ids=["solve", "cholesky", "lu"])
def test_the_same_bits_without_it(f, args):
    (value, g), (value0, g0) = with_and_without("scalar_replacement", f, args, target="python")
    assert value == value0
    np.testing.assert_allclose(g, g0, rtol=1e-13)


def test_a_solve_saves_a_number_for_each_row():
    g = flow.grad(flow.compile(solve, target="python"))
    g(*CASES[0][1])
    assert "reserve" not in g.ir("adjoint")
