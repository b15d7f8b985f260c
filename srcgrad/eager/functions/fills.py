"""Methods that write a tensor's own data: random draws, its diagonal, its shape.

Random numbers come from the generator of `create`. No derivative is defined here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.eager import create, dtypes
from srcgrad.eager.apply import recording
from srcgrad.eager.functions.pointwise import cast
from srcgrad.eager.functions.shapes import squeeze, t, transpose, unsqueeze
from srcgrad.eager.functions.table import declare, declared
from srcgrad.eager.inplace import check_writable, in_place, rebase, write
from srcgrad.eager.tensor import Tensor, make
from srcgrad.errors import TensorError
from srcgrad.primitives.indexing import diagonal


# ---- draws into a tensor ----
def _drawn(self: Tensor, draw: Callable[[np.random.Generator, tuple], Any]) -> Tensor:
    check_writable(self)
    write(self, draw(create.generator(), self._a.shape))
    if recording():
        rebase(self, None)
    return self


@declared("normal_", top=False)
def normal_(self: Tensor, mean: float = 0.0, std: float = 1.0) -> Tensor:
    """Fills the tensor with draws from a normal distribution."""
    return _drawn(self, lambda g, shape: g.normal(mean, std, shape))


@declared("uniform_", top=False)
def uniform_(self: Tensor, a: float = 0.0, b: float = 1.0) -> Tensor:
    """Fills the tensor with draws from [a, b)."""
    return _drawn(self, lambda g, shape: g.uniform(a, b, shape))


@declared("exponential_", top=False)
def exponential_(self: Tensor, lambd: float = 1.0) -> Tensor:
    """Fills the tensor with draws from an exponential distribution."""
    return _drawn(self, lambda g, shape: g.exponential(1.0 / lambd, shape))


@declared("random_", top=False)
def random_(self: Tensor, low: int = 0, high: int | None = None) -> Tensor:
    """Fills the tensor with integers from [low, high), or from [0, low)."""
    bounds = (0, low) if high is None and low else (low, 2**24 if high is None else high)
    return _drawn(self, lambda g, shape: g.integers(*bounds, shape))


@declared("bernoulli_", top=False)
def bernoulli_(self: Tensor, p: float = 0.5) -> Tensor:
    """Fills the tensor with ones, with probability p, and zeros."""
    return _drawn(self, lambda g, shape: g.random(shape) < p)


@declared("bernoulli")
def bernoulli(input: Tensor) -> Tensor:
    """Ones with the input's elements as probabilities, zeros elsewhere.

    >>> import srcgrad as flow
    >>> flow.bernoulli(flow.tensor([0.0, 1.0]))
    tensor([0., 1.], dtype=srcgrad.float32)
    """
    drawn = create.generator().random(input._a.shape) < input._a
    return make(np.asarray(drawn).astype(input._a.dtype))


@declared("multinomial")
def multinomial(input: Tensor, num_samples: int, replacement: bool = False) -> Tensor:
    """Draws of indices with probabilities in proportion to the elements of the last dim.

    >>> import srcgrad as flow
    >>> flow.multinomial(flow.tensor([0.0, 1.0]), 1)
    tensor([1], dtype=srcgrad.int64)
    """
    rows = input._a.reshape(-1, input._a.shape[-1]).astype(np.float64)
    n, choice = rows.shape[-1], create.generator().choice
    drawn = [choice(n, num_samples, replacement, r / r.sum()) for r in rows]
    return make(np.asarray(drawn, np.int64).reshape(*input._a.shape[:-1], num_samples))


@declared("normal", method=False)
def normal(mean: Any = 0.0, std: Any = 1.0, size: Any = None) -> Tensor:
    """Draws from normal distributions: means and deviations are numbers or tensors.

    >>> import srcgrad as flow
    >>> flow.normal(0.0, 1.0, (2, 3)).shape
    srcgrad.Size([2, 3])
    """
    mean, std = (x._a if isinstance(x, Tensor) else x for x in (mean, std))
    drawn = np.asarray(create.generator().normal(mean, std, size))
    return make(drawn.astype(getattr(mean, "dtype", dtypes.get_default_dtype().np)))


# ---- the diagonal, the shape ----
@declared("fill_diagonal_", top=False)
def fill_diagonal_(self: Tensor, fill_value: Any) -> Tensor:
    """Sets the diagonal of a matrix to a number."""
    if self._a.ndim != 2:
        raise TensorError("fill_diagonal_: the tensor must be a matrix")

    def filled(x: Tensor) -> Tensor:
        mask = np.zeros(x._a.shape, bool)
        diagonal.impl(mask, 0, 0, 1)[...] = True
        return x.masked_fill(make(mask), fill_value)

    return in_place(filled, self)


def _reformed(name: str, function: Callable) -> None:
    """Declares a method that gives the tensor itself the shape that a view would have."""

    def method(self: Tensor, *args: Any) -> Tensor:
        check_writable(self)
        if self._store is not None and any(r() is not None for r in self._store.views):
            raise TensorError(f"{name}: the tensor has views, which would lose their meaning")
        if getattr(self, "_view", None) is not None:
            raise TensorError(f"{name}: a view cannot be given another form in place")
        made = function(make(self._a, self._node), *args)
        self._a, self._node = made._a, made._node
        return self

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"The tensor itself in the form of `{name[:-1]}`."
    declare(name, method, top=False)


for _name, _function in {
    "squeeze_": squeeze, "unsqueeze_": unsqueeze, "t_": t, "transpose_": transpose,
    "swapaxes_": transpose,
}.items():  # fmt: skip
    _reformed(_name, _function)


# ---- dtypes ----
for _name, _to in {
    "short": dtypes.int16, "char": dtypes.int8, "byte": dtypes.uint8,
}.items():  # fmt: skip
    declare(_name, lambda self, _to=_to: cast(self, _to), top=False)
