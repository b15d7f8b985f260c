"""Python features that compiled code lacks or restricts: the error states the actual reason."""

import copy
import math

import numba
import numpy as np
from scipy.special import ellipk, erfinv
from tqdm import tqdm

import srcgrad as flow
from tests.cases.registry import vec
from tests.errors.programs import program


# ---- recursion ----
def halved_in_a_context(x):
    if x < 1e-3:
        return x
    with np.errstate(all="ignore"):
        return halved_in_a_context(x * 0.5)  # error: NotImplementedError: run-time values decide


@program(2000.0)
def recursion_on_a_float(x):
    return halved_in_a_context(x)


def forever(x):
    return x if x < 0.0 else forever(x + 1.0) * forever(x)  # error: RecursionError: maximum


@program(2.0)
def recursion_that_does_not_end(x):
    return forever(x)


# ---- objects that are not followed ----
@numba.vectorize(["float64(float64)"])
def squared(a):
    return a * a


@numba.guvectorize(["void(float64[:],float64[:])"], "(n)->(n)")
def reversed_row(a, out):
    for i in range(len(a)):
        out[i] = a[len(a) - 1 - i]


@program(vec(3))
def ufunc_of_numba_with_a_mask(x):
    return np.sum(squared(x, casting="safe"))  # error: UnsupportedError: squared() is called with


@program(vec(3))
def gufunc_of_numba_with_an_axis(x):
    return np.sum(reversed_row(x, axis=0))  # error: UnsupportedError: reversed_row() is called with


@program(vec(3))
def gufunc_of_numba_over_more_axes_into_an_array(x):
    y = np.zeros((3, 3))
    reversed_row(np.outer(x, x), y)  # error: UnsupportedError: more axes ... leave them out
    return np.sum(y)


@program(vec(3))
def gufunc_of_numba_over_fewer_axes(x):
    return np.sum(reversed_row(x[0]))  # error: ValueError: reversed_row() gets fewer axes


@program(vec(3))
def ufunc_of_numba_without_a_signature(x):
    return np.sum(squared(x + 1j).real)  # error: TypeError: no signature of squared()


@program(vec(3))
def deepcopy_with_a_memo(x):
    parts = copy.deepcopy([x, x], {})  # error: UnsupportedError: deepcopy with a memo of
    return np.sum(parts[0])


@program(vec(3))
def copy_of_a_range(x):
    places = copy.copy(range(len(x)))  # error: UnsupportedError: a copy of ... its parts
    return x[places[0]]


class WithAState:
    def __init__(self, x):
        self.x = x

    def __getstate__(self):
        return {"x": self.x * 2}


@program(vec(3))
def copy_of_an_instance_with_a_state_of_its_own(x):
    return np.sum(copy.copy(WithAState(x)).x)  # error: UnsupportedError: a copy of ... its parts


@program(2.0)
def progress_bar_of_nothing(x):
    tqdm(total=3)  # error: UnsupportedError: a progress bar without what it runs over
    return x


LINE = np.polynomial.Polynomial([1.0, 2.0])


@program(2.0)
def object_that_is_called(x):
    return LINE(x)  # error: UnsupportedError: calling a numpy.polynomial.polynomial.Polynomial is


class Key:
    """An object without a text of its own."""


KEY = Key()


@program(2.0)
def object_that_is_no_key(x):
    return {1: x}[KEY]  # error: UnsupportedError: the dict has no key a Key


nothing = flow.opaque(math.sin, KEY)


@program(2.0)
def likeness_that_is_an_object(x):
    return nothing(x)  # error: UnsupportedError: has no dtype: it is a Key


# ---- arguments of another kind than the function takes ----
@program([1.0, 2.0])
def shape_of_a_list(x):
    return x[0] * x.shape[0]  # error: AttributeError: 'x' is a list ... 'shape' ... np.asarray(x)


@program(2.0, "text")
def shape_of_a_text(x, name):
    return x * len(name.shape)  # error: AttributeError: 'name' is a string ... 'shape'


@program(np.array(2.0))
def axis_of_an_array_without_axes(x):
    return x * x.shape[0]  # error: IndexError: tuple index out of range: 'x' has no axes


@program((2.0, 3.0))
def item_past_the_end(x):
    return x[2]  # error: IndexError: tuple index out of range: 2, of 2 items


@program(2.0, memoryview(b"abc"))
def item_of_a_memoryview(x, data):
    return x * data[0]  # error: UnsupportedError: 'data' is a memoryview ... np.frombuffer(data


@program(2.0, np.zeros(2, [(("title", "a"), float)])[0])
def record_with_titles(x, row):  # error, no line: TypeError: 'row' is a record ... its fields: row[
    return x * row["a"]


@program(2.0)
def elliptic_integral_of_a_complex_number(x):
    return ellipk(x + 1j).real  # error: UnsupportedError: ellipk of complex numbers is not


@program(2.0)
def inverse_error_function_of_a_complex_number(x):
    return erfinv(x + 1j).real  # error: UnsupportedError: erfinv of complex numbers is not


COUNT = 1.0


def counted_times(x):
    return x * COUNT


@program(2.0)
def global_that_a_derivative_reads(x):
    global COUNT
    COUNT = COUNT + 1.0
    return flow.grad(counted_times)(x)  # error: UnsupportedError: reads 'COUNT', which is stored to


BOUND = 1.0


@program(0.5, how="call")  # plain Python, which runs it too, leaves the name bound
def global_that_one_path_deletes(x):
    global BOUND
    if x > 1.0:
        del BOUND  # error, no line: UnsupportedError: 'BOUND', which is stored to, has no
    return x


class Tied:
    """It holds one array in two places."""

    def __init__(self):
        self.a = self.b = np.ones(2)


TIED = Tied()


@program(0.7)
def deep_copy_of_what_holds_an_array_twice(x):
    made = copy.deepcopy(TIED)  # error: UnsupportedError: may hold an array in two places
    made.a[0] = x
    return made.b[0]


@program(0.7)
def identity_as_a_number(x):
    return x * id(x)  # error: UnsupportedError: id() of a number (f64) is not supported
