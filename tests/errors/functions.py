"""Arguments that Python's builtins and NumPy's functions do not take."""

import datetime
import decimal
import functools
import itertools
import math
from typing import NamedTuple

import numpy as np
import scipy.special

from tests.cases.registry import mat, vec
from tests.errors.programs import program


class Pair(NamedTuple):
    """Two numbers."""

    a: float
    b: float


# ---- builtins ----
@program(0.7)
def length_of_a_number(x):
    return len(x) * x  # error: UnsupportedError: a number (f64) has no len()


@program(np.array(0.7))
def length_without_axes(x):
    return len(x) * x  # error: UnsupportedError: len() of a 0-d array


@program(vec(3))
def float_of_a_list(x):
    return float([x[0]])  # error: UnsupportedError: a list cannot be converted to a number


@program(0.7)
def range_of_four(x):
    return x * len(range(1, 2, 3, 4))  # error: UnsupportedError: 1 to 3 arguments, not 4


@program(0.7)
def range_of_a_float(x):
    return x * len(range(x))  # error: UnsupportedError: range() takes integers, not a number


@program(0.7)
def range_indexed_by_float(x):
    return x * range(3)[x]  # error: UnsupportedError: range indices must be integers or slices


@program(0.7)
def range_with_the_step_zero(x):
    return x * len(range(0, 3, 0))  # error: UnsupportedError: arg 3 must not be zero


@program(vec(3))
def enumerate_from_a_float(x):
    return sum(k * v for k, v in enumerate(x, 0.5))  # error: UnsupportedError: starts at an integer


@program(vec(3))
def reversed_iterator(x):
    return sum(reversed(v for v in x))  # error: UnsupportedError: cannot be reversed ... a list


@program(vec(3))
def strict_zip_of_lists(x):
    pairs = zip([x[0]], [x[1], x[2]], strict=True)  # error: UnsupportedError: zip() argument 2
    return sum(a * b for a, b in pairs)


@program(vec(3))
def sorted_run_time_values(x):
    values = sorted([(x[0], "a"), (x[1], "b")])[0]  # error: UnsupportedError: neither numbers nor
    return values[0]


@program(vec(3))
def sorted_of_two_structures(x):
    items = [(x[0], "a"), (x[1], 2.0, x[2])]
    return sorted(items, key=lambda v: v[0])[0][0]  # error: UnsupportedError: not alike


@program(vec(3), 2)
def sorted_with_arrays_of_two_lengths(x, n):
    items = [(x[0], x), (x[1], x[n:])]
    return sorted(items, key=lambda v: v[0])[0][0]  # error: UnsupportedError: different lengths


@program(vec(3), 1)
def sorted_backwards_by_a_number(x, n):
    return sorted(x, reverse=n)[0]  # error: UnsupportedError: sorted() with reverse=


@program(0.7)
def sorted_mixture(x):
    return x * len(sorted([1, "a"]))  # error: UnsupportedError: '<' not supported between


@program(vec(3))
def filtered_twice(x):
    once = filter(lambda v: v > 0.1, x)
    return sum(once) + sum(once)  # error: UnsupportedError: an iterator is run over twice


@program(vec(3))
def zip_of_two_filters(x):
    pairs = zip(filter(abs, x), filter(abs, x), strict=False)  # error: UnsupportedError: followed
    return sum(u * v for u, v in pairs)


@program(vec(3))
def a_list_that_grew_since(x):
    values = [x[0], x[1]]
    pairs = zip(values, values, strict=True)
    values.append(x[2])
    total = 0.0
    for u, v in pairs:  # error: UnsupportedError: a list changes its length ... list(
        total += u * v
    return total


@program(vec(3))
def a_list_that_grew_in_a_loop(x):
    values = []
    for v in x:
        values.append(v)
    numbered = enumerate(values)
    values.append(1.0)
    total = 0.0
    for k, v in numbered:  # error: UnsupportedError: a list changes its length
        total += k * v
    return total


@program(vec(3))
def pairs_of_a_filter(x):
    pairs = itertools.pairwise(filter(abs, x))  # error: UnsupportedError: that leaves items out
    return sum(u * v for u, v in pairs)


@program(0.7)
def bytes_of_a_number(x):
    return x * len((5).to_bytes(1 + int(x)))  # error: UnsupportedError: an argument of to_bytes()


@program(0.7)
def class_of_numbers_of_the_run(x):
    return x if list[x] else -x  # error: UnsupportedError: the parameters of a class


@program(vec(3))
def pairs_of_what_is_mapped(x):
    total = 0.0
    for u, v in itertools.pairwise(map(abs, x)):  # error: UnsupportedError: pairwise()
        total += u * v
    return total


@program(vec(3))
def accumulated_while_it_changes(x):
    total = 0.0
    for v in itertools.accumulate(x):  # error: UnsupportedError: read item by item in Python
        x[-1] += v
        total += v
    return total


@program(vec(3))
def sought_in_a_generator(x):
    seen = []
    push = lambda k: seen.append(k) or k
    found = 2 in (push(k) for k in range(4))  # error: UnsupportedError: 'in' takes items
    return x[0] * len(seen) if found else x[1]


@program(vec(3))
def walrus_of_two_loops(x):
    found = any((t := u * v) > 1.0 for u in x for v in x)  # error: UnsupportedError: several loops
    return t if found else x[0]


@program(vec(3))
def islice_of_five(x):
    return sum(itertools.islice(x, 0, 2, 1, 1))  # error: UnsupportedError: 2 to 4 arguments, not 5


@program(vec(3))
def islice_from_behind(x):
    return sum(itertools.islice(x, -1))  # error: UnsupportedError: negative limits ... slice


@program(vec(3))
def repeated_by_a_half(x):
    return sum(itertools.repeat(x[0], 2.5))  # error: UnsupportedError: is an integer, not


@program(0.7)
def absolute_text(x):
    return abs([x])  # error: UnsupportedError: bad operand type for abs(): a list


@program(vec(3))
def rounded_array(x):
    return sum(round(x))  # error: UnsupportedError: round() takes a number ... np.round


@program(0.7)
def maximum_of_an_empty_list(x):
    return max([]) * x  # error: UnsupportedError: max() of an empty sequence


@program(vec(3))
def maximum_of_arrays(x):
    return np.sum(max(x, x * 2.0))  # error: UnsupportedError: max() takes numbers; use np.maximum


@program(0.7)
def reduction_of_nothing(x):
    return functools.reduce(lambda a, b: a * b, []) * x  # error: TypeError: no initial value


@program(0.7)
def printed_with_a_run_time_end(x):
    print(x, sep=x)  # error: UnsupportedError: sep and end of print() must be known
    return x


# ---- questions ----
@program(0.7)
def isinstance_of_an_iterator(x):
    known = isinstance(zip([x]), zip)  # error: UnsupportedError: isinstance() of an iterator
    return x if known else -x


@program(0.7)
def isinstance_without_a_class(x):
    return x if isinstance(x, 2) else -x  # error: UnsupportedError: isinstance() takes classes


@program(0.7)
def type_of_an_iterator(x):
    return x if type(map(abs, [x])) is int else -x  # error: UnsupportedError: type() of an iterator


@program(0.7)
def attribute_by_a_run_time_name(x):
    return getattr(x, x)  # error: UnsupportedError: attribute must be known at compile time


@program(vec(3))
def setattr_of_an_array(x):
    setattr(x, "name", 1.0)  # noqa: B010  # error: UnsupportedError: setattr() of an array ... dataclass
    return x[0]


@program(0.7)
def super_in_a_function(x):
    return super().value * x  # error: UnsupportedError: super(): no arguments ... in a method


@program(0.7)
def super_of_one_class(x):
    return x if super(float) else -x  # error: UnsupportedError: super() takes a class and


@program(0.7)
def next_of_a_list(x):
    return next([x])  # error: UnsupportedError: 'list' object is not an iterator


@program(0.7)
def number_of_a_list_of_texts(x):
    return x * np.float64(None)  # error: UnsupportedError: None cannot be converted


# ---- containers ----
@program(0.7)
def pop_from_nothing(x):
    return [].pop() * x  # error: UnsupportedError: pop from empty list


@program(vec(3))
def count_of_run_time_values(x):
    return x[0] * [x, x].count(x[0])  # error: UnsupportedError: the truth value of an array


@program(vec(3))
def search_of_run_time_values(x):
    return x[0] * [x, x].index(x[1])  # error: UnsupportedError: the truth value of an array


@program(0.7)
def item_that_is_not_there(x):
    return x * [1, 2].index(3)  # error: ValueError: as plain Python says


@program(0.7)
def field_that_is_not_there(x):
    return Pair(x, x)._replace(c=2.0).a  # error: UnsupportedError: Pair has no field 'c'


@program(0.7)
def numbers_joined(x):
    return x * len(",".join([1, 2]))  # error: UnsupportedError: join() takes strings


@program(0.7)
def key_popped_that_is_not_there(x):
    return {"a": x}.pop("b")  # error: UnsupportedError: the dict has no key 'b'


@program(0.7)
def text_split_at_a_number(x):
    return x * len("a b".split(x))  # error: UnsupportedError: str.split of run-time values


# ---- making arrays ----
@program(0.7)
def array_of_a_range_of_floats(x):
    return x * np.sum(np.zeros(2.5))  # error: UnsupportedError: a shape is made of integers


@program(0.7)
def negative_constant_length(x):
    return x * np.sum(np.ones(-2))  # error: UnsupportedError: negative dimensions are not allowed


@program(vec(3))
def ragged_list(x):
    y = np.array([[x[0], x[1]], [x[2]]])  # error: UnsupportedError: must match exactly: 2
    return np.sum(y)


@program(vec(3))
def array_of_arrays_of_two_ranks(x):
    return np.sum(np.array([x, x[0]]))  # error: UnsupportedError: have different shapes


@program(mat(2, 2))
def item_of_many(x):
    return np.ones((2, 2)).item() * x[0, 0]  # error: UnsupportedError: array of size 1 to a Python


@program(vec(3))
def dtype_that_is_none(x):
    return np.sum(x.astype("text"))  # error: UnsupportedError: dtype 'text' is not supported


# ---- elementwise ----
@program(vec(3))
def math_of_an_array(x):
    return math.sin(x)  # error: UnsupportedError: math.sin takes a number ... use np.sin


@program(vec(3))
def sine_of_a_text(x):
    return np.sum(x * np.sin(len))  # error: UnsupportedError: does not take


@program(vec(3))
def out_that_is_no_array(x):
    return np.sum(np.sin(x, out=2.0))  # error: UnsupportedError: out= takes an array


@program(vec(3), np.arange(3))
def out_of_integers(x, k):
    np.sin(x, out=k)  # error: TypeError: Cannot cast ufunc 'sin' output ... .astype
    return np.sum(x)


@program(vec(3))
def gamma_function_of_a_mask(x):
    y = scipy.special.gammaln(x > 1.0)  # error: UnsupportedError: of booleans ... .astype(float)
    return np.sum(y)


# ---- conversions and rounding ----
@program(vec(3))
def array_of_a_text(x):
    np.array("text")  # error: UnsupportedError: a string cannot be made an array
    return np.sum(x)


@program(vec(3))
def positive_of_a_mask(x):
    return np.sum(x[+(x > 0)])  # error: UnsupportedError: numpy boolean positive is not supported


@program(vec(3))
def round_of_a_bool_of_numpy(x):
    return x[0] * round(x[0] > 0)  # error: UnsupportedError: round() takes a real number


@program(0.7, 7)
def rounded_to_many_tens(x, n):
    return x * round(n, -19)  # error: UnsupportedError: rounded to 18 tens at most


@program(0.7)
def decimal_of_a_run_time_value(x):
    return x * float(decimal.Decimal(x))  # error: UnsupportedError: decimal numbers of run-time


@program(0.7)
def date_of_a_run_time_value(x):
    return x * datetime.timedelta(days=x).days  # error: UnsupportedError: dates and times of run
