"""Least squares and pseudoinverses, of matrices whose rank stays the same nearby.

Formula: G. Golub and V. Pereyra, "The differentiation of pseudo-inverses and nonlinear least
squares problems whose variables separate" (1973). `rcond` counts as a constant.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.operation import Stated
from srcgrad.primitives.arrays import matmul, matrix_transpose
from srcgrad.primitives.registry import ZERO, custom
from srcgrad.primitives.triangular import applied, outer


# ---- pseudoinverse ----
def _pinv_jvp(ts: tuple[Any, ...], y: Any, a: Any, rcond: Any) -> Any:
    t, yt = matrix_transpose(ts[0]), matrix_transpose(y)
    left, right = matmul(y, matmul(yt, t)), matmul(t, matmul(yt, y))
    return (
        -matmul(y, matmul(ts[0], y))
        + (left - matmul(matmul(left, a), y))
        + (right - matmul(y, matmul(a, right)))
    )


def _pinv_vjp(g: Any, y: Any, a: Any, rcond: Any) -> Any:
    gt, yt = matrix_transpose(g), matrix_transpose(y)
    left, right = matmul(matmul(gt, y), yt), matmul(yt, matmul(y, gt))
    return (
        -matmul(yt, matmul(g, yt))
        + (left - matmul(a, matmul(y, left)))
        + (right - matmul(matmul(right, y), a))
    )


pinv = custom(
    "pinv",
    np.linalg.pinv,
    _pinv_jvp,
    _pinv_vjp,
    ZERO,
    typing=lambda b, a, rcond: (a.type.dtype, a.type.dims[::-1]),
    raises=True,
    nonfinite=True,
)


# ---- the shortest x of those that minimize |a x - b| ----
def _lstsq_jvp(ts: tuple[Any, ...], x: Any, a: Any, b: Any, rcond: Any) -> Any:
    ta, tb, *_ = ts
    p = pinv(a, rcond)
    if ta is None:
        return applied(p, tb)
    pt, tt = matrix_transpose(p), matrix_transpose(ta)
    right = -applied(ta, x) if tb is None else tb - applied(ta, x)
    right = right + applied(pt, applied(tt, b - applied(a, x)))
    rest = applied(tt, applied(pt, x))
    return applied(p, right - applied(a, rest)) + rest


def _lstsq_vjp(g: Any, x: Any, a: Any, b: Any, rcond: Any) -> Any:
    p = pinv(a, rcond)
    pt = matrix_transpose(p)
    z = applied(pt, g)
    rest = g - applied(matrix_transpose(a), z)
    return outer(b - applied(a, x), applied(p, z)) + outer(applied(pt, x), rest) - outer(z, x)


def _lstsq_typing(build: Any, a: Any, b: Any, rcond: Any) -> Stated:
    return b.type.dtype, (a.type.dims[1], *b.type.dims[1:])


def _lstsq(a: np.ndarray, b: np.ndarray, rcond: float) -> Any:
    return np.linalg.lstsq(a, b, rcond)[0]


lstsq = custom(
    "lstsq",
    _lstsq,
    _lstsq_jvp,
    _lstsq_vjp,
    lambda g, x, a, b, rcond: applied(matrix_transpose(pinv(a, rcond)), g),
    ZERO,
    typing=_lstsq_typing,
    raises=True,
)
