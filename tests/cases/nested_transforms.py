"""Transforms called inside, of functions that are defined there and read what is around them."""

import functools

import numpy as np

import srcgrad as flow
from tests.cases.registry import case, vec


def here(f):
    """`f` for the reference backend: under NumPy alone it is compiled at each call."""
    return flow.compile(f, target="python")


@case(1.3)
def gradient_of_a_closure(x):
    def inner(y):
        return x * y * y

    return x * flow.grad(here(inner))(2.0)


@case(vec(3), 2)
def gradients_in_a_loop(x, n):
    s = 1.0
    for i in range(n):

        def inner(y, k):
            return np.sum(y**3 * x) * s * k  # noqa: B023 (bound late, as Python does)

        s = s + np.sum(flow.grad(here(inner))(x + i, 0.5))
        if s > 40.0:
            s = s / 4.0
    return s


@case(vec(3))
def value_and_gradients_of_containers(x):
    def inner(parts):
        total = 0.0
        for k in range(len(parts["a"])):
            total += parts["a"][k] ** 2 * x[k]
        return total * parts["b"][0]

    value, g = flow.value_and_grad(here(inner))({"a": x * 2.0, "b": (x[1], 3.0)})
    return value + np.sum(g["a"] * x) + g["b"][0]


@case(vec(3), 0.7)
def tangent_of_a_closure(x, a):
    def inner(y, b):
        return np.sin(y * a) * b

    out, dot = flow.jvp(here(inner), (x, a), (x * x, 1.0))
    return np.sum(out * dot)


@case(1.2)
def gradient_of_a_gradient_of_a_lambda(x):
    f = lambda y: y**4 * x
    return flow.grad(flow.grad(here(f)))(x)


@case(vec(3))
def closure_that_stores_to_its_argument(x):
    def inner(y):
        y[0] = y[1] * y[0]
        return np.sum(y * y * x)

    return np.sum(flow.grad(here(inner))(x.copy())) * x[0]


def applied(f, y):
    return f(y) * y


@case(0.8)
def gradient_of_a_partial(x):
    def inner(z):
        return z * z * x

    return flow.grad(functools.partial(applied, inner))(x)


@case(0.8)
def gradient_by_what_stands_beside_a_function(x):
    def inner(z):
        return z * z * x

    return flow.grad(here(applied), 1)(inner, x)


def curve(x):
    return np.sin(np.outer(x, x)) + x[0]


@case(vec(2))
def jacobian_by_rows(x):
    return np.sum(np.sin(flow.jacrev(here(curve))(x)))


@case(vec(2))
def jacobian_by_columns(x):
    def scaled(y):
        return curve(y) * x

    return np.sum(np.sin(flow.jacfwd(here(scaled))(x)))


def chained(y):
    """A loop whose gradient has to remember what each trip found."""
    s = 1.0
    for k in range(len(y)):
        s = s * np.sin(y[k] * s)
    return s


@case(vec(3), 2)
def gradients_with_memory_in_a_loop(x, n):
    t = 0.5
    for i in range(n):
        t = t + np.sum(flow.grad(here(chained))(x * (i + 1.0)) * x) * t
    return t


@case(vec(3), 0.1, 3)
def steps_of_gradient_descent(x, rate, n):
    y = x.copy()
    for _ in range(n):

        def loss(z):
            total = 0.0
            while total < 1.0:
                total = total + np.sum(z * z * x) + chained(z)
            return total

        if y[0] > 0.1:
            y = y - rate * flow.grad(here(loss))(y)
    return np.sum(y * y)


@case(vec(2))
def jacobian_of_a_jacobian(x):
    return np.sum(np.sin(flow.jacrev(flow.jacrev(here(curve)))(x)))
