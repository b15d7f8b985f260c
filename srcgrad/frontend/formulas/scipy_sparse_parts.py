"""Parts of SciPy's sparse matrices as NumPy programs: elements, rows, columns, blocks, copies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from srcgrad.frontend.formulas.registry import unsupported
from srcgrad.frontend.formulas.scipy_sparse import (
    conjugated,
    copied,
    dims,
    of_kind,
    of_methods,
    stored_values,
    times_sparse,
    tocoo,
    tocsc,
    tocsr,
    transposed,
    triplets,
    with_values,
)
from srcgrad.tree.scipy_sparse import COO, CSC, CSR, compressed


@of_methods("real")
def real(a: Any) -> Any:
    return with_values(a, np.real(stored_values(a)))


@of_methods("imag")
def imag(a: Any) -> Any:
    values = stored_values(a)
    part = np.imag(values)
    return with_values(a, part if np.iscomplexobj(values) else part.copy())


# ---- functions of the values ----
def in_order(a: Any) -> Any:
    """The matrix itself, refused where SciPy would sort its places, or add up values, in it."""
    if not isinstance(a, (*CSR, *CSC)):
        unsupported("a function of a sparse matrix that is not CSR or CSC", "use a.tocsr()")
    n, m = dims(a)
    rows, columns, _ = triplets(a)
    if isinstance(a, CSR):
        places = np.asarray(rows, np.int64) * m + columns
    else:
        places = np.asarray(columns, np.int64) * n + rows
    if np.any(np.diff(places) <= 0):  # only the run tells
        raise NotImplementedError(
            "SciPy sorts the places of this matrix, or adds up values, in place: "
            "use a.tocoo().tocsr()"
        )
    return a


@of_methods("power")
def power(a: Any, n: Any, dtype: Any = None) -> Any:
    if np.ndim(n) != 0:  # SciPy raises the same, as for the power 0
        raise NotImplementedError("input is not scalar")
    if n == 0:
        raise NotImplementedError("zero power is not supported as it would densify the matrix.")
    values = stored_values(in_order(a))
    return with_values(a, (values if dtype is None else values.astype(dtype)) ** n)


def _of_function(f: Any) -> Callable:
    """The method that applies a function which is 0 at 0."""

    def made(a: Any) -> Any:
        return with_values(a, f(stored_values(in_order(a))))

    return made


for _f in (
    np.arcsin, np.arcsinh, np.arctan, np.arctanh, np.ceil, np.deg2rad, np.expm1, np.floor,
    np.log1p, np.rad2deg, np.rint, np.sign, np.sin, np.sinh, np.sqrt, np.tan, np.tanh, np.trunc,
):  # fmt: skip
    of_methods(_f.__name__)(_of_function(_f))
of_methods("__abs__")(_of_function(np.abs))


@of_methods("getH")
def adjoint(a: Any) -> Any:
    return conjugated(transposed(a))


@of_methods("asformat")
def asformat(a: Any, format: Any, copy: Any = False) -> Any:
    match format:
        case "csr":
            return tocsr(a, copy)
        case "csc":
            return tocsc(a, copy)
        case "coo":
            return tocoo(a, copy)
        case None:
            return copied(a) if copy else a
        case _:
            unsupported(f"asformat({format!r}) of a sparse matrix", "use a.tocsr()")


# whether SciPy has the values of diagonals row by row: which it does differs between versions
_BY_ROWS = "tocsr" in sparse.dia_array.tocoo.__code__.co_names


@of_methods("nonzero")
def places_of_nonzeros(a: Any) -> Any:
    """The places of the values that are not 0."""
    rows, columns, values = triplets(a)
    if not isinstance(a, COO):
        places = a.indices if isinstance(a, (*CSR, *CSC)) else a.offsets
        rows, columns = rows.astype(places.dtype), columns.astype(places.dtype)
    kept = np.nonzero(values != 0)[0]
    rows, columns = rows[kept], columns[kept]
    if isinstance(a, CSC):
        order = np.argsort(rows, kind="stable")
    elif _BY_ROWS and not isinstance(a, (*CSR, *COO)):  # from the lowest diagonal on
        order = np.argsort(rows * np.int64(a._shape[1]) + columns, kind="stable")
    else:
        return rows, columns
    return rows[order], columns[order]


# ---- by indices ----
def _is_number(part: Any) -> bool:
    return not isinstance(part, slice) and np.ndim(part) == 0


def _is_array(part: Any) -> bool:
    return not isinstance(part, slice) and np.ndim(part) > 0


def _places(part: Any, n: Any) -> Any:
    """The places that an index chooses among n, none of them negative."""
    if isinstance(part, slice):
        return np.arange(n)[part]
    if isinstance(part, list) and len(part) == 0:
        return np.zeros(0, dtype=np.int64)
    places = np.asarray(part)
    if places.dtype == np.bool_:
        if places.shape != (n,):
            raise IndexError(f"bool index with a shape of {places.shape}, not of {(n,)}")
        return np.nonzero(places)[0]
    if places.dtype.kind not in "iu":
        unsupported("a sparse matrix indexed by floats", "use .astype(int)")
    places = places.reshape(-1)
    if np.any((places < -n) | (places >= n)):
        raise IndexError("index out of range")
    return np.where(places < 0, places + n, places)


def _element(a: Any, row: Any, column: Any) -> Any:
    """One element; what is stored twice is added."""
    n, m = dims(a)
    i, j = _places(row, n)[0], _places(column, m)[0]
    if isinstance(a, CSC):
        along, across = j, i
    else:
        a, along, across = tocsr(a), i, j
    found = np.zeros(1, dtype=a.data.dtype)
    for k in range(a.indptr[along], a.indptr[along + 1]):
        if a.indices[k] == across:
            found[0] += a.data[k]
    return found[0]


def _block(a: Any, row: Any, column: Any) -> Any:
    """The rows and columns that two indices choose, by products with matrices of ones."""
    n, m = dims(a)
    rows, columns = _places(row, n), _places(column, m)
    ones = np.ones(len(rows), dtype=a.data.dtype)
    cls = of_kind(a, sparse.csr_array, sparse.csr_matrix)
    chosen = compressed(cls, (len(rows), n), ones, rows, np.arange(len(rows) + 1))
    taken = times_sparse(chosen, a)
    ones = np.ones(len(columns), dtype=a.data.dtype)
    cls = of_kind(a, sparse.csc_array, sparse.csc_matrix)
    chosen = compressed(cls, (m, len(columns)), ones, columns, np.arange(len(columns) + 1))
    taken = times_sparse(taken, chosen)
    return tocsc(taken) if isinstance(a, CSC) else taken


@of_methods("__getitem__")
def item(a: Any, key: Any) -> Any:
    row, column = key if isinstance(key, tuple) and len(key) == 2 else (key, slice(None))
    if isinstance(row, tuple):
        unsupported("an index of a sparse matrix with another number of parts", "give two")
    if row is None or column is None or row is Ellipsis or column is Ellipsis:
        unsupported("None or ... as an index of a sparse matrix", "use slices")
    return _part(a, row, column)


def _part(a: Any, row: Any, column: Any) -> Any:
    """An element, or the rows and columns of two indices."""
    if _is_number(row) and _is_number(column):
        return _element(a, row, column)
    if isinstance(a, sparse.sparray) and (_is_number(row) or _is_number(column)):
        unsupported("a row or column of a sparse array, of one axis", "use a list, A[[i]]")
    if _is_array(row) and _is_array(column):
        down = np.ndim(row) == 2 and np.shape(row)[1] == 1
        if not down or (np.ndim(column) == 2 and np.shape(column)[0] != 1):
            unsupported("elements of a sparse matrix by two arrays", "use A.toarray()[i, j]")
    elif np.ndim(row) > 1 or np.ndim(column) > 1:
        unsupported("an index of a sparse matrix of two axes", "use one of one axis")
    return _block(a, row, column)


@of_methods("getrow")
def getrow(a: Any, i: Any) -> Any:
    return tocsr(_block(a, [i], slice(None)))


@of_methods("getcol")
def getcol(a: Any, j: Any) -> Any:
    return _block(a, slice(None), [j])
