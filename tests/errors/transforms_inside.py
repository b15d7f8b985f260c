"""Functions that are defined inside and differentiated there: what they may not do."""

import numpy as np

import srcgrad as flow
from tests.cases.registry import vec
from tests.errors.programs import program


@program(1.5)
def array_around_it_stored_to(x):
    w = np.zeros(2)

    def inner(y):
        w[0] = y
        return w[0] * y

    return flow.grad(inner)(x) + w[0]  # error: UnsupportedError: changes 'w', which belongs


@program(1.5)
def list_around_it_changed(x):
    seen = []

    def inner(y):
        seen.append(y)
        return y * y

    return flow.grad(inner)(x) + len(seen)  # error: UnsupportedError: changes a container or a name


@program(1.5)
def name_around_it_bound(x):
    last = 0.0

    def inner(y):
        nonlocal last
        last = y
        return y * y

    return flow.grad(inner)(x) + last  # error: UnsupportedError: changes a container or a name


@program(vec(3))
def argument_that_is_also_captured(x):
    def inner(y):
        y[0] = y[1] * y[0]
        return np.sum(y * x)

    return np.sum(flow.grad(inner)(x))  # error: UnsupportedError: may share memory


def product(y, z):
    y[0] = y[0] * z[1]
    return np.sum(y * z)


@program(vec(3))
def same_argument_twice(x):
    return np.sum(flow.grad(product)(x, x[:]))  # error: UnsupportedError: may share memory


@program(vec(3), vec(3), how="call")
def array_that_one_path_chose(x, y):
    z = x if x[0] > y[0] else y
    return np.sum(flow.grad(product)(z, x))  # error: UnsupportedError: may share memory


@program(1.5)
def integer_inside(x):
    return flow.grad(lambda k: k * x)(3)  # error, no line: TypeError: argument 'k' of inner() is


@program(vec(3, 1) > 1.0)
def jacobian_of_booleans(x):
    return np.sum(flow.jacfwd(lambda b: b * 2.0)(x))  # error, no line: TypeError: only floats have


@program(1.5)
def no_function(x):
    return flow.grad(x)(x)  # error: UnsupportedError: cannot be differentiated: it is no function


@program(1.5)
def number_compiled(x):
    return flow.compile(x)  # error: UnsupportedError: compiled: it is no function


def exchanged(y):
    a, b = y * 1.0, np.cos(y)
    for i in range(3):
        if y[i] > 0.25:
            a, b = b, a
        a = a * 0.5
        b[i] = a[i] * b[i]
    return np.sum(a * b)


@program(vec(3))
def gradient_in_a_loop_of_names_that_are_exchanged(x):
    y = x
    for _ in range(2):  # error: UnsupportedError: in a loop or a branch, of a
        y = y + flow.grad(exchanged)(y)
    return np.sum(y)


@program(vec(3, 1))
def gradient_in_a_branch_of_names_that_are_exchanged(x):
    if x[0] < 9.0:  # error: UnsupportedError: in a loop or a branch, of a function whose
        return np.sum(flow.grad(exchanged)(x))
    return x[0]


@program(vec(3), 2)
def inner_function_of_two_ranks(x, n):
    def inner(v):
        y = v
        if n > 1:
            y = np.outer(v, v)
        return y  # error: UnsupportedError: do not fit together ... rank 2 ... rank 1

    return np.sum(flow.vjp(inner, x)[0])
