"""Sliding windows over images, of which convolutions and pooling are composed.

Each place of a window is a strided slice of the image. No derivative is defined here.
"""

from __future__ import annotations

from typing import Any

from srcgrad.eager.functions.shapes import getitem, stack
from srcgrad.eager.tensor import Tensor

Pair = tuple[int, int]


def windows(input: Tensor, kernel: Pair, stride: Pair, dilation: Pair = (1, 1)) -> Any:
    """For each place of a window, the image of the elements there.

    The dims are (places, batch, channels, height, width).

    >>> import srcgrad as flow
    >>> windows(flow.arange(4.0).reshape(1, 1, 2, 2), (1, 2), (1, 1)).flatten().tolist()
    [0.0, 2.0, 1.0, 3.0]
    """
    (a, b), (s, t), (d, e) = kernel, stride, dilation
    h = (input._a.shape[2] - d * (a - 1) - 1) // s * s + 1  # from the first step to the last
    w = (input._a.shape[3] - e * (b - 1) - 1) // t * t + 1
    places = [(i * d, j * e) for i in range(a) for j in range(b)]
    every = slice(None)
    return stack(
        [getitem(input, (every, every, slice(i, i + h, s), slice(j, j + w, t))) for i, j in places]
    )
