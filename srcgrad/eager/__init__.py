"""Eager tensors: `Tensor` over NumPy arrays, a tape of the table's primitives, `backward`.

Reading order: `tensor` (the data), `graph` and `nodes` (what is recorded), `rules` (how the
table's rules are run), `apply` (how a primitive is evaluated and recorded), `engine` (backward),
`inplace`, `functions` (the table of functions). Imports NumPy, `primitives` and `errors` only.
"""

import warnings
from typing import Any

from srcgrad.eager import create, dtypes, functions
from srcgrad.eager.create import manual_seed
from srcgrad.eager.dtypes import Size, dtype, get_default_dtype, set_default_dtype
from srcgrad.eager.engine import backward, grad
from srcgrad.eager.files import load, save
from srcgrad.eager.function import Function
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

# a logarithm of zero is -inf without further ado; errstate would cost more than the operation
warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"srcgrad\.eager\.")

_CREATION = (
    "arange", "as_tensor", "empty", "empty_like", "eye", "from_dlpack", "from_numpy", "full",
    "full_like", "linspace", "ones", "ones_like", "rand", "rand_like", "randint", "randn",
    "randn_like", "randperm", "tensor", "zeros", "zeros_like",
)  # fmt: skip
_DTYPES = {
    "float": dtypes.float32, "double": dtypes.float64, "half": dtypes.float16,
    "int": dtypes.int32, "long": dtypes.int64, "bool": dtypes.bool_,
    **{d.name: d for d in vars(dtypes).values() if isinstance(d, dtype)},
}  # fmt: skip


def is_tensor(obj: Any) -> bool:
    """Whether an object is a tensor."""
    return isinstance(obj, Tensor)


def is_floating_point(input: Tensor) -> bool:
    """Whether a tensor's dtype is a floating one."""
    return input.is_floating_point()


def numel(input: Tensor) -> int:
    """The number of elements of a tensor."""
    return input.numel()


# what `srcgrad` shows at its top level
PUBLIC: dict[str, Any] = {
    **{row.name: row.function for row in functions.TABLE.values() if row.top},
    **_DTYPES,
    **{name: getattr(create, name) for name in _CREATION},
    **{
        f.__name__: f
        for f in (
            Size, Tensor, dtype, enable_grad, get_default_dtype, inference_mode, is_floating_point,
            is_grad_enabled, is_inference_mode_enabled, is_tensor, load, manual_seed, no_grad,
            numel, save, set_default_dtype, set_grad_enabled, set_printoptions,
        )
    },
}  # fmt: skip
_new_zeros, _new_ones = create.zeros, create.ones
Tensor.new_zeros = lambda self, *size, **kw: _new_zeros(*size, **{"dtype": self.dtype, **kw})  # type: ignore[attr-defined]
Tensor.new_ones = lambda self, *size, **kw: _new_ones(*size, **{"dtype": self.dtype, **kw})  # type: ignore[attr-defined]

__all__ = ["PUBLIC", "Function", "Tensor", "backward", "grad"]
