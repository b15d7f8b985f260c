"""`over_chunks`: a call for each chunk of Dask's arrays and a tree of sums, as a graph of tasks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np

from srcgrad.distributed.flat import Flat, Number, taken_apart
from srcgrad.distributed.gradients import positions_of
from srcgrad.errors import ArgumentTypeError, ArgumentValueError, DeviceError, ShapeError

Part = tuple[Any, tuple[Number, ...], np.ndarray]  # a template, its numbers' forms, the numbers
ARITY = 8  # of the tree of sums


def over_chunks(
    function: Callable[..., Any], batch: int | tuple[int, ...],
    reduce: Literal["sum", "mean"] = "sum",
) -> Callable[..., Any]:  # fmt: skip
    """A function of Dask's arrays: the sum, or mean, of `function` over their chunks, delayed.

    `batch`: the arguments that are `dask.array`, with one division of the first axis into chunks
    and none of the others. A call gives a `dask.delayed` of the result of `function`, a gradient
    for example, with floats of all chunks added up in a fixed order, eight at a time: the same
    bits on any number of workers. With "mean" chunks are weighted by their rows. Other arguments
    go to each worker once.

    >>> import numpy as np, srcgrad as flow
    >>> from srcgrad import distributed
    >>> import dask.array
    >>> x = dask.array.arange(6.0, chunks=2)
    >>> total = distributed.over_chunks(flow.grad(lambda w, x: np.sum(w * x * x)), batch=1)
    >>> total(1.0, x).compute()
    55.0
    """
    if reduce not in ("sum", "mean"):
        raise ArgumentValueError(f'reduce must be "sum" or "mean", not {reduce!r}')
    at = positions_of(batch)
    if not at or min(at) < 0:
        raise ArgumentValueError(f"batch={batch!r} names no argument, counted from 0")

    def call(*args: Any, **kwargs: Any) -> Any:
        return _graph(function, at, reduce == "mean", args, kwargs)

    return call


def _graph(
    function: Callable[..., Any], at: Sequence[int], mean: bool, args: tuple, kwargs: dict
) -> Any:
    try:
        from dask.base import is_dask_collection
        from dask.delayed import delayed
    except ImportError as error:
        raise DeviceError("over_chunks needs Dask", None, "pip install 'srcgrad[dask]'") from error
    arrays: list[Any] = [args[k] if k < len(args) else None for k in at]
    for k, a in zip(at, arrays, strict=True):
        if not is_dask_collection(a) or not hasattr(a, "numblocks"):
            raise ArgumentTypeError(f"argument {k} is no array of Dask, but {type(a).__name__}")
        if any(n != 1 for n in a.numblocks[1:]):
            raise ShapeError(
                f"argument {k} is divided along more than the first axis: {a.chunks}", None,
                "x.rechunk({1: -1})",
            )  # fmt: skip
        if a.chunks[0] != arrays[0].chunks[0]:
            raise ShapeError(
                f"argument {k} has chunks of {a.chunks[0]} rows, and argument {at[0]} of "
                f"{arrays[0].chunks[0]}"
            )
    rows = arrays[0].chunks[0]
    blocks = [a.to_delayed().reshape(-1) for a in arrays]
    others = [None if k in at else a for k, a in enumerate(args)]
    sent = delayed((function, tuple(at), others, kwargs), traverse=False, pure=False)
    total = sum(rows)
    parts = [
        delayed(_part, pure=False)(sent, n / total if mean else 1.0, *[b[k] for b in blocks])
        for k, n in enumerate(rows)
        if n
    ]
    if not parts:
        raise ArgumentValueError("no chunk has a row: there is nothing to compute")
    while len(parts) > 1:
        groups = [parts[k : k + ARITY] for k in range(0, len(parts), ARITY)]
        parts = [delayed(_added, pure=False)(g) for g in groups]
    return delayed(_result, pure=False)(parts[0])


# ---- tasks ----
def _part(sent: tuple, weight: float, *blocks: Any) -> Part:
    """The result for one chunk, times its weight."""
    function, at, others, kwargs = sent
    given = list(others)
    for k, b in zip(at, blocks, strict=True):
        given[k] = np.asarray(b)
    template, numbers, arrays = taken_apart(function(*given, **kwargs), "result")
    flat = Flat(numbers, 1)
    flat.put(0, arrays, weight)
    return template, numbers, flat.rows[0]


def _added(parts: list[Part]) -> Part:
    template, numbers, first = parts[0]
    total = first.copy()
    for _, other, row in parts[1:]:
        if other != numbers:
            raise ShapeError(f"chunks have results of other shapes: {numbers} and {other}")
        total += row
    return template, numbers, total


def _result(part: Part) -> Any:
    template, numbers, row = part
    return Flat(numbers, 0).result(row, template)
