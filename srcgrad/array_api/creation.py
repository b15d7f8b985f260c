"""Makes tensors, by the standard's signatures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.array_api.examples import documented
from srcgrad.eager import create, devices, dtypes
from srcgrad.eager.functions.shapes import expand, reshape
from srcgrad.eager.tensor import Tensor
from srcgrad.errors import ArgumentValueError


def asarray(obj: Any, /, *, dtype: Any = None, device: Any = None, copy: bool | None = None) -> Any:
    """A tensor of a number, nested sequences, an array or a tensor.

    Memory is shared where it can be, unless `copy` is True; ValueError if `copy` is False and it
    cannot be.

    >>> from srcgrad import array_api as xp
    >>> xp.asarray([1, 2], dtype=xp.float32)
    tensor([1., 2.], dtype=srcgrad.float32)
    """
    if isinstance(obj, Tensor):
        return _copied(obj.to(obj.dtype if dtype is None else dtype), obj, device, copy)
    shares = isinstance(obj, np.ndarray) or devices.is_array(obj)
    made = create.as_tensor(obj, dtype, device)
    if copy is False and not (shares and made._a is obj):
        raise ArgumentValueError("asarray() has to copy this, and copy is False")
    return made.clone() if copy and shares and made._a is obj else made


def _copied(made: Tensor, given: Any, device: Any, copy: bool | None) -> Tensor:
    made = made if device is None else made.to(devices.device(device))
    if copy is False and made is not given:
        raise ArgumentValueError("asarray() has to copy this, and copy is False")
    return made.clone() if copy and made is given else made


def from_dlpack(x: Any, /, *, device: Any = None, copy: bool | None = None) -> Tensor:
    """A tensor in the memory of another library's array, or in a copy of it.

    >>> from srcgrad import array_api as xp
    >>> import numpy as np
    >>> xp.from_dlpack(np.array([1.0, 2.0]))
    tensor([1., 2.], dtype=srcgrad.float64)
    """
    return asarray(create.from_dlpack(x), device=device, copy=copy)


def arange(
    start: Any, /, stop: Any = None, step: Any = 1, *, dtype: Any = None, device: Any = None
) -> Tensor:
    """The numbers from `start` up to, without, `stop`; of one argument, from 0 up to it.

    >>> from srcgrad import array_api as xp
    >>> xp.arange(0, 1, 0.5)
    tensor([0.0000, 0.5000], dtype=srcgrad.float32)
    """
    if stop is None:
        start, stop = 0, start
    if dtype is None:
        whole = all(isinstance(x, int) for x in (start, stop, step))
        dtype = dtypes.int64 if whole else dtypes.get_default_dtype()
    return create.finished(np.arange(start, stop, step, dtype=_numpys(dtype)), False, device)


def linspace(
    start: Any, stop: Any, /, num: int, *, dtype: Any = None, device: Any = None,
    endpoint: bool = True,
) -> Tensor:  # fmt: skip
    """`num` equally spaced numbers from `start` to `stop`, which is left out without `endpoint`.

    >>> from srcgrad import array_api as xp
    >>> xp.linspace(0, 1, 3)
    tensor([0.0000, 0.5000, 1.0000], dtype=srcgrad.float32)
    """
    if dtype is None:
        some = isinstance(start, complex) or isinstance(stop, complex)
        dtype = _complex() if some else dtypes.get_default_dtype()
    made = np.linspace(start, stop, num, endpoint=endpoint, dtype=_numpys(dtype))
    return create.finished(made, False, device)


def _complex() -> Any:
    """The complex dtype with parts of the default one."""
    return dtypes.of_np(np.result_type(dtypes.get_default_dtype().np, np.complex64))


def _numpys(dtype: Any) -> np.dtype[Any]:
    return (dtypes.get_default_dtype() if dtype is None else dtypes.to_dtype(dtype)).np


def eye(
    n_rows: int, n_cols: int | None = None, /, *, k: int = 0, dtype: Any = None, device: Any = None
) -> Tensor:
    """The matrix with ones on its k-th diagonal.

    >>> from srcgrad import array_api as xp
    >>> xp.eye(2, 3, k=1)
    tensor([[0., 1., 0.],
            [0., 0., 1.]], dtype=srcgrad.float32)
    """
    return create.finished(np.eye(n_rows, n_cols, k, dtype=_numpys(dtype)), False, device)


def full(shape: Any, fill_value: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """A tensor of a shape filled with one number, in the number's dtype unless it is given.

    >>> from srcgrad import array_api as xp
    >>> xp.full((2,), 7)
    tensor([7, 7], dtype=srcgrad.int64)
    """
    if dtype is None and isinstance(fill_value, complex):
        dtype = _complex()
    return create.full(shape, fill_value, dtype, device)


def full_like(x: Tensor, /, fill_value: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """A tensor's shape, dtype and device, filled with one number.

    >>> from srcgrad import array_api as xp
    >>> xp.full_like(xp.zeros(2), 7)
    tensor([7., 7.], dtype=srcgrad.float32)
    """
    return create.full_like(x, fill_value, dtype, device)


def _of_shape(f: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def function(shape: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
        return f(shape, dtype=dtype, device=device)

    function.__name__ = function.__qualname__ = f.__name__
    first = (f.__doc__ or "").partition("\n")[0].partition(":")[0].rstrip(".")
    function.__doc__ = documented(f.__name__, f"{first}, given as one argument.")
    return function


def _like(f: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def function(x: Tensor, /, *, dtype: Any = None, device: Any = None) -> Tensor:
        return f(x, dtype, device)

    function.__name__ = function.__qualname__ = f.__name__
    function.__doc__ = f.__doc__
    return function


_Made = Callable[..., Tensor]
empty: _Made
ones: _Made
zeros: _Made
empty, ones, zeros = (_of_shape(f) for f in (create.empty, create.ones, create.zeros))
empty_like: _Made
ones_like: _Made
zeros_like: _Made
empty_like, ones_like, zeros_like = (
    _like(f) for f in (create.empty_like, create.ones_like, create.zeros_like)
)


def meshgrid(*arrays: Tensor, indexing: str = "xy") -> tuple[Tensor, ...]:
    """The coordinates of a grid over vectors; with "xy" the first runs along the second dim.

    >>> from srcgrad import array_api as xp
    >>> xp.meshgrid(xp.asarray([1, 2]), xp.asarray([3, 4, 5]), indexing="ij")[0]
    tensor([[1, 1, 1],
            [2, 2, 2]], dtype=srcgrad.int64)
    """
    if indexing not in ("xy", "ij"):
        raise ArgumentValueError("meshgrid() takes 'xy' or 'ij' for indexing")
    if any(x.ndim > 1 for x in arrays):
        raise ArgumentValueError("meshgrid() takes tensors of at most one dim")
    n, order = len(arrays), [*range(len(arrays))]
    if indexing == "xy" and n > 1:
        order[0], order[1] = 1, 0
    lengths = [x.numel() for x in arrays]
    shape = [0] * n
    for k, at in enumerate(order):
        shape[at] = lengths[k]
    forms = [[-1 if a == at else 1 for a in range(n)] for at in order]
    return tuple(expand(reshape(x, form), shape) for x, form in zip(arrays, forms, strict=True))
