"""Constructors of SciPy's sparse matrices as NumPy programs, which make CSR, CSC or COO formats."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from srcgrad.frontend.formulas import scipy_sparse_parts as parts
from srcgrad.frontend.formulas.registry import FORMULAS, enter, stands_for, unsupported
from srcgrad.frontend.formulas.scipy_sparse import copied, dims, of_triplets, tocoo, tocsc, tocsr
from srcgrad.tree.scipy_sparse import COO, CSC, CSR, compressed, coordinates

__all__ = ["parts"]  # loading it registers its formulas


def _cast(values: Any, dtype: Any) -> Any:
    values = np.asarray(values)
    return values if dtype is None else values.astype(dtype, copy=False)


def _length_of(indices: Any) -> Any:
    """The length of an axis with these indices, the largest of which is its last."""
    if len(indices) == 0:
        raise ValueError("cannot infer dimensions from zero sized index arrays")
    if indices.dtype.kind == "f":
        raise TypeError("the largest of the indices cannot be interpreted as an integer")
    return int(np.max(indices)) + 1


def _check_shape(given: Any, own: Any) -> None:
    """Refuses another shape than that of the matrix that is converted."""
    # only the run tells; SciPy raises, or makes the matrix wider, which depends on the format
    if given is not None and (given[0] != own[0] or given[1] != own[1]):
        raise NotImplementedError("another shape than that of the matrix: leave it out")


def _check_places(shape: Any, coords: Any, values: Any) -> None:
    """Raises what SciPy does for the places of values that are not in a matrix."""
    for axis, places in enumerate(coords):
        if len(places) != len(values):
            raise ValueError("all index and data arrays must have the same length")
        if len(places) > 0:
            last, first = int(np.max(places)), int(np.min(places))
            if last >= shape[axis]:
                raise ValueError(f"axis {axis} index {last} exceeds matrix dimension {shape[axis]}")
            if first < 0:
                raise ValueError(f"negative axis {axis} index: {first}")


def _check_parts(cls: Any, shape: Any, values: Any, indices: Any, indptr: Any) -> None:
    """Raises what SciPy does for arrays that are no parts of a matrix."""
    lanes = shape[0] if cls in CSR else shape[1]
    if len(indptr) != lanes + 1:
        raise ValueError(f"index pointer size {len(indptr)} should be {lanes + 1}")
    if indptr[0] != 0:
        raise ValueError("index pointer should start with 0")
    if len(indices) != len(values):
        raise ValueError("indices and data should have the same size")
    if indptr[-1] > len(indices):
        raise ValueError(
            "Last value of index pointer should be less than the size of index and data arrays"
        )
    # only the run tells; SciPy cuts these off
    if indptr[-1] < len(indices):
        raise NotImplementedError("values after the last row: cut off data and indices")


def _whole(indices: Any) -> Any:
    """Indices as integers: floats are cut off towards zero, as SciPy does."""
    indices = np.asarray(indices)
    return indices.astype(np.int64) if indices.dtype.kind == "f" else indices


def _of(cls: Any, shape: Any, rows: Any, columns: Any, values: Any) -> Any:
    if cls in COO:
        return coordinates(cls, shape, values, (rows, columns))
    return of_triplets(cls, shape, rows, columns, values)


def _of_sparse(cls: Any, a: Any, dtype: Any, copy: Any) -> Any:
    """Another object of the same arrays where the format is the same, unless they are copied."""
    if copy:
        a = copied(a)
    if cls in COO:
        a = tocoo(a, False)
        return coordinates(cls, a._shape, _cast(a.data, dtype), a.coords)
    a = tocsr(a) if cls in CSR else tocsc(a)
    return compressed(cls, a._shape, _cast(a.data, dtype), a.indices, a.indptr)


def _constructor(cls: Any) -> Callable:
    """The formula of a class: from triplets, from its own arrays, from a dense or a sparse one."""

    def made(arg1: Any, shape: Any = None, dtype: Any = None, copy: Any = False) -> Any:
        if sparse.issparse(arg1):
            _check_shape(shape, dims(arg1))
            return _of_sparse(cls, arg1, dtype, copy)
        if not isinstance(arg1, tuple):
            dense = np.asarray(arg1)
            if dense.ndim != 2:
                unsupported("a sparse array of another rank than 2", "use a matrix of one row")
            _check_shape(shape, dense.shape)
            rows, columns = np.nonzero(dense)
            return _of(cls, dense.shape, rows, columns, _cast(dense[rows, columns], dtype))
        if len(arg1) == 2 and np.ndim(arg1[0]) == 0:
            nothing, none = np.zeros(0, dtype=dtype), np.zeros(0, dtype=np.int64)
            return _of(cls, arg1, none, none, nothing)
        if len(arg1) == 2:
            values, (rows, columns) = arg1
            if shape is None:
                shape = (_length_of(np.asarray(rows)), _length_of(np.asarray(columns)))
            rows, columns = _whole(rows), _whole(columns)
            _check_places(shape, (rows, columns), np.asarray(values))
            made = _of(cls, shape, rows, columns, _cast(values, dtype))
            return copied(made) if copy and cls in COO else made
        values, indices, indptr = arg1
        if shape is None:
            n, m = len(indptr) - 1, _length_of(np.asarray(indices))
            shape = (n, m) if cls in CSR else (m, n)
        indices, indptr = _whole(indices), _whole(indptr)
        values = _cast(values, dtype)
        _check_parts(cls, shape, values, indices, indptr)
        made = compressed(cls, shape, values, indices, indptr)
        return copied(made) if copy else made

    made.__name__ = made.__qualname__ = cls.__name__
    return made


for _cls in (*CSR, *CSC, *COO):
    enter(FORMULAS, _cls, _constructor(_cls))


def _in_format(a: Any, name: Any) -> Any:
    if name == "csr":
        return tocsr(a)
    if name == "csc":
        return tocsc(a)
    if name not in (None, "coo", "dia"):
        unsupported(f"the sparse format {name!r}", "use 'csr', 'csc' or 'coo'")
    return tocoo(a)


def _with_diagonals(
    cls: Any, diagonals: Any, offsets: Any, shape: Any, format: Any, dtype: Any
) -> Any:
    if np.ndim(offsets) == 0:
        single = np.ndim(diagonals[0]) == 0
        if not single and len(diagonals) != 1:
            raise ValueError("Different number of diagonals and offsets.")
        diagonals, offsets = [diagonals] if single else diagonals, [offsets]
    if len(diagonals) != len(offsets):
        raise ValueError("Different number of diagonals and offsets.")
    if shape is None:
        n = m = len(np.atleast_1d(diagonals[0])) + abs(offsets[0])
    else:
        n, m = shape
    rows, columns, values = [], [], []
    for d, k in zip(diagonals, offsets, strict=True):
        if -k > n or k > m:
            raise ValueError(f"Offset {k} (index {len(values)}) out of bounds")
        places = np.arange(min(n + min(k, 0), m - max(k, 0)))
        rows.append(places - min(k, 0))
        columns.append(places + max(k, 0))
        values.append(np.broadcast_to(np.atleast_1d(d)[: len(places)], places.shape))
    joined = np.concatenate(values)
    if dtype is np._NoValue or (dtype is None and _FLOATS):
        joined = joined.astype(float) if joined.dtype.kind in "iu" else joined
    elif dtype is not None:
        joined = joined.astype(dtype, copy=False)
    made = coordinates(cls, (n, m), joined, (np.concatenate(rows), np.concatenate(columns)))
    return _in_format(made, format)


# whether dtype=None makes floats of integers, as older SciPy does; without dtype= all do
_FLOATS = inspect.signature(sparse.diags).parameters["dtype"].default is None


@stands_for(sparse.diags)
def diags(
    diagonals: Any, offsets: Any = 0, shape: Any = None, format: Any = None,
    dtype: Any = np._NoValue,
) -> Any:  # fmt: skip
    return _with_diagonals(sparse.coo_matrix, diagonals, offsets, shape, format, dtype)


@stands_for(sparse.diags_array)
def diags_array(
    diagonals: Any, /, *, offsets: Any = 0, shape: Any = None, format: Any = None,
    dtype: Any = np._NoValue,
) -> Any:  # fmt: skip
    return _with_diagonals(sparse.coo_array, diagonals, offsets, shape, format, dtype)


@stands_for(sparse.spdiags)
def spdiags(data: Any, diags: Any, m: Any = None, n: Any = None, format: Any = None) -> Any:
    """A matrix with these diagonals, of which each column has its own element."""
    values, offsets = np.atleast_2d(data), np.atleast_1d(diags)
    if values.shape[0] != offsets.shape[0]:
        raise ValueError("number of diagonals does not match the number of offsets")
    if n is None:
        m, n = (len(data[0]), len(data[0])) if m is None else m
    columns = np.arange(values.shape[1])
    rows = columns - offsets[:, None]
    at, columns = np.nonzero((rows >= 0) & (rows < m) & (columns < n))
    places = rows[at, columns], columns
    return _in_format(coordinates(sparse.coo_matrix, (m, n), values[at, columns], places), format)


def _eye(cls: Any, m: Any, n: Any, k: Any, dtype: Any, format: Any) -> Any:
    shape = (m, m if n is None else n)
    ones = np.ones(1, dtype=dtype)
    return _with_diagonals(cls, [ones], [k], shape, format, ones.dtype)


@stands_for(sparse.eye)
def eye(m: Any, n: Any = None, k: Any = 0, dtype: Any = float, format: Any = None) -> Any:
    return _eye(sparse.coo_matrix, m, n, k, dtype, format)


@stands_for(sparse.eye_array)
def eye_array(m: Any, n: Any = None, *, k: Any = 0, dtype: Any = float, format: Any = None) -> Any:
    return _eye(sparse.coo_array, m, n, k, dtype, format)


@stands_for(sparse.identity)
def identity(n: Any, dtype: Any = "d", format: Any = None) -> Any:
    return _eye(sparse.coo_matrix, n, n, 0, dtype, format)
