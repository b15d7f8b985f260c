"""Values and gradients of a program compiled with a pass and without it."""

from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

import numpy as np

import srcgrad as flow
from srcgrad.passes import without


def anew(f: Any) -> Any:
    """The same function, as one that was not compiled before."""
    return FunctionType(f.__code__, f.__globals__, f.__name__, f.__defaults__, f.__closure__)


def with_and_without(
    name: str, f: Callable, args: Sequence[Any], by: int | tuple[int, ...] = 0, **options: Any
) -> list[tuple]:
    """The value and the gradients of a function with a pass, and the same without it."""
    made = []
    for off in ((), (name,)):
        with without(*off), np.errstate(all="ignore"):
            gradient = flow.value_and_grad(flow.compile(anew(f), **options), by)
            value, grads = gradient(*args)
        made.append((value, *grads) if isinstance(by, tuple) else (value, grads))
    return made


def same_bits(new: Sequence[Any], old: Sequence[Any]) -> None:
    for a, b in zip(new, old, strict=True):
        np.testing.assert_array_equal(a, b)
