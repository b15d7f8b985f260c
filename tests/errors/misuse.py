"""What users do wrong at the transforms and their arguments: the mistake and the way out."""

import functools
import math
import sys
import types

import numpy as np
import scipy.sparse

import srcgrad as flow
from tests.cases.registry import mat, vec
from tests.errors.registry import program


def square(x):
    return x * x


def on_python(f):
    return flow.grad(flow.compile(f, target="python"))


class Model:
    """A class that is called in the place of a function."""

    def __init__(self, x):
        self.x = x


# ---- what is differentiated ----
@program(how="plain")
def value_in_the_place_of_the_function():
    flow.grad(
        square(2.0)
    )  # error, no line: TypeError: should be callable, but got float ... not grad(f(x))


@program(how="plain")
def builtin_function():
    flow.grad(abs)  # error, no line: TypeError: abs is not a Python function ... return abs(x)


@program(how="plain")
def function_of_math():
    flow.value_and_grad(math.sin)  # error, no line: TypeError: sin ... no source ... wrap it


@program(how="plain")
def universal_function():
    flow.compile(np.sin)  # error, no line: TypeError: sin ... no source ... wrap it


@program(how="plain")
def class_in_the_place_of_a_function():
    flow.compile(Model)  # error, no line: TypeError: Model ... it is a class ... return Model(x)


@program(how="plain")
def module_in_the_place_of_a_function():
    flow.grad(math)  # error, no line: TypeError: should be callable, but got module


@program(how="plain")
def unknown_target():
    flow.compile(square, target="gpu")  # error, no line: ValueError: one of cpu, python, not 'gpu'


@program(how="plain")
def source_without_the_function():
    other = types.FunctionType(square.__code__.replace(co_name="lost"), globals())
    made = flow.compile(other, source="def f(x): return x")
    made(1.0)  # error, no line: SourceError: source= holds no function


@program(how="plain")
def source_that_has_changed():
    other = types.FunctionType(square.__code__.replace(co_name="other"), globals())
    on_python(other)(1.0)  # error, no line: SourceError: was not found ... may have changed


@program(how="plain")
def source_that_does_not_parse():
    scope = {}
    exec("def f(x): return x", scope)
    flow.compile(scope["f"], source="def f(x: return")(
        1.0
    )  # error, no line: SourceError: not parse


@program(how="plain")
def function_without_a_file():
    scope = {}
    exec("def f(x): return x * x", scope)
    flow.grad(scope["f"])(2.0)  # error, no line: SourceError: f() was not found ... source=


@program(how="plain")
def two_lambdas_that_look_the_same():
    both = (lambda x: x, lambda x: x)  # error: UnsupportedError: several lambdas ... def
    code = both[0].__code__
    # as Python -X no_debug_ranges leaves it
    on_python(types.FunctionType(code.replace(co_linetable=b""), {}))(2.0)


async def waiting(x):
    return x  # pragma: no cover


@program(how="plain")
def awaited_helper():
    def f(x):
        return waiting(x)  # error: UnsupportedError: generator or coroutine ... list or an array

    on_python(f)(2.0)


# ---- positions ----
@program(0.7, position=2)
def one_argument_and_position_two(
    x,
):  # error, no line: RuntimeError: exceed ... has 1 argument ... from 0
    return x * x


@program(how="plain")
def no_argument_at_all():
    on_python(lambda: 1.0)()  # error, no line: RuntimeError: exceed ... has 0 arguments


@program(how="plain")
def negative_position():
    flow.grad(square, -1)  # error, no line: ValueError: grad_position must be >= 0


@program(how="plain")
def position_by_name():
    flow.grad(square, "x")  # error, no line: TypeError: must be int or tuple


# ---- arguments that do not fit ----
@program(how="plain")
def too_many_arguments():
    on_python(square)(
        1.0, 2.0
    )  # error, no line: TypeError: square() takes 1 positional argument but 2 were given


@program(how="plain")
def missing_argument():
    on_python(
        square
    )()  # error, no line: TypeError: square() missing 1 required positional argument: 'x'


@program(how="plain")
def unknown_argument():
    on_python(square)(
        y=1.0
    )  # error, no line: TypeError: square() got an unexpected keyword argument 'y'


@program(0.7)
def helper_with_too_many_arguments(x):
    return square(x, x)  # error: TypeError: square() takes 1 positional argument but 2 were given


@program(0.7)
def nested_helper_without_its_argument(x):
    def scaled(v, *, by):
        return v * by

    return scaled(x)  # error: TypeError: missing 1 required keyword-only argument: 'by'


def grown(x, kept=[]):  # noqa: B006
    kept.append(x)  # error: UnsupportedError: captures cannot be changed ... as an argument
    return kept[0]


@program(0.7)
def default_that_grows(x):
    return grown(x) * 2.0


# ---- arguments of kinds without a gradient ----
@program(3)
def python_integer(
    n,
):  # error, no line: TypeError: the number 3: only floats ... pass a float, such as 3.0
    return n * n


@program([1, 2])
def list_of_integers(values):  # error, no line: TypeError: no float in it ... pass floats
    return sum(values)


@program((Model(1.0),))
def tuple_of_objects(models):  # error, no line: TypeError: 'models' ... no float in it
    return models[0].x


@program(Model(1.0))
def object_of_a_class(
    model,
):  # error, no line: TypeError: is a Model: only floats ... grad_position
    return model.x


@program(None)
def none_argument(x):  # error, no line: TypeError: is None: only floats ... grad_position
    return 1.0


@program([1.0, 2.0])
def list_where_an_array_is_meant(x):
    return np.sum(x * 2.0)  # error: UnsupportedError: arithmetic with a list ... np.array(


@program([[1.0, 2.0], [3.0, 4.0]])
def nested_list_where_an_array_is_meant(x):
    return np.sum(x @ x)  # error: UnsupportedError: arithmetic with a list ... np.array(


@program([[1.0, 2.0], [3.0, 4.0]])
def axis_of_a_nested_list(x):
    return x[0, 1]  # error: UnsupportedError: list ... x[i][j]


@program(np.array([1.0, None], dtype=object))
def array_of_objects(x):  # error, no line: TypeError: dtype object ... np.asarray(x, float)
    return x[0]


@program(np.array(["a"]))
def array_of_strings(x):  # error, no line: TypeError: dtype <U1 ... pass numbers
    return 1.0


@program(np.array(["2020-01-01"], dtype="datetime64[D]"))
def array_of_dates(x):  # error, no line: TypeError: datetime64 ... .astype(np.int64)
    return 1.0


@program(np.array([(1.0, 2)], dtype=[("a", float), ("b", int)]))
def structured_array(x):  # error, no line: TypeError: is not supported ... x['...']
    return x["a"][0]


@program(np.array([1.0, 2.0], ">f8" if sys.byteorder == "little" else "<f8"))
def array_of_the_other_byte_order(x):  # error, no line: TypeError: f8 ... x.astype(float)
    return np.sum(x)


@program(np.array([1.0, 2.0], np.longdouble))
def long_doubles(x):  # error, no line: TypeError: 'x' ... x.astype(float)
    return np.sum(x)


@program(np.longdouble(2.0))
def one_long_double(x):  # error, no line: TypeError: 'x' ... float(x)
    return x * x


@program(np.matrix([[1.0, 2.0], [3.0, 4.0]]))
def matrix_of_numpy(x):  # error, no line: TypeError: is a matrix ... np.asarray(x)
    return np.sum(x * x)


@program(np.ma.masked_array([1.0, 2.0], [0, 1]))
def masked_array(x):  # error, no line: TypeError: MaskedArray ... x.filled(0.0)
    return np.sum(x)


@program(how="plain")
def sparse_matrix():
    m = scipy.sparse.csr_matrix(np.eye(2))
    f = flow.grad(lambda x, m: x * m[0, 0])
    f(0.7, m)  # error, no line: TypeError: 'm' is a csr_matrix of SciPy ... m.toarray()


KEPT_MATRIX = np.matrix([[1.0]])


@program(0.7)
def captured_matrix(x):
    return np.sum(x * KEPT_MATRIX)  # error: UnsupportedError: is a matrix ... np.asarray(


# ---- results ----
@program(0.7)
def nothing_is_returned(x):  # error, no line: TypeError: (None) ... is a return missing?
    x * x


@program(0.7)
def text_is_returned(x):  # error, no line: TypeError: (a string) ... return a float
    return "linear"


@program(0.7)
def empty_list_is_returned(x):  # error, no line: TypeError: (a list) ... return a float
    return []


@program(0.7)
def function_is_returned(x):
    return lambda v: v * x  # error: TypeError: returns a function, which is not a number


@program(0.7)
def generator_is_returned(x):
    return (x * k for k in range(3))  # error: TypeError: returns an iterator, which is not


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

    logging.info("x")  # error: UnsupportedError: logging.info() is not supported ... outside
    return x


@program(vec(3))
def saved_to_a_file(x):
    np.save("x.npy", x)  # error: UnsupportedError: numpy.save is not supported
    return np.sum(x)


@program(0.7)
def printed_to_a_file(x):
    print(x, file=sys.stderr)  # error: UnsupportedError: print() to a file ... leave out file=
    return x


@program(vec(3))
def shuffled(x):
    np.random.shuffle(x)  # error: UnsupportedError: draws random numbers ... outside
    return x[0]


GENERATOR = np.random.default_rng(0)


@program(vec(3))
def generator_of_the_module(x):
    return np.sum(x * GENERATOR.normal(size=3))  # error: UnsupportedError: draws random ... outside


@functools.cache
def halves(x):
    if x < 0.001:
        return x
    return halves(x / 2.0)  # error: UnsupportedError: recursion of halves() ... write it as a loop


@program(0.7)
def recursion_on_a_float(x):
    return halves(x)


def folded(x):
    if len(x) <= 1:
        return x[0]
    return folded(x[: len(x) // 2])  # error: UnsupportedError: recursion of folded() ... as a loop


@program(vec(4))
def recursion_on_a_slice(x):
    return folded(x)


@program(vec(3), 2)
def dtype_changes_in_loop(x, n):
    y = x
    for _ in range(n):  # error: UnsupportedError: y changes kind in a loop ... (f64) ... (f32)
        y = y.astype(np.float32)
    return np.sum(y)


def squared(x, n):
    if n == 0:
        return 1.0
    if n % 2 == 0:
        return squared(x * x, n // 2)  # error: UnsupportedError: depth of a recursion must be known
    return x * squared(x, n - 1)


@program(0.7, 3)
def recursion_on_a_run_time_integer(x, n):
    while n > 0:
        x = squared(x, n)
        n = n // 2
    return x


# ---- transforms inside, and arguments that share memory ----
@program(0.7)
def gradient_of_a_function_inside(x):
    def inner(v):
        return v * v

    return flow.grad(inner)(x)  # error: UnsupportedError: defined inside ... define the function


@program(0.7)
def pullback_inside(x):
    out, pull = flow.vjp(square, x)  # error: UnsupportedError: vjp inside ... use grad
    return pull(out)[0]


@program(0.7)
def tangents_that_do_not_fit(x):
    return flow.jvp(square, (x,), (1.0, 2.0))[1]  # error: UnsupportedError: invalid length


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
def stage_that_is_none():
    flow.compile(square).source("reverse", 2.0)  # error, no line: ValueError: choose one of primal
