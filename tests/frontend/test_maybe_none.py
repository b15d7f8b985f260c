"""Values that are None on some paths: None is told from a value at run time."""

import copy
from functools import partial

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


def first_above(x, limit):
    for v in x:
        if v > limit:
            return v
    return None


def classes_of_it(x, limit):
    f = first_above(x, limit)
    y = x[0] * isinstance(f, float) + x[1] * (type(f) is type(None)) + x[2] * bool(f)
    print(f, [f, 1.0], callable(f))
    return y + x[0] * hasattr(f, "real")


def defaults_of_parameters(x, limit):
    f = first_above(x, limit)
    return np.sum(np.clip(x, 0.8, f) ** 2) + np.sum(x.clip(f, f if f is not None else 1.0))


def methods_of_containers(x, limit):
    f = first_above(x, limit)
    held = {"a": x[0]}
    held.setdefault("b", f)
    one, two = held.get("c", f), held.pop("d", f)
    total = x[1] if one is None else one * x[0]
    total += x[2] if held["b"] is None else held["b"] * two
    return total + x[0] * [None, 1.0, None].count(f)


def functions_of_objects(x, limit):
    f = first_above(x, limit)
    scaled = partial(lambda a, b: b if a is None else a * b, f)
    g, made = copy.copy(f), dict(a=f)
    high = max([v for v in x if v > limit], default=f)
    total = scaled(x[0] ** 2) + (x[1] if g is None else g * x[2])
    return total + (x[0] if made["a"] is None else made["a"] * high)


@pytest.mark.parametrize("limit", [0.5, 1.0, 9.0])
@pytest.mark.parametrize(
    "f", [classes_of_it, defaults_of_parameters, methods_of_containers, functions_of_objects]
)
def test_none_is_an_object_to_functions(f, limit):
    x = np.array([0.7, 1.2, 0.9])
    agrees(f, x, limit)
    slope_agrees(lambda a, limit: f(np.array([a, 1.2, 0.9]), limit), 0.7, limit)
    compiled = flow.compile(f, target="python")
    _, slope = flow.jvp(compiled, (x, limit), (np.ones(3), 0.0))
    np.testing.assert_allclose(slope, np.sum(flow.grad(compiled)(x, limit)))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("f", [lambda x: float(found(x, 1.0)), lambda x: x * len(found(x, 1.0))])
def test_functions_that_take_no_none_raise_as_in_python(f, target):
    with pytest.raises(TypeError):
        f(0.5)
    with pytest.raises(TypeError, match="None"):
        flow.compile(f, target=target, cache=False)(0.5)
