"""The ways out that refusals of structured arrays, np.matrix and raising np.errstate name."""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.testing import check_grads

TABLE = np.zeros(3, [("a", float), ("b", float, (2,)), ("n", np.int32)])
TABLE["a"], TABLE["b"] = [0.3, 0.7, 1.1], [[0.1, 0.2], [0.4, 0.3], [0.6, 0.5]]
A, MATRIX = TABLE["a"], np.asmatrix([[0.5, 1.5], [2.0, 0.25]])
TARGETS = pytest.mark.parametrize("target", ["python", "cpu"])


def of_fields(a, b):
    return np.sum(np.sin(a) * b[:, 0]) + np.sum(b**2) + np.sum(a * A)


def of_a_dict(x):
    made = {"a": np.zeros(3), "b": np.zeros((3, 2))}
    made["a"] = x * 2.0
    made["b"][:, 1] = made["a"] ** 2
    made["a"][0] = 5.0
    return np.sum(made["a"]) + np.sum(made["b"])


def product(m):
    return np.sum(m @ m)


def checked(x):
    with np.errstate(all="ignore"):
        y = np.log(x)
    if not np.all(np.isfinite(y)):
        raise FloatingPointError("log")
    return np.sum(y)


@TARGETS
def test_fields_are_arguments(target):
    check_grads(of_fields, (TABLE["a"], TABLE["b"]), target=target)
    whole = flow.grad(flow.compile(of_fields, target=target), (0, 1))(TABLE["a"], TABLE["b"])
    np.testing.assert_allclose(whole[1][:, 0], np.sin(A) + 2.0 * TABLE["b"][:, 0])


@TARGETS
def test_a_dict_holds_fields(target):
    assert flow.compile(of_a_dict, target=target)(A) == pytest.approx(of_a_dict(A))
    check_grads(of_a_dict, (A,), target=target)


@TARGETS
def test_products_of_matrices(target):
    m = np.asarray(MATRIX)
    assert flow.compile(product, target=target)(m) == pytest.approx(np.sum(MATRIX * MATRIX))
    check_grads(product, (m,), target=target)


@TARGETS
def test_results_that_are_not_finite_raise(target):
    gradient = flow.grad(flow.compile(checked, target=target))
    np.testing.assert_allclose(gradient(np.array([1.0, 4.0])), [1.0, 0.25])
    with pytest.raises(FloatingPointError, match="log"):
        gradient(np.array([1.0, 0.0]))
