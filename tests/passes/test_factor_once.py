"""Systems are solved by factors that are made once, for the value and for all derivatives."""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.passes import checking, without

SIZES = [(3, ()), (4, (2,)), (1, ()), (0, ())]
DTYPES = [np.float64, np.float32, np.complex128]


def solution(a, b):
    x = np.linalg.solve(a, b)
    return np.sum((x * x).real)


def of_transpose(a, b):
    x = np.linalg.solve(a.T, b)
    return np.sum((np.linalg.solve(a, x) * x).real)


def steps(a, b, k):
    x = b
    for _ in range(k):
        x = np.linalg.solve(a + np.outer(x, x), x) + b
    return np.sum(x * x)


def fixed_matrix(a, b, k):
    x = b
    for _ in range(k):
        x = np.linalg.solve(a, x) + b
    return np.sum(x * x)


def changed_later(a, b, k):
    m = a.copy()
    x = b
    for i in range(k):
        x = np.linalg.solve(m, x) + b
        m[i % 2, 0] += x[0]
    return np.sum(x * x)


def changed_after(a, b, k):
    m = a.copy()
    x = np.linalg.solve(m, b)
    m[:] = x[0]
    return np.sum(x * x) + np.sum(m) * k


def in_a_branch(a, b, k):
    x = b
    for i in range(k):
        if i % 2:
            x = np.linalg.solve(a, x)
        else:
            x = x + b
    return np.sum(x * x)


def both_ways(a, b, k):
    x, s = b, 0.0
    for _ in range(k):
        s += np.linalg.solve(a.T, x) @ np.linalg.solve(a, x)
        x = x + 0.1 * np.linalg.solve(a, b)
    return s


def two_matrices(a, b, k):
    x, m = b, np.outer(b, b) + 9 * np.eye(3)
    for _ in range(k):
        x = np.linalg.solve(m[:2, :2], x[:2]) @ np.linalg.solve(a, x)[1:] + b
        x = x + np.linalg.solve(m, x)
    return np.sum(x * x)


LOOPS = [both_ways, two_matrices, steps, fixed_matrix, changed_later, changed_after, in_a_branch]


def system(n, extra=(), dtype=np.float64, seed=0):
    numbers = np.random.default_rng(seed)
    a, b = numbers.normal(size=(n, n)) + 3 * np.eye(n), numbers.normal(size=(n, *extra))
    if dtype is np.complex128:
        a, b = a + 0.5j * numbers.normal(size=a.shape), b - 1j * b[::-1]
    return a.astype(dtype), b.astype(dtype)


def agree(got, want, dtype=np.float64):
    digits = 1e-4 if dtype is np.float32 else 1e-11
    for g, w in zip(got, want, strict=True):
        np.testing.assert_allclose(g, w, rtol=digits, atol=digits)


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("f", [solution, of_transpose])
@pytest.mark.parametrize("dtype", DTYPES)
def test_gradients(f, dtype, target):
    for n, extra in SIZES:
        args = system(n, extra, dtype)
        with checking():
            got = flow.grad(f, (0, 1), target=target)(*args)
        with without("factor_once"):
            want = flow.grad(f, (0, 1), target=target)(*args)
        agree(got, want, dtype)


@pytest.mark.parametrize("target", ["python", "loops", "cpu"])
@pytest.mark.parametrize("f", LOOPS)
@pytest.mark.parametrize("trips", [0, 1, 4])
def test_gradients_of_loops(f, trips, target):
    a, b = system(3)
    with checking():
        got = flow.grad(f, (0, 1), target=target)(a, b, trips)
    with without("factor_once"):
        want = flow.grad(f, (0, 1), target=target)(a, b, trips)
    agree(got, want)


@pytest.mark.parametrize("f", [solution, of_transpose, lambda a, b: fixed_matrix(a, b, 3)])
def test_tangents_and_second_derivatives(f):
    a, b = system(3)
    va, vb = system(3, seed=1)
    tangent = flow.jvp(f, (a, b), (va, vb))[1]
    gradient = flow.grad(f, (0, 1))(a, b)
    np.testing.assert_allclose(
        tangent, sum(np.sum(g * v) for g, v in zip(gradient, (va, vb), strict=True))
    )
    got = flow.hessian(f, 0)(a, b)
    with without("factor_once"):
        want = flow.hessian(f, 0)(a, b)
    agree([got], [want])
    step = 1e-6
    ahead, behind = (flow.grad(f, 0)(a + s * va, b) for s in (step, -step))
    np.testing.assert_allclose(np.tensordot(got, va, 2), (ahead - behind) / (2 * step), rtol=1e-6)


def test_batches():
    systems = [system(3, seed=k) for k in range(4)]
    a, b = (np.stack(each) for each in zip(*systems, strict=True))
    got = flow.vmap(flow.grad(solution, (0, 1)))(a, b)
    want = [flow.grad(solution, (0, 1))(*each) for each in systems]
    agree(got, [np.stack(each) for each in zip(*want, strict=True)])
    of_b = flow.vmap(flow.grad(solution, 1), in_axes=(None, 0))(a[0], b)
    agree(of_b, [flow.grad(solution, 1)(a[0], each) for each in b])


def adjoint(f, *args):
    """The typed program of a gradient, without comments."""
    text = flow.grad(f, (0, 1)).ir("adjoint", *args)
    return "\n".join(line.partition("#")[0] for line in text.splitlines())


def test_each_matrix_is_factored_once():
    a, b = system(3)
    for f, more in ((solution, ()), (of_transpose, ()), (steps, (3,)), (fixed_matrix, (3,))):
        text = adjoint(f, a, b, *more)
        assert text.count(" factored(") == 1 and " solve(" not in text


def test_a_fixed_matrix_is_factored_before_the_loop():
    a, b = system(3)
    for f, before in ((fixed_matrix, True), (steps, False), (in_a_branch, False)):
        text = adjoint(f, a, b, 3)
        assert (text.index(" factored(") < text.index("for ")) is before


def test_what_is_printed_solves_by_matrices():
    a, b = system(3)
    for f, more in ((solution, ()), (of_transpose, ()), (steps, (3,)), (fixed_matrix, (3,))):
        text = flow.grad(f, (0, 1)).source("adjoint", a, b, *more)
        scope = {}
        exec(text, scope)
        assert "factor" not in text and "scipy" not in text
        agree(scope[f"{f.__name__}_grad"](a, b, *more)[-1], flow.grad(f, (0, 1))(a, b, *more))


@pytest.mark.parametrize("f", [fixed_matrix, steps])
@pytest.mark.parametrize("target", ["python", "cpu"])
def test_singular_matrices_raise_where_there_is_a_trip(f, target):
    run = flow.grad(f, (0, 1), target=target)
    with pytest.raises(np.linalg.LinAlgError, match="Singular"):
        run(np.zeros((2, 2)), np.zeros(2), 1)
    run(np.zeros((2, 2)), np.zeros(2), 0)
    with pytest.raises((np.linalg.LinAlgError, ValueError), match=r"square|broadcast"):
        run(np.ones((2, 3)), np.ones(3), 1)


def noticed_first(a, b, out, k):
    x = b
    for i in range(k):
        out[i] = x[0]
        x = np.linalg.solve(a, x)
    return np.sum(x)


def test_what_a_trip_stores_before_it_raises_is_stored():
    out = np.zeros(2)
    run = flow.value_and_grad(lambda b, out: noticed_first(np.zeros((2, 2)), b, out, 2), 0)
    with pytest.raises(np.linalg.LinAlgError):
        run(np.ones(2), out)
    loop = adjoint(noticed_first, *system(2), out, 2)
    assert loop.index(" factored(") > loop.index("for ")


def test_matrices_are_not_saved_for_systems_solved_by_factors():
    a, b = system(3)
    text = flow.grad(steps, (0, 1)).source("numba", a, b, 3)
    assert "solved_by_factors" in text and "factored_tape" in text
    assert text.count("_tape = ") < 6
