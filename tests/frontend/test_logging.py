"""Messages to loggers and warnings: what is dropped is left out, what is written is Python's."""

import logging
import warnings

import numpy as np
import pytest

import srcgrad as flow

log = logging.getLogger("tests.of.logging")


@pytest.fixture(autouse=True)
def warnings_only():
    log.setLevel(logging.WARNING)


def verbose(x):
    log.debug("x is %s", x)
    logging.getLogger("tests.of.logging").info(f"sum {np.sum(x)}")
    if log.isEnabledFor(logging.DEBUG):
        x = x * np.inf
    return np.sum(x * x)


X = np.array([1.0, 2.0])


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_what_is_dropped_is_left_out(target):
    g = flow.grad(flow.compile(verbose, target=target))
    assert np.array_equal(g(X), 2.0 * X)
    assert np.array_equal(g(X), 2.0 * X)


def messages(caplog):
    return [(r.name, r.levelname, r.getMessage()) for r in caplog.records]


def test_the_level_counts_at_each_call(caplog):
    g = flow.grad(flow.compile(verbose, target="python"))
    g(X)
    assert not caplog.records
    log.setLevel(logging.DEBUG)
    assert np.array_equal(g(X), [np.inf, np.inf])
    found = messages(caplog)
    assert found == [(log.name, "DEBUG", f"x is {X}"), (log.name, "INFO", "sum 3.0")]
    caplog.clear()
    log.setLevel(logging.DEBUG + 1)
    assert np.array_equal(g(X), 2.0 * X)
    assert messages(caplog) == [(log.name, "INFO", "sum 3.0")]
    caplog.clear()
    log.setLevel(logging.INFO + 1)
    assert np.array_equal(g(X), 2.0 * X)
    assert not caplog.records


def test_a_function_made_anew_has_its_own_logger(caplog):
    def made(mine):
        def f(x):
            mine.info("x")
            return np.sum(x * x)

        return flow.grad(flow.compile(f, target="python"))

    quiet, loud = logging.getLogger("tests.quiet"), logging.getLogger("tests.loud")
    quiet.setLevel(logging.ERROR)
    loud.setLevel(logging.INFO)
    assert np.array_equal(made(quiet)(X), 2.0 * X)
    assert np.array_equal(made(loud)(X), 2.0 * X)
    assert np.array_equal(made(quiet)(X), 2.0 * X)
    assert messages(caplog) == [("tests.loud", "INFO", "x")]


class Mine(UserWarning):
    pass


def warning(x, n):
    s = 0.0
    for i in range(n):
        if x[i] > 1.0:
            warnings.warn(f"{x[i]:.2f} at {i}", Mine, stacklevel=2)
            log.warning("item %d is %g", i, x[i])
        s += x[i] ** 2
    return s


Y = np.array([0.5, 1.5, 2.5])


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_warnings_and_messages_are_pythons(target, caplog):
    g = flow.value_and_grad(warning, target=target)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        value, gradient = g(Y, 3)
    assert value == 8.75 and np.array_equal(gradient, 2.0 * Y)
    assert [str(w.message) for w in found] == ["1.50 at 1", "2.50 at 2"]
    first = warning.__code__.co_firstlineno
    assert {(w.category, w.filename, w.lineno) for w in found} == {(Mine, __file__, first + 4)}
    texts = ["item 1 is 1.5", "item 2 is 2.5"]
    assert messages(caplog) == [(log.name, "WARNING", text) for text in texts]
    assert {(r.pathname, r.lineno) for r in caplog.records} == {(__file__, first + 5)}


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_a_warning_that_is_an_error_is_raised(target):
    g = flow.value_and_grad(warning, target=target)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(Mine, match=r"1\.50 at 1"):
            g(Y, 3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert g(Y, 3)[0] == 8.75


def filtered_by_text(x):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Invalid v", category=RuntimeWarning)
        if x > 0.0:
            warnings.warn("invalid value", RuntimeWarning, stacklevel=1)
        if x > 0.0:
            warnings.warn("another value", RuntimeWarning, stacklevel=1)
        warnings.warn("invalid value", UserWarning, stacklevel=1)
        return x * x


def test_filters_by_text():
    def seen(f):
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            f(3.0)
        return [(w.category, str(w.message)) for w in found]

    made = flow.grad(flow.compile(filtered_by_text, target="python"))
    assert seen(made) == seen(filtered_by_text) != []


def test_a_warning_is_shown_once_by_default():
    g = flow.grad(flow.compile(warning, target="python"))
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("default")
        for _ in range(3):
            g(Y, 3)
    assert len(found) == 2  # one of each text


def test_the_jacobian_warns_once():
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        flow.jacrev(lambda x: np.array([warning(x, 3), 2.0 * x[0]]))(Y)
    assert len(found) == 2


def quiet(x):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        y = warning(x, 3)
    warnings.warn("after", stacklevel=1)
    return y


def quiet_of_one(x):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=Mine)
        warnings.warn("other", stacklevel=1)
        return warning(x, 3)


def recorded(x):
    with warnings.catch_warnings(record=True):
        return warning(x, 3)


def test_filters_inside_a_function_hold_there():
    for f, expected in ((quiet, ["after"]), (quiet_of_one, ["other"]), (recorded, [])):
        for run in (f, flow.compile(f, target="python")):
            with warnings.catch_warnings(record=True) as found:
                warnings.simplefilter("always")
                assert run(Y) == 8.75
            assert [str(w.message) for w in found] == expected


def deep(x):
    warnings.warn("here", stacklevel=1)
    warnings.warn("caller", stacklevel=2)
    warnings.warn("caller of that", stacklevel=3)
    return x * 2.0


def middle(x):
    return deep(x)


def top(x):
    return middle(x) + 1.0


def test_the_line_is_that_of_the_caller():
    lines = []
    for run in (top, flow.compile(top, target="python")):
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            assert run(1.0) == 3.0
        lines.append([(str(w.message), w.lineno) for w in found])
    assert lines[0] == lines[1]
