"""Convolution and pooling of images and sequences, composed of slices, products and reductions.

Images have the dims (batch, channels, height, width), or none for the batch; a sequence is an image
of height 1. No derivative is defined here.
"""

from __future__ import annotations

import math
from typing import Any

from srcgrad.eager import create
from srcgrad.eager.functions.paddings import pad
from srcgrad.eager.functions.pointwise import add, div
from srcgrad.eager.functions.products import matmul
from srcgrad.eager.functions.reductions import amax, mean, sum
from srcgrad.eager.functions.shapes import cat, flip, getitem, permute, reshape, squeeze, unsqueeze
from srcgrad.eager.functions.windows import Pair, windows
from srcgrad.eager.tensor import Tensor
from srcgrad.errors import ArgumentValueError, TensorError


def pair(value: Any) -> Pair:
    """A number for both dims, or one for each.

    >>> pair(3), pair((1, 2))
    ((3, 3), (1, 2))
    """
    if isinstance(value, int):
        return (value, value)
    if len(value) == 1:
        return (value[0], value[0])
    return (value[0], value[1])


def single(value: Any) -> int:
    """A number, or the one in a tuple."""
    return value if isinstance(value, int) else value[0]


# ---- convolution ----
def convolved(
    x: Any, weight: Any, bias: Any, stride: Pair = (1, 1), dilation: Pair = (1, 1), groups: int = 1
) -> Any:
    """The sums of windows times a kernel of dims (out, channels / groups, height, width).

    One product of matrices for each group.

    >>> import srcgrad as flow
    >>> convolved(flow.ones(1, 1, 3, 3), flow.ones(1, 1, 2, 2), None)
    tensor([[[[4., 4.],
              [4., 4.]]]], dtype=srcgrad.float32)
    """
    out, depth, height, width = weight.shape
    places = windows(x, (height, width), stride, dilation)  # (places, batch, channels, h, w)
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


def around(padding: Any, kernel: Any, stride: Any, dilation: Any) -> tuple[int, int, int, int]:
    """The padding on the left, on the right, above and below, of a convolution's argument.

    ValueError for a word that is neither "valid" nor "same", and for "same" with a stride.
    """
    if padding == "valid":
        return (0, 0, 0, 0)
    if padding == "same":
        if stride != (1, 1):
            raise ArgumentValueError("padding='same' is not supported for strided convolutions")
        lack = [d * (k - 1) for k, d in zip(kernel, dilation, strict=True)]
        (top, left), (bottom, right) = [n // 2 for n in lack], [n - n // 2 for n in lack]
        return (left, right, top, bottom)
    if isinstance(padding, str):
        raise ArgumentValueError(f"Invalid padding string {padding!r}, should be 'valid' or 'same'")
    top, left = pair(padding)
    return (left, left, top, top)


def conv2d(
    input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Any = 1, padding: Any = 0,
    dilation: Any = 1, groups: int = 1,
) -> Tensor:  # fmt: skip
    """The sums of windows of images times kernels of dims (out, channels / groups, height, width).

    `padding`: zeros around the image, a number, one for each dim, "valid" or "same". RuntimeError
    for other channels than the kernels have.

    >>> import srcgrad as flow
    >>> flow.nn.functional.conv2d(flow.ones(1, 1, 3, 3), flow.ones(1, 1, 2, 2)).tolist()
    [[[[4.0, 4.0], [4.0, 4.0]]]]
    """
    if input.ndim == 3:
        whole = unsqueeze(input, 0)
        return squeeze(conv2d(whole, weight, bias, stride, padding, dilation, groups), 0)
    if input.ndim != 4 or weight.ndim != 4:
        raise TensorError(
            "Expected 3D (unbatched) or 4D (batched) input to conv2d and 4D weight, but got input "
            f"with {input.ndim} and weight with {weight.ndim} dims"
        )
    _check_channels(input, weight, groups)
    steps, holes = pair(stride), pair(dilation)
    kernel = (weight.shape[2], weight.shape[3])
    x = pad(input, around(padding, kernel, steps, holes))
    _check_size(x, [d * (k - 1) + 1 for k, d in zip(kernel, holes, strict=True)])
    return convolved(x, weight, bias, steps, holes, groups)


def conv1d(
    input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Any = 1, padding: Any = 0,
    dilation: Any = 1, groups: int = 1,
) -> Tensor:  # fmt: skip
    """The sums of windows of sequences times kernels of dims (out, channels / groups, length).

    >>> import srcgrad as flow
    >>> flow.nn.functional.conv1d(flow.arange(4.0).reshape(1, 1, 4), flow.ones(1, 1, 2)).tolist()
    [[[1.0, 3.0, 5.0]]]
    """
    sides = padding if isinstance(padding, str) else (0, single(padding))
    steps, holes = (1, single(stride)), (1, single(dilation))
    made = conv2d(
        unsqueeze(input, -2), unsqueeze(weight, -2), bias, steps, sides, holes, groups
    )  # fmt: skip
    return squeeze(made, -2)


def conv_transpose2d(
    input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Any = 1, padding: Any = 0,
    output_padding: Any = 0, groups: int = 1, dilation: Any = 1,
) -> Tensor:  # fmt: skip
    """The transpose of `conv2d`; the kernels have dims (channels, out / groups, height, width).

    >>> import srcgrad as flow
    >>> flow.nn.functional.conv_transpose2d(flow.ones(1, 1, 1, 1), flow.ones(1, 1, 2, 2)).shape
    srcgrad.Size([1, 1, 2, 2])
    """
    if input.ndim == 3:
        whole = unsqueeze(input, 0)
        made = conv_transpose2d(
            whole, weight, bias, stride, padding, output_padding, groups, dilation
        )  # fmt: skip
        return squeeze(made, 0)
    (s, t), (p, q), (a, b) = pair(stride), pair(padding), pair(output_padding)
    holes = pair(dilation)
    depth, each, *kernel = weight.shape
    top, left = [d * (k - 1) for k, d in zip(kernel, holes, strict=True)]
    spread = _spread(_spread(input, 2, s), 3, t)
    x = pad(spread, (left - q, left - q + b, top - p, top - p + a))
    # each group's kernels turned round, with the channels in and out exchanged
    parts = reshape(weight, (groups, depth // groups, each, *kernel))
    turned = flip(permute(parts, (0, 2, 1, 3, 4)), (3, 4))
    turned = reshape(turned, (groups * each, depth // groups, *kernel))
    return convolved(x, turned, bias, (1, 1), holes, groups)


def _spread(x: Any, dim: int, step: int) -> Any:
    """The slices of a dim with step - 1 slices of zeros between them."""
    if step == 1:
        return x
    shape = tuple(x.shape)
    n = shape[dim]
    zeros = create.zeros((*shape[: dim + 1], step - 1, *shape[dim + 1 :]), dtype=x.dtype)
    apart = reshape(
        cat([unsqueeze(x, dim + 1), zeros], dim + 1), (*shape[:dim], n * step, *shape[dim + 1 :])
    )
    return apart.narrow(dim, 0, (n - 1) * step + 1)


def _check_channels(input: Tensor, weight: Tensor, groups: int) -> None:
    shape = tuple(weight.shape)
    if input.shape[1] != shape[1] * groups:
        raise TensorError(
            f"Given groups={groups}, weight of size {list(shape)}, expected input"
            f"{list(input.shape)} to have {shape[1] * groups} channels, but got "
            f"{input.shape[1]} channels instead"
        )


def _check_size(x: Any, reach: list[Any]) -> None:
    if x.shape[2] < reach[0] or x.shape[3] < reach[1]:
        raise TensorError(
            f"Calculated padded input size per channel: ({x.shape[2]} x {x.shape[3]}). Kernel "
            f"size: ({reach[0]} x {reach[1]}). Kernel size can't be greater than actual input size"
        )


# ---- pooling ----
def max_pool2d(
    input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
    ceil_mode: bool = False, return_indices: bool = False,
) -> Tensor:  # fmt: skip
    """The maxima of windows; equal ones share the gradient. The stride is the window's by default.

    >>> import srcgrad as flow
    >>> flow.nn.functional.max_pool2d(flow.arange(16.0).reshape(1, 4, 4), 2).tolist()
    [[[5.0, 7.0], [13.0, 15.0]]]
    """
    if return_indices:
        raise ArgumentValueError("max_pool2d() has no return_indices: use x.unfold() and argmax")
    if input.ndim == 3:
        whole = unsqueeze(input, 0)
        return squeeze(max_pool2d(whole, kernel_size, stride, padding, dilation, ceil_mode), 0)
    kernel, holes = pair(kernel_size), pair(dilation)
    steps = kernel if stride is None else pair(stride)
    sides = _sides(input, kernel, steps, padding, holes, ceil_mode)
    return amax(windows(pad(input, sides, "constant", -math.inf), kernel, steps, holes), 0)


def avg_pool2d(
    input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
    count_include_pad: bool = True, divisor_override: int | None = None,
) -> Tensor:  # fmt: skip
    """The means of windows; padding counts as zeros unless `count_include_pad` is false.

    >>> import srcgrad as flow
    >>> flow.nn.functional.avg_pool2d(flow.arange(16.0).reshape(1, 4, 4), 2).tolist()
    [[[2.5, 4.5], [10.5, 12.5]]]
    """
    if input.ndim == 3:
        whole = unsqueeze(input, 0)
        options = (kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
        return squeeze(avg_pool2d(whole, *options), 0)
    kernel = pair(kernel_size)
    steps = kernel if stride is None else pair(stride)
    sides = _sides(input, kernel, steps, padding, (1, 1), ceil_mode)
    places = windows(pad(input, sides), kernel, steps)
    if divisor_override is not None:
        return div(sum(places, 0), divisor_override)
    if not ceil_mode and (count_include_pad or sides == (0, 0, 0, 0)):
        return mean(places, 0)
    # the elements of each window that count
    p, q = pair(padding)
    ones = create.ones((1, 1, *tuple(input.shape)[2:]), dtype=input.dtype)
    known = pad(ones, (q, q, p, p), "constant", 1.0 if count_include_pad else 0.0)
    counted = pad(known, (0, sides[1] - q, 0, sides[3] - p))
    return div(sum(places, 0), sum(windows(counted, kernel, steps), 0))


def _sides(
    input: Any, kernel: Pair, stride: Pair, padding: Any, dilation: Pair, ceil_mode: bool
) -> Any:
    """The padding of a pooling; with `ceil_mode` as far as the last window that begins inside."""
    (p, q), (a, b) = pair(padding), kernel
    if 2 * p > a or 2 * q > b:
        raise TensorError("pad should be at most half of effective kernel size")
    more = [0, 0]
    if ceil_mode:
        for k, before in ((0, p), (1, q)):
            length = input.shape[2 + k]
            rest = length + 2 * before - dilation[k] * (kernel[k] - 1) - 1
            count = -(-rest // stride[k]) + 1
            if (count - 1) * stride[k] >= length + before:
                count -= 1
            more[k] = max((count - 1) * stride[k] - rest, 0)
    return (q, q + more[1], p, p + more[0])


def max_pool1d(
    input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
    ceil_mode: bool = False, return_indices: bool = False,
) -> Tensor:  # fmt: skip
    """The maxima of windows of sequences.

    >>> import srcgrad as flow
    >>> flow.nn.functional.max_pool1d(flow.arange(4.0).reshape(1, 4), 2).tolist()
    [[1.0, 3.0]]
    """
    steps = None if stride is None else (1, single(stride))
    made = max_pool2d(
        unsqueeze(input, -2), (1, single(kernel_size)), steps, (0, single(padding)),
        (1, single(dilation)), ceil_mode, return_indices,
    )  # fmt: skip
    return squeeze(made, -2)


def avg_pool1d(
    input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:  # fmt: skip
    """The means of windows of sequences.

    >>> import srcgrad as flow
    >>> flow.nn.functional.avg_pool1d(flow.arange(4.0).reshape(1, 4), 2).tolist()
    [[0.5, 2.5]]
    """
    steps = None if stride is None else (1, single(stride))
    made = avg_pool2d(
        unsqueeze(input, -2), (1, single(kernel_size)), steps, (0, single(padding)), ceil_mode,
        count_include_pad,
    )  # fmt: skip
    return squeeze(made, -2)


def adaptive_avg_pool2d(input: Tensor, output_size: Any) -> Tensor:
    """The means of a given number of windows in each dim; None keeps a length.

    Window k of m over n elements reaches from floor(k n / m) to ceil((k + 1) n / m).

    >>> import srcgrad as flow
    >>> flow.nn.functional.adaptive_avg_pool2d(flow.arange(16.0).reshape(1, 4, 4), 1).tolist()
    [[[7.5]]]
    """
    sizes = (output_size, output_size) if isinstance(output_size, int) else tuple(output_size)
    x = input
    for dim, m in ((-2, sizes[0]), (-1, sizes[1])):
        x = _adapted(x, dim, m, mean)
    return x


def adaptive_avg_pool1d(input: Tensor, output_size: Any) -> Tensor:
    """The means of a given number of windows of sequences.

    >>> import srcgrad as flow
    >>> flow.nn.functional.adaptive_avg_pool1d(flow.arange(4.0).reshape(1, 4), 2).tolist()
    [[0.5, 2.5]]
    """
    return _adapted(input, -1, single(output_size), mean)


def adaptive_max_pool2d(input: Tensor, output_size: Any, return_indices: bool = False) -> Tensor:
    """The maxima of a given number of windows in each dim; equal ones share the gradient.

    >>> import srcgrad as flow
    >>> flow.nn.functional.adaptive_max_pool2d(flow.arange(16.0).reshape(1, 4, 4), 1).tolist()
    [[[15.0]]]
    """
    if return_indices:
        raise ArgumentValueError("adaptive_max_pool2d() has no return_indices: use argmax")
    sizes = (output_size, output_size) if isinstance(output_size, int) else tuple(output_size)
    x = input
    for dim, m in ((-2, sizes[0]), (-1, sizes[1])):
        x = _adapted(x, dim, m, amax)
    return x


def _adapted(x: Any, dim: int, m: int | None, reduce: Any) -> Any:
    if m is None:
        return x
    if m == 1:
        return reduce(x, dim, True)
    n = x.shape[dim]
    parts = [reduce(_range(x, dim, k * n // m, -(-(k + 1) * n // m)), dim, True) for k in range(m)]
    return cat(parts, dim)


def _range(x: Any, dim: int, start: Any, stop: Any) -> Any:
    return getitem(x, (..., slice(start, stop), *(slice(None),) * (-1 - dim)))
