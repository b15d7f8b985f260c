"""Calls of a library's solver from compiled code, which calls back compiled functions.

The solver is the library's own, on the host; a function that it is given is compiled, with its
derivatives. A call has no derivative itself: a rule gives that.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from srcgrad.transforms.compiled import Compiled
from srcgrad.transforms.entry_points import compile, grad
from srcgrad.transforms.hessians import hessian, hvp
from srcgrad.transforms.jacobians import jacobian


class HostFunction:
    """A compiled function for a library: its first arguments are the library's to choose."""

    def __init__(self, function: Callable, target: str, captured: tuple = ()):
        self.function, self.target, self.captured = function, target, captured

    def __call__(self, *args: Any) -> Any:
        return _made(self.function, self.target)(*args, *self.captured)

    def jacobian(self, *args: Any, position: int = 0) -> Any:
        """The Jacobian by one argument."""
        return _made(self.function, self.target, jacobian, position)(*args, *self.captured)

    def gradient(self, *args: Any) -> Any:
        """The gradient by the first argument."""
        return _made(self.function, self.target, grad)(*args, *self.captured)

    def hessian(self, *args: Any) -> Any:
        """The second derivatives by the first argument."""
        return _made(self.function, self.target, hessian)(*args, *self.captured)

    def product(self, x: Any, v: Any) -> Any:
        """The product of the Hessian with a vector."""
        return _made(self.function, self.target, hvp)(x, v, *self.captured)


@functools.lru_cache(maxsize=512)
def _made(function: Callable, target: str, transform: Any = None, *options: Any) -> Compiled:
    compiled = compile(function, target=target)
    return compiled if transform is None else transform(compiled, *options)


def by_library(run: Callable, like: Any, functions: Any, *values: Any) -> Any:
    """The results of `run(functions, *values)`, which are like `like`.

    `functions` are pairs of a function and of arguments like those it will be called with; `run`
    gets `HostFunction`s of them.
    """
    return run([HostFunction(f, "python") for f, _ in functions], *values)


def trajectory(
    name: str, library: Callable, rhs: Callable, y0: Any, t0: Any, t: Any, settings: dict
) -> Any:
    """The states at times t of dy/dt = `rhs(t, y)` with y(t0) = `y0`, a row for each time.

    `library(rhs, jacobian, y0, t0, t, copies, **settings)` finds them.
    """
    return library(rhs, None, y0, t0, t, 1, **settings)


def integral(
    name: str, library: Callable, f: Callable, a: Any, b: Any, settings: dict, count: Any = None
) -> Any:
    """The integral of f from a to b, and an estimate of its error, as an array of two.

    `library(f, a, b, shape, settings)` computes them. With `count`, f returns a vector of that
    length, and both are rows; `shape` is without that axis.
    """
    return library(f, a, b, (2,), settings)
