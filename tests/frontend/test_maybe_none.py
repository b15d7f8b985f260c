"""Values that are None on some paths: None is told from a value at run time."""

import numpy as np
import pytest

import srcgrad as flow
from tests.frontend.as_python import TARGETS, agrees, raises_alike, slope_agrees

VALUES = np.array([3.0, 1.0, 2.0])


def smallest(a):
    best = None
    for v in a:
        if best is None or v < best:
            best = v
    return best


def smallest_below(a, limit):
    best, place = None, -1
    for i in range(len(a)):
        if a[i] < limit and (best is None or a[i] < best):
            best, place = a[i], i
    if best is None:
        return a[0] * 7.0
    return best * best + place


def neighbours(a):
    before, total = None, 0.0
    for v in a:
        if before is not None:
            total += v * before
        before = v
    return total


def least_and_place(a):
    least, total = None, 0.0
    for i in range(len(a)):
        if least is None or a[i] < least[0]:
            least = (a[i], i)
        total += least[0] * least[1]
    return total


def found(x, limit):
    if x > limit:
        return x * x


def helper(x):
    y = found(x, 1.0)
    return -x if y is None else y * 2.0


def chosen(x):
    y = x if x > 1.0 else None
    return (y or 3.0) * x + (2.0 if y == None else 0.0) + (1.0 if y else 0.0)  # noqa: E711 (== asks)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    "f", [smallest, neighbours, least_and_place, lambda a: smallest_below(a, 2.5)]
)
def test_loops_that_begin_with_none(f, target):
    compiled = flow.compile(f, target=target, cache=False)
    assert compiled(VALUES) == f(VALUES)
    steps = np.eye(3) * 1e-6
    wanted = [(f(VALUES + h) - f(VALUES - h)) / 2e-6 for h in steps]
    np.testing.assert_allclose(flow.grad(compiled)(VALUES), wanted, rtol=1e-6)


@pytest.mark.parametrize("x", [0.5, 2.0])
def test_what_helpers_and_choices_give(x):
    agrees(helper, x)
    agrees(chosen, x)
    slope_agrees(helper, x)
    slope_agrees(chosen, x)
    agrees(lambda x: smallest_below(np.array([x]), 1.0), x)


def test_none_where_a_value_is_needed_raises_as_in_python():
    raises_alike(lambda x: found(x, 1.0) * 2.0, 0.5)
    raises_alike(lambda x: 2.0 - found(x, 1.0), 0.5)
    raises_alike(lambda x: x if found(x, 1.0) < 2.0 else -x, 0.5)
    raises_alike(lambda x: -found(x, 1.0), 0.5)


@pytest.mark.parametrize("target", TARGETS)
def test_none_is_returned_but_has_no_derivative(target):
    compiled = flow.compile(found, target=target, cache=False)
    assert (compiled(2.0, 1.0), compiled(0.5, 1.0)) == (4.0, None)
    gradient = flow.grad(compiled)
    assert gradient(2.0, 1.0) == 4.0
    with pytest.raises(NotImplementedError, match="returns None here"):
        gradient(0.5, 1.0)


def heights(a):
    stack, total = [], 0.0
    for i in range(len(a)):
        while stack and a[stack[-1]] < a[i]:
            total += a[i] * a[stack.pop()]
        stack.append(i)
    return total


def kept(a):
    stack = []
    for v in a:
        while len(stack) > 0 and not (stack[-1] >= v):
            stack.pop()
        stack.append(v * v)
    return sum(stack)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("f", [heights, kept])
def test_stacks_that_are_popped_in_a_test_of_their_own(f, target):
    compiled = flow.compile(f, target=target, cache=False)
    assert compiled(VALUES) == f(VALUES)
    wanted = [(f(VALUES + h) - f(VALUES - h)) / 2e-6 for h in np.eye(3) * 1e-6]
    np.testing.assert_allclose(flow.grad(compiled)(VALUES), wanted, rtol=1e-6)


def test_a_list_that_stays_empty_is_one_of_floats():
    def f(x, n):
        values = []
        for _ in range(n):
            values.pop()
        return np.array(values)

    agrees(f, 1.0, 0)
