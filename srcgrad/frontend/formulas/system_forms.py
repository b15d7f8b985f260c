"""Conversions between the forms of linear systems of scipy.signal."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy import signal

from srcgrad.frontend.formulas.registry import floating, inexact, stands_for, unsupported
from srcgrad.frontend.formulas.series import lost


@stands_for(signal.ss2tf)
def ss2tf(A: Any, B: Any, C: Any, D: Any, input: Any = 0) -> tuple:
    """The numerators and the denominator of C (s - A)^-1 B + D, for one of the inputs.

    >>> [v.tolist() for v in ss2tf([[-2.0]], [[1.0]], [[3.0]], [[0.0]])]
    [[[0.0, 3.0]], [1.0, 2.0]]
    """
    A, B, C, D = matrices(A, B, C, D)
    if input >= D.shape[1]:
        raise ValueError("System does not have the input specified.")
    b, d = B[:, input : input + 1], D[:, input]
    den = np.poly(A)
    num = [np.poly(A - b @ C[k : k + 1]) + (d[k] - 1.0) * den for k in range(C.shape[0])]
    return np.stack(num), den


@stands_for(signal.zpk2ss)
def zpk2ss(z: Any, p: Any, k: Any) -> tuple:
    """The matrices of a system with these zeros, poles and gain.

    >>> [v.tolist() for v in zpk2ss([], [-2.0], 3.0)]
    [[[-2.0]], [[1.0]], [[3.0]], [[0.0]]]
    """
    return signal.tf2ss(*signal.zpk2tf(z, p, k))


def matrices(A: Any, B: Any, C: Any, D: Any) -> tuple:
    """The four matrices, floats of two axes each, that fit together.

    >>> [v.shape for v in matrices(-1.0, [[1.0]], [1.0], 0.0)]
    [(1, 1), (1, 1), (1, 1), (1, 1)]
    """
    if A is None or B is None or C is None or D is None:
        return unsupported("a system without one of its matrices is not supported", "pass zeros")
    A, B, C, D = (np.atleast_2d(floating(m)) for m in (A, B, C, D))
    n, inputs, outputs = A.shape[0], B.shape[1], C.shape[0]
    if n == 0:
        raise NotImplementedError("a system without states")
    if A.shape != (n, n) or B.shape != (n, inputs) or C.shape != (outputs, n):
        raise ValueError("the matrices of a system have shapes that do not fit")
    if D.shape != (outputs, inputs):
        raise ValueError("the matrices of a system have shapes that do not fit")
    return A, B, C, D


@stands_for(signal.normalize)
def normalize(b: Any, a: Any) -> tuple:
    """The coefficients over the first of the denominator, without those in front that are 0.

    >>> [v.tolist() for v in normalize([0.0, 4.0], [2.0, 6.0])]
    [[2.0], [1.0, 3.0]]
    """
    den, num = np.atleast_1d(inexact(a)), inexact(b)
    if den.ndim != 1:
        raise ValueError("Denominator polynomial must be rank-1 array.")
    if num.ndim > 2:
        raise ValueError("Numerator polynomial must be rank-1 or rank-2 array.")
    if np.all(den == 0):
        raise ValueError("Denominator must have at least on nonzero element.")
    top, start = np.atleast_2d(num), np.flatnonzero(den)[0]
    den = den[start:] + lost(den[:start])
    num, den = top / den[0], den / den[0]
    count = num.shape[1]
    some = np.flatnonzero(~np.all(np.abs(num) <= 1e-14, axis=0))
    start = np.maximum(np.minimum(np.min(some, initial=count), count - 1), 0)
    if start > 0:
        warnings.warn(
            "Badly conditioned filter coefficients (numerator): the results may be meaningless",
            signal.BadCoefficients, stacklevel=2,
        )  # fmt: skip
    num = num[:, start:] + lost(0.0 * top[:, :start])
    return (num[0] if num.shape[0] == 1 else num), den
