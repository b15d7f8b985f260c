"""Makes tensors from data, from numbers and from random draws.

Python floats become the default dtype; NumPy arrays and scalars keep theirs. `tensor` copies,
`as_tensor` and `from_numpy` share memory where they can. Never records anything.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.eager import devices, dtypes
from srcgrad.eager.data import array_of_data
from srcgrad.eager.tensor import Tensor, make
from srcgrad.errors import TensorError, TensorTypeError, UnsupportedError

CUDA = 2  # the number of this kind of device in DLPack's protocol
_generator = np.random.default_rng()


def manual_seed(seed: int) -> None:
    """Seeds the generator of `rand`, `randn`, `randint` and `randperm`.

    >>> import srcgrad as flow
    >>> flow.manual_seed(0)
    >>> x = flow.rand(2)
    >>> flow.manual_seed(0)
    >>> flow.equal(x, flow.rand(2))
    True
    """
    global _generator
    _generator = np.random.default_rng(int(seed) & (2**64 - 1))


def generator() -> np.random.Generator:
    """The generator of random numbers."""
    return _generator


def generators() -> list[Any]:
    """The generators that functions of tensors draw from: this one, NumPy's and Python's."""
    numpy = sys.modules.get("numpy.random.mtrand")
    return [_generator, random._inst, *([] if numpy is None else [numpy._rand])]


def finished(a: Any, requires_grad: bool, device: Any) -> Tensor:
    """The tensor over a fresh array, on the requested device."""
    t = make(devices.placed(a, device))
    if requires_grad:
        t.requires_grad = True
    return t


# ---- from data ----
def tensor(data: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """A tensor with a copy of `data`: a number, nested sequences, an array or a tensor.

    Floats become the default dtype; arrays keep theirs. ValueError for ragged sequences,
    TypeError for anything but numbers, RuntimeError if an integer tensor is to require grad.

    >>> import srcgrad as flow
    >>> flow.tensor([[1, 2.5]])
    tensor([[1.0000, 2.5000]], dtype=srcgrad.float32)
    """
    a = array_of_data(data, dtype)
    there = devices.placed(a, device)
    return finished(a.copy(order="K") if there is a else there, requires_grad, None)


def as_tensor(data: Any, dtype: Any = None, device: Any = None) -> Tensor:
    """A tensor of `data` without a copy where it is an array or tensor of that dtype.

    >>> import srcgrad as flow
    >>> x = flow.tensor([1, 2])
    >>> flow.as_tensor(x) is x
    True
    """
    if isinstance(data, Tensor):
        made = data if dtype is None else data.to(dtype)
        return made if device is None else made.to(device)
    return finished(array_of_data(data, dtype), False, device)


def _typed(name: str, kind: str) -> Callable[..., Tensor]:
    """PyTorch's constructor of tensors of one dtype: of data, or of dims."""

    def made(*data: Any) -> Tensor:
        dtype = dtypes.to_dtype(kind)
        if data and all(type(d) is int for d in data):
            return finished(np.zeros(data, dtype.np), False, None)
        return tensor(data[0] if data else [], dtype)

    made.__name__ = made.__qualname__ = name
    made.__doc__ = f"A tensor of {kind} with the data of a sequence, or zeros of given dims."
    return made


TYPED = {
    name: _typed(name, kind) for name, kind in {
        "BoolTensor": "bool", "ByteTensor": "uint8", "CharTensor": "int8",
        "DoubleTensor": "float64", "FloatTensor": "float32", "HalfTensor": "float16",
        "IntTensor": "int32", "LongTensor": "int64", "ShortTensor": "int16",
    }.items()
}  # fmt: skip


def from_numpy(array: np.ndarray) -> Tensor:
    """A tensor that shares the memory of a NumPy array; TypeError for anything else.

    >>> import srcgrad as flow
    >>> import numpy as np
    >>> a = np.zeros(2)
    >>> x = flow.from_numpy(a)
    >>> a[0] = 7.0
    >>> x
    tensor([7., 0.], dtype=srcgrad.float64)
    """
    if not isinstance(array, np.ndarray):
        kind = type(array).__name__
        raise TensorTypeError(f"expected np.ndarray (got {kind})")
    dtypes.of(array)
    return make(array)


Tensor.from_numpy = staticmethod(from_numpy)


def from_dlpack(ext_tensor: Any) -> Tensor:
    """A tensor that shares the memory of another library's array, on the CPU or a CUDA device.

    TypeError for objects without DLPack, RuntimeError for memory that cannot be shared.

    >>> import numpy as np, srcgrad as flow
    >>> flow.from_dlpack(np.array([1.0, 2.0]))
    tensor([1., 2.], dtype=srcgrad.float64)
    """
    if not hasattr(ext_tensor, "__dlpack__"):
        raise TensorTypeError(f"from_dlpack() takes an array, not {type(ext_tensor).__name__}")
    try:
        kind, _ = ext_tensor.__dlpack_device__()
        a = (devices.library() if kind == CUDA else np).from_dlpack(ext_tensor)
    except (BufferError, RuntimeError, ValueError) as error:
        raise TensorError(f"this memory cannot be shared: {error}") from None
    # the array itself: the one that NumPy 2.0 makes of it is read-only
    return make(np.asarray(ext_tensor) if isinstance(ext_tensor, np.ndarray) else a)


# ---- of a shape ----
def shape_of(name: str, size: tuple[Any, ...] | list[Any]) -> tuple[int, ...]:
    """The shape from `f(2, 3)`, `f((2, 3))` or `f([2, 3])`."""
    dims = size[0] if len(size) == 1 and isinstance(size[0], tuple | list) else size
    for d in dims:
        if isinstance(d, bool) or not hasattr(d, "__index__"):
            kind = type(d).__name__
            raise TensorTypeError(
                f"{name}(): argument 'size' must be tuple of ints, but found {kind}"
            )
        if d.__index__() < 0:
            raise TensorError(f"Trying to create tensor with negative dimension {d}: {list(dims)}")
    return tuple(d.__index__() for d in dims)


def _of_shape(name: str, draw: Callable[..., Any], text: str) -> Callable[..., Tensor]:
    def function(
        *size: Any,
        dtype: Any = None,
        device: Any = None,
        requires_grad: bool = False,
        **ignored: Any,
    ) -> Tensor:
        for key in set(ignored) - {"size", "out", "generator", "layout", "pin_memory"}:
            raise TensorTypeError(f"{name}() got an unexpected keyword argument '{key}'")
        dims = shape_of(name, size or (ignored.get("size", ()),))
        d = dtypes.get_default_dtype() if dtype is None else dtypes.to_dtype(dtype)
        return finished(draw(dims, d.np), requires_grad, device)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = text
    return function


def _like(name: str, draw: Callable[..., Any], text: str) -> Callable[..., Tensor]:
    def function(
        input: Tensor, dtype: Any = None, device: Any = None, requires_grad: bool = False
    ) -> Tensor:
        d = input.dtype if dtype is None else dtypes.to_dtype(dtype)
        at = input.device if device is None else device
        return finished(draw(input._a.shape, d.np), requires_grad, at)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = text
    return function


def _float(name: str, d: np.dtype) -> None:
    if d.kind != "f":
        raise UnsupportedError(f"\"{name}\" not implemented for '{d}'")


def _normal(dims: tuple[Any, ...], d: np.dtype) -> np.ndarray:
    _float("normal", d)
    return _generator.standard_normal(dims).astype(d)


def _uniform(dims: tuple[Any, ...], d: np.dtype) -> np.ndarray:
    _float("uniform", d)
    return _generator.random(dims).astype(d)


ones = _of_shape("ones", np.ones, "A tensor of ones: `ones(2, 3)` or `ones((2, 3))`.")
zeros = _of_shape("zeros", np.zeros, "A tensor of zeros: `zeros(2, 3)` or `zeros((2, 3))`.")
empty = _of_shape("empty", np.empty, "A tensor of a shape, its elements unset.")
randn = _of_shape("randn", _normal, "A tensor of draws from the standard normal distribution.")
rand = _of_shape("rand", _uniform, "A tensor of draws from [0, 1).")
ones_like = _like("ones_like", np.ones, "Ones of another tensor's shape and dtype.")
zeros_like = _like("zeros_like", np.zeros, "Zeros of another tensor's shape and dtype.")
empty_like = _like("empty_like", np.empty, "A tensor of another's shape and dtype, unset.")
randn_like = _like("randn_like", _normal, "Normal draws of another tensor's shape and dtype.")
rand_like = _like("rand_like", _uniform, "Draws from [0, 1) of another tensor's shape and dtype.")


def full(
    size: Any, fill_value: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """A tensor of a shape filled with one number, in the number's dtype unless it is given.

    >>> import srcgrad as flow
    >>> flow.full((2,), 3)
    tensor([3, 3], dtype=srcgrad.int64)
    """
    dims = shape_of("full", size if isinstance(size, tuple | list) else (size,))
    value = array_of_data(fill_value, dtype)
    return finished(np.full(dims, value, value.dtype), requires_grad, device)


def full_like(
    input: Tensor, fill_value: Any, dtype: Any = None, device: Any = None,
    requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """Another tensor's shape and dtype, filled with one number.

    >>> import srcgrad as flow
    >>> flow.full_like(flow.tensor([1.0, 2.0]), 7)
    tensor([7., 7.], dtype=srcgrad.float32)
    """
    at = input.device if device is None else device
    return full(input._a.shape, fill_value, input.dtype if dtype is None else dtype, at,
                requires_grad)  # fmt: skip


def _number(x: Any) -> Any:
    return x.item() if isinstance(x, Tensor) else x


def arange(
    start: Any, end: Any = None, step: Any = 1, dtype: Any = None, device: Any = None,
    requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """The numbers from `start` up to, without, `end`; integers if all three are.

    >>> import srcgrad as flow
    >>> flow.arange(3)
    tensor([0, 1, 2], dtype=srcgrad.int64)
    """
    start, end, step = (
        _number(x) for x in ((0, start, step) if end is None else (start, end, step))
    )
    if step == 0:
        raise TensorError("step must be nonzero")
    if (end - start) * step < 0:
        raise TensorError("upper bound and lower bound inconsistent with step sign")
    if dtype is None:
        whole = all(isinstance(x, int) for x in (start, end, step))
        dtype = dtypes.int64 if whole else dtypes.get_default_dtype()
    a = np.arange(start, end, step).astype(dtypes.to_dtype(dtype).np)
    return finished(a, requires_grad, device)


def linspace(
    start: Any, end: Any, steps: int, dtype: Any = None, device: Any = None,
    requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """`steps` numbers from `start` to `end`, both included.

    >>> import srcgrad as flow
    >>> flow.linspace(0, 1, 5)
    tensor([0.0000, 0.2500, 0.5000, 0.7500, 1.0000], dtype=srcgrad.float32)
    """
    d = dtypes.get_default_dtype() if dtype is None else dtypes.to_dtype(dtype)
    a = np.linspace(_number(start), _number(end), int(_number(steps)))
    return finished(a.astype(d.np), requires_grad, device)


def eye(
    n: int, m: int | None = None, dtype: Any = None, device: Any = None,
    requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """The n x m matrix with ones on its diagonal.

    >>> import srcgrad as flow
    >>> flow.eye(2)
    tensor([[1., 0.],
            [0., 1.]], dtype=srcgrad.float32)
    """
    d = dtypes.get_default_dtype() if dtype is None else dtypes.to_dtype(dtype)
    return finished(np.eye(n, m, dtype=d.np), requires_grad, device)


def randint(
    low: Any, high: Any = None, size: Any = None, dtype: Any = None, device: Any = None
) -> Tensor:
    """Integers drawn from [low, high); from [0, low) if two arguments are given.

    >>> import srcgrad as flow
    >>> 0 <= int(flow.randint(0, 3, (1,))) < 3
    True
    """
    if size is None:
        low, high, size = 0, low, high
    d = dtypes.int64 if dtype is None else dtypes.to_dtype(dtype)
    if low >= high:
        raise TensorError(
            f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}"
        )
    drawn = _generator.integers(low, high, shape_of("randint", (size,)))
    return finished(drawn.astype(d.np), False, device)


def randperm(n: int) -> Tensor:
    """The integers below n in a random order.

    >>> import srcgrad as flow
    >>> sorted(flow.randperm(3).tolist())
    [0, 1, 2]
    """
    return make(_generator.permutation(n))


def logspace(
    start: Any, end: Any, steps: int, base: float = 10.0, dtype: Any = None, device: Any = None,
    requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """The powers of a base from `start` to `end`, both included.

    >>> import srcgrad as flow
    >>> flow.logspace(0, 2, 3)
    tensor([  1.,  10., 100.], dtype=srcgrad.float32)
    """
    d = dtypes.get_default_dtype() if dtype is None else dtypes.to_dtype(dtype)
    a = np.logspace(_number(start), _number(end), int(_number(steps)), base=base)
    return finished(a.astype(d.np), requires_grad, device)


def _new(name: str, f: Callable[..., Any]) -> None:
    def method(self: Tensor, *args: Any, **params: Any) -> Tensor:
        return f(*args, **{"dtype": self.dtype, "device": self.device, **params})

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"`{name[4:]}` with this tensor's dtype, on its device."
    setattr(Tensor, name, method)


for _name, _function in {
    "new_zeros": zeros, "new_ones": ones, "new_empty": empty, "new_full": full,
    "new_tensor": tensor,
}.items():  # fmt: skip
    _new(_name, _function)
