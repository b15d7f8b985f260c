"""Rules of the user that capture values, that call transforms, and rules within others' rules."""

import numpy as np

import srcgrad as flow
from tests.cases.custom_rules import exponential, softplus
from tests.cases.registry import case, signed, vec

SCALE = np.array([0.5, 1.5, 2.0, 0.75])


# ---- captured ----
@flow.custom_vjp
def weighted(x):
    return np.sum(SCALE * x)


weighted.defvjp(lambda x: (np.sum(SCALE * x), None), lambda kept, g: (g * SCALE,))


@case(vec(4))
def captured_array_in_the_rule(x):
    return weighted(x * x) * weighted(x)


def scaled(factor):
    @flow.custom_jvp
    def times(x):
        return factor * x

    @times.defjvp
    def rule(primals, tangents):
        return times(primals[0]), factor * tangents[0]

    return times


TRIPLED = scaled(3.0)


@case(vec(4))
def closure_variable_in_the_rule(x):
    return np.sum(TRIPLED(x) * np.sin(TRIPLED(x)))


# ---- rules that call transforms, and others' rules ----
def cubed(x):
    return np.sum(x**3)


@flow.custom_vjp
def by_grad(x):
    return cubed(x)


by_grad.defvjp(lambda x: (cubed(x), x), lambda x, g: (g * flow.grad(cubed)(x),))


@case(vec(3))
def transform_in_the_rule(x):
    return by_grad(x) * by_grad(exponential(x))


@flow.custom_vjp
def sine(x):
    return np.sin(x)


@flow.custom_vjp
def cosine(x):
    return np.cos(x)


sine.defvjp(lambda x: (np.sin(x), x), lambda x, g: (g * cosine(x),))
cosine.defvjp(lambda x: (np.cos(x), x), lambda x, g: (-g * sine(x),))


@case(vec(3))
def rules_that_call_each_other(x):
    return np.sum(sine(x) * cosine(x * x))


@flow.custom_vjp
def log_of_sum(x):
    return np.log(np.sum(softplus(x)))


def log_of_sum_fwd(x):
    total = np.sum(softplus(x))
    return np.log(total), (x, total)


def log_of_sum_bwd(kept, g):
    x, total = kept
    g = g / total
    g *= np.ones_like(x)
    return (g / (1.0 + np.exp(-x)),)


log_of_sum.defvjp(log_of_sum_fwd, log_of_sum_bwd)


@case(signed(4))
def a_rule_inside_a_rule(x):
    return log_of_sum(x) * np.sum(x)


@flow.custom_vjp
def doubled(x):
    return 2.0 * x


def doubled_bwd(kept, g):
    g *= 2.0
    return (g,)


doubled.defvjp(lambda x: (2.0 * x, None), doubled_bwd)


@case(vec(3))
def a_rule_that_stores_to_its_adjoint(x):
    y = x * x
    return np.sum(doubled(y) * y) + doubled(x[0])
