"""`value_and_grad`, `grad` and `hvp` over ranks: each rank's share, added up.

The functions of the same names in `srcgrad`, on each rank, and one message for all their numbers.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Any, Literal

from srcgrad import api
from srcgrad.distributed.ranks import group
from srcgrad.distributed.reduced import Division, Reduced
from srcgrad.errors import ArgumentTypeError, ArgumentValueError
from srcgrad.transforms.stacking import taken_apart

Positions = int | tuple[int, ...] | None
Reduce = Literal["sum", "mean"]
PIECES = 64  # of the data, with deterministic=True


def value_and_grad(
    fn: Callable[..., Any], grad_position: Positions = 0, weights: Any = None, *,
    comm: Any = None, reduce: Reduce = "sum", batch: int | tuple[int, ...] | None = None,
    shares: bool = False, deterministic: bool | int = False,
) -> Reduced:  # fmt: skip
    """(value, gradient) of the sum, or of the mean, of `fn` over the ranks; every rank has both.

    `grad_position` and `weights` are those of `srcgrad.value_and_grad`. `comm`: a communicator of
    mpi4py, by default of all processes. `batch`: the arguments (arrays, tensors or structures of
    them) that are divided by their first axis. All ranks pass the whole arrays and each computes
    with its rows; with `shares=True` each passes its own rows, as `shard` gives them. Without
    `batch` each rank's call is its share. `reduce="mean"` weights each share by its rows. A rank
    without rows does not call `fn`.

    Results have the structure, shapes and dtypes of `srcgrad.value_and_grad`, with the same bits on
    every rank; integers are refused. `deterministic=True` computes 64 fixed pieces of the data, or
    as many as it says, and adds them up in a fixed order: the same bits for any number of ranks.
    An exception on one rank is raised there, and on the others as a RankError that names it; so are
    ranks whose functions, shapes or versions differ.

    >>> import numpy as np
    >>> from srcgrad import distributed
    >>> def loss(w, x, y):
    ...     return np.mean((x @ w - y) ** 2)
    >>> step = distributed.value_and_grad(loss, reduce="mean", batch=(1, 2))
    >>> value, gradient = step(np.zeros(2), np.eye(2), np.array([1.0, 2.0]))
    >>> float(value), gradient.tolist()
    (2.5, [-1.0, -2.0])
    """
    made = api.value_and_grad(fn, grad_position, weights)
    how = _division(reduce, positions_of(batch), shares, deterministic)
    return Reduced(made, taken_apart(fn)[0], "value_and_grad", group(comm), how)


def grad(
    fn: Callable[..., Any], grad_position: Positions = 0, weights: Any = None, *,
    comm: Any = None, reduce: Reduce = "sum", batch: int | tuple[int, ...] | None = None,
    shares: bool = False, deterministic: bool | int = False,
) -> Reduced:  # fmt: skip
    """The gradient of the sum, or of the mean, of `fn` over the ranks: see `value_and_grad`.

    >>> import numpy as np
    >>> from srcgrad import distributed
    >>> def loss(w, x):
    ...     return np.sum(x * w)
    >>> distributed.grad(loss, batch=1)(2.0, np.arange(4.0))
    6.0
    """
    made = api.grad(fn, grad_position, weights)
    how = _division(reduce, positions_of(batch), shares, deterministic)
    return Reduced(made, taken_apart(fn)[0], "grad", group(comm), how)


def hvp(
    fn: Callable[..., Any], grad_position: int | tuple[int, ...] = 0, *, comm: Any = None,
    reduce: Reduce = "sum", batch: int | tuple[int, ...] | None = None, shares: bool = False,
    deterministic: bool | int = False,
) -> Reduced:  # fmt: skip
    """The product of the Hessian of a sum or mean over ranks with a direction: `srcgrad.hvp`.

    The direction is an argument after the differentiated ones; `batch` counts the arguments of
    `fn`, without it. The other options are those of `value_and_grad`.

    >>> import numpy as np
    >>> from srcgrad import distributed
    >>> def loss(w, x):
    ...     return np.sum((x @ w) ** 2)
    >>> product = distributed.hvp(loss, batch=1)
    >>> product(np.ones(2), np.array([1.0, 0.0]), np.eye(2))
    array([2., 0.])
    """
    made = api.hvp(fn, grad_position)
    last = max(positions_of(grad_position), default=0)
    at = positions_of(batch)
    if any(k < 0 for k in (*at, *positions_of(grad_position))):
        raise ArgumentValueError("hvp counts arguments from the first: no negative batch")
    shifted = tuple(k + 1 if k > last else k for k in at)
    how = _division(reduce, shifted, shares, deterministic)
    return Reduced(made, taken_apart(fn)[0], "hvp", group(comm), how)


def positions_of(given: int | Iterable[int] | None) -> tuple[int, ...]:
    """Positions of arguments as a tuple.

    >>> positions_of(2), positions_of((0, 1)), positions_of(None)
    ((2,), (0, 1), ())
    """
    if given is None:
        return ()
    several = given if isinstance(given, Iterable) else (given,)
    return tuple(map(operator.index, several))


def _division(reduce: str, batch: tuple[int, ...], shares: bool, deterministic: Any) -> Division:
    if reduce not in ("sum", "mean"):
        raise ArgumentValueError(f'reduce must be "sum" or "mean", not {reduce!r}')
    if not isinstance(deterministic, bool | int) or deterministic < 0:
        raise ArgumentTypeError(
            f"deterministic must be True, False or a number of pieces, not {deterministic!r}"
        )
    if shares and not batch:
        raise ArgumentValueError(
            "shares=True says that the arguments of batch are this rank's rows, and there is none",
            None, "batch=1, or leave both out where each rank's call is its share",
        )  # fmt: skip
    if deterministic and (shares or not batch):
        raise ArgumentValueError(
            "deterministic=True cuts the data into the same pieces for any number of ranks: each "
            "rank needs all rows", None, "batch=..., without shares=True",
        )  # fmt: skip
    pieces = PIECES if deterministic is True else int(deterministic)
    return Division(batch, reduce == "mean", shares, pieces)
