"""What tests of the target cuda share: orders of threads, how near results are, users' lines."""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.structures import flatten

ORDERS = ("forward", "backward", 0)


def near(got: Any, want: Any) -> None:
    """Results agree to 1e-12 of the largest number."""
    got, want = flatten(got), flatten(want)
    assert np.max(np.abs(got - want), initial=0.0) <= 1e-12 * np.max(np.abs(want), initial=1.0)


def at(fn: Callable, text: str) -> int:
    """The number of the first line of a function that has this text."""
    lines, first = inspect.getsourcelines(fn)
    return first + next(k for k, line in enumerate(lines) if text in line)
