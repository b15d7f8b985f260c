"""Sparse matrices of SciPy as NumPy programs over the arrays that they hold.

Products run through what is stored; everything else goes by triplets of rows, columns and values.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from srcgrad.frontend.formulas.registry import FORMULAS, enter, stands_for, unsupported
from srcgrad.tree.scipy_sparse import COO, CSC, CSR, FORMATS, compressed, coordinates, diagonals


def of_methods(*names: str) -> Callable[[Callable], Callable]:
    """Registers the decorated formula for methods and properties of all sparse classes."""

    def register(formula: Callable) -> Callable:
        here = [(cls, n) for cls in FORMATS for n in names if hasattr(cls, n)]  # mT came later
        found = {inspect.getattr_static(cls, n) for cls, n in here}
        for f in found:
            enter(FORMULAS, f.fget if isinstance(f, property) else f, formula)
        return formula

    return register


def dims(a: Any) -> tuple[Any, Any]:
    """The shape of a sparse matrix, which has two axes."""
    if len(a._shape) != 2:
        unsupported("a sparse array of another rank than 2", "use a matrix of one row")
    return a._shape


def triplets(a: Any) -> tuple[Any, Any, Any]:
    """The rows, columns and values of a sparse matrix; a place may be there several times."""
    n, m = dims(a)
    if isinstance(a, CSR):
        return np.repeat(np.arange(n), np.diff(a.indptr)), a.indices, a.data
    if isinstance(a, CSC):
        return a.indices, np.repeat(np.arange(m), np.diff(a.indptr)), a.data
    if isinstance(a, COO):
        return a.coords[0], a.coords[1], a.data
    count, width = a.data.shape
    columns = np.tile(np.arange(width), count)
    rows = columns - np.repeat(a.offsets, width)
    within = (rows >= 0) & (rows < n) & (columns < m)
    return rows[within], columns[within], a.data.reshape(-1)[within]


def of_kind(like: Any, array: Any, matrix: Any) -> Any:
    """The class of a result: sparse arrays give arrays, sparse matrices give matrices."""
    return array if isinstance(like, sparse.sparray) else matrix


def of_triplets(cls: Any, shape: Any, rows: Any, columns: Any, values: Any) -> Any:
    """A matrix in CSR or CSC format; values of one place are added."""
    n, m = shape
    if cls in CSR:
        place = np.asarray(rows, np.int64) * m + columns
        across, along = m, n
    else:
        place = np.asarray(columns, np.int64) * n + rows
        across, along = n, m
    places, which = np.unique(place, return_inverse=True)
    data = np.zeros(len(places), dtype=values.dtype)
    np.add.at(data, which, values)
    starts = np.searchsorted(places, np.arange(along + 1) * across)
    return compressed(cls, shape, data, places % across, starts)


@stands_for(sparse.issparse)
def issparse(x: Any) -> bool:
    return isinstance(x, (sparse.sparray, sparse.spmatrix))


@stands_for(sparse.isspmatrix)
def isspmatrix(x: Any) -> bool:
    return isinstance(x, sparse.spmatrix)


# ---- products ----
def times(a: Any, x: Any) -> Any:
    """The product of a sparse matrix with a vector or matrix."""
    if sparse.issparse(x):
        return times_sparse(a, x)
    x = np.asarray(x)
    n, m = dims(a)
    if x.ndim not in (1, 2):
        raise ValueError("could not interpret dimensions")
    if x.shape[0] != m:
        raise ValueError(
            f"matmul: dimension mismatch with signature (n,k={m}),(k={x.shape[0]},1?)->(n,1?)"
        )
    out = np.zeros((n, *x.shape[1:]), dtype=np.result_type(a.data, x))
    if isinstance(a, CSR):
        data, indices, indptr = a.data, a.indices, a.indptr
        for i in range(n):
            for k in range(indptr[i], indptr[i + 1]):
                out[i] += data[k] * x[indices[k]]
    elif isinstance(a, CSC):
        data, indices, indptr = a.data, a.indices, a.indptr
        for j in range(m):
            for k in range(indptr[j], indptr[j + 1]):
                out[indices[k]] += data[k] * x[j]
    else:
        rows, columns, values = triplets(a)
        for k in range(len(values)):
            out[rows[k]] += values[k] * x[columns[k]]
    return out


def times_sparse(a: Any, other: Any) -> Any:
    """The product of two sparse matrices, in CSR format, or CSC if the first is.

    Each stored value meets those of a row of the other matrix.
    """
    (n, inner), (rows_of_other, m) = dims(a), dims(other)
    if inner != rows_of_other:
        raise ValueError(
            f"matmul: dimension mismatch with signature (n,k={inner}),(k={rows_of_other},m)->(n,m)"
        )
    rows, columns, values = triplets(a)
    by_row = tocsr(other)
    starts = by_row.indptr[columns]
    counts = by_row.indptr[columns + 1] - starts
    ends = np.cumsum(counts)
    met = np.repeat(starts - (ends - counts), counts) + np.arange(np.sum(counts))
    if isinstance(a, CSC):
        cls = of_kind(a, sparse.csc_array, sparse.csc_matrix)
    else:
        cls = of_kind(a, sparse.csr_array, sparse.csr_matrix)
    return of_triplets(
        cls, (n, m), np.repeat(rows, counts), by_row.indices[met],
        np.repeat(values, counts) * by_row.data[met],
    )  # fmt: skip


def _refuse_scalar(x: Any) -> None:
    if np.isscalar(x):
        raise ValueError("Scalar operands are not allowed, use '*' instead")


@of_methods("__matmul__")
def matmul(a: Any, x: Any) -> Any:
    _refuse_scalar(x)
    return times(a, x)


@of_methods("__rmatmul__")
def matmul_from_right(a: Any, x: Any) -> Any:
    _refuse_scalar(x)
    return times(transposed(a), np.asarray(x).T).T


@of_methods("dot")
def dot(a: Any, other: Any) -> Any:
    return scaled(a, other) if np.isscalar(other) else times(a, other)


# ---- arithmetic ----
def stored_values(a: Any) -> Any:
    return a.data if isinstance(a, (*CSR, *CSC)) else triplets(a)[2]


def with_values(a: Any, values: Any) -> Any:
    """A matrix of the same places, in arrays of its own, with other stored values."""
    if isinstance(a, (*CSR, *CSC)):
        return compressed(type(a), a._shape, values, a.indices.copy(), a.indptr.copy())
    rows, columns, _ = triplets(a)
    cls = of_kind(a, sparse.coo_array, sparse.coo_matrix)
    return coordinates(cls, a._shape, values, (rows, columns))


def scaled(a: Any, factor: Any) -> Any:
    return with_values(a, stored_values(a) * factor)


@of_methods("multiply")
def multiply(a: Any, other: Any) -> Any:
    if np.isscalar(other):
        return scaled(a, other)
    if sparse.issparse(other):
        unsupported("an elementwise product of two sparse matrices", "use the dense one's values")
    rows, columns, values = triplets(a)
    other = np.broadcast_to(np.asarray(other), dims(a))
    return with_values(a, values * other[rows, columns])


@stands_for(sparse.csr_array.__mul__)
def times_elements(a: Any, other: Any) -> Any:
    return multiply(a, other)


@stands_for(sparse.csr_array.__rmul__)
def times_elements_from_right(a: Any, other: Any) -> Any:
    return multiply(a, other)


@stands_for(sparse.csr_matrix.__mul__)
def matrix_times(a: Any, other: Any) -> Any:
    return dot(a, other)


@stands_for(sparse.csr_matrix.__rmul__)
def matrix_times_from_right(a: Any, other: Any) -> Any:
    return scaled(a, other) if np.isscalar(other) else matmul_from_right(a, other)


@of_methods("__truediv__")
def divided(a: Any, other: Any) -> Any:
    if not np.isscalar(other):
        unsupported("a sparse matrix divided by an array", "multiply by its inverse: A.multiply")
    values = stored_values(a)
    if values.dtype.kind != "c":  # float32 too
        values = values.astype(np.float64, copy=False)
    return with_values(a, values * (1 / other))  # type: ignore[operator]  (a number)


@of_methods("__neg__")
def negated(a: Any) -> Any:
    return with_values(a, -stored_values(a))


def added(a: Any, other: Any, sign: Any) -> Any:
    """`a + sign * other`, in CSR format, or CSC if both are; dense with a dense array."""
    if not sparse.issparse(other):
        if np.isscalar(other):
            raise NotImplementedError("adding a nonzero scalar to a sparse array is not supported")
        return toarray(a) + other if sign > 0 else toarray(a) - other
    if dims(a) != dims(other):
        raise ValueError("inconsistent shapes")
    (rows, columns, values), (r, c, v) = triplets(a), triplets(other)
    if isinstance(a, CSC) and isinstance(other, CSC):
        cls = of_kind(a, sparse.csc_array, sparse.csc_matrix)
    else:
        cls = of_kind(a, sparse.csr_array, sparse.csr_matrix)
    return of_triplets(
        cls, a._shape, np.concatenate((rows, r)), np.concatenate((columns, c)),
        np.concatenate((values, v if sign > 0 else -v)),
    )  # fmt: skip


@of_methods("__add__", "__radd__")
def plus(a: Any, other: Any) -> Any:
    return added(a, other, 1)


@of_methods("__sub__")
def minus(a: Any, other: Any) -> Any:
    return added(a, other, -1)


@of_methods("__rsub__")
def minus_from_right(a: Any, other: Any) -> Any:
    return added(negated(a), other, 1)


@of_methods("conj", "conjugate")
def conjugated(a: Any, copy: Any = True) -> Any:
    if not np.iscomplexobj(a.data):
        return copied(a) if copy else a
    return with_values(a, np.conj(stored_values(a)))


# ---- forms ----
@of_methods("transpose")
def transpose(a: Any, axes: Any = None, copy: Any = False) -> Any:
    if axes is not None:
        raise ValueError("Sparse arrays/matrices do not support an 'axes' parameter")
    return transposed(copied(a) if copy else a)


@of_methods("T", "mT")
def transposed(a: Any) -> Any:
    n, m = dims(a)
    if isinstance(a, CSR):
        cls = of_kind(a, sparse.csc_array, sparse.csc_matrix)
        return compressed(cls, (m, n), a.data, a.indices, a.indptr)
    if isinstance(a, CSC):
        cls = of_kind(a, sparse.csr_array, sparse.csr_matrix)
        return compressed(cls, (m, n), a.data, a.indices, a.indptr)
    rows, columns, values = triplets(a)
    return coordinates(
        of_kind(a, sparse.coo_array, sparse.coo_matrix), (m, n), values, (columns, rows)
    )


@of_methods("shape")
def shape(a: Any) -> Any:
    return a._shape


@of_methods("ndim")
def ndim(a: Any) -> Any:
    return len(a._shape)


@of_methods("dtype")
def dtype(a: Any) -> Any:
    return a.data.dtype


@of_methods("nnz", "size")
def nnz(a: Any) -> Any:
    """The count of what is stored."""
    return len(stored_values(a))


@of_methods("todense")
def todense(a: Any, order: Any = None, out: Any = None) -> Any:
    if not isinstance(a, sparse.sparray):
        unsupported("todense of a sparse matrix", "use toarray()")
    return toarray(a, order, out)


@of_methods("toarray")
def toarray(a: Any, order: Any = None, out: Any = None) -> Any:
    if order not in (None, "C") or out is not None:
        unsupported("toarray with order or out", "leave them out")
    rows, columns, values = triplets(a)
    dense = np.zeros(dims(a), dtype=values.dtype)
    for k in range(len(values)):
        dense[rows[k], columns[k]] += values[k]
    return dense


@of_methods("diagonal")
def diagonal(a: Any, k: Any = 0) -> Any:
    n, m = dims(a)
    if k <= -n or k >= m:
        return np.empty(0, dtype=a.data.dtype)
    rows, columns, values = triplets(a)
    out = np.zeros(min(n + min(k, 0), m - max(k, 0)), dtype=values.dtype)
    for i in range(len(values)):
        if columns[i] - rows[i] == k:
            out[rows[i] + min(k, 0)] += values[i]
    return out


@of_methods("sum")
def summed(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    if dtype is not None or out is not None:
        unsupported("sum of a sparse matrix with dtype or out", "leave them out")
    if axis is None:
        return np.sum(stored_values(a))
    if not isinstance(a, sparse.sparray):
        unsupported("sum of a sparse matrix along an axis, an np.matrix", "use A @ np.ones(n)")
    n, m = dims(a)
    kind = np.sum(np.zeros(0, dtype=a.data.dtype)).dtype  # a wider one of narrow integers
    if axis in (0, -2):
        return times(transposed(a), np.ones(n, dtype=kind))
    return times(a, np.ones(m, dtype=kind))


@of_methods("copy")
def copied(a: Any) -> Any:
    if isinstance(a, (*CSR, *CSC)):
        return compressed(type(a), a._shape, a.data.copy(), a.indices.copy(), a.indptr.copy())
    if isinstance(a, COO):
        rows, columns = a.coords
        return coordinates(type(a), a._shape, a.data.copy(), (rows.copy(), columns.copy()))
    return diagonals(type(a), a._shape, a.data.copy(), a.offsets.copy())


@of_methods("tocsr")
def tocsr(a: Any, copy: Any = False) -> Any:
    if isinstance(a, CSR):
        return copied(a) if copy else a
    return of_triplets(of_kind(a, sparse.csr_array, sparse.csr_matrix), a._shape, *triplets(a))


@of_methods("tocsc")
def tocsc(a: Any, copy: Any = False) -> Any:
    if isinstance(a, CSC):
        return copied(a) if copy else a
    return of_triplets(of_kind(a, sparse.csc_array, sparse.csc_matrix), a._shape, *triplets(a))


def tocoo(a: Any, copy: Any = False) -> Any:
    if isinstance(a, COO):
        return copied(a) if copy else a
    cls = of_kind(a, sparse.coo_array, sparse.coo_matrix)
    rows, columns, values = triplets(a)
    shared = coordinates(cls, a._shape, values, (rows, columns))
    return copied(shared) if copy else shared


def tocoo_of_copies(a: Any, copy: Any = True) -> Any:
    return tocoo(a, copy)


for _cls in FORMATS:  # which of them copy by default differs between versions of SciPy
    _f = inspect.getattr_static(_cls, "tocoo")
    _copies = inspect.signature(_f).parameters["copy"].default
    enter(FORMULAS, _f, tocoo_of_copies if _copies else tocoo)
