"""Assignments, imports, `raise`, `del` and loops that are not followed."""
# ruff: noqa: F401, F841 (programs stop before they use what they import or assign)

import numpy as np

from tests.cases.registry import vec
from tests.errors.programs import program


@program(vec(3))
def too_few_to_unpack(x):
    a, b, *c = (x[0],)  # error: UnsupportedError: too few values to unpack: 1
    return a


@program(vec(3))
def growing_list_multiplied_in_place(x):
    values = []
    for v in x:
        values.append(v)
    values *= 2  # error: UnsupportedError: changes a list in place ... build a new list
    return values[0]


@program(0.7)
def list_multiplied_by_a_float(x):
    values = [x]
    values *= x  # error: UnsupportedError: can't multiply sequence by non-int of type 'float'
    return values[0]


@program(0.7)
def truth_of_two_classes(x):
    positive = np.isnan(x) if x > 0.5 else True
    if positive is True:  # error: UnsupportedError: whether this is a bool of Python's
        return x
    return -x


@program(0.7)
def class_of_a_mixed_number(x):
    n = 1 if x > 0.0 else 2.5
    if isinstance(n, int):  # error: UnsupportedError: the class of a number that has one class
        return x
    return -x


@program(0.7)
def items_of_dicts_joined(x):
    d = {"a": x}
    return x if d.items() & d.items() else -x  # error: UnsupportedError: operators on the items


@program(0.7)
def bare_raise(x):
    if x < 1.0:
        raise  # error: UnsupportedError: 'raise' without an exception
    return x


@program(0.7)
def number_raised(x):
    if x < 1.0:
        raise x  # error: UnsupportedError: only exceptions and their classes
    return x


@program(0.7)
def result_raised(x):
    if x < 1.0:
        raise abs(x)  # error: UnsupportedError: only exceptions and their classes
    return x


@program(0.7)
def missing_module(x):
    import no_such_module  # error: UnsupportedError: this import fails: No module named

    return x


@program(0.7)
def missing_name_of_a_module(x):
    from math import no_such_name  # error: UnsupportedError: 'no_such_name' cannot be imported

    return x


@program(vec(3))
def shape_assigned(x):
    x.shape = (3, 1)  # error: UnsupportedError: the shape of a view, or ... is assigned ... reshape
    return np.sum(x)


@program(vec(3))
def flat_assigned(x):
    x.flat = 1.0  # error: UnsupportedError: .flat ... x[...] = v
    return np.sum(x)


@program(0.7)
def attribute_of_a_module_assigned(x):
    np.something = x  # error: UnsupportedError: an attribute of ... cannot be assigned
    return x


def keeping():
    kept = None

    def keep(x):
        nonlocal kept
        kept = lambda v: v * x
        return kept(x)  # error: ReturnTypeError: 'kept' is set to a function

    return keep


keep = program(0.7, how="call")(keeping())


@program(0.7)
def errstate_that_raises(x):
    with np.errstate(all="raise"):  # error: UnsupportedError: np.errstate that raises ... 'ignore'
        return np.log(x)


@program(0.7)
def generator_in_a_name(x):
    values = (last := x * k for k in range(3))  # error: UnsupportedError: kept in a name ... a list
    return sum(values) + last


@program(vec(3))
def attribute_of_an_array_deleted(x):
    del x.T  # error: AttributeError: 'del' of an attribute of an array
    return x[0]


@program(0.7)
def cell_that_is_not_bound(x):
    def inner(v):
        return v * later  # error: UnboundLocalError: later

    y = inner(x)
    later = 2.0
    return y


@program(0.7, 3)
def too_many_trips_to_unroll(x, n):
    total = 0.0
    for k in (x,) * 100_000:  # error: UnsupportedError: 100000 trips must be unrolled ... array
        total += k
    return total
