"""Cells for images: convolution, pooling, batch normalisation, with MindSpore's arguments."""

from __future__ import annotations

import math
from typing import Any

from srcgrad.eager.functions.images import convolved, pair
from srcgrad.eager.functions.normalizations import moments, moved, normalized
from srcgrad.eager.functions.paddings import pad
from srcgrad.eager.functions.reductions import amax, mean
from srcgrad.eager.functions.windows import windows
from srcgrad.errors import ArgumentValueError
from srcgrad.mindspore.nn.cell import Cell
from srcgrad.mindspore.nn.initializer import initial
from srcgrad.mindspore.parameter import Parameter


class _Windowed(Cell):
    """A sliding window: its shape, its steps, the padding around the image."""

    kernel_size: tuple[int, int]
    stride: tuple[int, int]
    dilation: tuple[int, int]

    def __init__(
        self, kernel_size: Any, stride: Any, pad_mode: str, padding: Any, dilation: Any = 1
    ) -> None:
        super().__init__()
        if pad_mode not in ("same", "valid", "pad"):
            raise ArgumentValueError(
                f"For '{type(self).__name__}', the 'pad_mode' must be in ['same', 'valid', 'pad'], "
                f"but got {pad_mode!r}."
            )
        self.kernel_size, self.stride = pair(kernel_size), pair(stride)
        self.dilation, self.pad_mode = pair(dilation), pad_mode
        given = (padding,) * 4 if isinstance(padding, int) else tuple(padding)
        if any(given) and pad_mode != "pad":
            raise ArgumentValueError("'padding' must be 0 unless 'pad_mode' is 'pad'")
        self.padding = given  # above, below, left, right

    def around(self, x: Any, fill: float = 0.0) -> Any:
        """The padded image."""
        if self.pad_mode == "valid":
            return x
        if self.pad_mode == "pad":
            (top, bottom), (left, right) = self.padding[:2], self.padding[2:]
        else:
            (top, bottom), (left, right) = self._lack(x, 0), self._lack(x, 1)
        return pad(x, (left, right, top, bottom), "constant", fill)

    def _lack(self, x: Any, axis: int) -> tuple[Any, Any]:
        """The padding before and after for as many windows as steps begin in the image."""
        reach = self.dilation[axis] * (self.kernel_size[axis] - 1) + 1
        n, step = x.shape[2 + axis], self.stride[axis]
        lack = max((n - 1) // step * step + reach - n, 0)
        return lack // 2, lack - lack // 2

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, pad_mode={self.pad_mode}"


class Conv2d(_Windowed):
    """Sums of windows times kernels; "same" keeps height and width where the stride is 1.

    >>> import srcgrad as flow
    >>> flow.mindspore.nn.Conv2d(1, 4, 3)(flow.ones(2, 1, 5, 5)).shape
    srcgrad.Size([2, 4, 5, 5])
    """

    in_channels: int
    out_channels: int
    group: int

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1,
        pad_mode: str = "same", padding: Any = 0, dilation: Any = 1, group: int = 1,
        has_bias: bool = False, weight_init: Any = None, bias_init: Any = None,
        data_format: str = "NCHW", dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(kernel_size, stride, pad_mode, padding, dilation)
        if data_format != "NCHW":
            raise ArgumentValueError("images have the dims (batch, channels, height, width): NCHW")
        if in_channels % group or out_channels % group:
            raise ArgumentValueError("'group' must divide the numbers of channels")
        self.in_channels, self.out_channels, self.group = in_channels, out_channels, group
        shape = (out_channels, in_channels // group, *self.kernel_size)
        width = 1.0 / math.sqrt(math.prod(shape[1:]))
        self.weight: Parameter = Parameter(initial(weight_init, shape, dtype, width), name="weight")
        self.has_bias = has_bias
        if has_bias:
            self.bias: Parameter = Parameter(
                initial(bias_init, (out_channels,), dtype, width), name="bias"
            )
        else:
            self.register_parameter("bias", None)

    def construct(self, x: Any) -> Any:
        x = self.around(x)
        return convolved(x, self.weight, self.bias, self.stride, self.dilation, self.group)

    def extra_repr(self) -> str:
        channels = f"input_channels={self.in_channels}, output_channels={self.out_channels}"
        return f"{channels}, {super().extra_repr()}, has_bias={self.has_bias}"


class MaxPool2d(_Windowed):
    """The maxima of windows.

    >>> import srcgrad as flow
    >>> flow.mindspore.nn.MaxPool2d(2, 2)(flow.arange(16.0).reshape(1, 1, 4, 4)).tolist()
    [[[[5.0, 7.0], [13.0, 15.0]]]]
    """

    def __init__(
        self, kernel_size: Any = 1, stride: Any = 1, pad_mode: str = "valid", padding: Any = 0
    ) -> None:
        super().__init__(kernel_size, stride, pad_mode, padding)

    def construct(self, x: Any) -> Any:
        return amax(windows(self.around(x, -math.inf), self.kernel_size, self.stride), 0)


class AvgPool2d(_Windowed):
    """The means of windows; padding counts as zeros.

    >>> import srcgrad as flow
    >>> import srcgrad.mindspore as ms
    >>> ms.nn.AvgPool2d(2)(flow.tensor([[[[1.0, 3.0], [5.0, 7.0]]]])).tolist()
    [[[[4.0]]]]
    """

    def __init__(
        self, kernel_size: Any = 1, stride: Any = 1, pad_mode: str = "valid", padding: Any = 0
    ) -> None:
        super().__init__(kernel_size, stride, pad_mode, padding)
        if pad_mode == "same":
            raise ArgumentValueError("AvgPool2d takes the pad_mode 'valid' or 'pad'")

    def construct(self, x: Any) -> Any:
        return mean(windows(self.around(x), self.kernel_size, self.stride), 0)


class _BatchNorm(Cell):
    """Channels normalised to mean 0 and variance 1: by the batch in training, else by moving means.

    moving = momentum * moving + (1 - momentum) * batch, the variance there divided by n - 1.
    """

    num_features: int
    eps: float
    momentum: float

    def __init__(
        self, num_features: int, eps: float = 1e-5, momentum: float = 0.9, affine: bool = True,
        gamma_init: Any = "ones", beta_init: Any = "zeros", moving_mean_init: Any = "zeros",
        moving_var_init: Any = "ones", use_batch_statistics: bool | None = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if num_features < 1 or not 0.0 <= momentum <= 1.0:
            raise ArgumentValueError("'num_features' must be at least 1, 'momentum' in [0, 1]")
        self.num_features, self.eps, self.momentum = num_features, float(eps), float(momentum)
        self.use_batch_statistics = use_batch_statistics
        rows = [
            ("moving_mean", moving_mean_init, False), ("moving_variance", moving_var_init, False),
            ("gamma", gamma_init, True), ("beta", beta_init, True),
        ]  # fmt: skip
        for name, init, trained in rows:
            start = initial(init, (num_features,), dtype)
            kept = affine or not trained
            made = Parameter(start, name=name, requires_grad=trained) if kept else None
            self.register_parameter(name, made)

    def construct(self, x: Any) -> Any:
        batch = self.training if self.use_batch_statistics is None else self.use_batch_statistics
        if not batch:
            return normalized(
                x, self.moving_mean, self.moving_variance, self.gamma, self.beta, self.eps
            )
        centre, spread = moments(x)
        if self.training:
            count = x._a.size // self.num_features
            weight = 1.0 - self.momentum
            moved(self.moving_mean, centre, weight)
            moved(self.moving_variance, spread * (count / max(count - 1, 1)), weight)
        return normalized(x, centre, spread, self.gamma, self.beta, self.eps)

    def extra_repr(self) -> str:
        return f"num_features={self.num_features}, eps={self.eps}, momentum={self.momentum}"


class BatchNorm1d(_BatchNorm):
    """Batch normalisation of vectors: dims (batch, channels).

    >>> import srcgrad as flow
    >>> norm = flow.mindspore.nn.BatchNorm1d(1).set_train()
    >>> norm(flow.tensor([[1.0], [3.0]])).detach().round().tolist(), norm.moving_mean.item()
    ([[-1.0], [1.0]], 0.20000000298023224)
    """


class BatchNorm2d(_BatchNorm):
    """Batch normalisation of images: dims (batch, channels, height, width).

    >>> import srcgrad as flow
    >>> import srcgrad.mindspore as ms
    >>> ms.nn.BatchNorm2d(3)(flow.ones(2, 3, 4, 4)).shape
    srcgrad.Size([2, 3, 4, 4])
    """
