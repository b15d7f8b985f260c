"""Messages between ranks, on NumPy arrays: what compiled code calls back.

Each function returns an array of its own. Alone, a rank is its own neighbour. Never differentiates.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.distributed.agreement import attempt, settle
from srcgrad.distributed.packets import failure, packed, unpacked
from srcgrad.distributed.ranks import Group, Route
from srcgrad.distributed.shares import bounds
from srcgrad.errors import ArgumentTypeError, ArgumentValueError, ShapeError


def allreduce(ranks: Group, x: Any) -> Any:
    made = _together(ranks, "allreduce", None, lambda: _own("allreduce", x, "iufc"))
    ranks.add_up(made)
    return _as(x, made)


def reduce(ranks: Group, x: Any, root: int) -> Any:
    made = _together(ranks, "reduce", root, lambda: _own("reduce", x, "iufc"))
    ranks.add_up(made)
    return _as(x, made if ranks.rank == root else np.zeros_like(made))


def bcast(ranks: Group, x: Any, root: int) -> Any:
    made = _together(ranks, "bcast", root, lambda: _own("bcast", x))
    ranks.array_of_root(made, root)
    return _as(x, made)


def scatter(ranks: Group, x: Any, root: int) -> np.ndarray:
    whole = _together(ranks, "scatter", root, lambda: _rows("scatter", x))
    runs = bounds(len(whole), ranks.size)
    start, stop = runs[ranks.rank]
    made = whole[start:stop].copy()
    if ranks.comm is not None:
        sent = [whole, _counts(runs, whole)] if ranks.rank == root else None
        ranks.comm.Scatterv(sent, made, root)
    return made


def gather(ranks: Group, x: Any, rows: int, root: int) -> np.ndarray:
    runs = bounds(rows, ranks.size)
    start, stop = runs[ranks.rank]

    def own_rows() -> np.ndarray:
        mine = _rows("gather", x)
        if len(mine) != stop - start:
            raise ShapeError(
                f"gather of {rows} rows: rank {ranks.rank} has {len(mine)} of them, not "
                f"{stop - start}", None, "divide them as shard and scatter do",
            )  # fmt: skip
        whole = np.zeros((rows, *mine.shape[1:]), mine.dtype)
        whole[start:stop] = mine
        return whole

    whole = _together(ranks, "gather", root, own_rows)
    if ranks.comm is None:
        return whole
    into = [whole, _counts(runs, whole)] if ranks.rank == root else None
    ranks.comm.Gatherv(whole[start:stop].copy(), into, root)
    return whole if ranks.rank == root else np.zeros_like(whole)


def sendrecv(ranks: Group, x: Any, dest: int, source: int, tag: int) -> Any:
    """Sends an array, and receives one of its shape; a negative rank is nobody, who sends zeros."""
    if not 0 <= tag < TAG:
        raise ArgumentValueError(f"tag={tag}: a tag is from 0 to {TAG - 1}")
    (made,) = _swapped(ranks, lambda: [numbers("sendrecv", x)], [Route(dest, source, tag)])
    return _as(x, made)


def give(ranks: Group, x: Any, dest: int, tag: int) -> Any:
    """Sends an array, and returns zeros."""
    _not_to_itself(ranks, dest)
    return sendrecv(ranks, x, dest, -1, tag)


def recv(ranks: Group, like: Any, source: int, tag: int) -> Any:
    """Receives an array with the shape and dtype of another."""
    _not_to_itself(ranks, source)
    return sendrecv(ranks, like, -1, source, tag)


def halo(ranks: Group, ends: Any, rows: int, width: int, periodic: bool) -> np.ndarray:
    """The rows next to this rank's, of the rank before it and of the one after it.

    `ends`: `width` first rows of this rank and as many last ones, out of all its `rows`. Zeros come
    from nobody. This map is symmetric over all ranks: its transpose sends the same messages.
    """

    def both() -> list[np.ndarray]:
        if not 0 <= width <= rows:
            raise ShapeError(f"a halo of {width} rows around {rows} on rank {ranks.rank}")
        return [ends[width:], ends[:width]]

    return np.concatenate(_swapped(ranks, both, _both_ways(ranks, periodic)))


TAG = 31_000  # of halos: MPI promises tags up to 32767
APART = "exchange the arrays and numbers of a structure one by one"


def _both_ways(ranks: Group, periodic: bool) -> list[Route]:
    """The routes of the last rows and of the first rows, to both neighbours."""
    before, after = ranks.rank - 1, ranks.rank + 1
    if periodic:
        before, after = before % ranks.size, after % ranks.size
    elif after == ranks.size:
        after = -1
    return [Route(after, before, TAG), Route(before, after, TAG + 1)]


def _swapped(
    ranks: Group, prepare: Callable[[], list[np.ndarray]], routes: list[Route]
) -> list[np.ndarray]:
    """The arrays that come on some routes, of the shapes and dtypes of those that are sent.

    Of nobody come zeros. An error of this rank is sent instead of its arrays.
    """
    for r in routes:
        if max(r.dest, r.source) >= ranks.size:
            raise ArgumentValueError(
                f"rank {max(r.dest, r.source)} of a message, and there are {ranks.size} ranks"
            )
        if ranks.size == 1 and (r.dest < 0) != (r.source < 0):
            raise ArgumentValueError("a rank that is alone receives what it sends, or nothing")
    sent, error = attempt(prepare)
    if sent is None:
        assert error is not None
        ranks.swapped([failure(error)] * len(routes), routes)
        raise error
    come = ranks.swapped([packed(a) for a in sent], routes)
    return [
        np.zeros_like(a) if p is None else unpacked(p, a, r.source)
        for p, a, r in zip(come, sent, routes, strict=True)
    ]


def _together(
    ranks: Group, name: str, root: int | None, prepare: Callable[[], np.ndarray]
) -> np.ndarray:
    """An array of each rank, if all have the same shape and dtype; else an error on each."""

    def checked() -> np.ndarray:
        if root is not None and not 0 <= root < ranks.size:
            raise ArgumentValueError(f"root={root}, and there are {ranks.size} ranks")
        return prepare()

    made, error = attempt(checked)
    facts: tuple = (("the communication", name), ("root", None if root is None else int(root)))
    if made is not None:
        facts += (("the shape", made.shape), ("the dtype", made.dtype.name))
    settle(ranks, facts, error)
    assert made is not None
    return made


def numbers(name: str, x: Any, kinds: str = "biufc") -> np.ndarray:
    """An array or number as an array."""
    if not isinstance(x, np.ndarray | np.generic | bool | int | float | complex):
        raise ArgumentTypeError(
            f"{name} of {type(x).__name__}, not of an array or number", None, APART
        )
    made = np.asarray(x)
    if made.dtype.kind not in kinds:
        raise ArgumentTypeError(
            f"{name} of {made.dtype}, not of numbers", None,
            "x.astype(int)" if made.dtype.kind == "b" else "",
        )  # fmt: skip
    return made


def _own(name: str, x: Any, kinds: str = "biufc") -> np.ndarray:
    """The argument in C order, to be overwritten: callbacks are called with copies."""
    return np.asarray(numbers(name, x, kinds), order="C")


def _rows(name: str, x: Any) -> np.ndarray:
    """An array with rows, in C order."""
    made = numbers(name, x)
    if not made.ndim:
        raise ShapeError(f"{name} of a number, which has no rows")
    return np.ascontiguousarray(made)


def _as(x: Any, made: np.ndarray) -> Any:
    """A number for a number."""
    if isinstance(x, np.ndarray):
        return made
    return made[()] if isinstance(x, np.generic) else made.item()


def _counts(runs: list[tuple[int, int]], whole: np.ndarray) -> list[int]:
    row = int(np.prod(whole.shape[1:], dtype=int))
    return [(stop - start) * row for start, stop in runs]


def _not_to_itself(ranks: Group, other: int) -> None:
    if other == ranks.rank:
        raise ArgumentValueError(
            f"rank {ranks.rank} sends to itself: nobody receives while it waits", None,
            "sendrecv(x, dest, source) sends and receives at once",
        )  # fmt: skip
    if other < 0:
        raise ArgumentValueError(f"rank {other} of a message: it is from 0 to {ranks.size - 1}")
