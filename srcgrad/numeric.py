"""Derivatives by extrapolated differences of a function's values, on structures too.

The numbers of a structure are those of its floating leaves, in the order of the frontend. Uses no
derivative of srcgrad's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.errors import ArgumentTypeError
from srcgrad.tree import leaves, mapped, outside


def slope(
    f: Callable[[float], float], start: float = 4e-3, rows: int = 9, noise: float = 0.0
) -> tuple[float, float]:
    """f'(0) and an estimate of its error, by extrapolated central differences.

    `noise` is the uncertainty of a value of f: differences of values that are equal by chance
    say nothing.

    C. Ridders, "Accurate computation of F'(x) and F'(x)F''(x)", Adv. Eng. Software 4 (1982).

    >>> from srcgrad.testing import slope
    >>> value, error = slope(lambda h: (2.0 + h) ** 3)
    >>> abs(value - 12.0) < 1e-9 and error < 1e-6
    True
    """
    best, error, above = np.nan, np.inf, []
    for k in range(rows):
        h = start / 2**k
        row = [(f(h) - f(-h)) / (2 * h)]
        for j, previous in enumerate(above):
            row.append(row[j] + (row[j] - previous) / (4.0 ** (j + 1) - 1))
            moved = max(abs(row[j + 1] - row[j]), abs(row[j + 1] - previous))
            moved = max(moved, noise / h)
            if moved < error:
                best, error = row[j + 1], moved
        above = row
    return float(best), float(error)


def rounding(args: Any) -> float:
    """The error that a value computed from these floats may have, relative to its magnitude."""
    kinds = {np.asarray(np.real(v)).dtype for v in floats(args)}
    return 4.0 * max((float(np.finfo(k).eps) for k in kinds), default=0.0)


def is_floating(v: Any) -> bool:
    """Whether a leaf is a real or complex floating-point number, or an array of them."""
    dtype = getattr(v, "dtype", None)
    if dtype is not None and not hasattr(dtype, "kind"):
        raise ArgumentTypeError(
            f"numbers and NumPy arrays are checked here, not {type(v).__name__}s: "
            "functions of tensors have flow.autograd.gradcheck"
        )
    return isinstance(v, float | complex) if dtype is None else dtype.kind in "fc"


def floats(value: Any) -> list[Any]:
    """The floating leaves of a structure."""
    return [v for v in leaves(value) if is_floating(v)]


def random_tangent(value: Any, rng: np.random.Generator) -> Any:
    """Numbers of about 1 in place of the floats of a structure; None for the rest.

    A complex number moves in both its parts.
    """
    steps = [-1.0, -0.5, 0.5, 1.0]

    def drawn(v: Any) -> Any:
        if not is_floating(v):
            return None
        t = rng.choice(steps, np.shape(v))
        if np.iscomplexobj(v):
            t = t + 1j * rng.choice(steps, np.shape(v))
        return t.astype(v.dtype) if isinstance(v, np.ndarray) else type(v)(t)

    return mapped(value, drawn, outside)


def perturbed(value: Any, step: Any, h: float) -> Any:
    """The structure with `h` times the floats of `step`, in order, added to its own."""
    steps = iter(floats(step))

    def at(v: Any) -> Any:
        if not is_floating(v):
            return v
        new = v + h * next(steps)
        return new.astype(v.dtype) if isinstance(v, np.ndarray) else type(v)(new)

    return mapped(value, at)


def product(a: Any, b: Any) -> tuple[float, float]:
    """The sum of products of the floats of one structure with the numbers there in another.

    Also the sum of their magnitudes. Complex numbers count as pairs of real ones. A number of the
    other may be an integer, as the sum of an empty list is in Python.
    """
    total = size = 0.0
    for x, y in zip(leaves(a), leaves(b), strict=True):
        counts = is_floating(y) or y is not None  # tensors are refused
        if is_floating(x) and counts:
            terms = np.real(np.conj(_wide(x)) * _wide(y))
            total += float(np.sum(terms))
            size += float(np.sum(np.abs(terms)))
    return total, size


def _wide(x: Any) -> np.ndarray:
    return np.asarray(x, complex if np.iscomplexobj(x) else float)


def total(value: Any) -> float:
    """The sum of all floats of a structure."""
    return float(sum(np.sum(v, dtype=np.float64) for v in floats(value)))
