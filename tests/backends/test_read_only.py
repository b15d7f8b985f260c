"""Read-only arrays: what only reads them runs, what stores to them raises NumPy's error."""

from typing import Any

import numpy as np
import pytest

import srcgrad as flow
from tests.cases import Case, sample
from tests.checks.comparing import close
from tests.tools.modes import Modes
from tests.tools.structures import copied, mapped
from tests.tools.turns import share


def read_only(args: tuple[Any, ...]) -> tuple[Any, ...]:
    def at(v: Any) -> Any:
        if isinstance(v, np.ndarray):
            v.flags.writeable = False
        return v

    return mapped(at, copied(args))


def halved_until_small(x):
    while np.sum(x * x) > 1e-2:
        x = 0.5 * x * np.cos(x)
    return x


def chosen(x, n):
    y = np.zeros(3) if n > 1 else x.copy()
    for i in range(n):
        y[i % 3] += x[i % 3]
        y = y * 2.0
    return y


def swapped(x, n):
    y = x.copy()
    for _ in range(n):
        x, y = y, x
        y = y + x
        x = x * 0.5
    return np.sum(x * y)


def stored_in_the_second_trip(x, n):
    y = x.copy()
    for _ in range(n):
        y[0] = 3.0
        y = x
    return np.sum(y)


@pytest.mark.parametrize(
    ("f", "more"), [(halved_until_small, ()), (chosen, (0,)), (chosen, (4,)), (swapped, (3,))]
)
def test_buffers_that_meet_an_argument_in_a_loop_are_no_stores_to_it(f, more):
    x = np.array([0.5, 0.7, -0.2])
    want, g = f(x, *more), flow.grad(lambda x: np.sum(f(x, *more)))(x)
    (x,) = read_only((x,))
    np.testing.assert_allclose(flow.compile(f)(x, *more), want, rtol=1e-15)
    np.testing.assert_array_equal(flow.grad(lambda x: np.sum(f(x, *more)))(x), g)


def test_a_store_in_a_later_trip_is_found():
    f, (x,) = flow.compile(stored_in_the_second_trip), read_only((np.ones(2),))
    for n in (2, 3):
        with pytest.raises(ValueError, match="assignment destination is read-only"):
            stored_in_the_second_trip(x, n)
        with pytest.raises(ValueError, match="assignment destination is read-only"):
            f(x, n)


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("case", share(sample(24)), ids=lambda c: c.id)
def test_cases_as_on_the_reference_backend(case: Case):
    def outcome(target: str) -> Any:
        try:
            return Modes(case, target).value(read_only(case.arguments()))
        except ValueError as error:
            return str(error)

    want, got = outcome("python"), outcome("cpu")
    if isinstance(want, str):
        assert "read-only" in want and "read-only" in str(got)
    else:
        close(got, want, 1e-10, "value")


def test_a_writable_argument_stays_so():
    x = np.arange(4.0)
    y = x.view()
    y.flags.writeable = False
    assert flow.compile(lambda x, y: x)(x, y) is x and x.flags.writeable
