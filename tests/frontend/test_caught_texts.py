"""The name that a handler binds: the class, the text with the numbers in it, the argument."""

import warnings

import numpy as np
import pytest

import srcgrad as flow
from tests.frontend.as_python import agrees, raises_alike, slope_agrees


class OfRange(ValueError):
    pass


class Told(ValueError):
    def __init__(self, value):
        self.value = value


class Named(ValueError):
    def __str__(self):
        return "a name of its own"


def root(x, low, n=2):
    if x < low:
        raise ValueError("%s (%s) is below %s" % ("x", str(x), str(low)))  # noqa: UP031 (all forms are tested)
    if x > 10.0:
        raise OfRange(f"{x:.2f} is above {n} times {{5}}")
    return float(np.sqrt(x))


def shows(x, n):
    try:
        v = root(x, 1.5, n)
    except Exception as e:
        print(str(e), e, f"<{e}>", repr(e), [e], e.args, e.args[0], type(e).__name__, sep="|")
        return 2.0 * x if isinstance(e, OfRange) else -x
    return v * x


def of_a_loop(x, n):
    total = 0.0
    for k in range(n):
        try:
            total += root(x + k, 2.5, k)
        except ValueError as e:
            print(k, e)
            total += 0.5 * x * k
    return total


def chosen(x, n):
    try:
        v = root(x, n)
    except ValueError as e:
        if "above" in str(e):
            return 3.0 * x
        raise TypeError(f"no root: {e}") from e
    return v


def again(x, n):
    try:
        if x > n:
            raise KeyError("one")
        if x < 1.0:
            raise KeyError(f"two {x}")
        v = x * x
    except KeyError as e:
        print(e, repr(e), [e])
        v = 0.5 * x
    return v


def raised_again(x, n):
    try:
        v = root(x, n)
    except ValueError as e:
        raise e
    return v


def of_two_handlers(x, n):
    try:
        if x > n:
            raise IndexError(n, x)
        if x < 1.0:
            raise OfRange("small")
        v = x * x
    except IndexError:
        v = x
    except ValueError as e:
        v = x * len(str(e))
    return v


def of_its_own(x, n):
    try:
        try:
            if x < n:
                raise ValueError("low")
            v = x * x
        except ValueError as e:
            raise OfRange(f"outer {x} of {e}") from e
    except OfRange as e:
        print(e)
        v = 1.0 / x
    return v


def made_here(x, n):
    e, f = OfRange(f"at {x}", n), OfRange()
    print(e, repr(e), f"[{f}]", repr(f), [KeyError(f"{x} isn't"), "a"], Named(x))
    return x * n


@pytest.mark.parametrize("x", [0.6, 1.75, 4.0, 11.5])
@pytest.mark.parametrize("fn", [shows, of_a_loop, again, of_two_handlers, of_its_own, made_here])
def test_the_text_is_that_of_python(fn, x):
    agrees(fn, x, 3)


@pytest.mark.parametrize("fn", [chosen, raised_again])
def test_what_is_raised_with_it(fn):
    agrees(fn, 4.0, 3)
    raises_alike(fn, 0.6, 3)


def test_a_part_of_it():
    agrees(chosen, 11.5, 3)


@pytest.mark.parametrize("fn", [shows, of_a_loop, of_two_handlers, of_its_own])
@pytest.mark.parametrize("x", [0.6, 4.0, 11.5])
def test_slopes(fn, x):
    slope_agrees(fn, x, 3)


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_a_warning_of_it(target):
    def loss(x):
        try:
            v = root(x, 1.0)
        except ValueError as e:
            warnings.warn(str(e), stacklevel=1)
            v = 2.0 * x
        return v * x

    with pytest.warns(UserWarning, match=r"x \(0\.5\) is below 1\.0"):
        assert flow.grad(loss, target=target)(0.5) == 2.0


def unknown(x):
    try:
        v = np.linalg.inv(x * np.eye(2))[0, 0]
    except np.linalg.LinAlgError as e:
        print(e)
        v = x
    return v


def of_another_class(x):
    try:
        if x > 1.0:
            raise Told(x)
        v = x
    except Told as e:
        v = e.value
    return v


def of_no_text(x):
    try:
        if x > 1.0:
            raise ValueError(x)
        v = x
    except ValueError as e:
        v = e.args[0]
    return v


def of_an_array(x):
    try:
        if x > 1.0:
            raise ValueError(f"{np.full(2, x)}")
        v = x
    except ValueError as e:
        print(e)
        v = -x
    return v


@pytest.mark.parametrize("fn", [unknown, of_another_class, of_no_text, of_an_array])
def test_what_is_not_known_is_refused(fn):
    with pytest.raises(flow.UnsupportedError, match="the text of what was caught is not known"):
        flow.compile(fn, target="python")(0.0 if fn is unknown else 2.0)


class Old(DeprecationWarning):
    pass


class Since(UserWarning):
    def __str__(self):
        return f"old since {self.args[0]}"


def test_a_warning_that_is_made_before(recwarn):
    def loss(x):
        warnings.warn(Old(f"from {x}"), stacklevel=1)
        warnings.warn(UserWarning("small"), Old, stacklevel=1)
        return x * x

    for f in (loss, flow.grad(loss, target="python"), flow.grad(loss, target="cpu")):
        recwarn.clear()
        f(3.0)
        told = [(type(w.message), str(w.message), w.category, w.message.args) for w in recwarn]
        assert told == [
            (Old, "from 3.0", Old, ("from 3.0",)),
            (UserWarning, "small", UserWarning, ("small",)),
        ]

    def of_its_own(x):
        warnings.warn(Since("1.2"), stacklevel=1)
        return x

    with pytest.raises(flow.UnsupportedError, match="is no text of a message"):
        flow.compile(of_its_own, target="python")(1.0)


def length_of_a_text(x):
    try:
        return x * len(f"{x}")
    except TypeError:
        return -x


def number_of_a_text(x):
    try:
        return x * float(f"{x:.1f}")
    except (TypeError, ValueError):
        return 7.0 * x


@pytest.mark.parametrize("fn", [length_of_a_text, number_of_a_text])
def test_a_text_that_is_not_known_raises_nothing_that_is_caught(fn):
    with pytest.raises(flow.UnsupportedError, match="a string with a number of the run"):
        flow.compile(fn, target="python")(1.5)


def test_the_length_of_a_text_of_a_count():
    f = flow.compile(lambda x, n: x * len(f"n = {n}"), target="python")
    assert (f(1.5, 7), f(1.5, 123)) == (1.5 * 5, 1.5 * 7)
