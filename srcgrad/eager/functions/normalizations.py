"""Normalisation by statistics of a batch, of an image or of groups of channels, and running means.

All composed; no derivative is defined here.
"""

from __future__ import annotations

from typing import Any

from srcgrad.eager.functions.pointwise import add, div, mul, sub
from srcgrad.eager.functions.reductions import mean
from srcgrad.eager.functions.shapes import reshape
from srcgrad.eager.functions.table import TABLE
from srcgrad.eager.inplace import write
from srcgrad.eager.tensor import Tensor
from srcgrad.errors import ArgumentValueError

sqrt = TABLE["sqrt"].function


def of_channels(a: Any, x: Any) -> Any:
    """One number for each channel, in the shape of a batch."""
    return reshape(a, (1, -1, *(1,) * (x.ndim - 2)))


def normalized(x: Any, centre: Any, spread: Any, gamma: Any, beta: Any, eps: float) -> Any:
    """Channels less their centres, over the roots of their spreads, times gamma plus beta."""
    made = div(sub(x, of_channels(centre, x)), sqrt(add(of_channels(spread, x), eps)))
    made = made if gamma is None else mul(made, of_channels(gamma, x))
    return made if beta is None else add(made, of_channels(beta, x))


def moments(x: Any) -> tuple[Any, Any]:
    """The mean and the variance (divided by n) of each channel over all other dims."""
    dims = (0, *range(2, x.ndim))
    centre = mean(x, dims)
    return centre, mean(TABLE["square"].function(sub(x, of_channels(centre, x))), dims)


def moved(average: Any, new: Any, weight: Any) -> None:
    """Moves an average towards a new value, in place; it is no part of a graph."""
    write(average, (1.0 - weight) * average._a + weight * new._a)


def batch_norm(
    input: Tensor, running_mean: Tensor | None, running_var: Tensor | None,
    weight: Tensor | None = None, bias: Tensor | None = None, training: bool = False,
    momentum: float = 0.1, eps: float = 1e-05,
) -> Tensor:  # fmt: skip
    """Channels normalised to mean 0 and variance 1: in training by the batch, else by averages.

    In training the averages are moved in place: average += momentum * (batch - average), the
    variance there divided by n - 1. ValueError for a single value per channel in training.

    >>> import srcgrad as flow
    >>> x = flow.tensor([[1.0], [3.0]])
    >>> flow.nn.functional.batch_norm(x, None, None, training=True).round().tolist()
    [[-1.0], [1.0]]
    """
    if not training and running_mean is not None and running_var is not None:
        return normalized(input, running_mean, running_var, weight, bias, eps)
    channels = input.shape[1]
    count = input._a.size // channels
    if training and count == 1:
        raise ArgumentValueError(
            f"Expected more than 1 value per channel when training, got input size {input.shape}"
        )
    centre, spread = moments(input)
    if training and running_mean is not None and running_var is not None:
        moved(running_mean, centre, momentum)
        moved(running_var, mul(spread, count / (count - 1)), momentum)
    return normalized(input, centre, spread, weight, bias, eps)


def group_norm(
    input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None,
    eps: float = 1e-05,
) -> Tensor:  # fmt: skip
    """Groups of channels normalised to mean 0 and variance 1, then channels scaled and shifted.

    >>> import srcgrad as flow
    >>> flow.nn.functional.group_norm(flow.tensor([[1.0, 3.0, 5.0, 5.0]]), 2).round().tolist()
    [[-1.0, 1.0, 0.0, 0.0]]
    """
    shape = tuple(input.shape)
    if shape[1] % num_groups != 0:
        raise ArgumentValueError("num_channels must be divisible by num_groups")
    rows = reshape(input, (shape[0], num_groups, -1))
    centred = sub(rows, mean(rows, -1, True))
    spread = sqrt(add(mean(mul(centred, centred), -1, True), eps))
    made = reshape(div(centred, spread), shape)
    made = made if weight is None else mul(made, of_channels(weight, made))
    return made if bias is None else add(made, of_channels(bias, made))
