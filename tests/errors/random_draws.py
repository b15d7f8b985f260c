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
