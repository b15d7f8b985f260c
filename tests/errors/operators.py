"""Comparisons, operators, calls and choices that are not followed."""

import numpy as np

from tests.cases.registry import vec
from tests.errors.programs import program


# ---- comparisons ----
@program(vec(3))
def identity_of_arrays(x):
    return x[0] if x is x.copy() else x[1]  # error: UnsupportedError: one object ... compare their


@program(0.7)
def identity_of_numbers(x):
    return x if x is x + 1.0 else -x  # error: UnsupportedError: 'is' between numbers ... use ==


@program(0.7)
def order_of_a_text_and_a_number(x):
    return x if "a" < 2 else -x  # error: UnsupportedError: '<' not supported between


@program(vec(1))
def array_in_a_dict(x):
    return x if x in {"a": 1.0} else -x  # error: UnsupportedError: a key of a dict must be known


@program(vec(3))
def difference_of_masks(x):
    return np.sum(x[(x > 0.5) - (x > 1.0)])  # error: UnsupportedError: boolean subtract ... ^


@program(vec(3))
def power_of_a_mask(x):
    return np.sum(x * (x > 1.0) ** 2)  # error: UnsupportedError: powers of booleans ... astype


@program(vec(1))
def array_as_a_key(x):
    return {x: 1.0}[x]  # error: UnsupportedError: a key of a dict must be known


@program(0.7)
def minus_a_text(x):
    return x * -"a"  # error: UnsupportedError: operator is not defined for a string


@program(0.7)
def bits_of_a_float(x):
    return x & 1  # error: UnsupportedError: bit


@program(0.7)
def function_times_two(x):
    return (lambda v: v) * 2  # error: UnsupportedError: arithmetic with a function


@program(0.7)
def number_minus_tuple(x):
    return x - (1.0, 2.0)  # error: UnsupportedError: this operator between a number ... a tuple


@program(0.7)
def keyword_given_twice(x):
    def f(v, w):
        return v * w

    return f(x, **{"w": 1.0}, **{"w": 2.0})  # error: UnsupportedError: 'w' is given twice


@program(0.7)
def stars_before_a_number(x):
    def f(v):
        return v

    return f(**x)  # error: UnsupportedError: ** takes a dict


@program(0.7)
def call_of_an_object(x):
    return np.errstate(x)  # error: UnsupportedError: errstate() takes no


@program(0.5, 40)
def an_integer_past_64_bits(x, n):
    product = 1
    for i in range(1, n):
        product *= i  # error: UnsupportedError: grows past 64 bits ... begin with a float
    return x / product


@program(np.array([0.5, 1.5]), 3)
def number_of_a_mixed_list_beside_a_list(x, n):
    values = []
    for i in range(n):
        values.append(x[0] if i % 2 else 1.0)
    return x[0] * np.sum(values[0] == [1.0])  # error: UnsupportedError: Python's or NumPy's


@program(vec(3))
def numpys_number_beside_a_masked_array(x):
    m = np.ma.masked_less(x, 0.0)
    return (x[0] == m).sum() * x[0]  # error: UnsupportedError: NumPy's number ... float(...)


@program(vec(3))
def array_changed_in_place_by_a_masked_array(x):
    y = x * 2.0
    y += np.ma.masked_less(x, 0.0)  # error: UnsupportedError: mask NumPy drops ... m.filled(...)
    return y


@program(vec(3))
def method_of_a_ufunc_of_a_masked_array(x):
    m = np.ma.masked_less(x, 0.0)
    return np.add.reduce(m) * x[0]  # error: UnsupportedError: reduce() of a masked array


@program(vec(3))
def what_is_not_masked_may_be_the_data(x):
    m = np.ma.masked_less(x, 0.0)
    m.compressed()[0] = 5.0  # error: UnsupportedError: compressed() gives is a view in NumPy
    return m.sum()


@program(vec(3))
def mask_that_is_shared_or_not(x):
    m = np.ma.masked_less(x, 0.0)
    old = m.mask
    m.unshare_mask()  # error: UnsupportedError: unshare_mask() is a view in NumPy, or may be one
    m[0] = np.ma.masked
    return np.sum(x[old])


class WithoutUfuncs:
    """NumPy's operators leave arrays to it, and its ufuncs do not take it."""

    __array_ufunc__ = None

    def __radd__(self, v):
        return v + 1.0


@program(vec(3))
def array_changed_in_place_by_what_no_ufunc_takes(x):
    y = x * 2.0
    y[1:] += WithoutUfuncs()  # error: TypeError: does not support ufuncs
    return y


@program(vec(3))
def function_of_numpys_of_a_masked_array(x):
    m = np.ma.masked_less(x, 0.0)
    return np.median(m)  # error: UnsupportedError: median() ... use its data
