"""Tensors with further elements around them: a number, or their own, mirrored or repeated.

Composed of slices and concatenations. No derivative is defined here.
"""

from __future__ import annotations

from typing import Any

from srcgrad.eager import create
from srcgrad.eager.functions.shapes import cat, flip, getitem
from srcgrad.eager.tensor import Tensor
from srcgrad.errors import ArgumentValueError, TensorError


def pad(input: Tensor, pad: Any, mode: str = "constant", value: float | None = None) -> Tensor:
    """The tensor with elements before and after its last dims: (left, right, top, bottom, ...).

    `mode`: "constant" for one number (0 unless given), "reflect" for the elements inside, mirrored
    at the first and the last, "replicate" for these, "circular" for those of the other end. A
    negative number takes elements away.

    >>> import srcgrad as flow
    >>> flow.nn.functional.pad(flow.tensor([1.0, 2.0, 3.0]), (1, 2), value=9.0).tolist()
    [9.0, 1.0, 2.0, 3.0, 9.0, 9.0]
    >>> flow.nn.functional.pad(flow.tensor([[1.0, 2.0, 3.0]]), (1, 2), "reflect").tolist()
    [[2.0, 1.0, 2.0, 3.0, 2.0, 1.0]]
    """
    sides = tuple(pad)
    if len(sides) % 2 or len(sides) > 2 * input.ndim:
        raise TensorError(
            "Padding length must be even and at most twice the number of dimensions of the input"
        )
    if mode not in ("constant", "reflect", "replicate", "circular"):
        raise ArgumentValueError(f"Unrecognised padding mode {mode}")
    if mode != "constant" and value is not None:
        raise ArgumentValueError(f'Padding mode "{mode}" doesn\'t take in value argument')
    if mode == "constant":
        return framed(input, sides, 0.0 if value is None else value)
    x = input
    for k in range(len(sides) // 2):
        x = _continued(x, -1 - k, sides[2 * k], sides[2 * k + 1], mode)
    return x


def framed(input: Tensor, sides: tuple, value: float) -> Tensor:
    """The tensor with one number before and after its last dims."""
    x = input
    for k in range(len(sides) // 2):
        before, after, dim = sides[2 * k], sides[2 * k + 1], input._a.ndim - 1 - k
        if before < 0 or after < 0:
            x = _part(x, -1 - k, max(-before, 0), x._a.shape[dim] - max(-after, 0))
        shape = list(x._a.shape)
        parts = [x]
        for first, count in ((True, before), (False, after)):
            if count > 0:
                shape[dim] = count
                more = create.full(tuple(shape), value, dtype=x.dtype, device=x.device)
                parts = [more, *parts] if first else [*parts, more]
        x = parts[0] if len(parts) == 1 else cat(parts, dim)
    return x


def _continued(x: Any, dim: int, before: Any, after: Any, mode: str) -> Any:
    """The tensor with its own elements before and after those of one dim, counted from the end."""
    if before < 0 or after < 0:
        x = _part(x, dim, max(-before, 0), x.shape[dim] - max(-after, 0))
    parts = [x]
    if before > 0:
        parts = [_side(x, dim, before, mode, True), x]
    if after > 0:
        parts = [*parts, _side(x, dim, after, mode, False)]
    return parts[0] if len(parts) == 1 else cat(parts, x.ndim + dim)


def _side(x: Any, dim: int, count: int, mode: str, first: bool) -> Any:
    n = x.shape[dim]
    if mode == "replicate":
        edge = _part(x, dim, 0, 1) if first else _part(x, dim, n - 1, n)
        return cat([edge] * count, x.ndim + dim)
    if count > n - (mode == "reflect"):
        raise TensorError(
            f"Padding size should be less than the corresponding input dimension, but got {count} "
            f"for a dimension of length {n}"
        )
    if mode == "circular":
        return _part(x, dim, n - count, n) if first else _part(x, dim, 0, count)
    inside = _part(x, dim, 1, count + 1) if first else _part(x, dim, n - 1 - count, n - 1)
    return flip(inside, (x.ndim + dim,))


def _part(x: Any, dim: int, start: Any, stop: Any) -> Any:
    return getitem(x, (..., slice(start, stop), *(slice(None),) * (-1 - dim)))
