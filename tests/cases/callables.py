"""Where functions come from: njit-ed helpers, methods, partials, lambdas, a cell of a notebook."""

import functools
import linecache
import math

import numba
import numpy as np

from tests.cases.registry import case, vec


@numba.njit
def compiled_helper(x, a):
    s = 0.0
    for i in range(len(x)):
        s += math.sin(x[i]) * a
        x[i] *= a
    return s


@numba.njit(fastmath=True)
def compiled_scalar(x):
    return x * x + 1.0


@case(vec(4), 1.2, tags=("p41",))
def calls_compiled_helper(x, a):
    y = x.copy()
    s = compiled_helper(y, a)
    return s * compiled_scalar(a) + np.sum(y * y)


@case(vec(4), 1.2, tags=("p41",))
@numba.njit
def compiled_itself(x, a):
    s = 0.0
    for i in range(x.size):
        if x[i] > 0.7:
            s += x[i] ** 2 * a
    return s


class Oscillator:
    """A class of the user's: numbers and arrays as attributes, some methods, a property."""

    scale = 2.0

    def __init__(self, stiffness, weights):
        self.stiffness = stiffness
        self.weights = weights

    @property
    def half(self):
        return 0.5 * self.stiffness

    @staticmethod
    def clamp(v):
        return np.tanh(v)

    @classmethod
    def scaled(cls, v):
        return cls.scale * v

    def energy(self, x):
        return self.half * np.sum(self.weights * x * x) + self.scaled(x[0])

    def run(self, x, n):
        v = np.zeros(len(x))
        for _ in range(n):
            v -= 0.1 * self.stiffness * x
            x += 0.1 * self.clamp(v)
        return self.energy(x)

    def __call__(self, x):
        return self.energy(np.sin(x))


OSCILLATOR = Oscillator(1.7, np.array([0.5, 1.0, 2.0]))
case(vec(3), tags=("p41",))(OSCILLATOR.energy)
case(vec(3), 4, tags=("p41",))(OSCILLATOR.run)
case(vec(3), 0, tags=("p41",))(OSCILLATOR.run)
case(vec(3), tags=("p41",), name="callable_object", theme="callables")(OSCILLATOR)
case(0.7, tags=("p41",), name="static_method")(Oscillator.clamp)


@case(vec(3), 0.6, tags=("p41",))
def object_of_the_users(x, k):
    return Oscillator(k, x).energy(x * x) + OSCILLATOR.half * k


def power_sum(x, p, scale=1.0, shift=0.0):
    return scale * np.sum(x**p) + shift * x[0]


case(vec(3), tags=("p41",), name="partial_keyword", theme="callables")(
    functools.partial(power_sum, p=3, scale=0.5)
)
case(vec(3), 1.5, tags=("p41",), name="partial_with_array", theme="callables")(
    functools.partial(power_sum, shift=2.0)
)
case(2.5, tags=("p41",), name="partial_positional", theme="callables")(
    functools.partial(power_sum, vec(3))
)


@case(vec(3), tags=("p41",))
def partial_inside(x):
    f = functools.partial(power_sum, x, scale=x[1])
    return f(2.0) + f(p=3.0, shift=1.0)


# A lambda on a line of its own, and one that spans lines.
square_sum = lambda x: np.sum(x * x)
case(vec(3), tags=("p41",), name="lambda_on_a_line")(square_sum)
case(vec(3), 0.4, tags=("p41",), name="lambda_over_lines")(
    lambda x, a: np.sum(np.sin(x) * a) + (x[0] if a > 0 else x[1])
)


def doubled(function):
    """A decorator that keeps the name of what it wraps and does something to it."""

    @functools.wraps(function)
    def wrapper(*args):
        return 2.0 * function(*args) + 1.0

    return wrapper


@case(vec(3), tags=("p41",))
@doubled
def decorated(x):
    return np.sum(x**3)


CELL = """
def typed_at_the_prompt(x, n):
    s = 0.0
    for i in range(n):
        s += x[i] * helper_at_the_prompt(x[i])
    return s

def helper_at_the_prompt(v):
    return np.sin(v) * 2.0
"""


def from_a_cell():
    """A function as a notebook makes it: no file, its source kept in linecache."""
    name = "<ipython-input-7-srcgrad>"
    linecache.cache[name] = (len(CELL), None, CELL.splitlines(keepends=True), name)
    scope = {"np": np, "__name__": "__main__"}
    exec(compile(CELL, name, "exec"), scope)
    return scope["typed_at_the_prompt"]


case(vec(4), 3, tags=("p41",), theme="callables")(from_a_cell())


class Dual:
    """A number with a slope, of which NumPy's functions call methods of their names."""

    def __init__(self, value, slope):
        self.value, self.slope = value, slope

    def sin(self):
        return Dual(np.sin(self.value), np.cos(self.value) * self.slope)

    def conjugate(self):
        return Dual(self.value, -self.slope)


@case(vec(3))
def functions_of_numpy_on_an_instance(x):
    d = np.conj(np.sin(Dual(x, x[::-1])))
    return np.sum(d.value * d.slope)
