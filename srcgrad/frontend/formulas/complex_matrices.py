"""Factorisations of complex matrices by those of real ones twice as large.

Matrices with a block [[x, -y], [y, x]] for each x + iy have the products, adjoints, inverses and
pseudoinverses of the complex ones.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def as_reals(a: Any) -> Any:
    """The real matrix of twice as many rows and columns.

    >>> as_reals(np.array([[1.0 + 2.0j]])).tolist()
    [[1.0, -2.0], [2.0, 1.0]]
    """
    x, y = np.real(a), np.imag(a)
    n, m = a.shape
    out = np.zeros((n, 2, m, 2), dtype=x.dtype)
    out[:, 0, :, 0] = x
    out[:, 1, :, 1] = x
    out[:, 1, :, 0] = y
    out[:, 0, :, 1] = -y
    return out.reshape(2 * n, 2 * m)


def of_reals(r: Any) -> Any:
    """The complex matrix of a real one that `as_reals` would give.

    >>> of_reals(np.array([[1.0, -2.0], [2.0, 1.0]])).tolist()
    [[(1+2j)]]
    """
    return r[::2, ::2] + 1j * r[1::2, ::2]


def lstsq(a: Any, b: Any, rcond: Any) -> Any:
    """The shortest x of those that minimize |a x - b|.

    >>> lstsq(np.array([[2.0j]]), np.array([1.0 + 0.0j]), 1e-15).round(12).tolist()
    [-0.5j]
    """
    parts = np.stack((np.real(b), np.imag(b)), axis=1).reshape(2 * b.shape[0], *b.shape[1:])
    x = np.linalg.lstsq(as_reals(a), parts, rcond)[0]
    return x[::2] + 1j * x[1::2]
