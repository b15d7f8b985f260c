"""Messages between ranks, on NumPy arrays: what compiled code calls back.

Each function returns an array of its own. Alone, a rank is its own neighbour. Never differentiates.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from srcgrad.distributed.ranks import Group
from srcgrad.distributed.shares import bounds
from srcgrad.errors import ArgumentValueError, ShapeError


def allreduce(ranks: Group, x: Any) -> np.ndarray:
    made = np.array(x, order="C")
    ranks.add_up(made)
    return made


def reduce(ranks: Group, x: Any, root: int) -> np.ndarray:
    made = allreduce(ranks, x)
    return made if ranks.rank == _checked(ranks, root) else np.zeros_like(made)


def bcast(ranks: Group, x: Any, root: int) -> np.ndarray:
    made = np.array(x, order="C")
    ranks.array_of_root(made, _checked(ranks, root))
    return made


def scatter(ranks: Group, x: Any, root: int) -> np.ndarray:
    whole = np.ascontiguousarray(x)
    runs = bounds(len(whole), ranks.size)
    start, stop = runs[ranks.rank]
    made = whole[start:stop].copy()
    if ranks.comm is not None:
        counts = _counts(runs, whole)
        sent = [whole, counts] if ranks.rank == _checked(ranks, root) else None
        ranks.comm.Scatterv(sent, made, root)
    return made


def gather(ranks: Group, x: Any, rows: int, root: int) -> np.ndarray:
    mine = np.ascontiguousarray(x)
    runs = bounds(rows, ranks.size)
    start, stop = runs[ranks.rank]
    if len(mine) != stop - start:
        raise ShapeError(
            f"gather of {rows} rows: rank {ranks.rank} has {len(mine)} of them, not {stop - start}",
            None, "divide them as shard and scatter do",
        )  # fmt: skip
    whole = np.zeros((rows, *mine.shape[1:]), mine.dtype)
    if ranks.comm is None:
        return mine.copy()
    into = [whole, _counts(runs, whole)] if ranks.rank == _checked(ranks, root) else None
    ranks.comm.Gatherv(mine, into, root)
    return whole


def sendrecv(ranks: Group, x: Any, dest: int, source: int, tag: int) -> np.ndarray:
    """Sends an array, and receives one of its shape; a negative rank is nobody, who sends zeros."""
    sent = np.array(x, order="C")
    made = np.zeros_like(sent)
    if ranks.comm is None:
        if (dest < 0) != (source < 0) or max(dest, source) > 0:
            raise ArgumentValueError(f"rank {max(dest, source)} of a message: there is 1 rank")
        return made if dest < 0 else sent
    mpi = sys.modules["mpi4py.MPI"]
    status = mpi.Status()
    nobody = mpi.PROC_NULL
    ranks.comm.Sendrecv(
        sent, nobody if dest < 0 else dest, tag, made, nobody if source < 0 else source, tag, status
    )
    if source >= 0 and status.Get_count(mpi.BYTE) != made.nbytes:
        raise ShapeError(
            f"rank {ranks.rank} received {status.Get_count(mpi.BYTE)} bytes from rank {source} "
            f"into an array of shape {made.shape}, which has {made.nbytes}"
        )
    return made


def give(ranks: Group, x: Any, dest: int, tag: int) -> np.ndarray:
    """Sends an array, and returns zeros."""
    sent = np.array(x, order="C")
    _comm(ranks, dest).Send(sent, dest, tag)
    return np.zeros_like(sent)


def recv(ranks: Group, like: Any, source: int, tag: int) -> np.ndarray:
    """Receives an array with the shape and dtype of another."""
    _comm(ranks, source)
    return sendrecv(ranks, like, -1, source, tag)


def halo(ranks: Group, u: Any, width: int, periodic: bool, axis: int) -> np.ndarray:
    """The array with `width` rows of each neighbour around it; zeros where there is none."""
    rows = np.moveaxis(np.asarray(u), axis, 0)
    if len(rows) < width:
        raise ShapeError(f"a halo of {width} rows around {len(rows)} on rank {ranks.rank}")
    before, after = neighbours(ranks, periodic)
    first = sendrecv(ranks, rows[-width:], after, before, TAG)
    last = sendrecv(ranks, rows[:width], before, after, TAG + 1)
    return np.ascontiguousarray(np.moveaxis(np.concatenate([first, rows, last]), 0, axis))


def halo_added(ranks: Group, g: Any, width: int, periodic: bool, axis: int) -> np.ndarray:
    """The transpose of `halo`: rows around an array are added to those they were copied from."""
    rows = np.moveaxis(np.asarray(g), axis, 0)
    made = rows[width : len(rows) - width].copy()
    before, after = neighbours(ranks, periodic)
    of_last = sendrecv(ranks, rows[:width], before, after, TAG)
    of_first = sendrecv(ranks, rows[len(rows) - width :], after, before, TAG + 1)
    made[len(made) - width :] += of_last
    made[:width] += of_first
    return np.ascontiguousarray(np.moveaxis(made, 0, axis))


TAG = 31_000  # of halos: MPI promises tags up to 32767


def neighbours(ranks: Group, periodic: bool) -> tuple[int, int]:
    """The ranks before and after this one; -1: nobody."""
    before, after = ranks.rank - 1, ranks.rank + 1
    if periodic:
        return before % ranks.size, after % ranks.size
    return before, after if after < ranks.size else -1


def _counts(runs: list[tuple[int, int]], whole: np.ndarray) -> list[int]:
    row = int(np.prod(whole.shape[1:], dtype=int))
    return [(stop - start) * row for start, stop in runs]


def _checked(ranks: Group, root: int) -> int:
    if not 0 <= root < ranks.size:
        raise ArgumentValueError(f"root={root}, and there are {ranks.size} ranks")
    return root


def _comm(ranks: Group, other: int) -> Any:
    _checked(ranks, other)
    if ranks.comm is None or other == ranks.rank:
        raise ArgumentValueError(
            f"rank {ranks.rank} sends to itself: nobody receives while it waits", None,
            "sendrecv(x, dest, source) sends and receives at once",
        )  # fmt: skip
    return ranks.comm
