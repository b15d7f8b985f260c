"""Eigenvalues and vectors of symmetric matrices that are given by their diagonals.

The matrix is filled and diagonalized whole, so vectors may have the opposite sign of SciPy's.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.frontend.formulas.registry import inexact, refused_where, unsupported
from srcgrad.frontend.values import Known

SELECT = {0: 0, 1: 1, 2: 2, "all": 0, "value": 1, "index": 2, "a": 0, "v": 1, "i": 2}
DRIVERS = ("auto", "stemr", "sterf", "stebz", "stev", "stevd")
LOOP = "write the loop over the matrices"


def eig_banded(
    a_band: Any, lower: Any = False, eigvals_only: Any = False, overwrite_a_band: Known = False,
    select: Known = "a", select_range: Any = None, max_ev: Known = 0, check_finite: Any = True,
) -> Any:  # fmt: skip
    """The eigenvalues, ascending, and vectors of a band whose diagonals are rows.

    >>> eig_banded(np.array([[0.0, 3.0], [4.0, 4.0]]), eigvals_only=True)
    array([1., 7.])
    """
    band = inexact(a_band)
    if band.ndim < 2:
        raise ValueError("expected a 2-D array")
    if band.ndim > 2:
        return unsupported("eig_banded of a stack of matrices is not supported", LOOP)
    if max_ev != 0:
        return unsupported("eig_banded with max_ev is not supported", "leave it out")
    if not lower:
        alone = (band.shape[1] == 1) & (band.shape[0] > 1)
        refused_where(alone, "a band of one column is the diagonal alone", "pass a_band[-1:]")
    a = from_band(band, lower)
    return spectrum(a, "L" if lower else "U", eigvals_only, select, select_range)


def eigvals_banded(
    a_band: Any, lower: Any = False, overwrite_a_band: Known = False, select: Known = "a",
    select_range: Any = None, check_finite: Any = True,
) -> Any:  # fmt: skip
    """The eigenvalues, ascending, of a band whose diagonals are rows.

    >>> eigvals_banded(np.array([[4.0, 4.0], [3.0, 0.0]]), lower=True)
    array([1., 7.])
    """
    return eig_banded(a_band, lower, True, select=select, select_range=select_range)


def eigh_tridiagonal(
    d: Any, e: Any, eigvals_only: Any = False, select: Known = "a", select_range: Any = None,
    check_finite: Any = True, tol: Any = 0.0, lapack_driver: Any = "auto",
) -> Any:  # fmt: skip
    """The eigenvalues, ascending, and vectors of a matrix with these two diagonals.

    >>> eigh_tridiagonal(np.array([4.0, 4.0]), np.array([3.0]), eigvals_only=True)
    array([1., 7.])
    """
    _check_driver(lapack_driver, eigvals_only, select)
    d, e = inexact(d), inexact(e)
    if d.ndim != 1 or e.ndim != 1:
        return unsupported("eigh_tridiagonal takes two vectors", LOOP)
    if d.dtype.kind == "c" or e.dtype.kind == "c":
        return unsupported("Only real arrays currently supported", like=TypeError)
    if d.shape[0] != e.shape[0] + 1:
        raise ValueError(f"d ({d.size}) must have one more element than e ({e.size})")
    return spectrum(np.diag(d) + np.diag(e, -1), "L", eigvals_only, select, select_range)


def eigvalsh_tridiagonal(
    d: Any, e: Any, select: Known = "a", select_range: Any = None, check_finite: Any = True,
    tol: Any = 0.0, lapack_driver: Any = "auto",
) -> Any:  # fmt: skip
    """The eigenvalues, ascending, of a matrix with these two diagonals.

    >>> eigvalsh_tridiagonal(np.array([4.0, 4.0]), np.array([3.0]))
    array([1., 7.])
    """
    return eigh_tridiagonal(d, e, True, select, select_range, lapack_driver=lapack_driver)


def _check_driver(driver: Any, eigvals_only: Any, select: Any) -> None:
    if driver not in DRIVERS:
        unsupported(f"lapack_driver must be one of {DRIVERS}, got {driver}", like=ValueError)
    if driver in ("sterf", "stev", "stevd") and SELECT.get(select) != 0:
        unsupported(f'{driver} can only be used when select == "a"', like=ValueError)
    if driver == "sterf" and not eigvals_only:
        said = "sterf can only be used when eigvals_only is True"
        unsupported(said, like=ValueError)


def from_band(band: Any, lower: bool) -> Any:
    """The matrix with the diagonals on either side; complex ones are right in their triangle.

    >>> from_band(np.array([[4.0, 5.0], [3.0, 0.0]]), True).tolist()
    [[4.0, 3.0], [3.0, 5.0]]
    """
    rows, n = band.shape
    n = n if rows > 0 else 0
    i, j = np.arange(n)[:, None], np.arange(n)
    away = np.abs(i - j)
    inside = np.minimum(away, rows - 1)
    at = (inside, np.minimum(i, j)) if lower else (rows - 1 - inside, np.maximum(i, j))
    return np.where(away < rows, band[at], 0.0)


def spectrum(a: Any, triangle: Any, eigvals_only: Any, select: Any, select_range: Any) -> Any:
    """The eigenvalues, and the vectors unless they are left out, of which some may be selected.

    >>> spectrum(np.diag([1.0, 2.0, 3.0]), "L", True, "i", (1, 2))
    array([2., 3.])
    """
    select = select.lower() if isinstance(select, str) else select
    if select not in SELECT:
        return unsupported("invalid argument for select", like=ValueError)
    if eigvals_only:
        w = np.linalg.eigvalsh(a, triangle)
        return w[chosen(w, SELECT[select], select_range)]
    w, v = np.linalg.eigh(a, triangle)
    at = chosen(w, SELECT[select], select_range)
    return w[at], v[:, at]


def chosen(w: Any, select: int, select_range: Any) -> Any:
    """The index of the eigenvalues in a range of values, open below, or of places.

    >>> chosen(np.array([1.0, 2.0, 3.0]), 1, (1.0, 2.5)).tolist()
    [False, True, False]
    """
    if select == 0:
        return slice(None)
    if select_range is None or len(select_range) != 2:
        return unsupported("select_range must be a 2-element array-like", like=ValueError)
    first, last = select_range[0], select_range[1]
    if last < first and w.shape[0] > 0:
        raise ValueError("select_range must be a 2-element array-like in nondecreasing order")
    if select == 1:
        return (w > first) & (w <= last)
    if w.shape[0] > 0 and (first < 0 or last >= w.shape[0]):
        raise ValueError("select_range out of bounds")
    return slice(first, last + 1)
