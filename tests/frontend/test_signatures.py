"""Arguments of NumPy functions, by position and by name: the values and dtypes are NumPy's."""

import dis

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.errors import UnsupportedError
from srcgrad.frontend.handlers.registry import FUNCTIONS, METHODS, Followed, OwnSource

SQUARE = np.array([[1.0, 2.0], [3.0, 5.0]])
WEIGHTS = np.array([1.0, 3.0])


def copied_to(x):
    y = np.zeros(2)
    np.copyto(y, x[0], "same_kind", True)
    return y


CALLS = {
    "mode": lambda x: np.take(x, [0, 5], 0, None, "clip"),
    "where": lambda x: np.mean(x, where=x > 1.0),
    "average by position": lambda x: np.average(x, 0, WEIGHTS),
    "average by name": lambda x: np.average(x, axis=0, weights=WEIGHTS),
    "average of rows": lambda x: np.average(x, axis=1, weights=WEIGHTS, keepdims=True),
    "average of all": lambda x: np.average(x, weights=x * x),
    "average of integers": lambda x: np.average(np.array([1, 2]), weights=np.array([3, 1])) * x,
    "average with its weights": lambda x: np.average(x, 0, WEIGHTS, True)[1],
    "plain average": lambda x: np.average(x, 1, None, True)[1],
    "clip": lambda x: np.clip(x, 1.0, 2.0, None),
    "concatenate": lambda x: np.concatenate([x, x], 0, None),
    "copyto": copied_to,
    "cumsum": lambda x: np.cumsum(x, 0, np.float32),
    "diff": lambda x: np.diff(x, 1, 0),
    "full_like": lambda x: np.full_like(x, 3.0, np.float32),
    "interp": lambda x: np.interp(1.5, x[0], x[1], None, None),
    "linspace": lambda x: np.linspace(0.0, 1.0, 4, True, False, np.float32) * x[0, 0],
    "max": lambda x: np.max(x, 0, None, True, -1.0),
    "mean": lambda x: np.mean(x, 0, np.float32, None, True),
    "median": lambda x: np.median(x, 0, None, False, True),
    "median of all": lambda x: np.median(x, keepdims=True),
    "nanmax": lambda x: np.nanmax(x, 0, None, True),
    "nanmean": lambda x: np.nanmean(x, 0, None, None, True),
    "nanstd": lambda x: np.nanstd(x, 0, None, None, 1),
    "nansum": lambda x: np.nansum(x, 0, np.float32, None, True),
    "nanvar": lambda x: np.nanvar(x, 0, None, None, 1),
    "percentile": lambda x: np.percentile(x, 30.0, 0, None, False, "linear", True),
    "ptp": lambda x: np.ptp(x, 0, None, True),
    "quantile": lambda x: np.quantile(x, 0.3, 0, None, False, "linear", True),
    "repeat": lambda x: np.repeat(a=x, repeats=2, axis=0),
    "split": lambda x: np.split(ary=x, indices_or_sections=2, axis=1)[1],
    "std": lambda x: np.std(x, 0, None, None, 1),
    "std of a method": lambda x: x.std(0, None, None, 1, True),
    "sum": lambda x: np.sum(a=x, axis=0, out=None),
    "swapaxes": lambda x: np.swapaxes(x, axis1=0, axis2=1),
    "var of a dtype": lambda x: np.var(x, dtype=np.float32),
    "zeros_like": lambda x: np.zeros_like(x, np.float32) + x.astype(np.float32),
}


@pytest.mark.parametrize("name", CALLS)
def test_arguments_mean_what_they_mean_in_numpy(name):
    want = CALLS[name](SQUARE)
    got = flow.compile(CALLS[name], target="python")(SQUARE)
    assert np.shape(got) == np.shape(want)
    assert np.asarray(got).dtype == np.asarray(want).dtype
    np.testing.assert_allclose(got, want, rtol=1e-6)


REFUSED = {
    "dtype": lambda x: np.nanmean(x, 0, np.float32),
    "copy": lambda x: np.nan_to_num(np.sum(x), copy=False),
    "casting": lambda x: np.copyto(x, x, "unsafe"),
    "out": lambda x: np.concatenate([x, x], 0, np.ones((4, 2))),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_done_is_refused(name):
    with pytest.raises(UnsupportedError, match=rf"{name}|in place"):
        flow.compile(REFUSED[name], target="python")(SQUARE)


def test_weights_are_checked_as_numpy_does():
    average = flow.compile(lambda x, w: np.average(x, 0, w), target="python")
    with pytest.raises(ValueError, match="Shape of weights must be consistent"):
        average(SQUARE, np.ones(3))
    with pytest.raises(ZeroDivisionError, match="Weights sum to zero"):
        average(SQUARE, np.array([1.0, -1.0]))
    every = flow.compile(lambda x, w: np.average(x, weights=w), target="python")
    with pytest.raises(TypeError, match="Axis must be specified"):
        every(SQUARE, np.ones(2))


# arguments that change nothing which can be seen: the order of elements in memory, how to sort, how
# to contract, whether a subclass stays one, in how many threads and whether in the memory of the
# argument a transform may be computed, those of functions that only refuse or print, np.r_,
# the names that a decorator copies
SEEN_BY_NONE = {"order", "kind", "stable", "optimize", "subok", "workers", "overwrite_x"} | {
    "end", "options", "fn", "args", "owner", "typed", "wrapped", "writeable", "tol",
}  # fmt: skip


# functions whose result does not depend on the array, or on its kind alone
SAME_FOR_ALL = (np.iscomplexobj, ("array", "__array_namespace__"))


def test_handlers_read_every_argument_that_they_take():
    for f, handler in {**FUNCTIONS, **METHODS}.items():
        if str(getattr(f, "__module__", "")).startswith("srcgrad."):
            continue  # functions of ours, which only refuse or convert
        if isinstance(handler, Followed | OwnSource):
            continue  # it hands all that it takes to a formula
        code = handler.__code__
        read: set[str] = set()
        for i in dis.get_instructions(code):
            if i.opname.startswith("LOAD") and i.argval is not None:
                read.update(i.argval if isinstance(i.argval, tuple) else [i.argval])
        taken = code.co_varnames[2 : code.co_argcount + code.co_kwonlyargcount]
        ignored = set(taken) - read - SEEN_BY_NONE
        assert not ignored or f in SAME_FOR_ALL, f"{f}: {ignored}"


def test_where_an_array_is_made_is_passed_over_and_another_like_it_is_refused():
    def here(x):
        return np.sum(np.zeros(3, like=None, device="cpu") + x)

    def like(x):
        return np.sum(np.zeros(3, like=x) + x)

    assert flow.compile(here, target="python")(np.ones(3)) == 3.0
    with pytest.raises(UnsupportedError, match=r"argument .like. of numpy\.zeros"):
        flow.compile(like, target="python")(np.ones(3))
