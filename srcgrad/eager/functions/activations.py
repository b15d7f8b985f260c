"""Activations: functions of one tensor that are used in networks.

All are composed; a branch that is not taken gets an argument at which it is finite, so that no
derivative meets an infinity. Conditions select the constant branches: NaN stays NaN. No
derivative is defined here.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from srcgrad.eager.functions import composed
from srcgrad.eager.functions.pointwise import add, div, mul, sub, where
from srcgrad.eager.functions.shapes import chunk
from srcgrad.eager.functions.table import TABLE, declared
from srcgrad.eager.inplace import in_place
from srcgrad.eager.tensor import Tensor
from srcgrad.errors import ArgumentValueError

exp, expm1, log1p, tanh, sigmoid, erf, abs_, gt, ge, le = (
    TABLE[n].function for n in (
        "exp", "expm1", "log1p", "tanh", "sigmoid", "erf", "abs", "gt", "ge", "le",
    )
)  # fmt: skip
_relu = TABLE["relu"].function
_SELU_ALPHA, _SELU_SCALE = 1.6732632423543772, 1.0507009873554805


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """x above zero, 0 elsewhere; the derivative at 0 is 0.

    >>> import srcgrad as flow
    >>> flow.nn.functional.relu(flow.tensor([-1.0, 2.0]))
    tensor([0., 2.], dtype=srcgrad.float32)
    """
    return in_place(_relu, input) if inplace else _relu(input)


def _exp_below(x: Tensor, positive: Tensor, scale: float = 1.0) -> Tensor:
    """expm1(x / scale) where `positive` is false, 0 elsewhere."""
    low = where(positive, 0.0, x)
    return expm1(low if scale == 1.0 else div(low, scale))


@declared("elu")
def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """x above zero, alpha * (exp(x) - 1) below.

    >>> import srcgrad as flow
    >>> flow.nn.functional.elu(flow.tensor([-1.0, 0.0, 2.0]))
    tensor([-0.6321,  0.0000,  2.0000], dtype=srcgrad.float32)
    """
    if inplace:
        return in_place(elu, input, alpha)
    positive = gt(input, 0)
    return where(positive, input, mul(_exp_below(input, positive), alpha))


@declared("celu")
def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """x above zero, alpha * (exp(x / alpha) - 1) below.

    >>> import srcgrad as flow
    >>> flow.celu(flow.tensor([-1.0, 2.0]))
    tensor([-0.6321,  2.0000], dtype=srcgrad.float32)
    """
    if inplace:
        return in_place(celu, input, alpha)
    positive = gt(input, 0)
    return where(positive, input, mul(_exp_below(input, positive, alpha), alpha))


@declared("selu")
def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """elu with the constants that keep mean and variance.

    >>> import srcgrad as flow
    >>> flow.selu(flow.tensor([0.0, 1.0]))
    tensor([0.0000, 1.0507], dtype=srcgrad.float32)
    """
    if inplace:
        return in_place(selu, input)
    return mul(elu(input, _SELU_ALPHA), _SELU_SCALE)


@declared("leaky_relu")
def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """x above zero, a small multiple of it below.

    >>> import srcgrad as flow
    >>> flow.leaky_relu(flow.tensor([-1.0, 2.0]), 0.5)
    tensor([-0.5000,  2.0000], dtype=srcgrad.float32)
    """
    if inplace:
        return in_place(leaky_relu, input, negative_slope)
    return where(gt(input, 0), input, mul(input, negative_slope))


@declared("prelu")
def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """x above zero, a learnt multiple of it below: one, or one for each index of dim 1.

    >>> import srcgrad as flow
    >>> flow.prelu(flow.tensor([-2.0, 3.0]), flow.tensor([0.5]))
    tensor([-1.,  3.], dtype=srcgrad.float32)
    """
    if input._a.ndim > 2:
        weight = weight.reshape(-1, *(1,) * (input._a.ndim - 2))
    return where(gt(input, 0), input, mul(input, weight))


@declared("hardtanh")
def hardtanh(
    input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False
) -> Tensor:
    """x clamped to [min_val, max_val]; the derivative at the bounds is 0.

    >>> import srcgrad as flow
    >>> flow.hardtanh(flow.tensor([-2.0, 0.5]))
    tensor([-1.0000,  0.5000], dtype=srcgrad.float32)
    """
    if inplace:
        return in_place(hardtanh, input, min_val, max_val)
    low = where(le(input, min_val), float(min_val), input)
    return where(ge(input, max_val), float(max_val), low)


@declared("relu6")
def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """x clamped to [0, 6]; the derivative at the bounds is 0.

    >>> import srcgrad as flow
    >>> flow.nn.functional.relu6(flow.tensor([-1.0, 9.0]))
    tensor([0., 6.], dtype=srcgrad.float32)
    """
    return hardtanh(input, 0.0, 6.0, inplace)


@declared("hardsigmoid")
def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """A piecewise linear sigmoid: relu6(x + 3) / 6.

    >>> import srcgrad as flow
    >>> flow.hardsigmoid(flow.tensor([-4.0, 0.0, 4.0]))
    tensor([0.0000, 0.5000, 1.0000], dtype=srcgrad.float32)
    """
    if inplace:
        return in_place(hardsigmoid, input)
    return div(hardtanh(add(input, 3.0), 0.0, 6.0), 6.0)


@declared("hardswish")
def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """x * hardsigmoid(x).

    >>> import srcgrad as flow
    >>> flow.hardswish(flow.tensor([-4.0, 3.0]))
    tensor([-0.,  3.], dtype=srcgrad.float32)
    """
    if inplace:
        return in_place(hardswish, input)
    return mul(input, hardsigmoid(input))


@declared("gelu")
def gelu(input: Tensor, approximate: str = "none") -> Tensor:
    """x times the normal distribution's cumulative function there; "tanh": its approximation.

    >>> import srcgrad as flow
    >>> flow.nn.functional.gelu(flow.tensor([0.0, 1.0]))
    tensor([0.0000, 0.8413], dtype=srcgrad.float32)
    """
    match approximate:
        case "none":
            return mul(mul(input, 0.5), add(erf(mul(input, math.sqrt(0.5))), 1.0))
        case "tanh":
            cubic = mul(input, add(mul(mul(input, input), 0.044715), 1.0))
            return mul(mul(input, 0.5), add(tanh(mul(cubic, math.sqrt(2.0 / math.pi))), 1.0))
    raise ArgumentValueError(f"approximate argument must be either none or tanh, not {approximate}")


@declared("silu")
def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """x * sigmoid(x).

    >>> import srcgrad as flow
    >>> flow.silu(flow.tensor([0.0, 1.0]))
    tensor([0.0000, 0.7311], dtype=srcgrad.float32)
    """
    if inplace:
        return in_place(silu, input)
    return mul(input, sigmoid(input))


@declared("softplus")
def softplus(input: Tensor, beta: float = 1.0, threshold: float = 20.0) -> Tensor:
    """log(1 + exp(beta * x)) / beta; x itself where beta * x is above the threshold.

    >>> import srcgrad as flow
    >>> flow.softplus(flow.tensor([0.0, 100.0]))
    tensor([  0.6931, 100.0000], dtype=srcgrad.float32)
    """
    scaled = input if beta == 1 else mul(input, beta)
    above = gt(scaled, threshold)
    soft = log1p(exp(where(above, 0.0, scaled)))
    return where(above, input, soft if beta == 1 else div(soft, beta))


@declared("mish")
def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """x * tanh(softplus(x)).

    >>> import srcgrad as flow
    >>> flow.mish(flow.tensor([0.0, 1.0]))
    tensor([0.0000, 0.8651], dtype=srcgrad.float32)
    """
    if inplace:
        return in_place(mish, input)
    return mul(input, tanh(softplus(input)))


@declared("softsign")
def softsign(input: Tensor) -> Tensor:
    """x / (1 + |x|).

    >>> import srcgrad as flow
    >>> flow.softsign(flow.tensor([-1.0, 3.0]))
    tensor([-0.5000,  0.7500], dtype=srcgrad.float32)
    """
    return div(input, add(abs_(input), 1.0))


@declared("logsigmoid", method=False)
def logsigmoid(input: Tensor) -> Tensor:
    """log(sigmoid(x)), without underflow.

    >>> import srcgrad as flow
    >>> flow.nn.functional.logsigmoid(flow.tensor([0.0, 1.0]))
    tensor([-0.6931, -0.3133], dtype=srcgrad.float32)
    """
    return mul(softplus(mul(input, -1.0), threshold=50.0), -1.0)


@declared("threshold", method=False)
def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """x above the threshold, a value elsewhere.

    >>> import srcgrad as flow
    >>> flow.threshold(flow.tensor([-1.0, 2.0]), 0.0, 9.0)
    tensor([9., 2.], dtype=srcgrad.float32)
    """
    if inplace:
        return in_place(TABLE["threshold"].function, input, threshold, value)
    return where(le(input, threshold), float(value), input)


@declared("hardshrink")
def hardshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """x where |x| is above `lambd`, 0 elsewhere.

    >>> import srcgrad as flow
    >>> flow.hardshrink(flow.tensor([-1.0, 0.25]))
    tensor([-1.,  0.], dtype=srcgrad.float32)
    """
    return where(le(abs_(input), lambd), 0.0, input)


@declared("softshrink", method=False)
def softshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """x moved towards zero by `lambd`, but not past it.

    >>> import srcgrad as flow
    >>> flow.softshrink(flow.tensor([-1.0, 0.25]))
    tensor([-0.5000,  0.0000], dtype=srcgrad.float32)
    """
    moved = where(gt(input, 0), sub(input, lambd), add(input, lambd))
    return where(le(abs_(input), lambd), 0.0, moved)


@declared("tanhshrink", method=False, top=False)
def tanhshrink(input: Tensor) -> Tensor:
    """x - tanh(x).

    >>> import srcgrad as flow
    >>> flow.nn.functional.tanhshrink(flow.tensor([0.0, 1.0]))
    tensor([0.0000, 0.2384], dtype=srcgrad.float32)
    """
    return sub(input, tanh(input))


def _along(input: Tensor, dim: int | None) -> int:
    """The dim, or that which PyTorch takes if none is given: 0 for 0, 1 or 3 dims, else 1."""
    if dim is not None:
        return dim
    return 0 if input._a.ndim in (0, 1, 3) else 1


def softmax(input: Tensor, dim: int | None = None, dtype: Any = None) -> Tensor:
    """exp(x) divided by its sum along a dim; without one, along 0 of 0, 1 or 3 dims, else 1.

    >>> import srcgrad as flow
    >>> flow.nn.functional.softmax(flow.tensor([1.0, 1.0]), 0)
    tensor([0.5000, 0.5000], dtype=srcgrad.float32)
    """
    return composed.softmax(input, _along(input, dim), dtype)


def log_softmax(input: Tensor, dim: int | None = None, dtype: Any = None) -> Tensor:
    """The logarithm of softmax along a dim.

    >>> import srcgrad as flow
    >>> flow.nn.functional.log_softmax(flow.tensor([0.0, 0.0]), 0)
    tensor([-0.6931, -0.6931], dtype=srcgrad.float32)
    """
    return composed.log_softmax(input, _along(input, dim), dtype)


@declared("softmin", method=False, top=False)
def softmin(input: Tensor, dim: int | None = None, dtype: Any = None) -> Tensor:
    """softmax of -x along a dim.

    >>> import srcgrad as flow
    >>> flow.nn.functional.softmin(flow.tensor([1.0, 1.0]), 0)
    tensor([0.5000, 0.5000], dtype=srcgrad.float32)
    """
    return softmax(mul(input, -1), dim, dtype)


@declared("glu", method=False)
def glu(input: Tensor, dim: int = -1) -> Tensor:
    """The first half of a dim times the sigmoid of the second.

    >>> import srcgrad as flow
    >>> flow.glu(flow.tensor([1.0, 0.0]))
    tensor([0.5000], dtype=srcgrad.float32)
    """
    first, second = chunk(input, 2, dim)
    return mul(first, sigmoid(second))


@declared("dropout", method=False)
def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Elements dropped with probability `p`, the others divided by 1 - p; in training only.

    ValueError for a probability outside [0, 1].

    >>> import srcgrad as flow
    >>> flow.dropout(flow.tensor([1.0, 2.0]), 0.5, training=False)
    tensor([1., 2.], dtype=srcgrad.float32)
    """
    if not 0.0 <= p <= 1.0:
        raise ArgumentValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    if not training or p == 0.0:
        return input
    if inplace:
        return in_place(dropout, input, p)
    from srcgrad.eager.create import rand_like

    kept = rand_like(input, dtype=input.dtype)._a >= p
    scale: Any = 0.0 if p == 1.0 else 1.0 / (1.0 - p)
    return mul(input, Tensor(np.where(kept, scale, 0.0).astype(input._a.dtype)))
