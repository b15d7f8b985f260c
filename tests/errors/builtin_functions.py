"""Arguments that Python's builtins and methods of its containers do not take."""

import datetime
import decimal
import re
from typing import NamedTuple

import numpy as np

from tests.cases.registry import vec
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


@program(vec(9))
def sorted_with_many_texts(x):
    items = [(name, x[k]) for k, name in enumerate("abcdefghi")]
    return sorted(items, key=lambda v: v[1])[0][1]  # error: UnsupportedError: with 9 texts


@program(vec(3), 1)
def sorted_backwards_by_a_number(x, n):
    return sorted(x, reverse=n)[0]  # error: UnsupportedError: sorted() with reverse=


@program(0.7)
def sorted_mixture(x):
    return x * len(sorted([1, "a"]))  # error: UnsupportedError: '<' not supported between


@program(0.7)
def bytes_of_a_number(x):
    return x * len((5).to_bytes(1 + int(x)))  # error: UnsupportedError: an argument of to_bytes()


@program(0.7)
def class_of_numbers_of_the_run(x):
    return x if list[x] else -x  # error: UnsupportedError: the parameters of a class


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
def printed_with_a_run_time_end(x):
    print(x, sep=x)  # error: UnsupportedError: sep and end of print() must be known
    return x


# ---- questions ----
@program(0.7)
def isinstance_without_a_class(x):
    return x if isinstance(x, 2) else -x  # error: UnsupportedError: isinstance() takes classes


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
def width_of_a_boolean_of_the_run(x):
    print("%8s" % (x > 1.0))  # noqa: UP031  # error: UnsupportedError: a field of this text is not
    return x


@program(0.7)
def key_popped_that_is_not_there(x):
    return {"a": x}.pop("b")  # error: UnsupportedError: the dict has no key 'b'


@program(0.7)
def text_split_at_a_number(x):
    return x * len("a b".split(x))  # error: UnsupportedError: str.split of run-time values


# ---- conversions and rounding ----
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


@program(0.7)
def expression_in_a_text_of_the_run(x):
    return x * len(re.findall("7", f"{x}"))  # error: UnsupportedError: re.findall() takes texts


@program(0.7)
def names_of_the_module_executed(x):
    exec("global scale\nscale = 2.0", {}, {})  # error: UnsupportedError: 'global', 'del'
    return x


@program(0.7)
def executed_in_one_dict(x):
    names = {"x": x}
    exec("y = x * x", names)  # error: UnsupportedError: in one dict of names ... another dict
    return names["y"]


@program(0.7)
def residue_of_a_float(x):
    return pow(x, 2, 3)  # error: TypeError: 3rd argument not allowed unless all arguments are
