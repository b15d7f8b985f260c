"""Stencils and jitclasses of Numba's."""

from typing import Any

import numba
import numpy as np
from numba.experimental import jitclass

from tests.cases.registry import mat, vec
from tests.errors.programs import program

HIDDEN: dict[str, Any] = {}
exec("def hidden(u):\n    return u[1]\n", HIDDEN)
hidden = numba.stencil(HIDDEN["hidden"])


@numba.stencil
def middle(u):
    return 0.5 * (u[-1] + u[1])


@numba.stencil
def product(u, v):
    return u[-1] * v[1]


@numba.stencil
def moving(u, k):
    return u[k]


@jitclass([("w", numba.float64)])
class Weight:
    def __init__(self, w):
        self.w = w


@program(vec(4).astype(np.float32))
def stencil_of_narrow_numbers(x):
    return np.sum(middle(x))  # error: UnsupportedError: a stencil of float32 ... .astype(float)


@program(vec(4))
def stencil_with_other_keywords(x):
    return np.sum(middle(x, cval=1.0))  # error: UnsupportedError: other arguments than arrays and


@program(vec(4), mat(2, 4))
def stencil_of_other_axes(x, a):
    return np.sum(product(x, a))  # error: UnsupportedError: other numbers of axes ... on slices


@program(vec(4))
def stencil_without_source(x):
    return np.sum(hidden(x))  # error: UnsupportedError: the source of hidden() was not found


@program(vec(4))
def stencil_with_an_index_of_the_run(x):
    return np.sum(moving(x, 1))  # error: UnsupportedError: not constant ... say neighborhood=


@program(vec(4), how="call")
def jitclass_that_is_returned(x):
    return Weight(x[0])  # error: TypeError: returns an instance of a jitclass ... its fields
