"""Convolutions as modules, with PyTorch's arguments. No derivative."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from srcgrad.eager.functions.images import around
from srcgrad.errors import ArgumentValueError
from srcgrad.nn import functional
from srcgrad.nn.module import Module
from srcgrad.nn.parameter import Parameter, drawn

_MODES = ("zeros", "reflect", "replicate", "circular")


class _Convolution(Module):
    """The parameters of a convolution: kernels of dims (out, channels / groups, ...), a bias."""

    in_channels: int
    out_channels: int
    groups: int
    kernel_size: tuple[int, ...]
    stride: tuple[int, ...]
    padding: str | tuple[int, ...]
    dilation: tuple[int, ...]
    weight: Parameter
    bias: Parameter

    dims: int
    transposed: bool = False

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1,
        padding: Any = 0, dilation: Any = 1, groups: int = 1, bias: bool = True,
        padding_mode: str = "zeros", device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if groups <= 0:
            raise ArgumentValueError("groups must be a positive integer")
        for name, channels in (("in_channels", in_channels), ("out_channels", out_channels)):
            if channels % groups:
                raise ArgumentValueError(f"{name} must be divisible by groups")
        if padding_mode not in _MODES:
            raise ArgumentValueError(
                f"padding_mode must be one of {list(_MODES)}, but got padding_mode={padding_mode!r}"
            )
        self.in_channels, self.out_channels, self.groups = in_channels, out_channels, groups
        self.kernel_size, self.stride = self._each(kernel_size), self._each(stride)
        self.padding = padding if isinstance(padding, str) else self._each(padding)
        self.dilation, self.padding_mode = self._each(dilation), padding_mode
        ends = (in_channels, out_channels) if self.transposed else (out_channels, in_channels)
        shape = (ends[0], ends[1] // groups, *self.kernel_size)
        width = 1.0 / math.sqrt(math.prod(shape[1:]))
        self.weight = drawn(width, shape, dtype, device)
        if bias:
            self.bias = drawn(width, (out_channels,), dtype, device)
        else:
            self.register_parameter("bias", None)
        self._check(self.padding)

    def _each(self, value: Any) -> tuple[Any, ...]:
        return (value,) * self.dims if isinstance(value, int) else tuple(value)

    def _check(self, padding: Any) -> None:
        """ValueError for a padding that a word names and the stride excludes."""
        if isinstance(padding, str):
            self._around()

    def _around(self) -> tuple[Any, ...]:
        """The padding of the last dims, as `functional.pad` takes it."""
        fill = (0,) * (2 - self.dims), (1,) * (2 - self.dims)
        padding = self.padding if isinstance(self.padding, str) else (*fill[0], *self.padding)
        sides = around(
            padding, (*fill[1], *self.kernel_size), (*fill[1], *self.stride),
            (*fill[1], *self.dilation),
        )  # fmt: skip
        return sides[: 2 * self.dims]

    def _padded(self, input: Any) -> tuple[Any, Any]:
        """The argument and the padding that is left to be added: zeros."""
        if self.padding_mode == "zeros":
            return input, self.padding
        return functional.pad(input, self._around(), self.padding_mode), 0

    def _convolved(self, function: Callable, input: Any) -> Any:
        x, padding = self._padded(input)
        return function(x, self.weight, self.bias, self.stride, padding, self.dilation, self.groups)

    def extra_repr(self) -> str:
        shown = [f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}"]
        shown.append(f"stride={self.stride}")
        one = (1,) * self.dims
        rows = [
            ("padding", self.padding, (0,) * self.dims), ("dilation", self.dilation, one),
            ("groups", self.groups, 1), ("padding_mode", self.padding_mode, "zeros"),
        ]  # fmt: skip
        shown += [f"{name}={value}" for name, value, usual in rows if value != usual]
        return ", ".join(shown + (["bias=False"] if self.bias is None else []))


class Conv1d(_Convolution):
    """The sums of windows of sequences times kernels: `functional.conv1d`.

    >>> import srcgrad as flow
    >>> flow.nn.Conv1d(2, 4, 3)(flow.ones(1, 2, 8)).shape
    srcgrad.Size([1, 4, 6])
    """

    dims: int = 1

    def forward(self, input: Any) -> Any:
        return self._convolved(functional.conv1d, input)


class Conv2d(_Convolution):
    """The sums of windows of images times kernels: `functional.conv2d`.

    `srcgrad.mindspore.nn.Conv2d` has MindSpore's arguments and defaults.

    >>> import srcgrad as flow
    >>> flow.nn.Conv2d(1, 8, 3)(flow.ones(2, 1, 8, 8)).shape
    srcgrad.Size([2, 8, 6, 6])
    """

    dims: int = 2

    def forward(self, input: Any) -> Any:
        return self._convolved(functional.conv2d, input)


class ConvTranspose2d(_Convolution):
    """The transpose of `Conv2d`: `functional.conv_transpose2d`.

    >>> import srcgrad as flow
    >>> flow.nn.ConvTranspose2d(2, 1, 2, stride=2)(flow.ones(1, 2, 3, 3)).shape
    srcgrad.Size([1, 1, 6, 6])
    """

    output_padding: tuple[int, ...]

    dims: int = 2
    transposed: bool = True

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1,
        padding: Any = 0, output_padding: Any = 0, groups: int = 1, bias: bool = True,
        dilation: Any = 1, padding_mode: str = "zeros", device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        if padding_mode != "zeros":
            raise ArgumentValueError('Only "zeros" padding mode is supported for ConvTranspose2d')
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias,
            padding_mode, device, dtype,
        )  # fmt: skip
        self.output_padding = self._each(output_padding)

    def forward(self, input: Any) -> Any:
        return functional.conv_transpose2d(
            input, self.weight, self.bias, self.stride, self.padding, self.output_padding,
            self.groups, self.dilation,
        )  # fmt: skip
