"""`try` beyond the cases: errors of floats, classes, what a handler sees, what is let through."""

import math
import warnings

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.passes.pipeline import checking
from tests.cases.registry import vec

TARGETS = ("python", "cpu")
EDGES = (
    0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 3.7, -3.7, 1e-300, 1e300, -1e300, 710.0, -710.0,
    math.inf, -math.inf, math.nan,
)  # fmt: skip
ONE = (
    "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "cbrt", "sin", "cos", "tan",
    "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "erf", "erfc",
    "gamma", "lgamma", "fabs",
)  # fmt: skip
TWO = ("pow", "fmod", "atan2", "copysign", "log", "hypot")
OPERATORS = ("x / y", "x // y", "x % y", "x**y")


def outcomes_of(expression):
    """A function of two numbers: which of three errors an expression raises, or its value."""
    text = f"""
def f(x, y):
    try:
        return 0, {expression}
    except ZeroDivisionError:
        return 1, x
    except OverflowError:
        return 2, x
    except ValueError:
        return 3, x
"""
    space = {"math": math}
    exec(text, space)
    return flow.compile(space["f"], target="python", source=text), space["f"]


def check_outcomes(expression, pairs):
    compiled, plain = outcomes_of(expression)
    for x, y in pairs:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            want, got = plain(x, y), compiled(x, y)
        assert got[0] == want[0], (expression, x, y, got, want)
        assert got[1] == pytest.approx(want[1], rel=1e-12, nan_ok=True), (expression, x, y)


@pytest.mark.parametrize("name", ONE)
def test_errors_of_functions_of_one_number(name):
    # of -inf scipy.special.gammaln is -inf
    edges = [x for x in EDGES if name != "lgamma" or x != -math.inf]
    check_outcomes(f"math.{name}(x)", [(x, 1.0) for x in edges])


@pytest.mark.parametrize("name", TWO)
def test_errors_of_functions_of_two_numbers(name):
    # the square root of -inf is NaN in NumPy's power, and infinite in C's
    pairs = [(x, y) for x in EDGES for y in EDGES if (name, x, y) != ("pow", -math.inf, 0.5)]
    check_outcomes(f"math.{name}(x, y)", pairs)


@pytest.mark.parametrize("expression", OPERATORS)
def test_errors_of_operators(expression):
    pairs = [(x, y) for x in EDGES for y in EDGES]
    if expression == "x**y":  # roots of negative numbers are complex: NaN in compiled code
        pairs = [(x, y) for x, y in pairs if not x < 0.0 or y.is_integer()]
    check_outcomes(expression, pairs)


@pytest.mark.parametrize("target", TARGETS)
def test_numbers_of_numpy_raise_nothing(target):
    def f(x, y):
        try:
            return x / y
        except ZeroDivisionError:
            return x

    compiled = flow.compile(f, target=target)
    assert compiled(2.0, 0.0) == 2.0
    assert compiled(np.float64(2.0), np.float64(0.0)) == np.inf


@pytest.mark.parametrize("target", TARGETS)
def test_without_a_handler_of_the_class_infinity_is_the_result(target):
    def f(x, y):
        try:
            return x / y
        except IndexError:
            return x

    assert flow.compile(f, target=target)(2.0, 0.0) == np.inf


@pytest.mark.parametrize("target", TARGETS)
def test_what_is_not_caught_is_raised_at_its_line(target):
    def f(x, k):
        y = np.zeros(3)
        try:
            y[0] = x[k]
        except (KeyError, ZeroDivisionError):
            y[1] = 1.0
        return np.sum(y * x)

    with pytest.raises(IndexError, match=r"index 7 is out of bounds(.|\n)*y\[0\] = x\[k\]"):
        flow.grad(f, target=target)(vec(3), 7)


@pytest.mark.parametrize("target", TARGETS)
def test_an_argument_is_as_python_leaves_it(target):
    def f(x, k):
        try:
            x[k] = x[0] * x[1]
        except IndexError:
            x[0] = x[2] ** 2
        return np.sum(x)

    for k in (2, 9):
        x, y = vec(3), vec(3)
        assert flow.compile(f, target=target)(x, k) == pytest.approx(f(y, k))
        np.testing.assert_array_equal(x, y)


def test_the_first_of_several_errors_decides():
    def f(x, k, n):
        try:
            return x[k] / (4 // n) + x[k + 1]
        except IndexError:
            return x[0] * 2.0
        except ZeroDivisionError:
            return x[0] * 3.0

    compiled = flow.compile(f, target="python")
    for k, n in ((0, 1), (2, 1), (2, 0), (9, 0), (0, 0), (1, 0)):
        assert compiled(vec(3), k, n) == f(vec(3), k, n)


def test_what_is_bound_before_the_error_is_kept():
    def f(x, k):
        a = 1.0
        try:
            a = 2.0
            b = x[k]
            a = 3.0
        except IndexError:
            b = x[0]
        return a * b

    compiled = flow.compile(f, target="python")
    assert [compiled(vec(3), k) for k in (1, 5)] == [f(vec(3), k) for k in (1, 5)]


def test_second_derivatives_go_through_the_side_that_is_taken():
    def f(x):
        try:
            return math.sqrt(x) * x
        except ValueError:
            return x**4

    second = flow.grad(flow.grad(f))
    assert second(4.0) == pytest.approx(0.75 * 4.0**-0.5)
    assert second(-2.0) == pytest.approx(48.0)


def test_decided_for_certain_leaves_no_branch():
    def f(x):
        try:
            n = len(x)
        except TypeError:
            n = 1
        return x * n

    compiled = flow.compile(f, target="python")
    assert compiled(2.0) == 2.0
    assert "if " not in compiled.source("primal")


def test_a_handler_of_all_lets_no_refusal_through():
    """What compiled code does not do is no exception of the program's."""

    def f(x):
        try:
            return np.histogramdd(x)
        except Exception:
            return x

    with pytest.raises(flow.UnsupportedError, match="histogramdd"):
        flow.grad(f)(2.0)


def test_a_stack_of_matrices_is_solved_one_by_one():
    def f(a):
        try:
            return np.sum(np.linalg.inv(a))
        except np.linalg.LinAlgError:
            return np.sum(a) * 2.0

    stack = np.stack([np.eye(2) + 1.0, np.ones((2, 2))])
    compiled = flow.compile(f, target="python")
    assert compiled(stack) == f(stack)
    assert compiled(stack + np.eye(2)) == pytest.approx(f(stack + np.eye(2)))


def singular_values(a):
    return np.linalg.svd(a)[1]


def of_eigenvalues(a):
    return np.linalg.eig(a)[0].real


def of_symmetric(a):
    return np.linalg.eigh(a)[0]


def least_squares(a):
    return np.linalg.lstsq(a, np.arange(3.0))[0]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("found", [singular_values, of_eigenvalues, of_symmetric, least_squares])
def test_a_decomposition_that_does_not_converge(found, target):
    def f(a):
        try:
            return np.sum(found(a) ** 2 * np.arange(1.0, 4.0))
        except np.linalg.LinAlgError:
            return np.sum(a[0]) * 2.0

    a = np.array([[2.0, 0.3, 0.1], [0.3, 1.0, 0.2], [0.1, 0.2, 0.5]])
    direction = np.array([[0.1, 0.2, -0.3], [0.2, -0.5, 0.4], [-0.3, 0.4, 0.7]])
    h = 1e-6
    value, gradient = flow.value_and_grad(f, target=target)(a)
    assert value == pytest.approx(f(a))
    slope = (f(a + h * direction) - f(a - h * direction)) / (2 * h)
    assert np.sum(gradient * direction) == pytest.approx(slope, rel=1e-6)
    assert flow.jvp(f, (a,), (direction,))[1] == pytest.approx(slope, rel=1e-6)
    if found is not of_symmetric:
        a[2, 1] = np.nan
        expected = np.zeros((3, 3))
        expected[0] = 2.0
        value, gradient = flow.value_and_grad(f, target=target)(a)
        assert value == f(a)
        np.testing.assert_array_equal(gradient, expected)


def test_scipy_refuses_what_is_not_finite():
    import scipy.linalg

    def f(a):
        try:
            return np.sum(scipy.linalg.inv(a))
        except ValueError:
            return 7.0

    bad = np.eye(2)
    bad[0, 1] = np.nan
    assert flow.compile(f, target="python")(bad) == f(bad) == 7.0
    assert flow.compile(f, target="python")(np.ones((2, 3))) == f(np.ones((2, 3))) == 7.0


def test_the_attributes_are_those_of_the_number():
    def f(x):
        try:
            return x.sum() * 2.0
        except AttributeError:
            return x * 3.0

    compiled = flow.compile(f, target="python")
    for x in (2.0, np.float64(2.0), np.array([2.0, 3.0])):
        assert compiled(x) == f(x)


def test_a_number_of_numpy_takes_a_boolean():
    def f(x):
        y = x[x > 1.0]
        return np.sum(y) * 2.0

    for x in (2.0, 0.5):
        assert flow.compile(f, target="python")(np.float64(x)) == f(np.float64(x))


def grown(x, n):
    try:
        y = x[:1]
        for i in range(n):
            y = np.concatenate([y, y[:1] * x[i]])
        s = np.sum(y)
    except IndexError:
        return x[0] * 3.0
    return s * x[1]


def grown_and_cut(x, n):
    try:
        y, m = x[:1], 0.0
        for i in range(n):
            if x[i] > 100.0:
                raise ValueError
            y = y[: i + 1] if i % 2 else np.concatenate([y, x[: i + 1]])
            m = m + y[-1]
        s = np.sum(y) * m
    except (IndexError, ValueError):
        return x[0] * 3.0
    return s * x[1]


@pytest.mark.parametrize("f", [grown, grown_and_cut])
def test_arrays_whose_lengths_a_loop_changes(f):
    g = flow.value_and_grad(flow.compile(f, target="python", cache=False))
    for n in (0, 2, 3, 5):
        with checking():
            value, gradient = g(vec(3), n)
        assert value == pytest.approx(f(vec(3), n))
        steps = 1e-6 * np.eye(3)
        differences = [(f(vec(3) + s, n) - f(vec(3) - s, n)) / 2e-6 for s in steps]
        assert gradient == pytest.approx(np.array(differences), rel=1e-6, abs=1e-8)


HELD = {"a": 3.0}


def made_where_it_is_returned(x):
    try:
        return {"a": 1.0 / x, "b": [x]}
    except ZeroDivisionError:
        return {"a": HELD["a"], "b": [1.0]}


def captured_where_it_raises(x):
    try:
        made = {"a": 1.0 / x}
        return made
    except ZeroDivisionError:
        return HELD


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("fn", [made_where_it_is_returned, captured_where_it_raises])
def test_a_container_that_is_made_and_returned(fn, target):
    def loss(x):
        return fn(x)["a"] * 2.0

    with checking():
        f = flow.compile(loss, target=target, cache=False)
        assert (f(4.0), f(0.0)) == (0.5, 6.0)
        assert flow.grad(loss, target=target)(4.0) == -0.125
