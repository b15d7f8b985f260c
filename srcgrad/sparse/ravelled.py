"""Arguments as one vector: the floating leaves of the differentiated ones, one after the other."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from srcgrad.errors import ArgumentTypeError
from srcgrad.protocols import states
from srcgrad.records import record
from srcgrad.transforms.stacking import is_float
from srcgrad.tree import paths, spelled

COMPLEX = "a sparse Jacobian is one of real numbers"


@record(frozen=True)
class Layout:
    """Where each floating leaf begins in the vector."""

    paths: tuple[tuple, ...]
    shapes: tuple[tuple[int, ...], ...]
    dtypes: tuple[np.dtype, ...]

    @staticmethod
    def of(slots: Iterable[tuple[tuple, Any]]) -> Layout:
        """The layout of the differentiated arguments, given with their paths."""
        every = [pair for path, slot in slots for pair in paths(slot, path)]
        for path, v in every:
            if states(v, "srcgrad_value"):
                raise ArgumentTypeError(
                    f"sparse Jacobians are of arrays: {spelled(path)} is a tensor", None,
                    "pass its .numpy()",
                )  # fmt: skip
        found = [(p, v) for p, v in every if is_float(v)]
        arrays = [np.asarray(v) for _, v in found]
        if any(a.dtype.kind == "c" for a in arrays):
            raise ArgumentTypeError(f"{COMPLEX}; these arguments are complex")
        shapes = tuple(a.shape for a in arrays)
        return Layout(tuple(p for p, _ in found), shapes, tuple(a.dtype for a in arrays))

    @property
    def size(self) -> int:
        return sum(map(_size, self.shapes))

    def split(self, vector: np.ndarray) -> dict[tuple, Any]:
        """The parts of a vector by path, each with the shape and the dtype of its leaf."""
        parts, at = {}, 0
        for path, shape, dtype in zip(self.paths, self.shapes, self.dtypes, strict=True):
            part = vector[at : at + _size(shape)].astype(dtype).reshape(shape)
            parts[path] = part if shape else part[()]
            at += _size(shape)
        return parts


def _size(shape: tuple[int, ...]) -> int:
    return int(np.prod(shape, dtype=np.int64))


def joined(values: Iterable[Any]) -> np.ndarray:
    """Numbers and arrays as one vector."""
    parts = [np.ravel(v) for v in values]
    if any(p.dtype.kind == "c" for p in parts):
        raise ArgumentTypeError(f"{COMPLEX}; the result is complex")
    return np.concatenate(parts) if parts else np.zeros(0)
