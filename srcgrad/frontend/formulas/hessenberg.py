"""The Hessenberg form of a matrix, by LAPACK's reflections and with its signs."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.frontend.formulas.registry import inexact, unsupported
from srcgrad.frontend.values import Known


def hessenberg(
    a: Any, calc_q: Any = False, overwrite_a: Known = False, check_finite: Any = True
) -> Any:
    """Q' a Q, which is zero below the first diagonal under the main one; with `calc_q` also Q.

    >>> h, q = hessenberg(np.array([[1.0, 2.0, 0.0], [3.0, 4.0, 1.0], [4.0, 1.0, 2.0]]), True)
    >>> h[:, 0].tolist(), bool(np.allclose(q @ h[:, 0], [1.0, 3.0, 4.0]))
    ([1.0, -5.0, 0.0], True)
    """
    h = inexact(np.asarray_chkfinite(a) if check_finite else a)
    if h.ndim > 2:
        return unsupported("hessenberg of a stack of matrices", "write the loop over the matrices")
    if h.ndim != 2 or h.shape[0] != h.shape[1]:
        raise ValueError("expected square matrix")
    n = h.shape[0]
    if n in (1, 2):
        return (np.asarray(a), np.eye(n)) if calc_q else np.asarray(a)
    h = h.copy()
    q = np.eye(n, dtype=h.dtype)
    for k in range(n - 1):  # the last one turns a complex entry real
        below = h[k + 2 :, k]
        rest = np.sum((below * np.conj(below)).real)
        first = h[k + 1, k]
        if rest != 0.0 or first.imag != 0.0:
            size = np.sqrt((first * np.conj(first)).real + rest)
            beta = -np.copysign(size, first.real)
            v = np.concatenate((np.ones(1, h.dtype), below / (first - beta)))
            tau = (beta - first) / beta
            h[k + 1, k] = beta
            h[k + 2 :, k] = 0.0
            part = h[k + 1 :, k + 1 :]
            part = part - np.conj(tau) * np.outer(v, np.conj(v) @ part)
            h[k + 1 :, k + 1 :] = part - tau * np.outer(part @ v, np.conj(v))
            h[: k + 1, k + 1 :] -= tau * np.outer(h[: k + 1, k + 1 :] @ v, np.conj(v))
            q[:, k + 1 :] -= tau * np.outer(q[:, k + 1 :] @ v, np.conj(v))
    return (h, q) if calc_q else h
