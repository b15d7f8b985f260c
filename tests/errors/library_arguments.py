"""Arguments of NumPy's functions that have no meaning, or none that is differentiated."""

import operator

import numpy as np
from scipy import ndimage, signal

import srcgrad.testing
from tests.cases.complex_numbers import zvec
from tests.cases.registry import mat, vec
from tests.errors.programs import program


# ---- Fourier transforms ----
@program(vec(3).astype(np.float16))
def transform_to_half_precision(x):
    return np.sum(np.fft.irfft(x))  # error: UnsupportedError: irfft of half ... np.float32


@program(0.7)
def transform_of_a_number(x):
    return abs(np.fft.fft(x))  # error: UnsupportedError: numpy.fft.fft takes an array with axes


@program(mat(3, 2))
def transform_of_other_lengths(x):
    y = np.fft.fft2(x, s=(4,), axes=(0, 1))  # error: UnsupportedError: have different lengths
    return abs(y[0, 0])


@program(mat(3, 2))
def transform_over_no_axes(x):
    return abs(np.fft.rfftn(x, axes=())[0, 0])  # error: UnsupportedError: a transform over no axes


# ---- margins ----
@program(0.7)
def margins_of_a_number(x):
    return np.sum(np.pad(x, 1))  # error: UnsupportedError: pad of a number


@program(vec(3))
def three_margins(x):
    return np.sum(np.pad(x, (1, 2, 3)))  # error: UnsupportedError: one number, one pair, or one


@program(vec(3))
def margins_of_more_axes(x):
    return np.sum(np.pad(x, ((1, 2), (0, 1))))  # error: UnsupportedError: for each of the 1 axes


@program(vec(3))
def unknown_mode_of_margins(x):
    return np.sum(np.pad(x, 1, "mirror"))  # error: UnsupportedError: pad ... with mode='mirror'


@program(vec(3), np.arange(3))
def ramp_of_integers(x, k):
    return x[0] * np.pad(k, 1, "linear_ramp")[0]  # error: UnsupportedError: pad of i64 with mode=


# ---- arrays that are made, edited, joined ----
@program(vec(3))
def grid_of_a_number(x):
    return np.sum(np.mgrid[3] * x)  # error: UnsupportedError: a grid is made of slices with an end


@program(vec(3))
def grid_without_an_end(x):
    return np.sum(np.ogrid[1:] * x)  # error: UnsupportedError: a grid is made of slices with an end


@program(mat(3, 3))
def diagonal_along_one_axis(a):
    return np.sum(np.diagonal(a, 0, 1, 1))  # error: UnsupportedError: axis1 and axis2 cannot be the


@program(mat(2, 3))
def missing_axis_that_is_moved(x):
    return np.sum(np.moveaxis(x, 2, 0) ** 2)  # error: UnsupportedError: axis 2 is out of bounds


@program(vec(1))
def number_stacked_with_an_array_of_one(x):
    return np.sum(np.stack([x, 0.3]))  # error: UnsupportedError: all input arrays must have


@program(vec(3))
def stacked_along_a_missing_axis(x):
    return np.sum(np.stack([x, x * x], axis=2))  # error: UnsupportedError: axis 2 is out of bounds


@program(vec(3))
def new_axis_out_of_bounds(x):
    return np.sum(np.expand_dims(x, 2))  # error: UnsupportedError: axis 2 is out of bounds


@program(vec(2))
def block_of_lists_of_several_depths(x):
    return np.sum(np.block([[x], x]))  # error: ValueError: List depths are mismatched


@program(vec(2))
def block_of_an_empty_list(x):
    return np.sum(np.block([[], [x]]))  # error: ValueError: List at arrays[0] cannot be empty


@program(vec(2))
def block_of_a_tuple(x):
    return np.sum(np.block([(x, x)]))  # error: TypeError: arrays[0] is a tuple


@program(vec(3))
def unknown_mode_of_take(x):
    return np.sum(np.take(x, [0, 4], mode="mirror"))  # error: UnsupportedError: mode='mirror'


@program(vec(3))
def indices_that_are_floats(x):
    y = np.take_along_axis(x, x, 0)  # error: IndexError: indices of take_along_axis are integers
    return np.sum(y)


@program(vec(3))
def counts_that_are_floats(x):
    return np.sum(np.repeat(x, x))  # error: TypeError: the counts of repeat are integers


@program(vec(3))
def choices_by_floats(x):
    return np.sum(np.choose(x, [x, x]))  # error: TypeError: choose takes integers


@program(vec(3))
def places_that_are_floats(x):
    return np.sum(x) * np.unravel_index(x, (3,))[0][0]  # error: TypeError: only int indices


@program(vec(3))
def difference_with_a_number(x):
    return np.sum(np.setdiff1d(x, 1.0))  # error: UnsupportedError: setdiff1d of a number


@program(vec(3), 3)
def grown_list_of_arrays_and_a_range(x, n):
    rows = []
    for k in range(n):
        rows.append(x * k)
    rows.append(range(k))  # error: UnsupportedError: rank 1 (f64) that grows ... of one rank
    return np.sum(rows[0])


# ---- sums, products, statistics ----
@program(vec(3))
def maximum_of_some(x):
    return np.max(x, where=x > 0.5)  # error: UnsupportedError: max with where= needs initial=


@program(vec(3))
def contracted_number(x):
    return np.sum(np.tensordot(2.0, x, 1))  # error: UnsupportedError: no axes ... axes=0


@program(mat(2, 3))
def contracted_along_a_missing_axis(x):
    y = np.tensordot(x, x, ([2], [1]))  # error: UnsupportedError: axis 2 is out of bounds
    return np.sum(y)


@program(vec(3))
def einsum_without_subscripts(x):
    return np.sum(np.einsum(x, "i", "i"))  # error: UnsupportedError: as a string, or as lists


@program(vec(3))
def einsum_of_fewer_operands(x):
    return np.sum(np.einsum("i,i->i", x))  # error: UnsupportedError: do not fit the operands


@program(vec(3))
def average_of_a_number(x):
    return np.average(x[0], weights=x)  # error: UnsupportedError: a weighted average of a number


@program(vec(3))
def average_that_may_return_its_weights(x):
    return np.average(x, returned=x[0] > 0)  # error: UnsupportedError: 'returned' must be known


@program(vec(3), 0.5)
def flag_that_is_a_fraction(x, keep):
    return np.sum(x, keepdims=keep)  # error: UnsupportedError: 'keepdims' must be an integer known


@program(vec(4).reshape(2, 2), 3)
def flag_of_a_loop(x, n):
    keep = False
    for _ in range(n):
        keep = not keep
    return np.sum(x, axis=0, keepdims=keep)  # error: UnsupportedError: outside and pass it as an


@program(vec(4).reshape(2, 2), np.array([True, False]))
def flag_in_an_array(x, flags):
    flag = flags[0]
    return np.vander(x[0], increasing=flag)  # error: UnsupportedError: depends on run-time values


@program(vec(3))
def norm_of_no_order(x):
    return np.linalg.norm(x, x)  # error: UnsupportedError: Invalid norm order for vectors: an array


@program(vec(4).reshape(2, 2))
def norm_of_matrices_of_many_orders(x):
    return np.linalg.norm(x, x[0] > 0)  # error: UnsupportedError: must be known at compile time, n


@program(vec(4).reshape(2, 2))
def one_axis_for_several(x):
    return np.rot90(x, 1, 0)  # error: UnsupportedError: axes= takes a tuple of axes


@program(vec(3))
def roll_by_a_complex_number(x):
    return np.roll(x, 1j)  # error: UnsupportedError: roll takes an integer as its shift


@program(vec(4).reshape(2, 2))
def rolls_of_too_many_axes(x):
    return np.roll(x, (1, 1, 1), (0, 1))  # error: UnsupportedError: roll takes one shift for each


@program(vec(8).reshape(2, 2, 2))
def weights_of_other_axes(x):
    y = np.average(x, (0, 1), x[0, 0])  # error: UnsupportedError: do not belong to the axes
    return np.sum(y)


@program(mat(2, 4))
def covariance_with_a_dtype(x):
    return np.sum(np.cov(x, dtype=np.float32))  # error: UnsupportedError: cov with a dtype


@program(vec(5))
def third_order_at_the_edges(x):
    return np.sum(np.gradient(x, edge_order=3))  # error: UnsupportedError: edge_order of 1 or 2


@program(vec(3))
def list_replaced_in_place(x):
    return np.sum(np.nan_to_num([x[0], x[1]], copy=False))  # error: ValueError: avoid copy


@program(vec(3))
def complex_number_of_three_parts(x):
    return abs(complex(x[0], x[1], x[2]))  # error: UnsupportedError: complex() takes 1 or 2


@program(zvec(3))
def part_that_is_no_value(z):
    z.real[0] = {}  # error: UnsupportedError: a dict cannot be stored in an array
    return abs(z[0])


@program(zvec(3))
def dotted_name(z):
    f = operator.attrgetter("real.size")  # error: UnsupportedError: a dotted name ... a lambda
    return f(z) * abs(z[0])


@program(vec(3))
def function_of_ours_that_is_not_followed(x):
    d = srcgrad.testing.slope(np.sum, x)  # error: UnsupportedError: slope() is not supported here
    return d * x[0]


@program(vec(3))
def difference_along_no_axis(x):
    return np.sum(np.diff(x, axis=1))  # error: UnsupportedError: axis 1 is out of bounds


@program(mat(2, 3))
def accumulated_along_no_axis(x):
    return np.sum(np.logaddexp.accumulate(x, axis=2))  # error: UnsupportedError: axis 2 is out


@program(mat(2, 3))
def applied_along_no_axis(x):
    return np.sum(np.apply_along_axis(np.sum, -3, x))  # error: UnsupportedError: axis -3 is out


@program(vec(3))
def vectorized_with_two_classes_of_numbers(x):
    f = np.vectorize(lambda v: 0 if v < 1.0 else v)
    return np.sum(f(x))  # error: UnsupportedError: one class on one path ... 0.0 for 0


@program(vec(3))
def vectorized_with_two_classes_among_results(x):
    f = np.vectorize(lambda v: (v, 0 if v < 1.0 else v))
    return np.sum(f(x)[1])  # error: UnsupportedError: one class on one path ... 0.0 for 0


@program(vec(3))
def vectorized_with_a_signature(x):
    f = np.vectorize(np.sum, signature="(n)->()")  # error: UnsupportedError: signature= or
    return np.sum(f(x))


@program(vec(3))
def vectorized_with_keywords(x):
    f = np.vectorize(lambda v, by: v * by)
    return np.sum(f(x, by=2.0))  # error: UnsupportedError: keyword arguments ... by position


@program(vec(3))
def vectorized_over_nothing(x):
    f = np.vectorize(lambda v: v * v)
    return np.sum(f(x[:0]))  # error: ValueError: cannot call `vectorize` on size 0 inputs


@program(vec(3))
def too_few_to_iterate(x):
    return np.sum(np.fromiter(list(x), float, 5))  # error: ValueError: Expected 5 but ... only 3


@program(mat(2, 3))
def rolled_to_no_axis(x):
    return np.sum(np.rollaxis(x, 2)[0])  # error: UnsupportedError: axis 2 is out of bounds


@program(vec(4).reshape(2, 2), 2.0, position=1)
def gradient_by_what_must_be_known(x, p):  # error, no line: UnsupportedError: has no derivative
    return np.linalg.norm(x, p) * p


@program(vec(4).reshape(2, 2), 2.0, how="tangent")
def tangent_of_what_must_be_known(x, p):  # error, no line: UnsupportedError: has no derivative
    return np.linalg.norm(x, p) * p


@program(vec(6))
def rank_in_a_footprint_along_one_axis(x):
    y = ndimage.rank_filter(x, 1, footprint=[1, 0, 1])  # error: UnsupportedError: along one axis
    return np.sum(y)


@program(mat(3, 4))
def medians_with_a_mode_for_each_axis(x):
    y = ndimage.median_filter(x, 3, mode=["wrap", "nearest"])  # error: RuntimeError: A sequence
    return np.sum(y)


@program(vec(6))
def median_of_a_vector_in_boxes(x):
    return np.sum(signal.medfilt2d(x))  # error: ValueError: medfilt2d takes a matrix


@program(mat(3, 4))
def reshape_without_a_copy(x):
    y = np.reshape(x[:, :2], (1, 3, 2), copy=False)  # error: UnsupportedError: copy=False ... known
    return np.sum(y[0])
