"""Keywords of library functions: `out=`, `order=`, `dtype=` and others that are not taken."""

import numpy as np
import scipy.special

from tests.cases.registry import mat, vec
from tests.errors.programs import program


# ---- out= ----
@program(vec(3))
def out_in_a_tuple(x):
    y = np.zeros(())
    np.quantile(x, 0.3, out=(y,))  # error: UnsupportedError: out= takes an array, not a tuple
    return np.sum(y)


@program(vec(3))
def out_of_another_dtype(x):
    y = np.zeros((), np.float32)
    np.sum(x, out=y)  # error: UnsupportedError: out= of f32 for a result of f64
    return y[()]


@program(vec(3))
def out_of_another_rank(x):
    y = np.zeros((2, 3))
    np.cumsum(x, out=y)  # error: ValueError: out= has not the shape of the result
    return np.sum(y)


@program(mat(3, 3))
def out_that_the_transform_does_not_fill(x):
    y = np.zeros((3, 3), complex)
    np.fft.ifft2(x, out=y)  # error: UnsupportedError: does not fill out=
    return np.sum(y.real)


@program(vec(3))
def out_of_a_loop(x):
    y = np.zeros(3)
    np.maximum.accumulate(x, out=y)  # error: UnsupportedError: the argument 'out' of this method
    return np.sum(y)


@program(vec(3))
def copied_to_a_list(x):
    np.copyto([0.0, 1.0, 2.0], x)  # error: TypeError: copyto() stores to an array, not to a list
    return np.sum(x)


@program(vec(3))
def clipped_by_bounds_of_another_dtype(x):
    y = np.clip(x, np.zeros(3, int), 2.0, casting="unsafe")  # error: UnsupportedError: dtypes
    return np.sum(y)


# ---- names ----
@program(mat(2, 3))
def a_keyword_that_is_not_taken(x):
    return np.sum(np.stack([x, x], dtype=complex).real)  # error: UnsupportedError: 'dtype' of numpy


@program(vec(3))
def a_keyword_that_the_ufunc_does_not_have(x):
    return np.sum(np.exp(x, axis=0))  # error: TypeError: does not take the argument 'axis'


@program(vec(3))
def a_keyword_that_clip_does_not_take(x):
    return np.clip(x, 0.0, 1.0, where=x > 0)[0]  # error: UnsupportedError: 'where' of clip


@program(vec(3))
def no_operand(x):
    return x[0] * scipy.special.erf()  # error: TypeError: erf takes 1 arguments, not 0


@program(vec(3))
def a_signature_that_is_none(x):
    return np.sum(np.exp(x, signature="dd->d"))  # error: ValueError: signature


@program(vec(3))
def an_order_that_is_none(x):
    return np.sum(np.zeros_like(x, order="row"))  # error: ValueError: order= must be one of


# ---- the number of arguments ----
@program(vec(3))
def too_many_arguments_of_a_builtin(x):
    return x[0] * len(str(b"a", "utf8"))  # error: UnsupportedError: takes from 0 to 1 positional


@program(vec(3))
def a_place_to_begin_at(x):
    return x[[1, 2, 2].index(2, 1.0)]  # error: TypeError: slice indices must be integers
