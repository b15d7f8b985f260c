"""What only the values decide: the exception that NumPy raises, at the user's line."""
# ruff: noqa: F821 (programs with mistakes)

import math

import numpy as np
import scipy.linalg

from tests.cases.registry import mat, vec
from tests.errors.programs import program


@program(vec(3), 3)
def slice_unpacked_into_two(x, n):
    a, b = x[:n]  # error: ValueError: too many values to unpack (expected 2
    return a * b


@program(vec(8), 4)
def slice_at_the_end_unpacked(x, n):
    total = 0.0
    for i in range(n):
        a, b, c = x[3 * i : 3 * i + 3]  # error: ValueError: (expected 3, got 2)
        total += a * b * c
    return total


@program(vec(3), 3)
def index_past_the_end(x, k):
    return x[k] * 2.0  # error: IndexError: index 3 is out of bounds for axis 0 with size 3


@program(vec(3), -4)
def index_before_the_start(x, k):
    return x[k] * 2.0  # error: IndexError: index -4 is out of bounds for axis 0 with size 3


@program(vec(3), -4)
def insertion_before_the_start(x, k):
    return np.sum(np.insert(x, k, 1.0))  # error: IndexError: index -4 is out of bounds for axis 0


@program(mat(2, 3), 5)
def index_of_second_axis(x, k):
    return x[1, k]  # error: IndexError: index 5 is out of bounds for axis 1 with size 3


@program(vec(3), 4)
def store_past_the_end(x, n):
    y = np.zeros(3)
    for i in range(n):
        y[i] = x[0] * i  # error: IndexError: index 3 is out of bounds for axis 0 with size 3
    return np.sum(y)


@program(vec(3), 2)
def arrays_of_two_shapes_in_an_array(x, n):
    kept = []
    for k in range(n):
        kept.append(x[k:])
    return np.sum(np.array(kept))  # error: ValueError: inhomogeneous shape after 1 dimensions


@program(vec(3), 2)
def arrays_of_two_shapes_in_a_stack(x, n):
    kept = []
    for k in range(n):
        kept.append(x[k:])
    return np.sum(np.stack(kept))  # error: ValueError: all input arrays must have the same shape


@program(np.linspace(0.32, 1.1, 8))
def uneven_split(x):
    n = int(x[0] * 10.0)
    return np.sum(np.split(x, n)[0])  # error: ValueError: does not result in an equal division


@program(vec(3), 2)
def matrices_of_two_widths_joined(x, n):
    kept = []
    for k in range(n):
        kept.append(np.outer(x, x[k:]))
    return np.sum(np.vstack(kept))  # error: ValueError: dimensions except for the concatenation


@program(vec(3), 0)
def no_array_to_stack(x, n):
    kept = []
    for k in range(n):
        kept.append(x * k)
    return np.sum(np.stack(kept))  # error: ValueError: need at least one array to stack


@program(vec(3), 0)
def no_number_to_join(x, n):
    kept = []
    for k in range(n):
        kept.append(x[k])
    return np.sum(np.hstack(kept))  # error: ValueError: need at least one array to concatenate


@program(vec(3), 2)
def grown_numbers_end_to_end(x, n):
    kept = []
    for k in range(n):
        kept.append(x[k])
    y = np.concatenate(kept)  # error: ValueError: zero-dimensional arrays cannot be concatenated
    return np.sum(y)


@program(vec(3), 4)
def read_past_the_end_in_loop(x, n):
    s = 0.0
    for i in range(n):
        s += x[i]  # error: IndexError: index 3 is out of bounds for axis 0 with size 3
    return s


@program(vec(3), np.array([0, 7]))
def gather_past_the_end(x, index):
    return np.sum(x[index])  # error: IndexError: index 7 is out of bounds for axis 0 with size 3


def element(x, k):
    return x[k]  # error: IndexError: index 9 is out of bounds for axis 0 with size 3


@program(vec(3))
def index_in_helper(x):
    return element(x, 1) + element(x, 9)


@program(vec(3), vec(4))
def sum_of_different_shapes(x, y):
    z = x + y  # error: ValueError: operands could not be broadcast together with shapes (3,) (4,)
    return np.sum(z)


@program(mat(2, 3), vec(2))
def product_of_different_shapes(x, y):
    return np.sum(x * y)  # error: ValueError: operands could not be broadcast together


@program(vec(5), 3)
def slices_of_different_lengths(x, k):
    return np.sum(x[:k] * x[k:])  # error: ValueError: operands could not be broadcast together


@program(vec(5), vec(3))
def store_of_another_shape(x, y):
    x[1:3] = y  # error: ValueError: could not broadcast input array from shape (3,) into shape (2,)
    return np.sum(x)


@program(vec(3), mat(1, 3))
def in_place_with_a_rank_too_many(x, y):
    x *= y  # error: ValueError: non-broadcastable output operand
    return np.sum(x)


@program(mat(2, 3), mat(2, 3))
def matmul_of_different_shapes(a, b):
    return np.sum(a @ b)  # error: ValueError: matmul


@program(vec(6), 4)
def reshape_that_does_not_fit(x, n):
    return np.sum(x.reshape(n, 2)[0])  # error: ValueError: cannot reshape array of size 6


@program(vec(3), vec(2))
def joined_rows_of_different_length(x, y):
    return np.sum(np.vstack((x, y)))  # error: ValueError: must match exactly


@program(vec(0))
def maximum_of_nothing(x):
    return np.max(x)  # error: ValueError: zero-size array to reduction operation maximum


@program(vec(3), 0)
def unbound_after_loop(x, n):
    for i in range(n):
        last = x[i]
    return last * 2.0  # error: UnboundLocalError: last


@program(vec(3), 0)
def loop_variable_unbound(x, n):
    for i in range(n):
        x[i] *= 2.0
    return x[i]  # error: UnboundLocalError: i


@program(0.7)
def unbound_after_branch(x):
    if x > 1.0:
        y = x * x
    return y  # error: UnboundLocalError: y


@program(0.7)
def read_before_bound(x):
    s = y * x  # error: UnboundLocalError: y
    y = 2.0
    return s + y


@program(0.7)
def name_never_defined(x):
    return x * undefined_name  # error: NameError: undefined_name


@program(0.7, 0)
def integer_division_by_zero(x, n):
    return x * (7 // n)  # error: ZeroDivisionError: division


@program(0.7, 0)
def integer_modulo_by_zero(x, n):
    return x * (7 % n)  # error: ZeroDivisionError: modulo


@program(vec(4))
def raised_by_the_user(x):
    if len(x) != 3:
        raise ValueError(f"expected 3 numbers, got {len(x)}")  # error: ValueError: got 4
    return np.sum(x)


@program(-0.7)
def raised_for_a_value(x):
    if x < 0.0:
        raise ArithmeticError("x must not be negative")  # error: ArithmeticError: not be negative
    return np.sqrt(x)


@program(-0.7)
def assertion_of_the_user(x):
    assert x > 0.0, "x must be positive"  # error: AssertionError: x must be positive
    return np.log(x)


@program(mat(2, 2) * 0.0)
def singular_matrix(a):
    return np.sum(np.linalg.solve(a, np.ones(2)))  # error: SingularError: singular matrix


@program(np.diag([1.0, -1.0]))
def not_positive_definite(a):
    return np.sum(np.linalg.cholesky(a))  # error: SingularError: positive definite


@program(np.stack((np.eye(2), np.zeros((2, 2)))))
def singular_matrix_of_a_stack(a):
    return np.sum(np.linalg.inv(a))  # error: SingularError: singular matrix


@program(np.tril(mat(2, 2), -1), vec(2))
def singular_triangle(a, b):
    return scipy.linalg.solve_triangular(a, b, lower=True)  # error: SingularError: singular matrix


@program(np.full((3, 2), np.nan))
def singular_vectors_of_nan(a):
    return np.linalg.svd(a, full_matrices=False)[0]  # error: SingularError: SVD did not converge


@program(np.full((3, 2), np.nan))
def singular_values_of_nan(a):
    return np.linalg.norm(a, 2)  # error: SingularError: SVD did not converge


@program(np.full((3, 2), np.nan))
def pseudoinverse_of_nan(a):
    return np.linalg.pinv(a)  # error: SingularError: SVD did not converge


@program(np.full((3, 2), np.nan), vec(3))
def least_squares_of_nan(a, b):
    return np.linalg.lstsq(a, b)[0]  # error: SingularError: SVD did not converge in Linear Least


@program(vec(3), 0)
def step_of_zero(x, step):
    s = 0.0
    for i in range(0, 3, step):  # error: ValueError: range() arg 3 must not be zero
        s += x[i]
    return s


@program(0.7, -2)
def negative_length(x, n):
    return x * np.sum(np.ones(n))  # error: ValueError: negative dimensions are not allowed


@program(0.7, 0)
def true_division_of_integers_by_zero(x, n):
    return x * (7 / n)  # error: ZeroDivisionError: division


@program(0.7, 3)
def division_by_the_constant_zero(x, n):
    return x * (n // 0)  # error: ZeroDivisionError: division


@program(vec(3), float("nan"))
def integer_of_nan(x, t):
    return x[0] * int(t)  # error: ValueError: cannot convert float NaN to integer


@program(vec(3), float("-inf"))
def floor_of_infinity(x, t):
    return x[0] * math.floor(t)  # error: OverflowError: cannot convert float infinity to integer


@program(vec(4))
def truth_of_what_may_be_many(x):
    y = x[x > 0.0]
    if y > 0.5:  # error: ValueError: an array with more than one element is ambiguous. Use a.any()
        return y[0]
    return y[0] ** 2


@program(vec(4))
def truth_of_what_may_be_empty(x):
    y = x[x > 1000.0]
    return x[0] if y > 0.5 else x[1]  # error: ValueError: an empty array is ambiguous. Use


@program(vec(4))
def truth_in_a_loop(x):
    s = 0.0
    for i in range(len(x)):
        s += x[0] if x[i:] < 0.5 else x[i]  # error: ValueError: more than one element is ambiguous
    return s


@program(0.0, 2.0)
def number_indexed_on_one_path(x, k):
    if x == 0.0:
        return k[0] * 2.0  # error: TypeError: a number cannot be indexed
    return x * k


@program(0.0, 2.0)
def number_stored_to_on_one_path(x, k):
    if x == 0.0:
        k[0] = 2.0  # error: TypeError: 'float' object does not support item assignment
    return x * k


@program(vec(8), -1, -8)
def two_unknown_lengths(x, n, m):
    return np.sum(x.reshape(n, m))  # error: ValueError: can only specify one unknown dimension


@program(vec(8), 0, -1)
def unknown_length_beside_none(x, n, m):
    return np.sum(x.reshape(n, m))  # error: ValueError: cannot reshape ... a length of 0


@program(11.0)
def call_of_an_array_on_one_path(x):
    weights = np.ones(3)
    if x > 10.0:
        x = x * weights(2)  # error: TypeError: an array of rank 1 (f64) cannot be called
    return x


def a_pair(x):
    return (x, x * x) if x > 0.0 else None


@program(-0.7)
def unpacked_where_it_is_none(x):
    a, b = a_pair(x)  # error: TypeError: cannot unpack non-iterable NoneType object
    return a * b


@program(-0.7)
def run_over_where_it_is_none(x):
    total = 0.0
    for v in a_pair(x):  # error: TypeError: 'NoneType' object is not iterable
        total += v
    return total


@program(vec(2))
def next_without_an_item(x):
    items = iter(x)
    total = next(items) * next(items)
    return total + next(items)  # error: StopIteration: StopIteration
