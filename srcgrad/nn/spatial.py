"""Convolution, pooling and batch statistics, composed of slices, products and reductions.

Images have the dims (batch, channels, height, width). No derivative.
"""

from __future__ import annotations

from typing import Any

from srcgrad.eager.functions.pointwise import add, div, mul, sub
from srcgrad.eager.functions.products import matmul
from srcgrad.eager.functions.reductions import amax, mean
from srcgrad.eager.functions.shapes import cat, permute, reshape
from srcgrad.eager.functions.table import TABLE
from srcgrad.eager.functions.windows import Pair, windows

sqrt = TABLE["sqrt"].function


def pair(value: Any) -> Pair:
    """A number for both dims, or one for each.

    >>> pair(3), pair((1, 2))
    ((3, 3), (1, 2))
    """
    if isinstance(value, int):
        return (value, value)
    return (int(value[0]), int(value[1]))


def conv2d(
    x: Any, weight: Any, bias: Any, kernel: Pair, stride: Pair = (1, 1), dilation: Pair = (1, 1),
    groups: int = 1,
) -> Any:  # fmt: skip
    """The sums of windows times a kernel of dims (out, channels / groups, height, width).

    One product of matrices for each group.

    >>> import srcgrad as flow
    >>> conv2d(flow.ones(1, 1, 3, 3), flow.ones(1, 1, 2, 2), None, (2, 2))
    tensor([[[[4., 4.],
              [4., 4.]]]], dtype=srcgrad.float32)
    """
    out, depth = weight.shape[:2]
    places = windows(x, kernel, stride, dilation)  # (places, batch, channels, h, w)
    k, n, _, h, w = places.shape
    each = out // groups

    def of_group(g: int) -> Any:
        part = permute(places[:, :, g * depth : (g + 1) * depth], (2, 0, 1, 3, 4))
        rows = reshape(weight[g * each : (g + 1) * each], (each, depth * k))
        sums = matmul(rows, reshape(part, (depth * k, n * h * w)))
        return reshape(sums, (each, n, h, w))

    made = [of_group(g) for g in range(groups)]
    y = permute(made[0] if groups == 1 else cat(made, 0), (1, 0, 2, 3))
    return y if bias is None else add(y, reshape(bias, (1, out, 1, 1)))


def max_pool2d(x: Any, kernel: Pair, stride: Pair) -> Any:
    """The maxima of windows; equal ones share the gradient."""
    return amax(windows(x, kernel, stride), 0)


def avg_pool2d(x: Any, kernel: Pair, stride: Pair) -> Any:
    """The means of windows."""
    return mean(windows(x, kernel, stride), 0)


def normalized(x: Any, centre: Any, spread: Any, gamma: Any, beta: Any, eps: float) -> Any:
    """Channels less their centres, over the roots of their spreads, times gamma plus beta."""
    form = (1, -1, *(1,) * (x.ndim - 2))
    scaled = div(sub(x, reshape(centre, form)), sqrt(add(reshape(spread, form), eps)))
    if gamma is None:
        return scaled
    return add(mul(scaled, reshape(gamma, form)), reshape(beta, form))
