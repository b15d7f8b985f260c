"""Values that are infinite or NaN where they are not used: the gradient there is 0, not NaN.

Masked logarithms and quotients, overflow in the branch not taken, missing data, elements of an
array that nobody reads. Differences are finite because the value never depends on them.
"""

import numpy as np

from tests.cases.registry import case

A = np.array


def unselected(*args, expected):
    """A case whose gradient is known; forward mode agrees because it selects as well."""
    return case(*args, expected=expected, second_order=False, strided=False, tags=("p38",))


@unselected(A([0.0, 1.0, 2.0]), expected=(A([0.0, 1.0, 1.0 + np.log(2.0)]),))
def entropy_terms(x):
    return np.sum(np.where(x > 0.0, x * np.log(x), 0.0))


@unselected(A([0.0, 4.0]), expected=(A([0.0, 0.25]),))
def quotient_of_root(x):
    return np.sum(np.where(x > 0.0, x / np.sqrt(x), 0.0))


@unselected(A([0.0, 1.0, 2.0]), expected=(A([0.0, 1.0, 1.0 + np.log(2.0)]),))
def entropy_in_a_loop(x):
    s = 0.0
    for i in range(len(x)):
        y = x[i] * np.log(x[i])
        s += y if x[i] > 0.0 else 0.0
    return s


@unselected(A([0.0, 1.0]), expected=(A([1.0, 1.0]),))
def overflow_not_taken(x):
    return np.sum(np.where(x < 2.0, x, np.exp(1000.0 * x) * np.exp(x)))


@unselected(
    A([np.nan, 2.0, 3.0]), A([0.5, 0.25, 2.0]), expected=(A([0.0, 0.25, 2.0]), A([0.0, 2.0, 3.0]))
)
def missing_data(x, w):
    return np.sum(np.where(np.isnan(x), 0.0, x * w))


@unselected(A([0.0, 1.0, 2.0]), expected=(A([0.0, 1.0, 1.0 + np.log(2.0)]),))
def places_not_read(x):
    y = x * np.log(x)
    return np.sum(y[1:])


@unselected(A([0.0, 1.0, 2.0]), expected=(A([0.0, 1.0, 1.0 + np.log(2.0)]),))
def mask_gathers(x):
    y = x * np.log(x)
    return np.sum(y[x > 0.0])


@unselected(A([3.0, 2.5]), A([0.0, 1.0]), expected=(A([0.0, 2.0]), A([0.0, 0.0])))
def whole_quotient_by_zero(x, b):
    return np.sum(np.where(b == 0.0, 0.0, x * (x // b)))


@unselected(A([1.0, 2.0]), A([2000j, 1j]), expected=(A([0.0, 0.0]), A([0j, 2.0 * np.cosh(1.0)])))
def complex_sine_overflows(x, w):
    return np.sum(np.where(np.abs(w) > 100.0, 0.0, x * np.sin(w))).real


@unselected(A([1.0, 2.0]), A([1j, 0.5j]), expected=(A([0.0, 0.0]), A([0j, 2.0 / 0.75])))
def complex_arctan_at_its_pole(x, w):
    return np.sum(np.where(w == 1j, 0.0, x * np.arctan(w))).real
