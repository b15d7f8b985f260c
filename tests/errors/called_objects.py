"""Functions that cannot be followed: without source, of other libraries, unbound cells."""
# ruff: noqa: F401, F821 (programs with mistakes)

import functools
import operator
import types
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.linalg.lapack import dgeev

import srcgrad as flow
from tests.cases.registry import vec
from tests.errors.programs import program

# ---- functions that cannot be followed ----
FIRST = operator.itemgetter(0)


@program(vec(3))
def callable_of_the_standard_library(x):
    return FIRST(x)  # error: UnsupportedError: an itemgetter cannot be called ... no Python source


SCOPE = {}
exec("def hidden(v): return v * v", SCOPE)
hidden = SCOPE["hidden"]


@program(0.7)
def helper_without_source(x):
    return hidden(x)  # error: UnsupportedError: the source of hidden() was not found


borrowed = types.FunctionType((lambda v: v).__code__, {"__name__": "torch.functional"}, "borrowed")


@program(0.7)
def function_of_another_library(x):
    return borrowed(x)  # error: UnsupportedError: borrowed() is a function of PyTorch ... NumPy's


@program(0.7)
def lambda_that_yields(x):
    f = lambda v: (yield v)  # error: UnsupportedError: 'yield' is not supported
    return f(x)


@functools.cache
def printed_once(k):
    print("computing", k)
    return 2.0 * k


@program(0.7)
def function_with_a_cache_that_prints(x):
    return x * printed_once(3)  # error: UnsupportedError: whose results are cached ... prints


@program(0.7)
def list_as_a_key(x):
    table = {"a": 1.0}
    return x * table[[1, 2]]  # error: UnsupportedError: cannot be a key of a dict


@program(0.7)
def unbound_on_both_paths(x):
    if x > 0.0:
        a = later  # error: UnboundLocalError: later
    else:
        a = -later
    later = 2.0
    return a * later


def checked(f):
    def called(x):  # error, no line: TypeError: called() takes 1 positional argument but
        return f(x)  # pragma: no cover

    called.__wrapped__ = f
    return called


@program(0.7, 2.0)
@checked
def wrapper_with_fewer_arguments(x, y):
    return x * y


def before_its_cell():
    def f(x):
        return x * later  # error: UnsupportedError: 'later' is not bound yet in the enclosing

    flow.grad(flow.compile(f, target="python"))(0.7)
    later = 2.0
    return later


before_its_cell = program(how="plain")(before_its_cell)


class Posing:
    """Says that it is of another class."""

    def __init__(self, cls):
        object.__setattr__(self, "cls", cls)

    @property
    def __class__(self):
        return object.__getattribute__(self, "cls")

    def __call__(self, x):
        return x


AS_NUMBER, AS_FUNCTION = Posing(float), Posing(type(borrowed))


@program(0.7)
def number_that_is_none(x):
    y = AS_NUMBER  # error: UnsupportedError: 'AS_NUMBER' is a Posing ... a float
    return x if y is not None else -x


@program(0.7)
def class_that_is_another(x):
    return x if isinstance(AS_FUNCTION, float) else 2.0 * x  # error: UnsupportedError: isinstance()


@program(np.eye(2))
def routine_without_python_source(a):
    return dgeev(a)[0][0]  # error: UnsupportedError: a fortran cannot be called ... flow.opaque
