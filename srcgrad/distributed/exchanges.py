"""Communications inside differentiated code, in compiled functions, on arrays and on tensors.

The derivative is that of the sum of what all ranks return: each rank computes the derivatives of
this sum by its own arguments. `maps` has the rules.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Generic, ParamSpec

import numpy as np

from srcgrad.distributed.maps import Map, maps_of
from srcgrad.distributed.messages import APART, numbers
from srcgrad.distributed.ranks import group
from srcgrad.eager import Tensor
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import describe, is_value

P = ParamSpec("P")
Chosen = tuple[Map, tuple[Any, ...]]  # a map and what it is called with


class Communication(Generic[P]):
    """A function of arrays that communicates; compiled code finds the map that it names."""

    def __init__(self, choose: Callable[P, Chosen]):
        self._choose = choose
        functools.update_wrapper(self, choose)

    def __call__(self, /, *args: P.args, **kwargs: P.kwargs) -> Any:
        chosen, given = self._choose(*args, **kwargs)
        return chosen(*given)

    def _chosen(
        self, it: Interpreter, args: list[Any], kwargs: dict[str, Any], node: Node
    ) -> tuple[Any, tuple[Any, ...]]:
        """The map of a call in compiled code, and its arguments."""
        choose: Any = self._choose
        chosen, given = choose(*args, **kwargs)
        if not is_value(given[0]) and not isinstance(given[0], np.ndarray):
            what = f"{self._choose.__name__} of {describe(given[0])}, not of an array or number"
            it.refuse(node, what, APART, like=TypeError)
        return chosen, given

    def srcgrad_inline(
        self, it: Interpreter, args: list[Any], kwargs: dict[str, Any], node: Node
    ) -> Any:
        chosen, given = self._chosen(it, args, kwargs, node)
        return chosen.srcgrad_inline(it, list(given), {}, node)


@Communication
def allreduce(x: Any, comm: Any = None) -> Chosen:
    """The sum of an array or number over all ranks, on every rank.

    As every rank returns what it makes of the sum, the adjoint is a sum too. A function whose value
    is `allreduce(part)` on each rank has that value once for each; return `part`, or
    `reduce(part)`, to count it once.

    >>> import numpy as np, srcgrad as flow
    >>> from srcgrad import distributed
    >>> def norm(x):
    ...     return np.sqrt(distributed.allreduce(np.sum(x * x)))
    >>> flow.grad(norm)(np.array([3.0, 4.0]))  # alone
    array([0.6, 0.8])
    """
    return maps_of(group(comm)).allreduce, (x,)


@Communication
def reduce(x: Any, root: int = 0, comm: Any = None) -> Chosen:
    """The sum of an array or number over all ranks on rank `root`, zeros on the others.

    The adjoint is `bcast`.

    >>> import numpy as np
    >>> from srcgrad import distributed
    >>> distributed.reduce(np.ones(2))
    array([1., 1.])
    """
    return maps_of(group(comm)).reduce, (x, root)


@Communication
def bcast(x: Any, root: int = 0, comm: Any = None) -> Chosen:
    """The array or number of rank `root`, on every rank; all pass one shape and dtype.

    The adjoint is `reduce`: the derivative by the argument is on rank `root`, zero on the others.

    >>> import srcgrad as flow
    >>> from srcgrad import distributed
    >>> flow.grad(lambda x: distributed.bcast(x) ** 2)(3.0)
    6.0
    """
    return maps_of(group(comm)).bcast, (x, root)


@Communication
def scatter(x: Any, root: int = 0, comm: Any = None) -> Chosen:
    """This rank's rows, as `shard` divides them, of the array of rank `root`.

    All ranks pass an array of one shape and dtype, of which that of `root` counts. The adjoint is
    `gather`.

    >>> import numpy as np
    >>> from srcgrad import distributed
    >>> distributed.scatter(np.arange(3.0))
    array([0., 1., 2.])
    """
    return maps_of(group(comm)).scatter, (x, root)


@Communication
def gather(x: Any, rows: int, root: int = 0, comm: Any = None) -> Chosen:
    """The rows of all ranks on rank `root`, in their order; zeros of that shape on the others.

    `rows`: the number of all rows, which are divided as `shard` divides them; a rank that has
    another number raises a ValueError. The adjoint is `scatter`.

    >>> import numpy as np
    >>> from srcgrad import distributed
    >>> distributed.gather(np.arange(3.0), 3)
    array([0., 1., 2.])
    """
    return maps_of(group(comm)).gather, (x, rows, root)


@Communication
def sendrecv(x: Any, dest: int, source: int, tag: int = 0, comm: Any = None) -> Chosen:
    """Sends an array to rank `dest` and returns the one of its shape that rank `source` sends here.

    A negative rank is nobody: nothing is sent, or zeros are received. The adjoint sends the other
    way, so both ranks have to differentiate: a value that is not used, or an argument that does
    not vary, is refused under a derivative.

    >>> import numpy as np
    >>> from srcgrad import distributed
    >>> distributed.sendrecv(np.ones(2), dest=0, source=0)
    array([1., 1.])
    """
    return maps_of(group(comm)).sendrecv, (x, dest, source, tag)


class _Send(Communication[P]):
    """The array that is sent, plus the zeros that carry the derivative back."""

    def __call__(self, /, *args: P.args, **kwargs: P.kwargs) -> Any:
        chosen, given = self._choose(*args, **kwargs)
        return given[0] + chosen(*given)

    def srcgrad_inline(
        self, it: Interpreter, args: list[Any], kwargs: dict[str, Any], node: Node
    ) -> Any:
        chosen, given = self._chosen(it, args, kwargs, node)
        return it.call(lambda x, dest, tag: x + chosen(x, dest, tag), list(given), {}, node)


@_Send
def send(x: Any, dest: int, tag: int = 0, comm: Any = None) -> Chosen:
    """Sends an array to rank `dest`, which calls `recv`, and returns it.

    Go on with what it returns: the derivative by the rank that received comes back by it. Under a
    derivative it is refused otherwise. Waits until the message can be sent, as `MPI_Send`.

    >>> from srcgrad import distributed
    >>> def sum_so_far(x):
    ...     rank, size = distributed.rank(), distributed.size()
    ...     if rank > 0:
    ...         x = x + distributed.recv(x, rank - 1)
    ...     return distributed.send(x, rank + 1) if rank + 1 < size else x
    >>> sum_so_far(1.0)  # alone
    1.0
    """
    return maps_of(group(comm)).give, (x, dest, tag)


@Communication
def recv(like: Any, source: int, tag: int = 0, comm: Any = None) -> Chosen:
    """The array that rank `source` sends, of the shape and dtype of `like`.

    The derivative by `like` is zero. Under a derivative `like` has to vary with what is
    differentiated, and the value has to be used: the adjoint is sent back.

    >>> from srcgrad import distributed
    >>> def with_the_one_before(x):
    ...     rank, size = distributed.rank(), distributed.size()
    ...     own = distributed.send(x, rank + 1) if rank + 1 < size else x
    ...     return own * distributed.recv(x, rank - 1) if rank > 0 else own
    >>> with_the_one_before(2.0)  # alone
    2.0
    """
    return maps_of(group(comm)).recv, (like, source, tag)


class _Halo(Communication[P]):
    """An array with what its ends are exchanged for around it: only these rows are sent."""

    def __call__(self, /, *args: P.args, **kwargs: P.kwargs) -> Any:
        chosen, given = self._choose(*args, **kwargs)
        if not isinstance(given[0], Tensor):
            numbers(self._choose.__name__, given[0])
        return _with_halo(chosen, *given)

    def srcgrad_inline(
        self, it: Interpreter, args: list[Any], kwargs: dict[str, Any], node: Node
    ) -> Any:
        chosen, given = self._chosen(it, args, kwargs, node)
        return it.call(functools.partial(_with_halo, chosen), list(given), {}, node)


def _with_halo(halo: Map, u: Any, width: int, periodic: bool, axis: int) -> Any:
    if np.ndim(u) == 0:
        raise ValueError("halo_exchange of a number, which has no rows")
    rows = np.moveaxis(u, axis, 0)
    n = len(rows)
    ends = halo(np.concatenate([rows[:width], rows[n - width :]]), n, width, periodic)
    first, last = np.moveaxis(ends[:width], 0, axis), np.moveaxis(ends[width:], 0, axis)
    return np.concatenate([first, u, last], axis=axis)


@_Halo
def halo_exchange(
    u: Any, width: int = 1, periodic: bool = False, axis: int = 0, comm: Any = None
) -> Chosen:
    """An array with `width` rows of the neighbouring ranks before and after its own, along `axis`.

    The ranks have consecutive parts of one long array. At its ends there are zeros, or with
    `periodic=True` the rows of the other end. A rank with fewer rows than `width` raises a
    ValueError. The adjoint adds the rows that were copied to where they came from.

    >>> import numpy as np
    >>> from srcgrad import distributed
    >>> distributed.halo_exchange(np.array([1.0, 2.0]), periodic=True)
    array([2., 1., 2., 1.])
    """
    return maps_of(group(comm)).halo, (u, width, periodic, axis)
