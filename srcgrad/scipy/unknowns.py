"""The unknowns of a problem as the vector that SciPy works on, and back.

A number, an array of at most one axis and a list or tuple of numbers are SciPy's own vectors, as
there. Any other structure is ravelled: its numbers are the unknowns, integers as floats, and its
other leaves (None, flags, names) are constants.
"""

from __future__ import annotations

import numbers
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.errors import ArgumentTypeError
from srcgrad.protocols import states
from srcgrad.records import record
from srcgrad.tree import leaves, mapped, paths, spelled, unflattened


@record(frozen=True, eq=False)
class Unknowns:
    """A structure of unknowns; `like` is None where they are a vector themselves."""

    like: Any
    start: np.ndarray

    @staticmethod
    def of(x0: Any) -> Unknowns:
        """The unknowns with the values of a structure."""
        for path, v in paths(x0, ("x0",)):
            _refuse_other(path, v)
        if _is_vector(x0):
            return Unknowns(None, np.atleast_1d(_floating(np.array(x0))))
        like = mapped(x0, lambda v: _floating(np.array(v)) if _is_unknown(v) else v)
        found = Unknowns(like, np.zeros(0))
        if not any(map(_is_unknown, leaves(like))):
            raise ArgumentTypeError("there are no numbers among the unknowns")
        return Unknowns(like, found.vector(like))

    def direction(self, vector: Any) -> Any:
        """A direction in which the unknowns change: constants have None in it."""
        return self.value(vector, constants=False)

    def value(self, vector: Any, constants: bool = True) -> Any:
        """The structure with the elements of a vector, in arrays of its own."""
        if self.like is None:
            return vector
        made, at = [], 0
        for v in leaves(self.like):
            if _is_unknown(v):
                piece = np.array(vector[at : at + v.size]).astype(v.dtype).reshape(v.shape)
                made.append(piece if v.shape else piece[()])
                at += v.size
            else:
                made.append(v if constants else None)
        return unflattened(self.like, made)

    def vector(self, value: Any) -> np.ndarray:
        """The elements of a structure like that of the unknowns: of a gradient."""
        if self.like is None:
            return np.ravel(value)
        pairs = zip(leaves(self.like), leaves(value), strict=True)
        return np.concatenate([np.ravel(g) for v, g in pairs if _is_unknown(v)])

    def columns(self, blocks: Any) -> np.ndarray:
        """A matrix with a column for each unknown, from the blocks of a Jacobian of an array."""
        if self.like is None:
            return np.reshape(blocks, (-1, self.start.size))
        pairs = zip(leaves(self.like), leaves(blocks), strict=True)
        return np.hstack([np.reshape(b, (-1, v.size)) for v, b in pairs if _is_unknown(v)])

    def square(self, blocks: Any) -> np.ndarray:
        """The matrix of second derivatives by the unknowns, from the blocks of a Hessian."""
        n = self.start.size
        if self.like is None:
            return np.reshape(blocks, (n, n))
        rows, at = [], 0
        found = [b for b in leaves(blocks) if b is not None]
        sizes = [v.size for v in leaves(self.like) if _is_unknown(v)]
        for size in sizes:
            row = found[at : at + len(sizes)]
            pairs = zip(row, sizes, strict=True)
            rows.append(np.hstack([np.reshape(b, (size, m)) for b, m in pairs]))
            at += len(sizes)
        return np.vstack(rows)


def stacked(value: Any, blocks: Any, rows: Callable[[Any], np.ndarray]) -> np.ndarray:
    """The rows of a Jacobian for a value: those of its elements in order, if it is a list."""
    if not isinstance(value, list | tuple):
        return rows(blocks)
    pairs = zip(value, blocks, strict=True)
    return np.concatenate([stacked(v, b, rows) for v, b in pairs])


def _is_vector(x0: Any) -> bool:
    if isinstance(x0, list | tuple):
        return all(isinstance(v, numbers.Real) for v in x0) and not hasattr(x0, "_fields")
    return isinstance(x0, numbers.Real) or (isinstance(x0, np.ndarray) and x0.ndim <= 1)


def _is_unknown(v: Any) -> bool:
    if isinstance(v, np.ndarray):
        return v.dtype.kind in "iuf"
    return isinstance(v, numbers.Real) and not isinstance(v, bool | np.bool_)


def _floating(v: np.ndarray) -> np.ndarray:
    return v if v.dtype.kind == "f" else v.astype(np.float64)


def _refuse_other(path: tuple[Any, ...], v: Any) -> None:
    if states(v, "srcgrad_value"):
        raise ArgumentTypeError(
            f"SciPy's unknowns are numbers and arrays: {spelled(path)} is a tensor", None,
            "pass its .numpy()",
        )  # fmt: skip
    if isinstance(v, complex) or getattr(getattr(v, "dtype", None), "kind", "") == "c":
        raise ArgumentTypeError(
            f"the unknowns are real numbers: {spelled(path)} is complex", None,
            "make its real and imaginary parts unknowns",
        )  # fmt: skip
