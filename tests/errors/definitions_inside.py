"""Classes and decorators inside of a function that cannot be followed."""

import inspect
from dataclasses import dataclass

import numba
import numpy as np

from tests.cases.registry import vec
from tests.errors.programs import program


def registered(cls):
    return cls


def shifted(v, by=np.ones(3)):  # noqa: B008 (such a default is tested)
    return v + by


SHIFTED = inspect.signature(shifted)


@program(vec(3))
def class_that_reads_a_value(x):
    k = x[0]

    class Model:  # error: UnsupportedError: known at run time only ... outside of the function
        gain = k

    return x * Model.gain


@program(vec(3))
def class_that_computes(x):
    class Model:
        gain = 1.0
        for k in range(3):  # error: UnsupportedError: this statement in the body of a class
            gain = gain + k

    return x * Model.gain


@program(vec(3))
def class_that_calls(x):
    class Model:
        gain = sum([1.0, 2.0])  # error: UnsupportedError: this statement in the body of a class

    return x * Model.gain


@program(vec(3))
def class_with_a_decorator(x):
    @registered  # error: UnsupportedError: this decorator of a class
    class Model:
        gain = 2.0

    return x * Model.gain


@program(vec(3))
def class_with_a_setting_of_data(x):
    k = x[0] > 0.0

    @dataclass(frozen=k)  # error: UnsupportedError: a base or a setting of a class is known
    class Model:
        gain: float = 2.0

    return x * Model().gain


@program(vec(3))
def class_that_fails(x):
    class Model(bool):  # error: TypeError: not an acceptable base type
        pass

    return x * Model(1)


@program(vec(3))
def signature_of_a_method(x):
    return x * len(inspect.signature(x.sum).parameters)  # error: UnsupportedError: signature() of


@program(vec(3))
def arguments_of_a_method(x):
    return x * len(inspect.getfullargspec(x.sum).args)  # error: UnsupportedError: plain function


@program(vec(3))
def signature_with_an_array(x):
    bound = SHIFTED.bind(x)
    bound.apply_defaults()  # error: UnsupportedError: a default is neither
    return shifted(*bound.args)


@program(vec(3))
def decorator_that_raises(x):
    @np.errstate(all="raise")  # error: UnsupportedError: that raises or calls ... np.isfinite
    def f(v):
        return v * v

    return f(x)


@program(vec(3))
def exception_returned(x):
    return ValueError("negative", x[0])  # error: ReturnTypeError: a ValueError


@program(vec(3))
def signature_of_numba(x):
    @numba.njit("f8[:](f8[:])")  # error: UnsupportedError: Numba's ... leave the
    def f(v):
        return v * v

    return f(x)
