"""`flow.nn.init`: writes initial values into tensors, by PyTorch's names and formulae.

Random numbers are drawn from the generator that `flow.manual_seed` seeds.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from srcgrad.eager import Tensor, create
from srcgrad.eager.inplace import write
from srcgrad.errors import ArgumentValueError
from srcgrad.namespace import publish


def _set(tensor: Tensor, a: Any) -> Tensor:
    write(tensor, np.broadcast_to(np.asarray(a), tensor._a.shape))
    return tensor


def _fans(tensor: Tensor) -> tuple[int, int]:
    """The fan-in and the fan-out of a weight of dims (out, in, ...)."""
    shape = tensor._a.shape
    if len(shape) < 2:
        raise ArgumentValueError(
            "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions"
        )
    field = math.prod(shape[2:])
    return shape[1] * field, shape[0] * field


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """The factor by which a nonlinearity shrinks a standard deviation, inverted.

    >>> calculate_gain("tanh")
    1.6666666666666667
    """
    if nonlinearity.startswith(("linear", "conv", "sigmoid")):
        return 1.0
    if nonlinearity == "leaky_relu":
        return math.sqrt(2.0 / (1.0 + (0.01 if param is None else param) ** 2))
    gains = {"tanh": 5.0 / 3.0, "relu": math.sqrt(2.0), "selu": 3.0 / 4.0}
    if nonlinearity not in gains:
        raise ArgumentValueError(f"Unsupported nonlinearity {nonlinearity}")
    return gains[nonlinearity]


# ---- numbers ----
def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0) -> Tensor:
    """Draws from [a, b).

    >>> import srcgrad as flow
    >>> bool((flow.nn.init.uniform_(flow.empty(9)) < 1.0).all())
    True
    """
    return _set(tensor, create.generator().uniform(a, b, tensor._a.shape))


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0) -> Tensor:
    """Draws from a normal distribution.

    >>> import srcgrad as flow
    >>> flow.nn.init.normal_(flow.empty(3, 5), 0.0, 0.1).shape
    srcgrad.Size([3, 5])
    """
    return _set(tensor, create.generator().normal(mean, std, tensor._a.shape))


def trunc_normal_(
    tensor: Tensor, mean: float = 0.0, std: float = 1.0, a: float = -2.0, b: float = 2.0
) -> Tensor:
    """Draws from a normal distribution, those outside [a, b] drawn again.

    >>> import srcgrad as flow
    >>> bool((flow.nn.init.trunc_normal_(flow.empty(9)).abs() <= 2.0).all())
    True
    """
    if not a < b:
        raise ArgumentValueError("the lower bound must be below the upper one")
    draw = create.generator().normal
    made = draw(mean, std, tensor._a.shape)
    for _ in range(1000):
        far = (made < a) | (made > b)
        if not far.any():
            return _set(tensor, made)
        made = np.where(far, draw(mean, std, made.shape), made)
    raise ArgumentValueError("[a, b] is so far from the mean that hardly a draw falls into it")


def constant_(tensor: Tensor, val: float) -> Tensor:
    """One number everywhere.

    >>> import srcgrad as flow
    >>> flow.nn.init.constant_(flow.empty(2), 3.0)
    tensor([3., 3.], dtype=srcgrad.float32)
    """
    return _set(tensor, val)


def ones_(tensor: Tensor) -> Tensor:
    """Ones.

    >>> import srcgrad as flow
    >>> flow.nn.init.ones_(flow.empty(2))
    tensor([1., 1.], dtype=srcgrad.float32)
    """
    return _set(tensor, 1.0)


def zeros_(tensor: Tensor) -> Tensor:
    """Zeros.

    >>> import srcgrad as flow
    >>> flow.nn.init.zeros_(flow.empty(2))
    tensor([0., 0.], dtype=srcgrad.float32)
    """
    return _set(tensor, 0.0)


def eye_(tensor: Tensor) -> Tensor:
    """Ones on the diagonal of a matrix, zeros elsewhere; ValueError for other dims.

    >>> import srcgrad as flow
    >>> flow.nn.init.eye_(flow.empty(2, 2))
    tensor([[1., 0.],
            [0., 1.]], dtype=srcgrad.float32)
    """
    if tensor._a.ndim != 2:
        raise ArgumentValueError("Only tensors with 2 dimensions are supported")
    return _set(tensor, np.eye(*tensor._a.shape))


def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """Kernels that keep the channels of a convolution, in groups.

    >>> import srcgrad as flow
    >>> flow.nn.init.dirac_(flow.empty(1, 1, 3))
    tensor([[[0., 1., 0.]]], dtype=srcgrad.float32)
    """
    shape = tensor._a.shape
    if not 3 <= len(shape) <= 5:
        raise ArgumentValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    if shape[0] % groups:
        raise ArgumentValueError("dim 0 must be divisible by groups")
    made, each = np.zeros(shape), shape[0] // groups
    centre = tuple(n // 2 for n in shape[2:])
    for g in range(groups):
        for k in range(min(each, shape[1])):
            made[(g * each + k, k, *centre)] = 1.0
    return _set(tensor, made)


# ---- by the numbers of connections ----
def xavier_uniform_(tensor: Tensor, gain: float = 1.0) -> Tensor:
    """Draws from [-w, w), w = gain sqrt(6 / (fan_in + fan_out)): Glorot and Bengio 2010.

    >>> import srcgrad as flow
    >>> bool((flow.nn.init.xavier_uniform_(flow.empty(3, 3)).abs() <= 1.0).all())
    True
    """
    width = gain * math.sqrt(6.0 / sum(_fans(tensor)))
    return uniform_(tensor, -width, width)


def xavier_normal_(tensor: Tensor, gain: float = 1.0) -> Tensor:
    """Normal draws, of deviation gain sqrt(2 / (fan_in + fan_out)): Glorot and Bengio 2010.

    >>> import srcgrad as flow
    >>> flow.nn.init.xavier_normal_(flow.empty(3, 5)).shape
    srcgrad.Size([3, 5])
    """
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / sum(_fans(tensor))))


def _deviation(tensor: Tensor, a: float, mode: str, nonlinearity: str) -> float:
    if mode not in ("fan_in", "fan_out"):
        raise ArgumentValueError(f"Mode {mode} not supported, please use one of fan_in, fan_out")
    fan = _fans(tensor)[mode == "fan_out"]
    return calculate_gain(nonlinearity, a) / math.sqrt(fan)


def kaiming_uniform_(
    tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu"
) -> Tensor:
    """Draws from [-w, w), w = gain sqrt(3 / fan): He et al. 2015.

    >>> import srcgrad as flow
    >>> flow.nn.init.kaiming_uniform_(flow.empty(3, 5)).shape
    srcgrad.Size([3, 5])
    """
    width = math.sqrt(3.0) * _deviation(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -width, width)


def kaiming_normal_(
    tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu"
) -> Tensor:
    """Normal draws, of deviation gain / sqrt(fan): He et al. 2015.

    >>> import srcgrad as flow
    >>> flow.nn.init.kaiming_normal_(flow.empty(3, 5)).shape
    srcgrad.Size([3, 5])
    """
    return normal_(tensor, 0.0, _deviation(tensor, a, mode, nonlinearity))


def orthogonal_(tensor: Tensor, gain: float = 1) -> Tensor:
    """A matrix with orthonormal rows or columns, times gain: Saxe et al. 2013.

    >>> import srcgrad as flow
    >>> w = flow.nn.init.orthogonal_(flow.empty(3, 3))
    >>> flow.allclose(w @ w.T, flow.eye(3), atol=1e-5)
    True
    """
    shape = tensor._a.shape
    if len(shape) < 2:
        raise ArgumentValueError("Only tensors with 2 or more dimensions are supported")
    rows, columns = shape[0], math.prod(shape[1:])
    drawn = create.generator().normal(0.0, 1.0, (max(rows, columns), min(rows, columns)))
    q, r = np.linalg.qr(drawn)
    q = q * np.sign(np.diag(r))
    return _set(tensor, gain * (q.T if rows < columns else q).reshape(shape))


def sparse_(tensor: Tensor, sparsity: float, std: float = 0.01) -> Tensor:
    """Normal draws, a fraction of each column set to zero: Martens 2010.

    >>> import srcgrad as flow
    >>> w = flow.nn.init.sparse_(flow.empty(4, 2), 0.25)
    >>> flow.count_nonzero(w == 0.0)
    tensor(2, dtype=srcgrad.int64)
    """
    if tensor._a.ndim != 2:
        raise ArgumentValueError("Only tensors with 2 dimensions are supported")
    rows, columns = tensor._a.shape
    made = create.generator().normal(0.0, std, (rows, columns))
    for k in range(columns):
        made[create.generator().permutation(rows)[: math.ceil(sparsity * rows)], k] = 0.0
    return _set(tensor, made)


__all__ = [
    "calculate_gain", "constant_", "dirac_", "eye_", "kaiming_normal_", "kaiming_uniform_",
    "normal_", "ones_", "orthogonal_", "sparse_", "trunc_normal_", "uniform_", "xavier_normal_",
    "xavier_uniform_", "zeros_",
]  # fmt: skip
publish(globals())
