"""What failed in compiled code, as the exception NumPy would raise, located in the user's source.

The text of an error has one home: the primitive's implementation is run on the operands.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from srcgrad.backends.cpu.failure import Failure
from srcgrad.backends.located import located_error
from srcgrad.ir.nodes import Def, Stmt
from srcgrad.primitives import callbacks
from srcgrad.primitives.equations import COMMON, NO_ROOT

SINGULAR = {
    "solve": "Singular matrix",
    "inv": "Singular matrix",
    "cholesky": "Matrix is not positive definite",
    "solve_triangular": "Singular matrix",
    "eig": "Array must not contain infs or NaNs, or eigenvalues did not converge",
    "eigh": "Eigenvalues did not converge",
    "svd": "SVD did not converge",
    "singular_values": "SVD did not converge",
    "pinv": "SVD did not converge",
    "lstsq": "SVD did not converge in Linear Least Squares",
    "solve_banded": "singular matrix",
    "solveh_banded": "the matrix is not positive definite",
    "sylvester": COMMON,
    "sqrtm": NO_ROOT,
}


def error_of(failure: Failure, sites: Sequence[Stmt]) -> BaseException:
    """The exception for a failure at one of a function's sites."""
    number, *operands = failure.args
    site = sites[number]
    assert isinstance(site, Def)
    if site.op.name == "call_back":
        return callbacks.raised()
    return located_error(_as_numpy(site, operands), site.loc)


def _as_numpy(site: Def, operands: list[Any]) -> Exception:
    name = site.op.name
    if name in SINGULAR:
        return np.linalg.LinAlgError(SINGULAR[name])
    if name in ("zeros", "empty", "tape"):
        return ValueError("negative dimensions are not allowed")
    flat = [v for o in operands for v in (o if isinstance(o, tuple) else (o,))]
    try:
        site.op.impl(*flat, **site.params)
    except Exception as error:
        return error
    return RuntimeError(f"'{name}' failed on {flat}")
