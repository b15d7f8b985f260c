"""Sparse matrices of SciPy as structures: their arrays are the parts, their shape is static.

Imported when a value of `scipy.sparse` is first met.
"""

from __future__ import annotations

from typing import Any

from scipy import sparse

from srcgrad.tree.users import add_registered

CSR = (sparse.csr_array, sparse.csr_matrix)
CSC = (sparse.csc_array, sparse.csc_matrix)
COO = (sparse.coo_array, sparse.coo_matrix)
DIA = (sparse.dia_array, sparse.dia_matrix)
FORMATS = (*CSR, *CSC, *COO, *DIA)


def compressed(cls: Any, shape: Any, data: Any, indices: Any, indptr: Any) -> Any:
    """A matrix in CSR or CSC format, of these very arrays."""
    made = object.__new__(cls)
    made.data, made.indices, made.indptr = data, indices, indptr
    made._shape, made.maxprint = shape, 50
    return made


def coordinates(cls: Any, shape: Any, data: Any, coords: Any) -> Any:
    """A matrix in COO format, of these very arrays."""
    made = object.__new__(cls)
    made.data, made.coords = data, coords
    made._shape, made.maxprint = shape, 50
    return made


def diagonals(cls: Any, shape: Any, data: Any, offsets: Any) -> Any:
    """A matrix in DIA format, of these very arrays."""
    made = object.__new__(cls)
    made.data, made.offsets = data, offsets
    made._shape, made.maxprint = shape, 50
    return made


def _of_compressed(a: Any) -> Any:
    return (a.data, a.indices, a.indptr), a._shape


def _of_coordinates(a: Any) -> Any:
    return (a.data, *a.coords), a._shape


def _of_diagonals(a: Any) -> Any:
    return (a.data, a.offsets), a._shape


def _register(cls: type[Any]) -> None:
    def make_compressed(static: Any, parts: Any) -> Any:
        return compressed(cls, static, *parts)

    def make_coordinates(static: Any, parts: Any) -> Any:
        return coordinates(cls, static, parts[0], tuple(parts[1:]))

    def make_diagonals(static: Any, parts: Any) -> Any:
        return diagonals(cls, static, *parts)

    if cls in COO:
        add_registered(cls, _of_coordinates, make_coordinates)
    elif cls in DIA:
        add_registered(cls, _of_diagonals, make_diagonals)
    else:
        add_registered(cls, _of_compressed, make_compressed)


for _cls in FORMATS:
    _register(_cls)
