"""Free variables: captured arrays and numbers are inputs, captured functions are static."""

import numpy as np

from tests.cases.registry import case, vec

WEIGHTS = np.array([0.3, 1.1, -0.4, 0.8])
GAIN = 1.7
WORK = np.zeros(4)


def refill():
    """What WORK holds before each call of a function that overwrites it."""
    WORK[:] = (1.0, 2.0, 0.5, -1.0)


@case(vec(4), tags=("p33",), reset=refill)
def captured_array_overwritten(x):
    s = np.sum(WORK * x)
    WORK[:] = x * x
    WORK[1] *= WORK[0]
    return s + np.sum(WORK * WEIGHTS)


@case(vec(4), 3, tags=("p33",), reset=refill)
def captured_array_accumulated(x, n):
    for k in range(n):
        WORK[k] += WORK[k + 1] * x[k]
    return np.sum(WORK * WORK) * x[3]


def with_buffer(buffer):
    """A function over a cell that it overwrites."""

    def overwritten_cell(x, a):
        buffer[:] = x * a
        view = buffer[1:]
        view *= x[0]
        return np.sum(buffer * buffer)

    return overwritten_cell


case(vec(4), 1.2, tags=("p33",))(with_buffer(np.zeros(4)))


def with_parameters(w, b, activation):
    """A small model closed over its parameters and a function."""

    def model(x):
        return np.sum(activation(w * x + b))

    return model


case(vec(4), name="model_over_cells")(with_parameters(WEIGHTS.copy(), 0.3, np.tanh))


@case(vec(4))
def global_scalar_and_array(x):
    return GAIN * np.sum(np.sin(x) * WEIGHTS) + len(WEIGHTS) * x[0]


@case(0.8, 3)
def inner_function_over_local_array(x, n):
    table = np.zeros(n)

    def put(i, v):
        table[i] = v * v

    for i in range(n):
        put(i, x * (i + 1))
        table[0] += x
    return np.sum(table)


@case(0.8)
def closure_made_in_loop(x):
    s = 0.0
    for k in range(3):
        f = lambda v, k=k: v**k * x
        s += f(x + 1.0)
    return s
