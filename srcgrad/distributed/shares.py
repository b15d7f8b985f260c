"""Rows of arrays divided among ranks, in order and as evenly as possible."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from srcgrad.distributed.ranks import group
from srcgrad.eager import Tensor
from srcgrad.errors import ArgumentTypeError, ArgumentValueError, ShapeError
from srcgrad.tree import mapped, paths, spelled


def shard(data: Any, comm: Any = None) -> Any:
    """This rank's rows of arrays that all ranks have: a view of each, cut along the first axis.

    `data`: an array, a tensor, or a structure of them with one number of rows. The rows keep their
    order, and ranks have one more or less where they do not divide evenly. A rank may have none.

    >>> import numpy as np
    >>> from srcgrad import distributed
    >>> distributed.shard(np.arange(3.0))  # alone, a rank has all rows
    array([0., 1., 2.])
    """
    ranks = group(comm)
    n = common_rows([("data", data)])
    return rows_of(data, *bounds(n, ranks.size)[ranks.rank])


def bounds(n: int, parts: int) -> list[tuple[int, int]]:
    """The first row of each part and the first one after it.

    >>> bounds(7, 3)
    [(0, 2), (2, 4), (4, 7)]
    """
    ends = [k * n // max(parts, 1) for k in range(parts + 1)]
    return list(itertools.pairwise(ends))


def rows_of(data: Any, start: int, stop: int) -> Any:
    """Some rows of each array of a structure."""
    return mapped(data, lambda a: a[start:stop])


def common_rows(given: Sequence[tuple[str, Any]]) -> int:
    """The number of rows that all arrays of some named structures have."""
    known: tuple[str, int] | None = None
    for name, data in given:
        for path, a in paths(data, (name,)):
            n = _rows(spelled(path), a)
            if known is not None and n != known[1]:
                raise ShapeError(
                    f"{spelled(path)} has {n} rows and {known[0]} has {known[1]}: both are divided"
                )
            known = (spelled(path), n)
    if known is None:
        raise ArgumentValueError("there is no array to divide among the ranks")
    return known[1]


def _rows(name: str, a: Any) -> int:
    if not isinstance(a, np.ndarray | Tensor):
        raise ArgumentTypeError(
            f"{name} is divided among the ranks, and {type(a).__name__} has no rows", None,
            "divide arrays and tensors, by their first axis",
        )  # fmt: skip
    if not a.shape:
        raise ShapeError(f"{name} is divided among the ranks, and has no axis")
    return int(a.shape[0])
