"""Random draws that would happen again, or are not there."""

import numpy as np

import srcgrad as flow
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


@program(0.7, np.random.PCG64(1))
def of_another_source(x, bits):
    rng = np.random.default_rng(bits)  # error: UnsupportedError: a seed is
    return x * rng.normal()
