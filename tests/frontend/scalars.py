"""Comparison of scalar programs with plain Python and NumPy: value, type, or class of exception."""

import copy
import math
import warnings
from typing import Any

import numpy as np

import srcgrad as flow
from srcgrad.errors import UnsupportedError


def outcome(fn: Any, args: tuple) -> Any:
    """What a call gives: its value, or the exception."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return fn(*copy.deepcopy(args))
        except Exception as e:
            return e


def same(got: Any, want: Any, rel: float = 0.0) -> bool:
    """Whether two results are one to the bit, or to `rel`: kinds, dtypes and signs of zeros too."""
    if isinstance(want, Exception):
        return isinstance(got, next(c for c in type(want).__mro__ if c.__module__ == "builtins"))
    if type(got) is not type(want):
        return False
    if isinstance(want, tuple | list):
        return len(got) == len(want) and all(
            same(a, b, rel) for a, b in zip(got, want, strict=True)
        )
    if isinstance(want, np.ndarray):
        if (got.dtype, got.shape) != (want.dtype, want.shape):
            return False
        return all(same(a, b, rel) for a, b in zip(got.ravel(), want.ravel(), strict=True))
    if isinstance(want, complex | np.complexfloating):
        return same(got.real, want.real, rel) and same(got.imag, want.imag, rel)
    if isinstance(want, float | np.floating):
        if math.isnan(want):
            return math.isnan(got)
        if got == want:
            return math.copysign(1, got) == math.copysign(1, want)
        return math.isclose(got, want, rel_tol=rel)
    return got == want


def check(fn: Any, args: tuple, target: str, rel: float = 0.0, refused: bool = False) -> None:
    """`refused`: whether the compiler may refuse the call."""
    want, got = outcome(fn, args), outcome(flow.compile(fn, target=target), args)
    if refused and isinstance(got, UnsupportedError):
        return
    assert same(got, want, rel), f"{args!r}: {got!r}, plain Python has {want!r}"
