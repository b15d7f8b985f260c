"""What a kernel's table holds: the function, how its arguments are drawn, and two sizes.

Nothing here knows of srcgrad: the kernels are NumPy programs and run without it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False)
class Kernel:
    """A kernel and its arguments.

    inputs: from sizes to the arguments of `fn`.
    small: sizes at which plain Python takes milliseconds.
    large: sizes at which compiled code takes some milliseconds.
    results: the arguments that hold the result, for a kernel that returns nothing.
    wrt: the arguments to differentiate by; all that hold floats if None.
    """

    fn: Callable[..., Any]
    inputs: Callable[..., tuple[Any, ...]]
    small: tuple[int, ...]
    large: tuple[int, ...]
    results: tuple[int, ...] = ()
    wrt: tuple[int, ...] | None = None


def positive(*shape: int, seed: int = 0) -> np.ndarray:
    """Numbers in [0.5, 1.5) without a pattern."""
    return np.random.default_rng(seed).uniform(0.5, 1.5, shape)


def signed(*shape: int, seed: int = 0) -> np.ndarray:
    """Numbers of both signs with a spread of one."""
    return np.random.default_rng(seed).standard_normal(shape)


def definite(n: int, seed: int = 0) -> np.ndarray:
    """A symmetric matrix (n, n) with eigenvalues above one."""
    a = signed(n, n, seed=seed)
    return a @ a.T / n + np.eye(n)


def dominant(n: int, seed: int = 0) -> np.ndarray:
    """A matrix (n, n) that needs no pivoting: its diagonal dominates."""
    return signed(n, n, seed=seed) / n + 2.0 * np.eye(n)


def program(kernel: Kernel) -> Callable[..., Any]:
    """The kernel as a function that returns its results."""
    fn, results = kernel.fn, kernel.results
    if not results:
        return fn

    def overwritten(*args):
        fn(*args)
        return tuple([args[i] for i in results])

    overwritten.__name__ = fn.__name__
    return overwritten
