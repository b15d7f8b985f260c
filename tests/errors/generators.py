"""Generators and context managers whose turns cannot be followed."""

from contextlib import contextmanager

from tests.cases.registry import vec
from tests.errors.programs import program


def squares(x):
    for v in x:
        yield v * v


@contextmanager
def scaled(x):
    yield x * 2.0


@contextmanager
def repeated(x):
    for v in x:
        yield v * v


@contextmanager
def of_a_list(x):
    return [x]


class Careful:
    def __enter__(self):
        return 1.0

    def __exit__(self, kind, error, trace):
        return kind is ValueError


@program(vec(3))
def generator_spent(x):
    items = squares(x)
    total = sum(items)
    for v in items:  # error: UnsupportedError: run over again
        total += v
    return total


@program(vec(3))
def generator_run_over_in_a_loop(x):
    items, total = squares(x), 0.0
    for v in x:
        for w in items:  # error: UnsupportedError: made outside of this loop ... make it here
            total += v * w
    return total


@program(vec(3))
def generator_with_handlers(x):
    def items():
        for v in x:
            try:
                yield v
            except ValueError:
                yield 0.0

    total = 0.0
    for v in items():  # error: UnsupportedError: yields in a 'try' with handlers
        total += v
    return total


@program(vec(3))
def generator_that_is_sent_values(x):
    def items():
        for v in x:
            scale = yield v
            yield 2.0 if scale is None else scale

    total = 0.0
    for v in items():  # error: UnsupportedError: may be stopped at a 'yield' whose value is read
        if v > 5.0:
            break
        total += v
    return total


@program(vec(3))
def generator_zipped_with_kinds(x):
    total = 0.0
    pairs = zip(squares(x), (1, 0.5), strict=False)  # error: UnsupportedError: of several kinds
    for v, k in pairs:
        total += v * k
    return total


@program(vec(3))
def generators_zipped(x):
    total = 0.0
    for u, v in zip(squares(x), squares(x), strict=True):  # error: UnsupportedError: not followed
        total += u * v
    return total


@program(vec(3))
def array_as_a_context(x):
    with x as y:  # error: UnsupportedError: 'with' of an array
        return y * x


@program(vec(3))
def context_that_may_suppress(x):
    with Careful() as k:  # error: UnsupportedError: __exit__ of Careful returns a value
        return x * k


@program(vec(3))
def context_that_yields_in_a_loop(x):
    with repeated(x) as v:  # error: UnsupportedError: several 'yield'
        return x * v


@program(vec(3))
def context_without_a_generator(x):
    with of_a_list(x) as v:  # error: UnsupportedError: takes a generator function
        return x * v


@program(vec(3))
def context_in_a_loop(x):
    total = 0.0
    for v in scaled(x):  # error: UnsupportedError: a context manager is used as the other
        total += v
    return total


@program(vec(3))
def generator_as_a_context(x):
    with squares(x) as v:  # error: UnsupportedError: a generator is used as the other
        return x * v


@program(vec(3))
def value_of_a_generator(x):
    def items():
        last = yield from squares(x)  # error: UnsupportedError: 'yield from' is not supported
        yield 0.0 if last is None else last

    return sum(items())
