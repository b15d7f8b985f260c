"""Jacobians as NumPy programs, followed like a user's own: by rows in reverse, or by columns.

What is differentiated is one output by one argument at a time, with the function run again for
each row or column. No derivative is written here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.api.transforms import grad, jvp


def jacobians(
    f: Any, args: tuple, positions: tuple, bare: bool, has_aux: bool, forward: bool
) -> Any:
    """The Jacobians of all outputs by the arguments at all positions; (these, the others)."""
    out = f(*args)
    main = out[0] if has_aux else out
    if isinstance(main, tuple | list):
        made = tuple(
            [by_positions(f, args, positions, bare, has_aux, forward, j) for j in range(len(main))]
        )
    else:
        made = by_positions(f, args, positions, bare, has_aux, forward, None)
    if has_aux:
        return (made, out[1] if len(out) == 2 else out[1:])
    return made


def by_positions(
    f: Any, args: tuple, positions: tuple, bare: bool, has_aux: bool, forward: bool, output: Any
) -> Any:
    """The Jacobians of one output: one, or a tuple of them."""
    made = tuple([by_one(f, args, k, has_aux, forward, output) for k in positions])
    return made[0] if bare else made


def by_one(f: Any, args: tuple, k: int, has_aux: bool, forward: bool, output: Any) -> Any:
    """The Jacobian of one output by one argument."""

    def part(x: Any) -> Any:
        out = f(*args[:k], x, *args[k + 1 :])
        out = out[0] if has_aux else out
        return out if output is None else out[output]

    x = args[k]
    if np.asarray(x).dtype.kind not in "fc":
        raise TypeError(f"argument {k} of a Jacobian holds no floats: only floats have gradients")
    return by_columns(part, x) if forward else by_rows(part, x)


def by_rows(f: Any, x: Any) -> Any:
    """The Jacobian in reverse mode: its shape is that of f(x), then that of x."""
    y = f(x)
    if np.ndim(y) == 0:
        return grad(f)(x)
    made = np.zeros((np.size(y), np.size(x)), np.asarray(x).dtype)
    for i in range(np.size(y)):
        made[i] = np.ravel(grad(element(f, i))(x))
    return np.reshape(made, (*np.shape(y), *np.shape(x)))


def element(f: Any, i: int) -> Any:
    """The function that gives the element at one place of the flattened output."""

    def of(x: Any) -> Any:
        return np.ravel(f(x))[i]

    return of


def by_columns(f: Any, x: Any) -> Any:
    """The same in forward mode."""
    y = f(x)
    if np.ndim(x) == 0:
        return jvp(f, (x,), (np.ones((), np.asarray(x).dtype),))[1]
    made = np.zeros((np.size(y), np.size(x)), np.asarray(y).dtype)
    for i in range(np.size(x)):
        one = np.zeros(np.size(x), np.asarray(x).dtype)
        one[i] = 1.0
        made[:, i] = np.ravel(jvp(f, (x,), (np.reshape(one, np.shape(x)),))[1])
    return np.reshape(made, (*np.shape(y), *np.shape(x)))
