"""`try`: what cannot be decided before its statements run, and what it lets through."""
# ruff: noqa: B012, B030, F841 (each is what the program is about)

import math

import numpy as np
import scipy.linalg
from scipy.linalg import solve_sylvester as sylvester

from tests.cases.registry import mat, vec
from tests.errors.programs import program


@program(vec(3), 5)
def store_before_a_step_that_raises(x, n):
    y = np.zeros(3)
    try:
        for i in range(n):
            y[i] = x[i]  # error: UnsupportedError: what this changes shows although a later step
    except IndexError:
        y[0] = 1.0
    return np.sum(y * x)


@program(vec(3), 5)
def print_before_a_step_that_raises(x, n):
    try:
        for i in range(n):
            print(x[i])  # error: UnsupportedError: what this changes shows although a later step
    except IndexError:
        return x[0]
    return x[1]


@program(vec(3), 5)
def append_in_a_helper_that_raises(x, n):
    out = []

    def kept(k):
        out.append(x[0])
        return x[k]

    try:
        y = kept(n)  # error: UnsupportedError: what this changes shows although a later step
    except IndexError:
        y = x[1]
    return sum(out) * y


@program(vec(3), 5)
def nonlocal_before_a_step_that_raises(x, n):
    calls = 0.0

    def counted(k):
        nonlocal calls
        calls = calls + x[0]
        return x[k]

    try:
        y = counted(n)  # error: UnsupportedError: what this changes shows although a later step
    except IndexError:
        y = x[1]
    return calls * y


@program(vec(3), 5)
def name_that_may_be_bound(x, n):
    a = 0.0
    try:
        for i in range(n):
            a = a + x[i]
    except IndexError:
        pass
    return a * x[0]  # error: UnsupportedError: 'a' cannot be read here: ... another name there


@program(vec(3), 5)
def exception_that_is_read(x, n):
    try:
        y = x[n]
    except IndexError as e:
        print(e)  # error: UnsupportedError: 'e' cannot be read here: the text of what was caught
        y = x[0]
    return y


@program(mat(3, 3))
def equation_that_may_have_no_solution(a):
    try:
        s = sylvester(a, a, a)  # error: UnsupportedError: whether sylvester() raises is not known
    except np.linalg.LinAlgError:
        s = np.diag(a)
    return np.sum(s)


@program(vec(3), 5)
def test_of_a_while_that_may_raise(x, n):
    k = 0
    try:
        while x[k] < 2.0 and k < n:  # error: UnsupportedError: the test of this 'while' may raise
            k += 1
    except IndexError:
        return x[0]
    return x[1] * k


@program(vec(3), 1e30)
def limit_of_compiled_code(x, big):
    try:
        k = int(big * x[0])  # error: OverflowError: an integer of more than 64 bits
    except OverflowError:
        k = 1
    return x[0] * k


@program(vec(3))
def no_class_of_exceptions(x):
    try:
        return x[7]
    except "IndexError":  # error: TypeError: only classes of exceptions can be caught
        return x[0]


@program(vec(3))
def finally_that_returns(x):
    try:
        y = x[0]
    finally:
        return x[1]  # error: UnsupportedError: a 'finally' that leaves


@program(vec(3), 2)
def finally_that_stores(x, k):
    y = np.zeros(3)
    try:
        z = x[k]
    finally:
        y[0] = x[1]  # error: UnsupportedError: a 'finally' that changes something beside names
    return y[0] * z


@program(vec(3))
def several_exceptions_at_once(x):
    try:  # error: UnsupportedError: 'except*' is not supported
        y = x[0]
    except* ValueError:
        y = x[1]
    return y


@program(vec(3), 7)
def not_caught_by_another_class(x, k):
    try:
        y = x[k]  # error: IndexError: index 7 is out of bounds for axis 0 with size 3
    except KeyError:
        y = x[0]
    return y


@program(vec(3), -2.0)
def raised_by_a_handler(x, y):
    try:
        z = math.log(y)
    except ValueError as e:
        raise RuntimeError("no logarithm") from e  # error: RuntimeError: no logarithm
    return x[0] * z


@program(vec(3), 7)
def raised_again(x, k):
    y = 1.0
    try:
        y = x[k]  # error: IndexError: index 7 is out of bounds for axis 0 with size 3
    except IndexError:
        z = x[0] + y
        raise
    return y


@program(vec(3), 0)
def raised_in_else(x, k):
    try:
        y = x[k]
    except ZeroDivisionError:
        y = x[0]
    else:
        y = y * (1 // k)  # error: ZeroDivisionError: as plain Python says
    return y


@program(np.eye(3) - 2.0)
def not_finite_in_scipy(a):
    try:
        b = scipy.linalg.sqrtm(a)  # error: UnsupportedError: whether sqrtm() raises is not known
    except ValueError:
        b = a
    return np.sum(b)
