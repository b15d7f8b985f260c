"""Tensor functions as NumPy programs, for compiled code; the eager ones inspect their data.

Each computes the same as its namesake in `srcgrad.eager.functions`. No derivative.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.eager.dtypes import get_default_dtype


def getitem(input: Any, index: Any) -> Any:
    """`input[index]`."""
    return input[index]


def _dtype(dtype: Any, otherwise: Any) -> Any:
    return otherwise if dtype is None else getattr(dtype, "np", dtype)


def zeros(*size: Any, dtype: Any = None) -> Any:
    """A tensor of zeros of the default dtype unless one is given."""
    shape = size[0] if len(size) == 1 and isinstance(size[0], tuple | list) else size
    return np.zeros(shape, _dtype(dtype, get_default_dtype().np))


def ones(*size: Any, dtype: Any = None) -> Any:
    """A tensor of ones of the default dtype unless one is given."""
    shape = size[0] if len(size) == 1 and isinstance(size[0], tuple | list) else size
    return np.ones(shape, _dtype(dtype, get_default_dtype().np))


def full(size: Any, fill_value: Any, dtype: Any) -> Any:
    """A tensor of a shape filled with one number."""
    return np.full(size, fill_value, _dtype(dtype, dtype))


def zeros_like(input: Any, dtype: Any = None) -> Any:
    """Zeros of another tensor's shape and dtype."""
    return np.zeros_like(input, dtype=_dtype(dtype, input.dtype))


def ones_like(input: Any, dtype: Any = None) -> Any:
    """Ones of another tensor's shape and dtype."""
    return np.ones_like(input, dtype=_dtype(dtype, input.dtype))


def write(t: Any, a: Any) -> None:
    """Copies an array into a tensor's memory."""
    t[...] = a


def gather(input: Any, dim: int, index: Any) -> Any:
    """The elements along a dim at the indices in an index array."""
    return np.take_along_axis(input, index, dim)


def framed(input: Any, sides: Any, value: float) -> Any:
    """The tensor with one number before and after its last dims."""
    shape, inside, taken = list(input.shape), [], []
    for k in range(len(sides) // 2):
        before, after = sides[2 * k], sides[2 * k + 1]
        n = input.shape[-1 - k]
        shape[-1 - k] = n + before + after
        first = max(before, 0)
        inside.append(slice(first, first + n + min(before, 0) + min(after, 0)))
        taken.append(slice(max(-before, 0), n - max(-after, 0)))
    made = np.full(tuple(shape), value, input.dtype)
    made[(..., *inside[::-1])] = input[(..., *taken[::-1])]
    return made


def windows(input: Any, kernel: Any, stride: Any, dilation: Any = (1, 1)) -> Any:
    """For each place of a window, the image of the elements there; a loop over the places."""
    (a, b), (s, t), (d, e) = kernel, stride, dilation
    n, c = input.shape[:2]
    h = (input.shape[2] - d * (a - 1) - 1) // s
    w = (input.shape[3] - e * (b - 1) - 1) // t
    made = np.zeros((a * b, n, c, h + 1, w + 1), input.dtype)
    for i in range(a):
        for j in range(b):
            top, left = i * d, j * e
            made[i * b + j] = input[:, :, top : top + h * s + 1 : s, left : left + w * t + 1 : t]
    return made


def view(self: Any, *shape: Any) -> Any:
    """The elements in another shape."""
    many = len(shape) == 1 and isinstance(shape[0], tuple | list)
    return np.reshape(self, shape[0] if many else shape)


def root(x: Any) -> Any:
    """The square root with derivative 0 at 0."""
    zero = x == 0.0
    return np.where(zero, 0.0, np.sqrt(np.where(zero, 1.0, x)))


def places_along(index: Any, k: int, n: int) -> tuple:
    """The NumPy index of the places (…, index, …) along dim `k` of length `n`."""
    if np.any(index < 0) or np.any(index >= n):
        raise IndexError("index is out of bounds for the dimension")
    shape = index.shape
    axes = range(len(shape))
    return tuple(
        index if a == k else np.reshape(np.arange(shape[a]), [-1 if b == a else 1 for b in axes])
        for a in axes
    )


def repeat(input: Any, *sizes: Any) -> Any:
    """The whole repeated along each dim."""
    many = sizes[0] if len(sizes) == 1 and isinstance(sizes[0], tuple | list) else sizes
    return np.tile(input, many)


def one_hot(tensor: Any, num_classes: int) -> Any:
    """Integers as one-hot rows, in a new last dim."""
    return np.where(np.expand_dims(tensor, -1) == np.arange(num_classes), 1, 0)


def nll_loss(
    input: Any, target: Any, weight: Any = None, ignore_index: int = -100, reduction: str = "mean"
) -> Any:
    """Minus the log-probabilities of the target classes, which are along dim 1 (or 0)."""
    if input.ndim == 1:
        return nll_loss(
            np.expand_dims(input, 0), np.reshape(target, (1,)), weight, ignore_index,
            reduction if reduction != "none" else "sum",
        )  # fmt: skip
    n, classes = target.size, input.shape[1]
    rows = input if input.ndim == 2 else np.reshape(np.moveaxis(input, 1, -1), (-1, classes))
    labels = np.reshape(target, (-1,))
    counted = labels != ignore_index
    places = np.where(counted, labels, 0)
    if np.any(places < 0) or np.any(places >= classes):
        raise IndexError("Target is out of bounds.")
    scale = np.where(counted, 1.0, 0.0).astype(input.dtype)
    if weight is not None:
        scale = scale * weight[places]
    loss = np.where(counted, -rows[np.arange(n), places] * scale, 0.0)
    if reduction == "mean":
        return np.sum(loss) / np.sum(scale)
    return np.sum(loss) if reduction == "sum" else np.reshape(loss, target.shape)
