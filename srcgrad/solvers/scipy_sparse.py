"""Systems of sparse equations of `scipy.sparse.linalg` inside compiled code.

SuperLU or an iteration of SciPy's solves. The derivative is that of the inverse:
dx = A^-1 (db - dA x), with A in the places that are stored, to every order.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse import linalg

from srcgrad.custom.functions import custom_jvp
from srcgrad.frontend.formulas import scipy_sparse as products
from srcgrad.frontend.formulas import scipy_sparse_made as constructors
from srcgrad.frontend.formulas.registry import is_static, stands_for, unsupported
from srcgrad.frontend.handlers.registry import OF_OWNER
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.solvers.by_library import by_library
from srcgrad.transforms.entry_points import stop_gradient

__all__ = ["constructors", "products"]  # loading them registers their formulas
KEPT = 8  # factorizations: of the forward sweep for the reverse one
_factors: dict[Any, Any] = {}


class SingularMatrix(np.linalg.LinAlgError, RuntimeError):
    """Of a sparse matrix without an inverse, for which SciPy raises RuntimeError."""


# ---- the library ----
def _factorized(n: int, rows: np.ndarray, columns: np.ndarray, values: np.ndarray) -> Any:
    """The LU factors of a matrix; those of the last few matrices are there."""
    key = n, values.dtype, rows.tobytes(), columns.tobytes(), values.tobytes()
    made = _factors.get(key)
    if made is None:
        matrix = sparse.csc_matrix((values, (rows, columns)), shape=(n, n))
        try:
            made = linalg.splu(matrix)
        except RuntimeError as e:
            raise SingularMatrix(f"the sparse matrix has no inverse: {e}") from None
        while len(_factors) >= KEPT:
            _factors.pop(next(iter(_factors)), None)
        _factors[key] = made
    return made


def _by_library(_: Sequence, n: int, rows: Any, columns: Any, values: Any, right: Any, start: Any,
                method: str, settings: dict) -> Any:  # fmt: skip
    if method == "splu":
        return _factorized(n, rows, columns, values).solve(right)
    matrix = sparse.csr_matrix((values, (rows, columns)), shape=(n, n))
    x, info = getattr(linalg, method)(matrix, right, start, **settings)
    if info != 0:
        raise RuntimeError(f"{method}() has not converged: info={info}")
    return x


# ---- the rule ----
@functools.partial(custom_jvp, nondiff_argnums=(2, 3, 4, 5, 6))
def solution(
    values: Any, right: Any, places: Any, n: Any, start: Any, method: Any, settings: Any
) -> Any:
    """The solution of a sparse system of n equations with `values` at `places`."""
    rows, columns = places
    return by_library(
        _by_library, right, (), n, rows, columns, values, right, start, method, settings
    )


@solution.defjvp
def _tangent(
    places: Any, n: Any, start: Any, method: Any, settings: Any, primals: tuple, tangents: tuple
) -> Any:
    (values, right), (d_values, d_right) = primals, tangents
    x = solution(values, right, places, n, start, method, settings)
    rows, columns = places
    change = d_right + np.zeros_like(x)
    for k in range(len(values)):
        change[rows[k]] -= d_values[k] * x[columns[k]]
    return x, solution(values, change, places, n, None, method, settings)


def _adjoints(
    places: Any, n: Any, start: Any, method: Any, settings: Any, primals: tuple, g: Any
) -> tuple:
    values, right = primals
    x = solution(values, right, places, n, start, method, settings)
    rows, columns = places
    w = solution(np.conj(values), g, (columns, rows), n, None, method, settings)
    found = -w[rows] * np.conj(x[columns])
    return found if found.ndim == 1 else np.sum(found, axis=1), w


solution.pull = _adjoints


def _solved(a: Any, b: Any, start: Any, method: Any, settings: Any) -> Any:
    if not sparse.issparse(a):
        unsupported(f"{method} of a matrix that is not sparse", "make it sparse.csr_array(A)")
    n, m = products.dims(a)
    if n != m:
        raise ValueError(f"expected square matrix, shape ({n}, {m})")
    if sparse.issparse(b):
        unsupported(f"{method} with a sparse right-hand side", "use b.toarray()")
    b = np.asarray(b)
    if b.shape[0] != n:
        raise ValueError(f"matrix - rhs size mismatch (({n}, {m}) - {b.shape[0]})")
    rows, columns, values = products.triplets(a)
    kind = np.result_type(values, b, np.float32)
    values, b = values.astype(kind), b.astype(kind)
    return solution(values, b, (rows, columns), n, start, method, settings)


@stands_for(linalg.spsolve)
def spsolve(A: Any, b: Any, permc_spec: Any = None, use_umfpack: Any = True) -> Any:
    """The solution of sparse equations by SuperLU.

    >>> spsolve(sparse.csr_array([[2.0, 0.0], [1.0, 4.0]]), np.array([2.0, 9.0]))
    array([1., 2.])
    """
    b = np.asarray(b)
    if b.ndim == 2 and is_static(b.shape[1]) and b.shape[1] == 1:
        b = b[:, 0]
    return _solved(A, b, None, "splu", {})


@dataclass(eq=False)
class Factors:
    """The part of SciPy's LU factors that compiled code has."""

    matrix: Any

    def solve(self, rhs: Any, trans: Any = "N") -> Any:
        """The solution of the equations, or of those with the transposed matrix."""
        if trans not in ("N", "T"):
            unsupported(f"solve with trans={trans!r}", "use 'N' or 'T'")
        a = self.matrix if trans == "N" else products.transposed(self.matrix)
        return _solved(a, rhs, None, "splu", {})


@stands_for(linalg.splu)
def splu(A: Any, *args: Any, **kwargs: Any) -> Any:
    """The factors of a sparse matrix, by which equations are solved.

    >>> splu(sparse.csc_array([[2.0, 0.0], [1.0, 4.0]])).solve(np.array([2.0, 9.0]))
    array([1., 2.])
    """
    return Factors(A)


@stands_for(linalg.factorized)
def factorized(A: Any) -> Any:
    """The function that solves equations with a sparse matrix.

    >>> factorized(sparse.csc_array([[2.0, 0.0], [1.0, 4.0]]))(np.array([2.0, 9.0]))
    array([1., 2.])
    """
    return lambda rhs: _solved(A, rhs, None, "splu", {})


# ---- factors that are captured ----
class _Captured:
    """The inverse by LU factors of the caller's, and that of the transposed matrix."""

    def __init__(self, lu: Any):
        def inverse(_: Sequence, rhs: np.ndarray) -> np.ndarray:
            return lu.solve(rhs)

        def transposed(_: Sequence, rhs: np.ndarray) -> np.ndarray:
            return lu.solve(rhs, "T")

        self.forward, self.back = _linear(inverse), _linear(transposed)
        self.forward.pull = lambda primals, g: (self.back(g),)
        self.back.pull = lambda primals, g: (self.forward(g),)


def _linear(run: Any) -> Any:
    """A linear function that a library computes, with its tangent."""

    def value(rhs: Any) -> Any:
        return by_library(run, rhs, (), rhs)

    made = custom_jvp(value)
    made.defjvp(lambda primals, tangents: (made(primals[0]), made(tangents[0])))
    return made


def _of_captured(lu: Any) -> Any:
    """The handler of `lu.solve`."""

    def solve(it: Interpreter, node: Node, rhs: Any, trans: Any = "N") -> Any:
        if trans not in ("N", "T"):
            it.refuse(node, f"solve with trans={trans!r} is not supported", "use 'N' or 'T'")
        captured = _Captured(lu)
        function = captured.forward if trans == "N" else captured.back
        return it.call(function, [it.call(np.asarray, [rhs, np.float64], {}, node)], {}, node)

    return solve


OF_OWNER["SuperLU.solve"] = _of_captured


def _iterated(
    method: Any, a: Any, b: Any, x0: Any, rtol: Any, atol: Any, maxiter: Any, m: Any, callback: Any
) -> Any:
    if m is not None or callback is not None:
        unsupported(f"{method} with a preconditioner or a callback", "leave it out")
    settings = {"rtol": rtol, "atol": atol, "maxiter": maxiter}
    start = None if x0 is None else stop_gradient(np.asarray(x0, np.float64))
    return _solved(a, np.ravel(b), start, method, settings), 0


@stands_for(linalg.cg)
def cg(
    A: Any, b: Any, x0: Any = None, *, rtol: Any = 1e-5, atol: Any = 0.0, maxiter: Any = None,
    M: Any = None, callback: Any = None,
) -> Any:  # fmt: skip
    """The solution of symmetric equations by conjugate gradients, and 0.

    >>> cg(sparse.csr_array([[2.0, 0.0], [0.0, 4.0]]), np.array([2.0, 8.0]))[0].round(6)
    array([1., 2.])
    """
    return _iterated("cg", A, b, x0, rtol, atol, maxiter, M, callback)


@stands_for(linalg.bicgstab)
def bicgstab(
    A: Any, b: Any, x0: Any = None, *, rtol: Any = 1e-5, atol: Any = 0.0, maxiter: Any = None,
    M: Any = None, callback: Any = None,
) -> Any:  # fmt: skip
    """The solution of equations by stabilized biconjugate gradients, and 0.

    >>> bicgstab(sparse.csr_array([[2.0, 0.0], [1.0, 4.0]]), np.array([2.0, 9.0]))[0].round(6)
    array([1., 2.])
    """
    return _iterated("bicgstab", A, b, x0, rtol, atol, maxiter, M, callback)


@stands_for(linalg.gmres)
def gmres(
    A: Any, b: Any, x0: Any = None, *, rtol: Any = 1e-5, atol: Any = 0.0, maxiter: Any = None,
    M: Any = None, callback: Any = None,
) -> Any:  # fmt: skip
    """The solution of equations by generalized minimal residuals, and 0.

    >>> gmres(sparse.csr_array([[2.0, 0.0], [1.0, 4.0]]), np.array([2.0, 9.0]))[0].round(6)
    array([1., 2.])
    """
    return _iterated("gmres", A, b, x0, rtol, atol, maxiter, M, callback)
