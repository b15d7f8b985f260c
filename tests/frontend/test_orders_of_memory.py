"""`order=`: how elements are read and laid out; views where NumPy has them, or a refusal."""

import copy
import inspect
from typing import Any

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.errors import UnsupportedError
from tests.frontend.as_python import agrees, slope_agrees
from tests.support.samples import made
from tests.support.test_array_semantics import check_gradient

M, V = np.arange(6.0).reshape(2, 3) * 0.7 - 1.0, np.arange(6.0) * 0.3
READ = {
    "a.ravel('F')": M, "a.flatten('F')": M, "a.reshape((3, 2), order='F')": M,
    "a.reshape(-1, order='f')": M, "a.reshape((2, 3), order='F')": V, "np.ravel(a, 'A')": M,
    "a.ravel('K')": M, "a.reshape((3, 2), order='A')": M, "a.T.reshape(6, order='F')": M,
    "np.asarray(a, order='F').ravel('F')": M, "np.array(a, order='F') * 2.0": M,
    "np.reshape(a, (3, 2), copy=True)": M, "np.asfortranarray(a)[1] * 2.0": M,
    "(a * np.ones((2, 3), order='F'))[1]": M,
}  # fmt: skip
# `a` and what is stored to
STORED = {
    "v = a.ravel('F'); v[0] = 9.0": M, "v = a.reshape((2, 3), order='F'); v[0, 1] = 9.0": V,
    "v = np.asarray(a, order='F'); v[0, 0] = 9.0": M, "v = a.T.ravel(); v[1] = 9.0": M,
    "v = np.array(a, order='F'); v[0, 0] = 9.0": M, "v = a.ravel('A'); v[1] = 9.0": M,
}  # fmt: skip
# of arrays that NumPy lays out in Fortran order, these are views
VIEWS = {
    "y = a.T * 2.0; v = y.T.ravel(); v[0] = 9.0": M,
    "y = np.ones((2, 3), order='F'); v = y.ravel('F'); v[0] = 9.0; y += a": M,
    "y = np.ones_like(a, order='F'); v = y.T.reshape((3, 2)); v[0] = 9.0; y += a": M,
}


def program(body: str, result: str) -> Any:
    lines = "".join(f"    {part}\n" for part in body.split("; ") if part)
    return made(f"def call(a):\n{lines}    return {result}\n")


@pytest.mark.parametrize("line", READ)
@pytest.mark.parametrize("target", ["python", "cpu"])
def test_elements_are_read_in_an_order(line: str, target: str):
    f = program("", line)
    np.testing.assert_array_equal(flow.compile(f, target=target)(READ[line]), f(READ[line]))
    check_gradient(f, READ[line], target)


@pytest.mark.parametrize("line", STORED)
def test_a_store_shows_where_it_does_in_numpy(line: str):
    f = program(f"a = a * 1.0; {line}", "a.sum() * 2.0 + v.sum()")
    a = STORED[line]
    assert flow.compile(f, target="python")(a) == pytest.approx(f(copy.deepcopy(a)))
    check_gradient(f, a, "python")


# `.flat` is in C order and of the array itself, however that lies in memory
FLAT = (
    "y = np.array(a); y.flat[::2] = 3.0", "y = np.array(a); y.flat[1:4] *= a.flat[2]",
    "y = np.array(a.T); v = y.flat; v[2:] = 1.5; y[0] += 1.0",
    "y = a + np.ones((2, 3), order='F'); y.flat[:3] = a.flat[3:]",
)  # fmt: skip


@pytest.mark.parametrize("line", FLAT)
@pytest.mark.parametrize("a", [M, np.asfortranarray(M), M.repeat(2, 1)[:, ::2]], ids="CFS")
def test_flat_is_stored_to_in_any_order_of_memory(line: str, a: Any):
    f = program(line, "np.sum(y * y * np.arange(y.size).reshape(y.shape))")
    assert flow.compile(f, target="python")(a) == pytest.approx(f(copy.deepcopy(a)))
    check_gradient(f, a, "python")


@pytest.mark.parametrize("line", VIEWS)
def test_what_may_be_a_view_is_refused_where_it_shows(line: str):
    with pytest.raises(UnsupportedError, match="view in NumPy"):
        flow.compile(program(line, "y.sum()"), target="python")(VIEWS[line])


def test_the_order_of_a_new_array_is_checked():
    with pytest.raises(ValueError, match="order="):
        flow.compile(program("", "np.zeros(3, order='K') * a[0]"), target="python")(V)


def view_of_a_vector(x):
    y = np.reshape(x, (3, 1), copy=False)
    y[1] = 2.0 * x[0]
    return np.sum(x * x)


def view_of_a_matrix(x):
    m = np.outer(x, x)
    m.reshape(9, copy=False)[2:4] = 0.5
    return np.sum(m * m)


def parts_of_a_vector(x):
    return np.sum(np.reshape(x[::2], (1, 2), order="F", copy=False) ** 2)


@pytest.mark.parametrize("f", [view_of_a_vector, view_of_a_matrix, parts_of_a_vector])
def test_reshapes_without_a_copy(f):
    if "copy" in inspect.signature(np.reshape).parameters:
        x = np.array([0.7, 1.2, 0.9])
        agrees(f, x)
        slope_agrees(lambda a: f(np.array([a, 1.2, 0.9])), 0.7)
