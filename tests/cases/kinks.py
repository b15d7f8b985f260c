"""Points where the derivative is a convention, and points where it is infinite.

max, min, maximum and minimum split ties evenly; abs and relu have 0 at 0; clip keeps 1 at its
bounds; x**0 has 0 at 0; norm has 0 at 0. sqrt(0) has the one-sided limit inf, as NumPy's
0.5 / sqrt(0) says. Forward mode follows the same conventions, so products agree with it here too.
The second derivative at such a point means nothing and is left out.
"""

import math

import numpy as np

from tests.cases.registry import case, vec

A = np.array


def kink(*args, expected, tags=("p39",), **options):
    """A case whose gradient is what the table of conventions says."""
    return case(*args, expected=expected, second_order=False, tags=tags, **options)


@kink(A([1.0, 3.0, 3.0, 2.0]), expected=(A([0.0, 0.5, 0.5, 0.0]),), tags=("p37",))
@kink(A([2.0, 2.0, 2.0, 2.0]), expected=(A([0.25, 0.25, 0.25, 0.25]),), tags=("p37",))
def max_tie(x):
    return np.max(x)


@kink(A([[1.0, 1.0], [0.5, 2.0]]), expected=(A([[0.5, 0.5], [1.0, 0.0]]),), tags=("p37",))
def min_tie_along_axis(x):
    return np.min(x, axis=1)


@kink(
    A([1.0, 2.0, 0.5]), A([1.0, 1.0, 2.0]), tags=("p37",), expected=(A([0.5, 1, 0]), A([0.5, 0, 1]))
)
def maximum_tie(x, y):
    return np.maximum(x, y)


@kink(
    A([1.0, 2.0, 0.5]), A([1.0, 1.0, 2.0]), tags=("p37",), expected=(A([0.5, 0, 1]), A([0.5, 1, 0]))
)
def minimum_tie(x, y):
    return np.minimum(x, y)


@kink(1.5, 1.5, expected=(0.5, 0.5), tags=("p37",))
@kink(1.5, 2.5, expected=(0.0, 1.0), tags=("p37",))
def builtin_max_tie(x, y):
    return max(x, y)


@kink(A([2.0, 1.0, 2.0]), expected=(A([0.25, 0.25, 0.5]),), tags=("p37",), float32=False)
def ties_in_a_loop(x):
    """m is max(max(x0, x1 + 1), x2) with every comparison a tie: 1/4 + 1/4 + 1/2."""
    m = x[0]
    m = max(m, x[1] + 1.0)
    for i in range(2, 3):
        m = max(m, x[i])
    return m


@kink(A([3.0, 3.0, 1.0]), expected=(A([1.0, 0.0, 0.0]),), tags=("p37",))
def argmax_of_tie(x):
    """An index has no derivative: the first of the largest is read."""
    return x[np.argmax(x)]


@kink(A([0.0, -1.0, 2.0]), expected=(A([0.0, -1.0, 1.0]),))
def absolute_at_zero(x):
    return np.abs(x)


@kink(0.0, expected=(0.0,))
def builtin_abs_at_zero(x):
    return abs(x)


@kink(0.0, expected=(0.0,))
def fabs_at_zero(x):
    return math.fabs(x)


@kink(A([0.0, -1.0, 2.0]), expected=(A([0.5, 0.0, 1.0]),))
def relu_as_maximum(x):
    """maximum with a constant is a tie at zero: half of it."""
    return np.maximum(x, 0.0)


@kink(A([0.0, -1.0, 2.0]), expected=(A([0.0, 0.0, 1.0]),))
def relu_as_product(x):
    return x * (x > 0)


@kink(A([0.0, -1.0, 2.0]), expected=(A([0.0, 0.0, 1.0]),))
def relu_as_where(x):
    return np.where(x > 0, x, 0.0)


@kink(A([-1.0, -0.5, 0.0, 0.5, 1.0]), expected=(A([0.0, 1.0, 1.0, 1.0, 0.0]),))
def clip_at_bounds(x):
    return np.clip(x, -0.5, 0.5)


@kink(0.0, 0, expected=(0.0,))
@kink(0.0, 1, expected=(1.0,))
@kink(0.0, 2, expected=(0.0,))
@kink(-2.0, 0, expected=(0.0,))
@kink(-2.0, 3, expected=(12.0,))
def power_at_zero(x, n):
    return x**n


@kink(A([0.0, 2.0, -2.0]), expected=(A([0.0, 0.0, 0.0]),))
def zeroth_power(x):
    return x**0


@kink(A([0.0, 2.0, -2.0]), expected=(A([0.0, 4.0, -4.0]),))
def square_of_nonpositive(x):
    return x**2 + x**2.0 - np.square(x)


@kink(A([0.0, 2.0]), A([2.0, 3.0]), expected=(A([0.0, 12.0]), A([0.0, 8.0 * np.log(2.0)])))
@kink(A([0.0, 1.0]), A([0.0, 0.0]), expected=(A([0.0, 0.0]), A([0.0, 0.0])))
def power_of_zero_base(x, p):
    """d/dp of 0**p is 0: log(0) must not be multiplied in."""
    return x**p


@kink(np.zeros(3), expected=(np.zeros(3),))
@kink(A([3.0, 0.0, 4.0]), expected=(A([0.6, 0.0, 0.8]),), differences=True)
def norm_at_zero(x):
    return np.linalg.norm(x)


@kink(np.zeros((2, 2)), expected=(np.zeros((2, 2)),))
@kink(A([[0.0, 0.0], [3.0, 4.0]]), expected=(A([[0.0, 0.0], [0.6, 0.8]]),))
def row_norms_at_zero(x):
    return np.linalg.norm(x, axis=1)


@kink(np.ones((2, 1)), expected=(np.zeros((2, 1)),))
@kink(A([[2.0, 2.0], [1.0, 5.0]]), expected=(A([[0.0, 0.0], [-0.5, 0.5]]),))
def deviations_of_equal_numbers(x):
    return np.std(x, axis=1)


@kink(0.0, 0.0, expected=(0.0, 0.0))
def hypot_at_zero(x, y):
    return np.hypot(x, y)


@kink(A([0.0, 4.0]), expected=(A([np.inf, 0.25]),), dot=False)
def sqrt_at_zero(x):
    return np.sqrt(x)


@kink(0.0, expected=(np.inf,), dot=False)
def scalar_sqrt_at_zero(x):
    return math.sqrt(x) + x


@kink(A([0.0, 4.0]), expected=(A([0.0, 0.25]),), tags=("p38",))
def sqrt_masked(x):
    """Not chosen, not infinite: the mask is applied before the product, so no 0 * inf."""
    return np.where(x > 1.0, np.sqrt(x), 0.0)


@kink(-1.0, expected=(3.0,), tags=("p38",))
def infinite_factor_not_taken(x):
    """What the test computes is what a branch would: its adjoint is zero on the other path."""
    if x * math.inf > 5.0:
        return x * math.inf
    return x * 3.0


@kink(A([-1.0, 0.0, 2.0]), expected=(A([0.0, 0.0, 0.5]),), tags=("p38",))
def log_where(x):
    return np.where(x > 0, np.log(x), 0.0)


@kink(A([1.0, 2.0, 0.5]), expected=(A([2.0, 4.0, 1.0]),), tags=("p38",))
def unused_acos(x):
    unused = np.arccos(x)
    never = np.sqrt(-x)
    if np.sum(x) < 0.0:
        return np.sum(unused * never)
    return np.sum(x * x)


@kink(A([-1.0, 2.0]), 0.5, expected=(A([0.0, 0.25 / np.sqrt(2.0)]), np.sqrt(2.0)), tags=("p38",))
def mask_then_sqrt(x, a):
    y = np.zeros(2)
    mask = x > 0
    y[mask] = np.sqrt(x[mask])
    return np.sum(y) * a


@kink(A([0.0, 3.0, 2.0]), expected=(A([6.0, 0.0, 0.0]),), differences=True)
@kink(A([0.0, 0.0, 2.0]), expected=(A([0.0, 0.0, 0.0]),), differences=True)
def product_with_zeros(x):
    return np.prod(x)


@kink(A([0.0, 3.0]), expected=(A([0.0, 1.0]),))
def sign_and_heaviside(x):
    return np.sign(x) * x + 0.0 * np.heaviside(x, 0.5)


@kink(vec(3), 2.0, expected=(np.full(3, 2.0), float(np.sum(vec(3)))))
def smooth_beside_floor(x, a):
    return np.sum(x) * a + np.floor(a)
