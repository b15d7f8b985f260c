"""Library functions that compiled code lacks, in branches: refused where a call comes there."""

import os

import numpy as np
import pytest

import srcgrad as flow
from tests.frontend.as_python import TARGETS

X = np.array([1.0, 2.0, 3.0])


def in_an_if(x, n):
    if n > 5:
        x = x + np.histogramdd(x)[0]
    return np.sum(x * x)


def on_the_other_path(x, n):
    y = x if n < 6 else np.histogramdd(x)[0]
    return np.sum(y * y)


def in_a_loop(x, n):
    y = x
    for i in range(n):
        if i == 6:
            y = np.histogramdd(x)[0]
        y = y * 1.5
    return np.sum(y * x)


def in_a_helper(x, n):
    def read(v):
        if n > 5:
            with open("numbers") as numbers:
                return float(numbers.read()) * v
        return v * 2.0

    return np.sum(read(x) * x)


def in_a_condition(x, n):
    return np.sum(x * x) if n < 6 or np.histogramdd(x)[0][0] > 3.0 else 0.0


def bound_there_only(x, n):
    if n > 5:
        number = os.cpu_count()
    if n > 5:
        return np.sum(x) * number
    return np.sum(x * x)


def in_a_try(x, n):
    y = x
    try:
        if n > 5:
            y = np.histogramdd(x)[0]
        y = y / float(x[0])
    except (ValueError, ZeroDivisionError):
        y = 2.0 * x
    return np.sum(y * x)


def try_in_a_branch(x, n):
    if n < 6:
        return np.sum(x * x)
    try:
        counts = np.histogramdd(x)
        return np.sum(counts[0] * x)
    except ValueError:
        return np.sum(x)


def under_a_handler_of_all(x, n):
    y = x
    try:
        if n > 5:
            y = np.histogramdd(x)[0]
        y = y / float(x[0])
    except Exception:
        y = 2.0 * x
    return np.sum(y * x)


def in_a_handler_under_another(x, n):
    try:
        try:
            y = x * x[n]
        except IndexError as e:
            print(e)
            y = np.histogramdd(x)[0]
    except Exception:
        y = x
    return np.sum(y)


def raised_on(x, n):
    try:
        y = x * np.linalg.inv(np.diag(x))[0, 0] * x[n % 3]
    except np.linalg.LinAlgError as e:
        raise ValueError(f"no inverse: {e}") from e
    return np.sum(y) * x[0] if n < 6 else np.sum(np.histogramdd(y)[0])


PROGRAMS = [in_an_if, on_the_other_path, in_a_loop, in_a_helper, in_a_condition, bound_there_only,
            in_a_try, try_in_a_branch, under_a_handler_of_all, raised_on]  # fmt: skip
TEXT = (
    r"not supported( in a compiled function)?\n  .*test_unknown_functions_on_one_path\.py:\d+, in "
)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("f", PROGRAMS)
def test_other_paths_are_as_in_python(f, target):
    found = flow.value_and_grad(flow.compile(f, target=target))
    value, slope = found(X, 3)
    assert value == pytest.approx(f(X, 3))
    steps = 1e-6 * np.eye(3)
    np.testing.assert_allclose(slope, [(f(X + h, 3) - f(X - h, 3)) / 2e-6 for h in steps], 1e-6)
    for _ in range(2):
        with pytest.raises(flow.errors.UnsupportedError, match=TEXT):
            found(X, 8)
    assert found(X, 3)[0] == value


@pytest.mark.parametrize("target", TARGETS)
def test_a_handler_that_reads_what_is_not_known(target):
    found = flow.value_and_grad(flow.compile(in_a_handler_under_another, target=target))
    value, slope = found(X, 1)
    assert value == 12.0
    np.testing.assert_array_equal(slope, [2.0, 8.0, 2.0])
    for _ in range(2):
        with pytest.raises(flow.errors.UnsupportedError, match="text of what was caught is not"):
            found(X, 3)
    assert found(X, 1)[0] == value


@pytest.mark.parametrize("target", TARGETS)
def test_an_error_of_this_class_that_the_program_raises_is_caught(target):
    def general(v):
        raise NotImplementedError("general")

    def f(x):
        try:
            y = x * x if x > 0.0 else general(x)
        except NotImplementedError as e:
            y = x * len(str(e))
        return y

    found = flow.value_and_grad(flow.compile(f, target=target))
    assert found(3.0) == (9.0, 6.0)
    assert found(-3.0) == (-21.0, 7.0)


def test_on_every_path_it_is_refused_before_anything_runs():
    seen = []

    def f(x, n):
        seen.append(1.0)
        if n > 5:
            return np.sum(np.histogramdd(x)[0])
        return np.sum(np.histogramdd(2.0 * x)[0])

    with pytest.raises(flow.errors.UnsupportedError, match="histogramdd is not supported"):
        flow.compile(f, target="python")(X, 3)
    assert not seen


@pytest.mark.parametrize("caught", [NotImplementedError, Exception, (ValueError, BaseException)])
def test_a_handler_does_not_catch_it(caught):
    def f(x, n):
        try:
            if n > 5:
                x = np.histogramdd(x)[0]
        except caught:
            x = 2.0 * x
        return np.sum(x)

    with pytest.raises(flow.errors.UnsupportedError, match="histogramdd is not supported"):
        flow.compile(f, target="python")(X, 8)


def test_a_function_of_tensors_takes_the_tape():
    def f(x, n):
        if n > 5:
            x = x * np.frompyfunc(lambda: 2.0, 0, 1)()
        return (x * x).sum()

    x = flow.tensor([1.0, 2.0], requires_grad=True)
    np.testing.assert_array_equal(flow.grad(f)(x, 3).detach(), [2.0, 4.0])
    np.testing.assert_array_equal(flow.grad(f)(x, 8).detach(), [8.0, 16.0])
