"""Compiles the functions that are converted, and their products with the Jacobian."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from srcgrad.api import compile, vjp
from srcgrad.errors import ArgumentTypeError
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


def product_of(fn: Compiled) -> Callable[[tuple, Any], tuple]:
    """The function from arguments and cotangents to the gradients, one entry per argument."""

    def product(args: tuple, cotangents: Any) -> tuple:
        _, pull = vjp(fn, *args)
        return pull(cotangents)

    return product


def tupled(fn: Compiled) -> Callable[..., tuple]:
    """The function with a tuple of its results, if it returns one alone."""

    def call(*args: Any) -> tuple:
        out = fn(*args)
        return out if isinstance(out, tuple) else (out,)

    return call
