"""`inspect.signature` of functions, methods and partial ones: known when compiling, guarded."""

import functools
import inspect

import numba
import pytest

import srcgrad as flow
from tests.frontend.as_python import agrees


class Growth:
    def __init__(self, rate):
        self.rate = rate

    def value(self, t, k=1.0):
        return t * self.rate + k

    @staticmethod
    def plain(a, b, *rest, c=3.0):
        return a + b


GIVEN = Growth(2.0)


def of_methods(x):
    made = inspect.signature(Growth(x).value).parameters
    given = inspect.signature(GIVEN.value).parameters
    static = inspect.signature(GIVEN.plain).parameters
    return x * len(made) if "t" in made and "self" not in given else x, len(given), list(static)


def of_partial_ones(x):
    inside = functools.partial(GIVEN.value, 2.0)
    rest = functools.partial(Growth.plain, 1.0, 2.0, 3.0)
    defined = functools.partial(lambda t, u=2.0: t * u, x)
    found = [inspect.signature(f).parameters for f in (inside, rest, defined)]
    return [list(p) for p in found], found[2]["u"].default * x


@functools.lru_cache(maxsize=8)
def powers(n, base=2.0, *, outside=0.0):
    return tuple(base**k + outside for k in range(n))


def with_outside(basis, x, **given):
    if "outside" in inspect.signature(basis).parameters:
        given["outside"] = x
    return sum(basis(3, **given))


def of_cached_ones(x):
    @functools.cache
    def scaled(n, outside=1.0):
        return [outside * k for k in range(n)]

    @functools.lru_cache
    def plain(n):
        return [x * n]

    first = functools.partial(powers, 3)
    return (
        with_outside(powers, x),
        with_outside(scaled, x),
        with_outside(plain, x),
        list(inspect.signature(first).parameters),
    )


@pytest.mark.parametrize(
    "f", [of_methods, of_partial_ones, of_cached_ones], ids=lambda f: f.__name__
)
def test_signatures_are_pythons(f):
    agrees(f, 3.0)


def test_another_default_is_seen():
    def value(x, k=1.0):
        return x * k

    def told(x):
        return x * inspect.signature(value).parameters["k"].default

    f = flow.compile(told, target="python", cache=False)
    assert f(3.0) == 3.0
    value.__defaults__ = (2.0,)
    assert f(3.0) == 6.0


@pytest.mark.parametrize("what", [Growth, functools.partial(GIVEN.value, k=2.0)])
def test_what_python_takes_apart_otherwise_is_refused(what):
    with pytest.raises(flow.UnsupportedError, match=r"inspect.signature\(\) of"):
        flow.compile(lambda x: len(inspect.signature(what).parameters) * x, target="python")(1.0)


def doubled(f):
    @functools.wraps(f)
    def inner(*args, **kwargs):
        return 2.0 * f(*args, **kwargs)

    return inner


def called(f, x):
    return f(*[x] * len(inspect.signature(f).parameters))


def of_wrappers(x):
    def product(a, b):
        return a * b

    def both(a, b, c=2.0):
        return a + b * c

    inside = doubled(doubled(product))
    rest = functools.wraps(both)(functools.partial(both, x))
    given = functools.update_wrapper(lambda *args: product(*args) - x, product)
    squares = [called(f, x) for f in (inside, doubled(lambda a: a**3), given)]
    return squares, list(inspect.signature(rest).parameters)


def of_wrappers_on_trips(x):
    s = 0.0
    for k in range(int(x)):

        @doubled
        def scaled(a, b, k=k):
            return a * b * k

        s += scaled(x, x) * len(inspect.signature(scaled).parameters)
    return s


def of_one_path(x):
    def product(a, b=2.0):
        return a * b

    def square(a):
        return a * a

    f = doubled(product) if x > 1.0 else doubled(square)
    return called(f, x)


class Line:
    def __init__(self, slope):
        self.slope = slope

    def __call__(self, t, *, offset=1.0):
        return t * self.slope + offset


LINE = Line(2.0)


@numba.njit
def shifted(a, by=2.0):
    return a + by


def of_what_is_called(x):
    made, given = inspect.signature(Line(x)).parameters, inspect.signature(LINE).parameters
    compiled = inspect.signature(shifted).parameters
    return list(made), given["offset"].default * x, called(shifted, x), list(compiled)


@pytest.mark.parametrize(
    "f", [of_wrappers, of_wrappers_on_trips, of_what_is_called], ids=lambda f: f.__name__
)
def test_signatures_of_functions_around_others(f):
    agrees(f, 3.0)


def test_the_wrapper_of_one_path_is_refused():
    with pytest.raises(flow.UnsupportedError, match=r"inspect.signature\(\) of a function"):
        flow.compile(of_one_path, target="python")(3.0)


def test_another_function_below_a_cache_is_seen():
    @functools.cache
    def value(x):
        return x

    def told(x):
        return x * len(inspect.signature(value).parameters)

    f = flow.compile(told, target="python", cache=False)
    assert f(3.0) == 3.0
    value.__wrapped__ = lambda x, y: x + y
    assert f(3.0) == 6.0
