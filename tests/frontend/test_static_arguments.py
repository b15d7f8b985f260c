"""Flags, modes, axes, counts and names of every function, passed as run-time arguments.

A handler that uses the Python truth of a run-time value, or looks it up in a table, computes the
result of another flag. Here each parameter is an argument of the compiled function, with one value
after another: the result must be NumPy's for that value, or a refusal.
"""

from typing import Any

import numpy as np
import pytest
import scipy.fft

import srcgrad as flow
from srcgrad.errors import SrcgradError, UnsupportedError
from tests.support.choices import parameters_of
from tests.support.samples import SAMPLES, Sample, inputs
from tests.tools.turns import share

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.usefixtures("quiet")]


def numbers(v: Any) -> list[np.ndarray]:
    if isinstance(v, dict):
        v = tuple(v.values())
    if isinstance(v, tuple | list):
        return [n for part in v for n in numbers(part)]
    return [] if v is None else [np.asarray(v)]


def agree(got: Any, want: Any) -> bool:
    pairs = numbers(got), numbers(want)
    return len(pairs[0]) == len(pairs[1]) and all(
        a.shape == b.shape and np.allclose(a, b, 1e-6, 1e-9, equal_nan=True)
        for a, b in zip(*pairs, strict=True)
    )


def check(sample: Sample, name: str, values: tuple) -> list[str]:
    """What is wrong with the answers of one compiled function, for one value after another."""
    program = sample.program(**{name: "given"})
    compiled = flow.compile(program, target="python")
    wrong = []
    for value in values:
        args = (*sample.arguments(inputs()), value)
        try:
            got = compiled(*args)
        except SrcgradError:
            continue
        except Exception as e:
            got = e
        try:
            want = program(*(*sample.arguments(inputs()), value))
        except Exception as e:
            want = e
        if isinstance(got, Exception):
            if type(got) is not type(want) or isinstance(got, TypeError | AssertionError):
                wrong.append(f"{name}={value!r}: {type(got).__name__}: {got}")
        elif not isinstance(want, Exception) and not agree(got, want):
            wrong.append(f"{name}={value!r}: {got!r}, not {want!r}")
    return wrong


@pytest.mark.parametrize("sample", share(SAMPLES), ids=lambda s: s.line)
def test_each_parameter_at_run_time(sample: Sample):
    wrong = [w for name, values in parameters_of(sample).items()
             for w in check(sample, name, values)]  # fmt: skip
    assert not wrong, "\n".join(wrong)


def test_types_of_cosine_transforms():
    def f(x, kind):
        return scipy.fft.dct(x, kind) + scipy.fft.idct(x, type=kind)

    fn, x = flow.compile(f, target="python"), np.arange(5.0)
    for kind in (2, 3, 2):
        np.testing.assert_allclose(fn(x, kind), f(x, kind), 1e-12, 1e-12)
    with pytest.raises(UnsupportedError, match="types 2 and 3 only"):
        fn(x, 4)
