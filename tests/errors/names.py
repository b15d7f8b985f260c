"""Slips in names, the world outside, recursions and transforms inside: the way out."""

import functools
import io
import sys
import warnings

import numpy as np

import srcgrad as flow
from tests.cases.registry import mat, vec
from tests.errors.misuse import on_python, square
from tests.errors.programs import program


# ---- names ----
@program(vec(3))
def name_with_a_slip(x):
    return np.sum(np.exo(x))  # error: UnsupportedError: no attribute 'exo' ... did you mean exp?


@program(vec(3))
def method_with_a_slip(x):
    return x.summ()  # error: UnsupportedError: no attribute 'summ' ... did you mean sum?


@program(mat(2, 2))
def name_of_linear_algebra_with_a_slip(a):
    return np.linalg.dett(a)  # error: UnsupportedError: no attribute 'dett' ... did you mean det?


@program(0.7)
def undefined_name_in_helper(x):
    def inner(v):
        return v * missing_name  # noqa: F821  # error: NameError: name 'missing_name' is not defined

    return inner(x)


@program(0.7)
def call_of_a_number(x):
    return x(2.0)  # error: UnsupportedError: a number (f64) cannot be called


@program(0.7)
def index_of_a_number(x):
    return x[0]  # error: UnsupportedError: a number cannot be indexed


@program(0.7)
def sum_over_a_number(x):
    return sum(x)  # error: UnsupportedError: a number (f64) cannot be iterated over


@program(vec(3))
def truth_of_an_array(x):
    if x > 1.0:  # error: UnsupportedError: ambiguous ... np.any
        return x[0]
    return x[1]


# ---- the world ----
@program(0.7)
def written_to_a_log(x):
    import logging

    logging.warning("x", exc_info=True)  # error: UnsupportedError: with exc_info= ... leave it out
    return x


@program(0.7)
def warned(x):
    warnings.warn(x, stacklevel=1)  # error: UnsupportedError: is no text of a message ... a string
    return x


@program(0.7)
def warned_of_no_class(x):
    warnings.warn("x", int, 1)  # error: TypeError: category must be a Warning subclass
    return x


@program(0.7)
def warnings_made_errors(x):
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # error: UnsupportedError: setting a filter ... 'error'
        return 1.0 / x


@program(0.7)
def filter_set_for_all(x):
    warnings.simplefilter("ignore")  # error: UnsupportedError: setting a filter of warnings is not
    return x


@program(0.7)
def warnings_kept(x):
    with warnings.catch_warnings(record=True) as found:  # error: UnsupportedError: that are kept
        return x * len(found)


@program(0.7)
def log_set_up(x):
    import logging

    logging.basicConfig()  # error: UnsupportedError: basicConfig() is not supported
    return x


@program(vec(3))
def saved_to_a_file(x):
    np.save("x.npy", x)  # error: UnsupportedError: numpy.save is not supported
    return np.sum(x)


@program(0.7)
def length_of_what_is_written(x):
    return x * sys.stderr.write(f"{x}")  # error: UnsupportedError: the length of a text ... do not


@program(vec(3))
def missing_function_on_a_path(x):
    if x[0] > 0.0:
        x = np.histogramdd(x)[0]  # error: UnsupportedError: numpy.histogramdd is not supported
    return np.sum(x)


FILE = io.StringIO()


@program(0.7)
def printed_to_a_file(x):
    print(x, file=FILE)  # error: UnsupportedError: print() to a file ... print to sys.stdout or
    return x


def split_in_a_context(x):
    if len(x) <= 1:
        return x[0]
    n = len(x) // 2
    with np.errstate(all="ignore"):  # error: UnsupportedError: cannot be a loop: there is a call
        return split_in_a_context(x[:n]) * split_in_a_context(x[n:])


@program(vec(4))
def recursion_in_a_context(x):
    return split_in_a_context(x)


def of_odd(x, n):
    return x if n <= 0.0 else of_even(x * x, n - 1.0)  # error: UnsupportedError: of of_even() dep


def of_even(x, n):
    return -x if n <= 0.0 else of_odd(x + 1.0, n - 1.0) * of_odd(x, n - 3.0)


@program(0.7, 3.0)
def recursion_of_two_functions(x, n):
    return of_even(x, n)


@functools.cache
def remembered(x):  # error: UnsupportedError: cannot be a loop: remembered() calls itself through
    return x if x < 2.0 else remembered(x - 1.0) + remembered(x - 2.0)


@program(40.5)
def recursion_that_is_remembered(x):
    return remembered(x)


def with_a_function(x, n):
    scale = lambda y: y * n
    if n <= 0.0:
        return x
    first = with_a_function(x, n - 1.0)  # error: UnsupportedError: 'scale' is a function
    return scale(first) + with_a_function(x, n - 2.0)


@program(0.7, 3.0)
def function_that_a_call_keeps(x, n):
    return with_a_function(x, n)


def with_another_function(f, x, n):
    if n <= 0.0:
        return f(x)
    new = lambda y: y * n
    y = with_another_function(new, x, n - 1.0)  # error: UnsupportedError: passes on or returns
    return y + with_another_function(f, x, n - 2.0)


@program(0.7, 3.0)
def function_that_a_call_makes(x, n):
    return with_another_function(np.sin, x, n)


def over_a_dict(x, n, table):
    if n <= 0.0:
        return x
    total = 0.0
    for (
        k
    ) in table:  # error: UnsupportedError: cannot be a loop: a loop with calls of itself runs over
        total += table[k] * over_a_dict(x, n - k, table)
    return total


@program(0.7, 3.0)
def recursion_over_a_dict(x, n):
    return over_a_dict(x, n, {1.0: 0.5, 2.0: 0.25})


def with_a_list(x, n):
    if n <= 0.0:
        return x
    parts = [x]
    parts.append(with_a_list(x, n - 1.0))  # error: UnsupportedError: which of several containers
    return sum(parts) + with_a_list(x, n - 2.0)


@program(0.7, 3.0)
def list_that_a_call_changes_later(x, n):
    return with_a_list(x, n)


@program(vec(3), 2)
def four_kinds_in_a_loop(x, n):
    y = 0.0
    for i in range(int(x[0]) + n):  # error: UnsupportedError: y changes kind in a loop ... rank 3
        if i == 1:
            y = x
        elif i == 2:
            y = np.outer(x, x)
        elif i == 3:
            y = np.ones((3, 3, 3))
    return np.sum(y)


@program(vec(3), 12)
def more_axes_than_loops_are_unrolled_for(x, n):
    y = x
    while y.ndim < n:  # error: UnsupportedError: y changes kind in a loop
        y = y[None]
    return np.sum(y)


# ---- transforms inside, and arguments that share memory ----
@program(0.7)
def tangents_that_do_not_fit(x):
    return flow.jvp(square, (x,), (1.0, 2.0))[1]  # error: UnsupportedError: invalid length


def of_a_dict(p):
    return p["a"] * p["b"]


@program(0.7)
def tangents_without_a_key(x):
    p = {"a": x, "b": x}
    return flow.jvp(of_a_dict, (p,), ({"a": 1.0},))[1]  # error: ArgumentValueError: none at p.b


@program(vec(3))
def number_for_the_tangent_of_an_array(x):
    return flow.jvp(summed_square, (x,), (1.0,))[1]  # error: ArgumentValueError: has the shape ()


def summed_square(x):
    return np.sum(x * x)


def stored(x, y):
    x[0] = y[1]
    return np.sum(x * y)


@program(how="plain")
def one_array_given_twice():
    x = np.ones(3)
    on_python(stored)(x, x)  # error, no line: UnsupportedError: share memory ... x.copy()


@program(how="plain")
def aux_without_a_second_output():
    f = flow.compile(square, target="python")
    flow.grad(f, has_aux=True)(2.0)  # error, no line: ValueError: requires more than one outputs


@program(how="plain")
def adjoint_of_another_shape():
    _, pull = flow.vjp(flow.compile(lambda x: x * x, target="python"), np.ones(3))
    pull(np.ones(4))  # error, no line: ValueError: an adjoint has shape (4,), its output (3,)


@program(how="plain")
def program_asked_for_too_early():
    flow.compile(square).source()  # error, no line: ValueError: call the function once first


@program(how="plain")
def arguments_without_a_stage():
    x = np.ones(3)
    flow.compile(square).source(x)  # error, no line: TypeError: a stage, not ndarray


@program(how="plain")
def stage_that_is_none():
    flow.compile(square).source("reverse", 2.0)  # error, no line: ValueError: choose one of primal


@program(0.7)
def filtered_by_a_text_of_the_run(x):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="value")
        warnings.warn(f"at {x}", stacklevel=1)  # error: UnsupportedError: runs only ... category
        return x


@program(vec(3), 0.3)
def many_conditions_of_their_own(x, c):
    parts = [x if c > k / 20 else 1.0 for k in range(12)]
    return np.sum(np.hstack(parts))  # error: UnsupportedError: more than 10 values of several kinds
