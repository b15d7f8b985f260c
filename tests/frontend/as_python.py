"""Whether compiled code does what plain Python does: the value with its types, or the exception."""

import contextlib
import copy
import io
from collections.abc import Callable
from typing import Any

import numpy as np

import srcgrad as flow

TARGETS = ("python", "cpu")


def outcome(f: Callable, args: tuple) -> tuple[Any, str]:
    """What a call gives, or the class and the text of what it raises; and what it prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        try:
            return f(*copy.deepcopy(args)), printed.getvalue()
        except Exception as e:
            text = str(e).splitlines()[0] if str(e) else ""
            return (isinstance(e, flow.UnsupportedError), e, text), printed.getvalue()


def same(a: Any, b: Any) -> bool:
    if type(a) is not type(b):
        return False
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(v, b[k]) for k, v in a.items())
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and np.array_equal(a, b, equal_nan=True)
    if isinstance(a, float | complex):  # the cpu target may regroup a sum
        return bool(np.isclose(a, b, rtol=1e-14, atol=0.0, equal_nan=True)) and (
            np.signbit(np.real(a)) == np.signbit(np.real(b))
        )
    return repr(a) == repr(b)


def agrees(f: Callable, *args: Any) -> None:
    """The function does the same on each target as by itself, twice."""
    wanted, shown = outcome(f, args)
    for target in TARGETS:
        compiled = flow.compile(f, target=target, cache=False)
        for _ in range(2):
            got, printed = outcome(compiled, args)
            assert same(got, wanted), (target, got, wanted)
            assert printed == shown, (target, printed, shown)


def raises_alike(f: Callable, *args: Any) -> None:
    """The function raises the same on each target as by itself: the class and the text."""
    (_, wanted, text), _ = outcome(f, args)
    for target in TARGETS:
        (_, got, said), _ = outcome(flow.compile(f, target=target, cache=False), args)
        assert isinstance(got, type(wanted)), (target, got, wanted)
        assert text in said, (target, said, text)


def slope_agrees(f: Callable, x: float, *rest: Any, h: float = 1e-6) -> None:
    """The derivative by the first argument is that of differences."""
    wanted = (f(x + h, *rest) - f(x - h, *rest)) / (2 * h)
    for target in TARGETS:
        got = flow.grad(flow.compile(f, target=target, cache=False))(x, *rest)
        assert np.isclose(got, wanted, rtol=1e-5), (target, got, wanted)
