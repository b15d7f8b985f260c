"""Exceptions that handlers bind: class, arguments and texts are Python's, or reading is refused."""

import warnings

import numpy as np
import pytest

import srcgrad as flow


class TooLarge(ValueError):
    pass


class WithText(ValueError):
    def __str__(self):
        return "another text"


def root(v):
    if v < 0.0:
        raise ValueError("negative {v}")
    if v > 10.0:
        raise TooLarge("too large")
    if v > 5.0:
        raise KeyError("five")
    return np.sqrt(v)


def shown(x):
    try:
        y = root(x)
    except ValueError as e:
        print(e, type(e).__name__, e.args, repr(e), f"{e!s:>20}", isinstance(e, TooLarge))
        y = np.float64(3.0 * x) if "negative" in str(e) else np.float64(x * x)
    except KeyError as e:
        print(e, repr(e), str(e) == "'five'", e.args, [e])
        y = np.float64(7.0 * x * len(e.args))
    return y


def over_items(xs):
    total = 0.0
    for v in xs:
        try:
            total += root(v)
        except (ValueError, KeyError) as e:
            warnings.warn(str(e), stacklevel=1)
            total += v * len(str(e))
    return total


def always(x):
    try:
        raise RuntimeError("always")
    except Exception as e:
        text = str(e)
    return x * len(text)


def wrapped(x):
    try:
        return root(x)
    except ValueError as e:
        raise RuntimeError(f"wrapped: {e}") from e


def in_turn(x):
    try:
        try:
            return root(x)
        except TooLarge as e:
            raise ValueError("second " + e.args[0]) from e
    except ValueError as e:
        print(e)
        return np.float64(x * len(e.args[0]) + len(e.args))


def outcome(f, x, capsys):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        try:
            value = f(x)
        except Exception as e:
            value = type(e), str(e).split("\n")[0]
    return value, capsys.readouterr().out, [str(w.message) for w in found]


CASES = [
    (shown, [-1.0, 1.0, 7.0, 12.0]),
    (over_items, [np.array([-1.0, 4.0, 7.0, 12.0, -2.0]), np.array([1.0])]),
    (always, [2.0]),
    (wrapped, [4.0, -1.0, 12.0]),
    (in_turn, [4.0, -1.0, 12.0]),
]


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize(("f", "xs"), CASES, ids=[f.__name__ for f, _ in CASES])
def test_handlers_read_what_python_has(f, xs, target, capsys):
    compiled = flow.compile(f, target=target, cache=False)
    for x in xs:
        assert str(outcome(compiled, x, capsys)) == str(outcome(f, x, capsys))


def test_derivatives_are_of_the_handler_that_runs():
    for x, slope in [(-1.0, 3.0), (1.0, 0.5), (7.0, 7.0), (12.0, 24.0)]:
        assert flow.grad(flow.compile(shown, target="python"))(x) == slope


def of_numpy(x):
    try:
        y = np.linalg.inv(x)
    except np.linalg.LinAlgError as e:
        print(e)
        y = x
    return y


def with_its_own_text(x):
    try:
        if x > 1.0:
            raise WithText("text")
    except ValueError as e:
        print(e.args)
    return x


def of_several(x):
    try:
        if x > 1.0:
            raise ValueError("one", 1)
        if x > 0.5:
            raise ValueError(("one", 1))
    except ValueError as e:
        print(e.args)
    return x


@pytest.mark.parametrize("f", [of_numpy, with_its_own_text, of_several])
def test_what_is_not_known_of_one_is_refused(f):
    with pytest.raises(flow.UnsupportedError, match="the text of what was caught is not known"):
        flow.compile(f, target="python")(np.zeros((2, 2)) if f is of_numpy else 1.5)


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("f", [of_numpy, with_its_own_text, of_several])
def test_where_nothing_is_caught_it_need_not_be_known(f, target, capsys):
    x = 2.0 * np.eye(2) if f is of_numpy else 0.3
    compiled = flow.compile(f, target=target, cache=False)
    assert str(outcome(compiled, x, capsys)) == str(outcome(f, x, capsys))


def test_a_text_that_a_class_gets_later_rebuilds_the_program(capsys):
    class Later(ValueError):
        pass

    def told(x):
        try:
            if x > 1.0:
                raise Later("first")
        except Later as e:
            print(e.args)
        return x

    f = flow.compile(told, target="python", cache=False)
    f(2.0)
    assert capsys.readouterr().out == "('first',)\n"
    Later.__init__ = lambda self, *args: ValueError.__init__(self, "second")
    with pytest.raises(flow.UnsupportedError, match="is not known"):
        f(2.0)


def test_texts_of_exceptions_that_are_not_raised(capsys):
    def told(x):
        e = ValueError(f"x is {x}")
        print(e, ValueError("a", 1), [KeyError("k")], f"{KeyError('k')}", repr(OverflowError()))
        return x

    told(2.0)
    wanted = capsys.readouterr().out
    flow.compile(told, target="python")(2.0)
    assert capsys.readouterr().out == wanted
