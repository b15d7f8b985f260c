"""Classes, decorated functions and context managers that are defined inside of a function."""

import contextlib
import functools
import inspect
from collections import namedtuple
from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import NamedTuple

import numba
import numpy as np

from tests.cases.registry import case

FEW = np.array([0.7, 1.3, 0.4, 2.1, 1.6])
SCALE = 2.5


def twice(f: Callable) -> Callable:
    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        return 2.0 * f(*args, **kwargs)

    return wrapper


def with_defaults(f: Callable) -> Callable:
    signature = inspect.signature(f)

    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        bound.arguments["v"] = np.asarray(bound.arguments["v"], dtype=float)
        return f(*bound.args, **bound.kwargs)

    return wrapper


def as_arrays(*names: str) -> Callable:
    def decorator(f: Callable) -> Callable:
        @functools.wraps(f)
        def wrapper(*args, **kwargs):
            known = inspect.getfullargspec(f)
            args = list(args)
            for k, (name, v) in enumerate(zip(known.args, args, strict=False)):
                if name in names and v is not None:
                    args[k] = np.array(v)
            return f(*args, **kwargs) * (1.0 if known.defaults is None else known.defaults[0])

        return wrapper

    return decorator


@as_arrays("v")
def quadratic(v, k, shift=0.5):
    return np.sum(v * v) * k + shift


@with_defaults
def powered(v, p=3, *more, scale=1.5):
    return scale * v**p + len(more)


@np.errstate(divide="ignore", invalid="ignore")
def logarithm(v):
    return np.log(v)


@case(FEW, 3.0)
def names_of_arguments(x, k):
    return quadratic([x[0], k * x[1]], k) + quadratic(x, 2.0, shift=k)


@case(FEW)
def records(x):
    class State(NamedTuple):
        place: float
        speed: float = 1.0

        def energy(self):
            return self.speed * self.speed + self.place

    @dataclass
    class Body:
        mass: float
        states: list = field(default_factory=list)

        @property
        def last(self):
            return self.states[-1]

    Point = namedtuple("Point", "a b")
    body = Body(x[0])
    body.states.append(State(x[1]))
    body.states.append(body.last._replace(speed=x[2]))
    corner = Point(x[3], b=x[4])
    more = SimpleNamespace(gain=x[0], shift=2.0)
    more.gain = more.gain * corner.a
    return body.mass * body.last.energy() + body.states[0].energy() * corner.b + more.gain


@case(FEW, 3)
def classes_that_read_names_around(x, n):
    scale = 2.0

    class Base:
        gain = 1.5

        def __init__(self, w):
            self.w = w * scale

        def of(self, v):
            return self.gain * np.sum(self.w * v) + n

    class Model(Base):
        def __init__(self, w, k):
            super().__init__(w)
            self.k = k

        def of(self, v):
            return super().of(v) * self.k + x[0]

        @staticmethod
        def squared(v):
            return v * v

        @classmethod
        def of_ones(cls, k):
            return cls(np.ones(len(x)), k)

        def __call__(self, v):
            return self.squared(v).sum()

    first = Model(x, 0.5)
    scale = 3.0
    second = Model.of_ones(x[1])
    return first.of(x) + second.of(x * x) * first(x)


def counter(step):
    class Counter:
        def __init__(self):
            self.total = 0.0

        def add(self, v):
            self.total += v * step

    return Counter()


@case(FEW)
def classes_of_several_calls(x):
    one, two = counter(x[0]), counter(2.0)
    for v in x:
        one.add(v)
        two.add(v * v)
    return one.total * two.total


@case(FEW)
def decorated_functions(x):
    def plus(k):
        def decorate(f):
            return lambda v: f(v) + k

        return decorate

    @twice
    @plus(x[0])
    def squared(v):
        return v * v

    @functools.cache
    def factorial(n):
        return 1 if n < 2 else n * factorial(n - 1)

    @functools.cache
    def root(v):
        return np.sqrt(v)

    @np.vectorize
    def clipped(v):
        return v * v if v > 1.0 else v

    total = sum(squared(v) / factorial(k) for k, v in enumerate(x[:4]))
    return total + root(x[0]) * root(x[1]) + np.sum(clipped(x))


@case(FEW)
def wrappers_outside(x):
    old = np.seterr(all="ignore")
    total = powered(x, 2).sum() + powered(x[0]) + powered(x[1], 1, 5.0, scale=x[2])
    total = total + logarithm(x).sum()
    np.seterr(**old)
    return total


@case(FEW)
def contexts_made_inside(x):
    total = 0.0

    @contextlib.contextmanager
    def counted(v):
        nonlocal total
        yield v * v
        total += v

    for v in x:
        with counted(v) as square:
            total += square
    return total


@case(FEW)
def reading_names_of_the_module(x):
    global SCALE
    error = ValueError("negative")
    if x[0] < 0.0:
        ArithmeticError("this one is dropped")
        raise error
    return np.sum(x) * SCALE * globals()["SCALE"]


@case(FEW)
def compiled_by_numba(x):
    @numba.njit(cache=False)
    def squared(v):
        return v * v

    @numba.njit
    def cubed(v):
        return v * squared(v)

    return cubed(x).sum()
