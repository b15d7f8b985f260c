"""The ranks that compute together, over mpi4py's communicators or alone.

All communication of the package goes through `Group`. Never pickles an array.
"""

from __future__ import annotations

import functools
import sys
import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, TypeVar

import numpy as np

from srcgrad.errors import ArgumentTypeError
from srcgrad.records import record

T = TypeVar("T")
GRACE = (
    1.0  # seconds: mpiexec passes on what was printed, and drops what it has not when one aborts
)


class Known:
    """A number of a communicator, which compiled code takes as it is."""

    def __init__(self, number: Callable[..., int]):
        self._number = number
        functools.update_wrapper(self, number)

    def __call__(self, comm: Any = None) -> int:
        return self._number(comm)

    def srcgrad_inline(self, it: Any, args: list[Any], kwargs: dict[str, Any], node: Any) -> int:
        return self._number(*args, **kwargs)


@Known
def rank(comm: Any = None) -> int:
    """The number of this process in a communicator of mpi4py, by default of all processes.

    >>> from srcgrad import distributed
    >>> distributed.rank()
    0
    """
    return group(comm).rank


@Known
def size(comm: Any = None) -> int:
    """The number of processes in a communicator of mpi4py, by default of all.

    >>> from srcgrad import distributed
    >>> distributed.size()
    1
    """
    return group(comm).size


@record(frozen=True)
class Route:
    """The ranks that a message goes to and comes from, negative for nobody, and its tag."""

    dest: int
    source: int
    tag: int


class Group:
    """The ranks of a communicator; without one, this process alone."""

    def __init__(self, comm: Any):
        self.comm = comm
        self.rank: int = 0 if comm is None else comm.Get_rank()
        self.size: int = 1 if comm is None else comm.Get_size()
        self.exchanged = False  # whether a function that communicates was met

    def told(self, value: T) -> list[T]:
        """The values of all ranks, in their order; they are pickled."""
        return [value] if self.comm is None else self.comm.allgather(value)

    def of_root(self, value: T, root: int) -> T:
        """The value of one rank; it is pickled."""
        return value if self.comm is None else self.comm.bcast(value, root)

    def same(self, number: int) -> bool:
        """Whether all ranks have one 64-bit integer."""
        if self.comm is None:
            return True
        mpi = sys.modules["mpi4py.MPI"]
        most = np.array([number, -number])
        self.comm.Allreduce(mpi.IN_PLACE, most, mpi.MAX)
        return bool(most[0] == -most[1])

    def array_of_root(self, a: np.ndarray, root: int) -> None:
        """Overwrites a contiguous array with that of one rank."""
        if self.comm is not None:
            self.comm.Bcast(a, root)

    def add_up(self, a: np.ndarray) -> None:
        """Overwrites a contiguous array with the sum over all ranks, the same bits on each."""
        if self.comm is not None:
            mpi = sys.modules["mpi4py.MPI"]
            self.comm.Allreduce(mpi.IN_PLACE, a, mpi.SUM)

    def swapped(
        self, packets: Sequence[np.ndarray], routes: Sequence[Route]
    ) -> list[np.ndarray | None]:
        """Sends packets of bytes, and returns those that come, however long; None from nobody."""
        pairs = list(zip(packets, routes, strict=True))
        if self.comm is None:
            return [p if r.source >= 0 else None for p, r in pairs]
        sending = [self.comm.Isend(p, r.dest, r.tag) for p, r in pairs if r.dest >= 0]
        come = [self._packet(r) if r.source >= 0 else None for r in routes]
        for request in sending:
            request.Wait()
        return come

    def _packet(self, route: Route) -> np.ndarray:
        mpi = sys.modules["mpi4py.MPI"]
        status = mpi.Status()
        message = self.comm.Mprobe(route.source, route.tag, status)
        made = np.empty(status.Get_count(mpi.BYTE), np.uint8)
        message.Recv(made)
        return made

    def rows(self, mine: np.ndarray, counts: Sequence[int]) -> np.ndarray:
        """The rows of all ranks, of which each has given its own."""
        if self.comm is None:
            return mine
        every = np.empty((sum(counts), mine.shape[1]), mine.dtype)
        self.comm.Allgatherv(mine, [every, [n * mine.shape[1] for n in counts]])
        return every


def group(comm: Any = None) -> Group:
    """The ranks of a communicator of mpi4py; None: all processes that were started together."""
    if comm is None:
        return _world()
    mpi = sys.modules.get("mpi4py.MPI")
    if mpi is None or not isinstance(comm, mpi.Comm):
        raise ArgumentTypeError(
            f"comm must be a communicator of mpi4py, not {type(comm).__name__}", None,
            "leave it out for all processes, or pass MPI.COMM_WORLD.Split(...)",
        )  # fmt: skip
    return _started(comm)


@functools.cache
def _world() -> Group:
    try:
        from mpi4py import MPI
    except ImportError:
        return Group(None)
    except RuntimeError as error:  # mpi4py is there, and finds no MPI
        if "MPI library" not in str(error):
            raise
        return Group(None)
    return _started(MPI.COMM_WORLD)


def _started(comm: Any) -> Group:
    """The ranks of a communicator, which keeps them as an attribute as long as it is there."""
    key = _key()
    made = comm.Get_attr(key)
    if made is None:
        made = Group(comm)
        comm.Set_attr(key, made)
        if made.size > 1:
            _end_all_with_one()
    return made


@functools.cache
def _key() -> int:
    return sys.modules["mpi4py.MPI"].Comm.Create_keyval()


@functools.cache
def _end_all_with_one() -> None:
    """Ends all ranks where one ends by an exception: the others would wait for it for ever."""
    before = sys.excepthook

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        before(kind, error, trace)
        sys.stdout.flush()
        sys.stderr.flush()
        time.sleep(GRACE)
        sys.modules["mpi4py.MPI"].COMM_WORLD.Abort(1)

    sys.excepthook = hook
