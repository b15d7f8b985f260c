"""Communications as linear maps over all ranks, each with a rule that is another of them.

A map takes an array of each rank and gives one to each. The adjoint of a sum on one rank is a
broadcast, of a division into rows their collection, of a message the message back, of a halo the
addition of its rows to those that they were copied from.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.custom.functions import custom_jvp
from srcgrad.custom.opaque import Opaque
from srcgrad.distributed import messages
from srcgrad.distributed.ranks import Group
from srcgrad.records import record

Map = custom_jvp[..., Any]


@record(frozen=True)
class Maps:
    """The communications of a group of ranks, as functions with rules."""

    allreduce: Map
    reduce: Map
    bcast: Map
    scatter: Map
    gather: Map
    sendrecv: Map
    give: Map
    recv: Map
    halo: Map


@functools.lru_cache(maxsize=64)
def maps_of(ranks: Group) -> Maps:
    """The communications of a group; compiled code knows them by their identity."""
    ranks.exchanged = True
    return Maps(_sums(ranks), *_to_root(ranks), *_rows(ranks), *_messages(ranks), _halos(ranks))


def _linear(
    ranks: Group, run: Callable[..., np.ndarray], like: Callable[..., Any], pairwise: bool = False
) -> Map:
    """A map with its forward rule, which is itself; `pull` is stated by the caller.

    `like` makes an array of the result's shape; `pairwise`: one other rank waits for its part.
    """

    def called_back(*args: Any) -> np.ndarray:
        return run(ranks, *args)

    called_back.__name__ = run.__name__
    message = Opaque(called_back, like)

    def function(*args: Any) -> Any:
        return message(*args)

    def push(primals: tuple, tangents: tuple) -> Any:
        return made(*primals), made(tangents[0], *primals[1:])

    function.__name__ = run.__name__
    made: Map = custom_jvp(function)
    made.defjvp(push)
    made.exchanged, made.analytic = pairwise, True  # it moves and adds up parts as they are
    return made


def _like_argument(x: Any, *others: Any) -> Any:
    return x


def _sums(ranks: Group) -> Map:
    made = _linear(ranks, messages.allreduce, _like_argument)
    made.pull = lambda primals, g: (made(g),)
    return made


def _to_root(ranks: Group) -> tuple[Map, Map]:
    reduce = _linear(ranks, messages.reduce, _like_argument)
    bcast = _linear(ranks, messages.bcast, _like_argument)
    reduce.pull = lambda primals, g: (bcast(g, primals[1]), None)
    bcast.pull = lambda primals, g: (reduce(g, primals[1]), None)
    return reduce, bcast


def _rows(ranks: Group) -> tuple[Map, Map]:
    rank, size = ranks.rank, ranks.size

    def share(x: Any, root: Any) -> Any:
        return x[rank * len(x) // size : (rank + 1) * len(x) // size]

    def whole(x: Any, rows: Any, root: Any) -> Any:
        return np.zeros((rows, *x.shape[1:]), x.dtype)

    scatter = _linear(ranks, messages.scatter, share)
    gather = _linear(ranks, messages.gather, whole)
    scatter.pull = lambda primals, g: (gather(g, len(primals[0]), primals[1]), None)
    gather.pull = lambda primals, g: (scatter(g, primals[2]), None, None)
    return scatter, gather


def _messages(ranks: Group) -> tuple[Map, Map, Map]:
    sendrecv = _linear(ranks, messages.sendrecv, _like_argument, pairwise=True)
    give = _linear(ranks, messages.give, _like_argument, pairwise=True)
    recv = _linear(ranks, messages.recv, _like_argument, pairwise=True)

    def back(primals: tuple, g: Any) -> tuple:
        _, dest, source, tag = primals
        return sendrecv(g, source, dest, tag), None, None, None

    sendrecv.pull = back
    give.pull = lambda primals, g: (recv(g, primals[1], primals[2]), None, None)
    recv.pull = lambda primals, g: (give(g, primals[1], primals[2]), None, None)
    return sendrecv, give, recv


def _halos(ranks: Group) -> Map:
    halo = _linear(ranks, messages.halo, _like_argument)
    halo.pull = lambda primals, g: (halo(g, *primals[1:]), None, None, None)
    return halo
