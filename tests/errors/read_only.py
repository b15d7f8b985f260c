"""Arrays that are made read-only, and flags that are not known."""

import numpy as np

from tests.cases.registry import mat, vec
from tests.errors.programs import program


@program(vec(3))
def stored_to_afterwards(x):
    y = x * 2
    y.flags.writeable = False
    y[0] = 1.0  # error: ValueError: assignment destination is read-only ... to a copy
    return np.sum(y)


@program(vec(3))
def stored_to_through_another_view(x):
    y = x * 2
    z = y[1:]
    y.setflags(write=False)
    z[0] = 1.0  # error: UnsupportedError: may store to the memory of an array that was
    return np.sum(y)


@program(vec(3))
def array_of_the_caller(x):
    x.setflags(write=False)  # error: UnsupportedError: array of the caller's ... x.copy()
    return np.sum(x)


@program(vec(3))
def writeable_again(x):
    y = x * 2
    y.setflags(write=False)
    y.setflags(write=True)  # error: UnsupportedError: is made writeable again ... .copy()
    return np.sum(y)


@program(vec(3))
def aligned_otherwise(x):
    y = x * 2
    y.setflags(align=False)  # error: UnsupportedError: write= alone
    return np.sum(y)


@program(2.0)
def a_number_that_is_read_only(x):
    y = np.asarray(x)
    y.setflags(write=False)  # error: UnsupportedError: setflags() of a number ... leave it out
    return y * 2.0


@program(vec(3))
def asked_whether_it_may_be_stored_to(x):
    y = x * 2
    if not y.flags.writeable:  # error: UnsupportedError: may be stored to is not known ... x.copy()
        y = y.copy()
    return np.sum(y)


@program(mat(3, 2))
def contiguous_or_not(x):
    y = x.T * 2
    if not y.flags.c_contiguous:  # error: UnsupportedError: is contiguous is not known
        y = y * 2
    return np.sum(y)


@program(vec(3))
def flag_of_the_owner(x):
    y = x * 2
    return x * y.flags["OWNDATA"]  # error: UnsupportedError: 'OWNDATA' is not known


@program(vec(3))
def another_flag_is_set(x):
    y = x * 2
    y.flags["ALIGNED"] = False  # error: UnsupportedError: 'ALIGNED' is not set
    return np.sum(y)


@program(vec(3))
def attribute_of_the_flags(x):
    y = x * 2
    return x * y.flags.owndata  # error: UnsupportedError: owndata


@program(mat(3, 3))
def strides_of_a_diagonal(x):
    y = np.diagonal(x)
    return y * y.strides[0]  # error: UnsupportedError: strides and flags of what may be a view
