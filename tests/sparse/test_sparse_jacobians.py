"""Sparse Jacobians against dense ones, their plans, and the patterns that they are given."""

import contextlib
import pickle

import numpy as np
import pytest
from scipy import optimize, sparse

import srcgrad as flow
from srcgrad.errors import ArgumentValueError, PositionError
from tests.sparse import programs
from tests.sparse.test_sparsity import dense


@pytest.mark.parametrize("target", ["python", "cpu"])
@programs.each
def test_the_values_are_those_of_the_dense_one(fn, args, flags, target):
    made = flow.sparse_jacobian(flow.compile(fn, target=target))(*args)
    assert isinstance(made, sparse.csr_array)
    np.testing.assert_allclose(made.toarray(), dense(fn, args, target), rtol=1e-13, atol=0)


def arrow(x):
    """One dense row, one dense column: few products in neither mode alone."""
    return np.concatenate([[np.sum(x * x)], x[1:] * x[0]])


def sums(x):
    return np.array([np.sum(np.sin(x)), x[0] * x[-1]])


def test_the_mode_with_fewer_products():
    x = np.linspace(0.1, 1.0, 30)
    jac = flow.sparse_jacobian(flow.compile(sums, target="python"))
    np.testing.assert_allclose(jac(x).toarray(), dense(sums, (x,), "python"))
    assert not jac.plan.forward and jac.plan.products == 2
    jac = flow.sparse_jacobian(flow.compile(arrow, target="python"))
    np.testing.assert_allclose(jac(x).toarray(), dense(arrow, (x,), "python"))
    jac = flow.sparse_jacobian(flow.compile(programs.products, target="python"))
    assert jac(x).nnz == 58 and jac.plan.forward and jac.plan.products == 2


def test_rules_that_branch_run_for_one_product_after_the_other():
    @flow.custom_vjp
    def half(x):
        return x / 2

    half.defvjp(lambda x: (x / 2, x), lambda x, g: (g / 2 if np.sum(g) > 0 else 0.5 * g,))

    def f(x):
        return np.array([np.sum(half(x) * x), x[0]])

    x = np.arange(1.0, 10.0)
    jac = flow.sparse_jacobian(flow.compile(f, target="python"), sparsity=np.ones((2, 9)))
    assert not jac.plan.forward
    np.testing.assert_allclose(jac(x).toarray(), [x, np.eye(9)[0]])


def test_arguments_that_are_counted_one_by_one():
    def f(*xs):
        return xs[0] * xs[1] + xs[2][0]

    args = [np.arange(3.0) + k for k in range(3)]
    made = flow.sparse_jacobian(flow.compile(f, target="python"), (1, 2))(*args).toarray()
    np.testing.assert_allclose(made, np.hstack([np.diag(args[0]), np.eye(1, 3) * np.ones((3, 1))]))
    with pytest.raises(PositionError, match="Position index 3"):
        flow.sparse_jacobian(flow.compile(f, target="python"), 3)(*args)


def test_single_precision_and_second_derivatives():
    def f(x):
        return np.sum(x[1:] ** 2 * x[:-1])

    x = np.arange(1.0, 7.0)
    hess = flow.sparse_jacobian(flow.grad(flow.compile(f, target="python")))
    np.testing.assert_allclose(hess(x).toarray(), flow.hessian(flow.compile(f, target="python"))(x))
    assert hess.plan.products == 3
    single = flow.sparse_jacobian(flow.compile(programs.products, target="python"))
    assert single(x.astype(np.float32)).dtype == np.float32


def test_a_given_pattern():
    x = np.arange(1.0, 5.0)
    f = flow.compile(programs.products, target="python")
    given = sparse.diags_array([1.0, 1.0], offsets=[0, 1], shape=(3, 4))
    assert flow.sparse_jacobian(f, sparsity=given.tocsr())(x).nnz == 6 and given.tocsr().nnz == 6
    for pattern in (given, given.tocoo(), given.toarray(), given.toarray().tolist()):
        made = flow.sparse_jacobian(f, sparsity=pattern)(x).toarray()
        np.testing.assert_allclose(made, dense(programs.products, (x,), "python"))
    with pytest.raises(ArgumentValueError, match="4 columns, the arguments have 5 floats"):
        flow.sparse_jacobian(f, sparsity=given)(np.ones(5))
    with pytest.raises(ArgumentValueError, match="has 3 rows, the results have 4 floats"):
        flow.sparse_jacobian(f, sparsity=np.eye(3, 5))(np.ones(5))
    with pytest.raises(ArgumentValueError, match="has 2 rows, the results have"):
        flow.sparse_jacobian(f, sparsity=np.ones((2, 5)))(np.ones(5))


def test_duplicates_in_a_given_pattern_count_once():
    x = np.array([1.3, -0.5, 0.7, 0.2])
    places = [0, 0, 1, 1, 2, 2, 3, 3], [0, 3, 5, 8]
    given = sparse.csr_array((np.array([1.0, -1.0] * 4), *places), shape=(3, 4))
    made = flow.sparse_jacobian(flow.compile(programs.products, target="python"), sparsity=given)(x)
    np.testing.assert_allclose(made.toarray(), dense(programs.products, (x,), "python"))
    assert given.nnz == 8  # the caller's own is as it was


def signed(x, c):
    return x * x[0] if np.signbit(c) else x * x[1]


def test_the_sign_of_a_zero_is_another_argument():
    jac, x = flow.sparse_jacobian(flow.compile(signed, target="python")), np.arange(1.0, 4.0)
    for c in (0.0, -0.0):
        np.testing.assert_allclose(jac(x, c).toarray(), dense(signed, (x, c), "python"))


def test_nothing_to_differentiate():
    f = flow.compile(lambda x: x[:0] * 1.0, target="python")
    assert flow.sparse_jacobian(f)(np.ones(3)).shape == (0, 3)
    g = flow.compile(lambda x: x * 2.0, target="python")
    assert flow.sparse_jacobian(g)(np.zeros(0)).shape == (0, 0)
    for call in (flow.sparse_jacobian(g), lambda x: flow.sparsity(g, x)):
        with pytest.raises(TypeError, match="only floats have gradients"):
            call(np.arange(3))
        with pytest.raises(TypeError, match="x is a tensor"):
            call(flow.tensor([1.0, 2.0]))


@pytest.mark.parametrize("wrong", ["abc", True, np.ones(3)])
def test_a_pattern_that_is_no_matrix(wrong):
    with pytest.raises(TypeError, match="matrix of flags"):
        flow.sparse_jacobian(programs.products, sparsity=wrong)


def test_the_pattern_is_found_again_where_other_arguments_change():
    jac = flow.sparse_jacobian(flow.compile(programs.gathered, target="python"))
    x = np.arange(1.0, 5.0)
    for where in ([3, 0, 3], [1, 1, 2]):
        args = (x, np.array(where))
        np.testing.assert_allclose(jac(*args).toarray(), dense(programs.gathered, args, "python"))
    first = jac.plan
    jac(2 * x, np.array([1, 1, 2]))
    assert jac.plan is first
    jac(np.arange(5.0), np.array([1, 1, 2]))
    assert jac.plan is not first


WHERE = np.array([3, 0, 3])
SHIFT = 1


def captured(x):
    return x[WHERE] ** 2 + x[SHIFT]


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_the_pattern_is_found_again_where_captured_values_change(target, monkeypatch):
    jac, x = flow.sparse_jacobian(flow.compile(captured, target=target)), np.arange(1.0, 5.0)
    np.testing.assert_allclose(jac(x).toarray(), dense(captured, (x,), target))
    first = jac.plan
    assert jac(2 * x).nnz == first.pattern.nnz and jac.plan is first
    monkeypatch.setitem(globals(), "SHIFT", 2)
    np.testing.assert_allclose(jac(x).toarray(), dense(captured, (x,), target))
    WHERE[1] = 1
    try:
        np.testing.assert_allclose(jac(x).toarray(), dense(captured, (x,), target))
    finally:
        WHERE[1] = 0


def test_index_arrays_are_made_once():
    jac = flow.sparse_jacobian(flow.compile(programs.products, target="python"))
    a, b = jac(np.arange(4.0)), jac(np.arange(1.0, 5.0))
    assert np.shares_memory(a.indices, b.indices) and not np.shares_memory(a.data, b.data)


def test_what_the_caller_does_to_a_result_does_not_reach_the_plan():
    jac = flow.sparse_jacobian(flow.compile(programs.products, target="python"))
    x = np.array([0.0, 1.0, 0.0, 2.0])
    made, want = jac(x), dense(programs.products, (x,), "python")
    with pytest.raises(ValueError, match="read-only"):
        made.indices[0] = 3
    for change in (made.eliminate_zeros, made.prune, made.sum_duplicates, made.sort_indices):
        with contextlib.suppress(ValueError):  # where SciPy finds that it may not
            change()
        np.testing.assert_allclose(jac(x).toarray(), want)


def test_several_arguments():
    def f(a, n, b):
        return a * b[:3] + n

    jac = flow.sparse_jacobian(flow.compile(f, target="python"), (0, 2))
    made = jac(np.arange(3.0), 2, np.arange(4.0)).toarray()
    want = np.hstack([np.diag(np.arange(3.0)), np.eye(3, 4) * np.arange(3.0)[:, None]])
    np.testing.assert_allclose(made, want)


def test_pickles_keep_the_plan():
    jac = flow.sparse_jacobian(programs.products)
    x = np.arange(1.0, 5.0)
    jac(x)
    again = pickle.loads(pickle.dumps(jac))
    assert again.plan.products == 2 and np.array_equal(again(x).toarray(), jac(x).toarray())
    plan = pickle.loads(pickle.dumps(jac.plan))
    given = flow.sparse_jacobian(programs.products, sparsity=plan)
    assert given.plan is plan and np.array_equal(given(x).toarray(), jac(x).toarray())


def test_as_jac_of_scipy():
    def residuals(x):
        r = np.empty(2 * (len(x) - 1))
        for i in range(len(x) - 1):
            r[2 * i] = 10 * (x[i + 1] - x[i] ** 2)
            r[2 * i + 1] = 1 - x[i]
        return r

    found = optimize.least_squares(
        residuals, np.zeros(20), jac=flow.sparse_jacobian(residuals), tr_solver="lsmr"
    )
    np.testing.assert_allclose(found.x, 1.0, rtol=1e-6)
