"""Random draws that would happen again, or are not there."""

import random

import numpy as np
import scipy.optimize

import srcgrad as flow
from tests.cases.registry import vec
from tests.errors.programs import program

GENERATOR = np.random.default_rng(0)


@program(0.7)
def again_in_segments(x):
    for _ in flow.checkpointed(range(10)):
        x = x + 0.1 * GENERATOR.normal()  # error: UnsupportedError: its trips again, and with it
    return x


@program(0.7)
def of_no_axes(x):
    return x * GENERATOR.normal(size=())  # error: UnsupportedError: size=() is not supported


@program(0.7)
def of_a_float(x):
    return x * np.random.default_rng(x).normal()  # error: UnsupportedError: a seed is a number ...


@program(0.7, np.random.SeedSequence(1))
def of_another_source(x, bits):
    rng = np.random.default_rng(bits)  # error: UnsupportedError: a seed is
    return x * rng.normal()


@program(0.7)
def by_what_decides_how_often(x):
    return x * GENERATOR.poisson(x)  # error: UnsupportedError: no pathwise derivative ... stop_grad


@program(vec(3))
def along_another_axis(x):
    y = np.outer(x, x)
    return GENERATOR.permutation(y, axis=1)[0, 0]  # error: UnsupportedError: along the first axis


@program(0.7)
def items_of_a_list(x):
    y = [x, 2.0 * x]
    GENERATOR.shuffle(y)  # error: UnsupportedError: shuffle() takes an array ... permutation
    return y[0]


@program(0.7)
def without_a_parameter(x):
    return x * GENERATOR.poisson(1.0, 2, 3)  # error: TypeError: too many positional


@program(0.7)
def from_a_float(x):
    return x * GENERATOR.choice(x)  # error: ValueError: what is drawn from is a number


@program(0.7)
def of_too_few(x):
    return x * random.betavariate(x)  # error: TypeError: betavariate() takes alpha, beta here


@program(0.7)
def without_its_parameter(x):
    return x * GENERATOR.chisquare(size=3)[0]  # error: TypeError: missing


@program(0.7)
def in_a_solver(x):
    f = lambda u: u - x + 0.1 * GENERATOR.random()
    return scipy.optimize.brentq(f, 0.0, 9.0)  # error: UnsupportedError: a solver calls draws


class Own(random.Random):
    pass


OWN = Own(1)


@program(0.7)
def of_a_class_of_ones_own(x):
    return x * OWN.gauss(0.0, 1.0)  # error: UnsupportedError: the class Own is not supported


@program(0.7)
def around_a_number(x):
    rng = np.random.Generator(3)  # error: AttributeError: takes a source of bits ... default_rng
    return x * rng.normal()


@program(vec(3))
def of_several_counts(x):
    made = GENERATOR.multinomial([1, 2], [0.5, 0.5])  # error: UnsupportedError: takes one number
    return x[0] * made[0, 0]
