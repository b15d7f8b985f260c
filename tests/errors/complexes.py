"""Complex numbers: no order, imaginary parts that would be lost, parts that may be dropped."""

import math

import numpy as np

from tests.cases.complex_numbers import Z, zvec
from tests.cases.registry import vec
from tests.errors.programs import program


@program(Z)
def complex_loss(z):  # error, no line: TypeError: complex_loss ... complex ... abs(z)**2
    return z * z


@program(zvec(3))
def complex_array_as_loss(z):  # error, no line: TypeError: complex ... flow.vjp
    return np.exp(z)


@program(Z)
def order_of_complex_numbers(z):
    if z > 1.0:  # error: UnsupportedError: no order ... abs()
        return abs(z)
    return z.real


@program(zvec(3))
def maximum_of_complex_numbers(z):
    return np.max(z).real  # error: UnsupportedError: complex numbers have no order


@program(zvec(3))
def sorted_complex_numbers(z):
    return np.sort(z)[0].real  # error: UnsupportedError: complex numbers have no order


@program(zvec(3))
def clipped_complex_numbers(z):
    return abs(np.clip(z, 0.0, 1.0)[0])  # error: UnsupportedError: complex numbers have no order


@program(zvec(3))
def stored_in_a_real_array(z):
    y = np.zeros(3)
    y[0] = z[0]  # error: UnsupportedError: a complex value cannot be stored in a real array
    return y[0]


@program(zvec(3))
def added_to_a_real_array(z):
    y = np.zeros(3)
    y += z  # error: UnsupportedError: a complex value cannot be added to a real array
    return y[0]


@program(zvec(3))
def multiplied_in_place(z):
    y = np.ones(3)
    y *= z  # error: UnsupportedError: is c128 and cannot be stored in place in f64
    return y[0]


@program(zvec(3))
def cast_to_real(z):
    return np.sum(z.astype(float))  # error: UnsupportedError: cannot be made a real one ... .real


@program(Z)
def float_of_a_complex_number(z):
    return float(z)  # error: UnsupportedError: cannot be made a real one ... .real


@program(Z)
def math_of_a_complex_number(z):
    return math.sin(z)  # error: UnsupportedError: cannot be made a real one ... .real


@program(zvec(3))
def part_that_is_stored_to(z):
    w = z.copy()
    re = w.real  # error: UnsupportedError: .real of an array of complex numbers is a view
    re[0] = 1.0
    return abs(w[0])


@program(vec(3))
def angle_of_the_wrong_kind(x):
    y = np.logaddexp(x, 1j * x)  # error: UnsupportedError: logaddexp
    return y[0]


@program(zvec(3))
def real_transform_of_complex_numbers(z):
    return abs(np.fft.rfft(z)[0])  # error: UnsupportedError: real numbers ... complex ... .real


@program(vec(3))
def transform_of_length_zero(x):
    return abs(np.fft.fft(x, 0)[0])  # error: ValueError: Invalid number of FFT data points


@program(vec(3), 0)
def transform_of_a_length_that_is_zero(x, n):
    return abs(np.fft.fft(x, n)[0])  # error: ValueError: Invalid number of FFT data points (0)


@program(vec(3))
def unknown_norm(x):
    return abs(np.fft.fft(x, norm="unit")[0])  # error: UnsupportedError: Invalid norm value


@program(vec(3))
def overwritten_part_of_the_right_side(x):
    z = x + 0j

    def changed():
        z[0] = 2.0
        return 1.0

    z.real[0] += changed()  # error: UnsupportedError: the right side stores to memory
    return abs(z[0])


@program(zvec(3))
def class_of_a_sum_that_begins_with_zero(z):
    total = 0.0
    for v in z:
        total += v
    if np.iscomplexobj(total):  # error: UnsupportedError: one class on one path
        return abs(total)
    return total
