"""Eager tensors: `Tensor` over NumPy arrays, a tape of the table's primitives, `backward`.

Reading order: `tensor` (the data), `graph` and `nodes` (the recorded nodes), `rules` (running the
table's rules), `apply` (evaluating and recording a primitive), `engine` (backward),
`inplace`, `functions` (the table of functions). Imports NumPy, `primitives` and `errors` only.
"""

import math
import warnings
from typing import Any

import numpy as np

from srcgrad.eager import copies, create, dtypes, functions, memory, protocols
from srcgrad.eager.create import manual_seed
from srcgrad.eager.devices import device, get_default_device, set_default_device
from srcgrad.eager.dtypes import Size, dtype, get_default_dtype, set_default_dtype
from srcgrad.eager.engine import backward, grad
from srcgrad.eager.files import load, save
from srcgrad.eager.function import Function
from srcgrad.eager.functions.texts import describe
from srcgrad.eager.mode import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from srcgrad.eager.printing import set_printoptions
from srcgrad.eager.tensor import Tensor
from srcgrad.errors import TensorError
from srcgrad.tracebacks import entered

# a logarithm of zero is -inf without a warning; errstate would cost more than the operation
for _module in (r"srcgrad\.eager\.", r"srcgrad\.primitives\.numpy_fast_paths"):
    warnings.filterwarnings("ignore", category=RuntimeWarning, module=_module)
memory.keep_freed()
protocols.install()
copies.install()

_CREATION = (
    "arange", "as_tensor", "empty", "empty_like", "eye", "from_dlpack", "from_numpy", "full",
    "full_like", "linspace", "logspace", "ones", "ones_like", "rand", "rand_like", "randint",
    "randn",
    "randn_like", "randperm", "tensor", "zeros", "zeros_like",
)  # fmt: skip
_DTYPES = {
    "float": dtypes.float32, "double": dtypes.float64, "half": dtypes.float16,
    "int": dtypes.int32, "long": dtypes.int64, "bool": dtypes.bool_, "bool_": dtypes.bool_,
    **{d.name: d for d in vars(dtypes).values() if isinstance(d, dtype)},
}  # fmt: skip
_CONSTANTS = {"pi": math.pi, "e": math.e, "inf": math.inf, "nan": math.nan}


def is_tensor(obj: Any) -> bool:
    """Whether an object is a tensor.

    >>> import srcgrad as flow
    >>> flow.is_tensor(flow.tensor(1)), flow.is_tensor(1)
    (True, False)
    """
    return isinstance(obj, Tensor)


def is_floating_point(input: Tensor) -> bool:
    """Whether a tensor's dtype is a floating one.

    >>> import srcgrad as flow
    >>> flow.is_floating_point(flow.tensor([1.0])), flow.is_floating_point(flow.tensor([1]))
    (True, False)
    """
    return input.is_floating_point()


def numel(input: Tensor) -> int:
    """The number of elements of a tensor.

    >>> import srcgrad as flow
    >>> flow.numel(flow.ones(2, 3))
    6
    """
    return input.numel()


def broadcast_shapes(*shapes: Any) -> Size:
    """The shape that tensors of these shapes broadcast to; RuntimeError if they do not.

    >>> import srcgrad as flow
    >>> flow.broadcast_shapes((3, 1), (4,))
    srcgrad.Size([3, 4])
    """
    try:
        return Size(np.broadcast_shapes(*shapes))
    except ValueError as error:
        raise TensorError(f"Shape mismatch: {error}") from None


def result_type(one: Any, other: Any) -> dtype:
    """The dtype of a sum of two tensors or numbers.

    >>> import srcgrad as flow
    >>> flow.result_type(flow.tensor([1]), flow.tensor([1.0]))
    srcgrad.float32
    """
    return dtypes.of_np(dtypes.promoted([getattr(x, "_a", x) for x in (one, other)]))


def promote_types(type1: Any, type2: Any) -> dtype:
    """The smallest dtype that both promote to.

    >>> import srcgrad as flow
    >>> flow.promote_types(flow.int32, flow.float32)
    srcgrad.float32
    """
    arrays = [np.zeros(1, dtypes.to_dtype(d).np) for d in (type1, type2)]
    return dtypes.of_np(dtypes.promoted(arrays))


def can_cast(from_: Any, to: Any) -> bool:
    """Whether a dtype may become another without falling to a lower kind.

    >>> import srcgrad as flow
    >>> flow.can_cast(flow.int32, flow.float64), flow.can_cast(flow.float64, flow.int32)
    (True, False)
    """
    return bool(np.can_cast(dtypes.to_dtype(from_).np, dtypes.to_dtype(to).np, "same_kind"))


def finfo(type: Any = None) -> np.finfo:
    """The limits of a floating dtype: `eps`, `max`, `min`, `tiny`.

    >>> import srcgrad as flow
    >>> flow.finfo(flow.float32).bits
    32
    """
    return np.finfo((dtypes.get_default_dtype() if type is None else dtypes.to_dtype(type)).np)


def iinfo(type: Any) -> np.iinfo:
    """The limits of an integer dtype: `max`, `min`, `bits`.

    >>> import srcgrad as flow
    >>> flow.iinfo(flow.int8).max
    127
    """
    return np.iinfo(dtypes.to_dtype(type).np)


# the names at the top level of `srcgrad`
PUBLIC: dict[str, Any] = {
    **{row.name: row.function for row in functions.TABLE.values() if row.top},
    **_DTYPES, **_CONSTANTS, **create.TYPED,
    **{name: getattr(create, name) for name in _CREATION},
    **{
        f.__name__: f
        for f in (
            Size, Tensor, broadcast_shapes, can_cast, device, dtype, enable_grad, finfo,
            get_default_device, get_default_dtype, iinfo, inference_mode, is_floating_point,
            is_grad_enabled, is_inference_mode_enabled, is_tensor, load, manual_seed, no_grad,
            numel, promote_types, result_type, save, set_default_device, set_default_dtype,
            set_grad_enabled, set_printoptions,
        )
    },
}  # fmt: skip
describe(PUBLIC)
PUBLIC |= entered(PUBLIC, "srcgrad")
__all__ = ["PUBLIC", "Function", "Tensor", "backward", "grad"]
