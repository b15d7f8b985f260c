"""Compiles the functions that are converted, and their products with the Jacobian."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.api import compile, vjp
from srcgrad.errors import ArgumentTypeError, ReturnTypeError
from srcgrad.transforms.compiled import Compiled


def library(name: str) -> Any:
    """The other library's module; an error that says what installs it."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ImportError(f"{name} is not installed: pip install {name}") from error


def compiled_of(fn: Any) -> Compiled:
    """The function compiled, unless it is already."""
    if isinstance(fn, Compiled):
        return fn
    if not callable(fn):
        raise ArgumentTypeError(f"the first argument is a {type(fn).__name__}, not a function")
    return compile(fn)


def product_of(fn: Compiled) -> Callable[[tuple[Any, ...], Any], tuple[Any, ...]]:
    """The function from arguments and cotangents to the gradients, one entry per argument."""

    def product(args: tuple[Any, ...], cotangents: Any) -> tuple[Any, ...]:
        _, pull = vjp(fn, *args)
        return pull(cotangents)

    return product


def tupled(fn: Compiled) -> Callable[..., tuple[Any, ...]]:
    """The function with a tuple of its results, if it returns one alone."""

    def call(*args: Any) -> tuple[Any, ...]:
        out = fn(*args)
        return out if isinstance(out, tuple) else (out,)

    return call


def is_fresh(a: np.ndarray) -> bool:
    """Whether an array that compiled code has returned is surely of memory that it made.

    Such memory belongs to an object of Numba's. What owns its memory may be the caller's, and what
    has an array as its base is a view.
    """
    fresh = not a.flags.owndata and not isinstance(a.base, np.ndarray)
    return fresh and a.flags.writeable and min(a.strides, default=0) >= 0


def checked(v: Any, name: str, dtype: Any, shape: tuple[int | None, ...]) -> np.ndarray:
    """A result as an array of the dtype and shape that are stated; None is any length.

    TypeError if it has another shape, or numbers that the dtype cannot hold.
    """
    a = np.asarray(v)
    fits = a.ndim == len(shape) and all(
        [want in (None, n) for n, want in zip(a.shape, shape, strict=True)]
    )
    if not fits or not np.can_cast(a.dtype, dtype, "same_kind"):
        found = f"{a.dtype} of shape {a.shape}"
        raise ReturnTypeError(
            f"{name}() returned {found}, but `result` states {np.dtype(dtype)} of shape {shape}"
        )
    return a.astype(dtype, copy=not is_fresh(a))
