"""Every function of docs/support.md has a sample call that runs, or a reason why it has none."""

from typing import Any

import numpy as np
import pytest
from scipy import stats

from srcgrad.frontend.handlers.registration import FUNCTIONS
from srcgrad.frontend.handlers.registry import know_all
from tests.support.samples import SAMPLES, WITHOUT, Sample, inputs


def library_functions() -> dict[Any, Any]:
    """The functions of Python and its libraries that have a handler."""
    know_all()
    return {f: h for f, h in FUNCTIONS.items() if "srcgrad" not in str(_module(f))}


def _module(f: Any) -> str:
    return getattr(f, "__module__", None) or type(f).__module__


def test_every_function_has_a_sample_or_a_reason():
    sampled = {_known_as(s.function) for s in SAMPLES}
    missing = {_known_as(f) for f in library_functions() if f not in WITHOUT} - sampled
    assert not {f for f in missing if not _draws(f)}


def _draws(f: Any) -> bool:
    """Whether a function is of generators of random numbers: tests/draws has their samples."""
    if getattr(f, "__qualname__", "") == "Random.random":  # in C, without a module
        return True
    return f"{getattr(f, '__module__', '')}.".startswith(("numpy.random.", "random."))


def _known_as(f: Any) -> Any:
    """The function; for one of all ufuncs or all distributions, what it is called."""
    method = isinstance(getattr(f, "__self__", None), np.ufunc | stats.rv_continuous)
    return f.__name__ if method else getattr(f, "__func__", f)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda s: s.line)
def test_a_sample_runs_in_plain_python(sample: Sample):
    with np.errstate(all="ignore"):
        sample.program()(*sample.arguments(inputs()))
