"""What users do wrong at the transforms and their arguments: the mistake and the way out."""

import math
import sys
import types

import numpy as np
import scipy.sparse

import srcgrad as flow
from tests.errors.programs import program


def square(x):
    return x * x


def on_python(f):
    return flow.grad(flow.compile(f, target="python"))


class Model:
    """A class that is called instead of a function."""

    def __init__(self, x):
        self.x = x


# ---- what is differentiated ----
@program(how="plain")
def value_in_the_place_of_the_function():
    flow.grad(
        square(2.0)
    )  # error, no line: TypeError: should be callable, but got float ... not grad(f(x))


@program(how="plain")
def builtin_without_a_row():
    flow.grad(hash)  # error, no line: TypeError: hash() is not supported ... call it outside


@program(how="plain")
def function_of_numpy_without_a_row():
    flow.compile(np.packbits)  # error, no line: TypeError: ... flow.opaque(np.packbits, like


@program(how="plain")
def universal_function_without_a_row():
    flow.compile(
        np.bitwise_count
    )  # error, no line: TypeError: numpy.bitwise_count is not supported


@program(how="plain")
def function_that_draws():
    flow.grad(np.random.rand)  # error, no line: TypeError: rand() draws random numbers


@program(how="plain")
def class_in_the_place_of_a_function():
    flow.compile(Model)  # error, no line: TypeError: Model ... it is a class ... return Model(x)


@program(how="plain")
def module_in_the_place_of_a_function():
    flow.grad(math)  # error, no line: TypeError: should be callable, but got module


@program(how="plain")
def unknown_target():
    flow.compile(
        square, target="gpu"
    )  # error, no line: ValueError: target must be one of ... not 'gpu'


@program(how="plain")
def source_without_the_function():
    other = types.FunctionType(square.__code__.replace(co_name="lost"), globals())
    made = flow.compile(other, source="def f(x): return x")
    made(1.0)  # error, no line: SourceError: source= holds no function


@program(how="plain")
def source_that_has_changed():
    other = types.FunctionType(square.__code__.replace(co_name="other"), globals())
    on_python(other)(1.0)  # error, no line: SourceError: was not found ... has changed since


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


async def waiting(x):
    return x  # pragma: no cover


@program(how="plain")
def awaited_helper():
    def f(x):
        return waiting(x)  # error: UnsupportedError: is a coroutine ... as a plain function

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


class Settings(dict):
    pass


SETTINGS = Settings(gain=2.0)


@program(0.7)
def class_of_dicts_that_is_captured(x):
    SETTINGS["gain"] = x  # error: UnsupportedError: captures cannot be changed ... as an argument
    return 2.0 * SETTINGS.pop("gain")  # what runs it as it is leaves nothing there


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
):  # error, no line: TypeError: is a Model: only floats ... register(Model
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


SHARED = {"names": ["a", "b"], "formats": ["f8", "i8"], "offsets": [0, 4]}


@program(np.zeros(2, SHARED))
def fields_that_share_memory(x):  # error, no line: TypeError: is not supported ... x['...']
    return x["a"][0]


@program(np.zeros(2, [("a", float), ("name", "U3")]))
def field_of_strings(x):  # error, no line: TypeError: 'name' ... dtype <U3 ... pass numbers
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


class Wrapping(np.ndarray):
    def __array__(self, dtype=None, copy=None):
        return np.zeros(3)


@program(np.ones(3).view(Wrapping))
def array_of_a_class(x):  # error, no line: TypeError: is a Wrapping ... np.asarray(x)
    return np.sum(x * x)


@program(np.ma.masked_array([1.0, 2.0], [0, 1]))
def masked_array(x):  # error, no line: TypeError: MaskedArray ... x.filled(0.0)
    return np.sum(x)


@program(how="plain")
def sparse_matrix():
    m = scipy.sparse.lil_matrix(np.eye(2))
    f = flow.grad(lambda x, m: x * m[0, 0])
    f(0.7, m)  # error, no line: TypeError: 'm' is a lil_matrix of SciPy ... m.tocsr()


KEPT_ARRAY = np.ones(3).view(Wrapping)


@program(0.7)
def captured_array_of_a_class_with_a_protocol(x):
    return np.sum(x * KEPT_ARRAY)  # error: UnsupportedError: is a Wrapping ... np.asarray(


TABLE = np.zeros(2, SHARED)


@program(np.ones(2))
def captured_fields_that_share_memory(x):
    return np.sum(x * TABLE["a"])  # error: UnsupportedError: fields: TABLE['...'] as an argument


@program(np.ones(2))
def such_fields_made_inside(x):
    made = np.zeros(2, SHARED)  # error: UnsupportedError: in a dict: {'a': ..., 'b': ...}
    made["a"] = x
    return np.sum(made["a"])


ROWS = np.ones(2, [("a", float), ("n", int)])
BIG = ROWS.dtype.newbyteorder(">")
SWAPPED = ROWS.astype(BIG)


@program(2.0)
def argument_that_a_formula_lacks(x):
    made = np.rec.fromarrays([np.ones(2)], aligned=True)  # error: UnsupportedError: 'aligned'
    return x * made.f0[0]


@program(2.0)
def argument_that_a_method_lacks(x):
    same = ROWS.copy(deep=True)  # error: UnsupportedError: argument 'deep'
    return x * same["a"][0]


@program(2.0)
def function_of_a_structured_array(x):
    return x * np.vstack([ROWS, ROWS])["a"][0, 0]  # error: UnsupportedError: vstack of a structured


@program(2.0)
def growing_list_of_structured_arrays(x):
    rows = []
    for k in range(len(ROWS)):
        if ROWS["a"][k] < x:
            rows.append(ROWS[k : k + 1])
    return x * np.concatenate(rows)["a"][0]  # error: UnsupportedError: concatenate of a list of


@program(2.0)
def structured_array_of_another_byte_order(x):
    return x * SWAPPED["a"][0]  # error: UnsupportedError: has fields in another byte order


@program(2.0)
def fields_of_another_byte_order(x):
    made = np.zeros(2, BIG)  # error: UnsupportedError: dtype dtype('>f8') is not supported
    return x * made["a"][0]


@flow.custom_vjp
def of_rows(rows):
    return np.sum(rows["a"])


of_rows.defvjp(lambda rows: (of_rows(rows), None), lambda _, g: (None,))


@program(2.0)
def rule_of_a_structured_array(x):
    return x * of_rows(ROWS)  # error: UnsupportedError: of_rows(), which is a structured ... fields


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
