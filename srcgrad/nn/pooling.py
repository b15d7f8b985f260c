"""Pooling as modules: the windows of images and sequences, with PyTorch's arguments."""

from __future__ import annotations

from typing import Any

from srcgrad.nn import functional
from srcgrad.nn.module import Module


class _MaxPool(Module):
    """The window, the steps and the padding of a pooling by maxima."""

    kernel_size: Any
    stride: Any
    padding: Any
    dilation: Any
    ceil_mode: bool

    def __init__(
        self, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
        return_indices: bool = False, ceil_mode: bool = False,
    ) -> None:  # fmt: skip
        super().__init__()
        self.kernel_size, self.stride = kernel_size, kernel_size if stride is None else stride
        self.padding, self.dilation, self.ceil_mode = padding, dilation, ceil_mode
        self.return_indices = return_indices

    def _options(self) -> tuple[Any, ...]:
        return (
            self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode,
            self.return_indices,
        )  # fmt: skip

    def extra_repr(self) -> str:
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
            f"dilation={self.dilation}, ceil_mode={self.ceil_mode}"
        )


class MaxPool1d(_MaxPool):
    """The maxima of windows of sequences: `functional.max_pool1d`.

    >>> import srcgrad as flow
    >>> flow.nn.MaxPool1d(2)(flow.tensor([[1.0, 3.0, 5.0, 7.0]]))
    tensor([[3., 7.]], dtype=srcgrad.float32)
    """

    def forward(self, input: Any) -> Any:
        return functional.max_pool1d(input, *self._options())


class MaxPool2d(_MaxPool):
    """The maxima of windows of images: `functional.max_pool2d`; the stride is the window's.

    >>> import srcgrad as flow
    >>> flow.nn.MaxPool2d(2)(flow.ones(1, 1, 8, 8)).shape
    srcgrad.Size([1, 1, 4, 4])
    """

    def forward(self, input: Any) -> Any:
        return functional.max_pool2d(input, *self._options())


class AvgPool1d(Module):
    """The means of windows of sequences: `functional.avg_pool1d`.

    >>> import srcgrad as flow
    >>> flow.nn.AvgPool1d(2)(flow.tensor([[1.0, 3.0, 5.0, 7.0]]))
    tensor([[2., 6.]], dtype=srcgrad.float32)
    """

    kernel_size: Any
    stride: Any
    padding: Any
    ceil_mode: bool

    def __init__(
        self, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        self.kernel_size, self.stride = kernel_size, kernel_size if stride is None else stride
        self.padding, self.ceil_mode = padding, ceil_mode
        self.count_include_pad = count_include_pad

    def forward(self, input: Any) -> Any:
        return functional.avg_pool1d(
            input, self.kernel_size, self.stride, self.padding, self.ceil_mode,
            self.count_include_pad,
        )  # fmt: skip

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool2d(Module):
    """The means of windows of images: `functional.avg_pool2d`; the stride is the window's.

    >>> import srcgrad as flow
    >>> flow.nn.AvgPool2d(2)(flow.ones(1, 1, 8, 8)).shape
    srcgrad.Size([1, 1, 4, 4])
    """

    kernel_size: Any
    stride: Any
    padding: Any
    ceil_mode: bool
    count_include_pad: bool
    divisor_override: int | None

    def __init__(
        self, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
        count_include_pad: bool = True, divisor_override: int | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.kernel_size, self.stride = kernel_size, kernel_size if stride is None else stride
        self.padding, self.ceil_mode = padding, ceil_mode
        self.count_include_pad, self.divisor_override = count_include_pad, divisor_override

    def forward(self, input: Any) -> Any:
        return functional.avg_pool2d(
            input, self.kernel_size, self.stride, self.padding, self.ceil_mode,
            self.count_include_pad, self.divisor_override,
        )  # fmt: skip

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class _Adaptive(Module):
    """A pooling with a given number of windows in each dim."""

    def __init__(self, output_size: Any) -> None:
        super().__init__()
        self.output_size = output_size

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class AdaptiveAvgPool1d(_Adaptive):
    """The means of a given number of windows of sequences: `functional.adaptive_avg_pool1d`.

    >>> import srcgrad as flow
    >>> flow.nn.AdaptiveAvgPool1d(2)(flow.tensor([[1.0, 3.0, 5.0, 7.0]]))
    tensor([[2., 6.]], dtype=srcgrad.float32)
    """

    def forward(self, input: Any) -> Any:
        return functional.adaptive_avg_pool1d(input, self.output_size)


class AdaptiveAvgPool2d(_Adaptive):
    """The means of a given number of windows of images: `functional.adaptive_avg_pool2d`.

    >>> import srcgrad as flow
    >>> flow.nn.AdaptiveAvgPool2d((1, 1))(flow.ones(2, 3, 5, 7)).shape
    srcgrad.Size([2, 3, 1, 1])
    """

    def forward(self, input: Any) -> Any:
        return functional.adaptive_avg_pool2d(input, self.output_size)


class AdaptiveMaxPool2d(_Adaptive):
    """The maxima of a given number of windows of images: `functional.adaptive_max_pool2d`.

    >>> import srcgrad as flow
    >>> flow.nn.AdaptiveMaxPool2d(1)(flow.tensor([[[1.0, 3.0], [5.0, 7.0]]]))
    tensor([[[7.]]], dtype=srcgrad.float32)
    """

    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__(output_size)
        self.return_indices = return_indices

    def forward(self, input: Any) -> Any:
        return functional.adaptive_max_pool2d(input, self.output_size, self.return_indices)
