"""Clips gradients: by their common norm, by their own, by value. Differentiable."""

from __future__ import annotations

from typing import Any

import srcgrad.eager.functions as functions
from srcgrad.eager import Tensor
from srcgrad.errors import ArgumentTypeError, ArgumentValueError

_F = {name: row.function for name, row in functions.TABLE.items()}


def _norm(tensors: Any, p: float = 2.0) -> Any:
    """The p-norm of all elements together, computed in float32 at least."""
    parts = [_F["sum"](_F["pow"](_F["abs"](_wide(t)), p)) for t in tensors]
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return _F["pow"](total, 1.0 / p)


def _wide(t: Tensor) -> Tensor:
    return t.float() if t._a.dtype.itemsize < 4 else t


def clip_by_global_norm(x: Any, clip_norm: float = 1.0, use_norm: Any = None) -> Any:
    """Tensors scaled together so that their common 2-norm is at most `clip_norm`.

    A tensor gives a tensor, a sequence a tuple. ValueError for a norm that is not positive.

    >>> import srcgrad as flow
    >>> flow.ops.clip_by_global_norm((flow.tensor([3.0]), flow.tensor([4.0])), 1.0)
    (tensor([0.6000], dtype=srcgrad.float32), tensor([0.8000], dtype=srcgrad.float32))
    """
    if use_norm is not None:
        raise ArgumentValueError(
            "For '_ClipByGlobalNorm', input 'use_norm' only supports None currently, but got "
            f"'use_norm': {use_norm}"
        )
    if not clip_norm > 0.0:
        raise ArgumentValueError(
            f"For 'clip_by_global_norm', the argument 'clip_norm' must > 0.0, but got {clip_norm}."
        )
    if isinstance(x, Tensor):
        return clip_by_global_norm((x,), clip_norm)[0]
    if not x:
        raise ArgumentValueError("For 'clip_by_global_norm', there is no tensor to clip.")
    n = _norm(x)
    scale = _F["div"](float(clip_norm), _F["where"](n > float(clip_norm), n, float(clip_norm)))
    return tuple([(_wide(t) * scale).to(t.dtype) for t in x])


def clip_by_norm(
    x: Any, max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False
) -> Any:
    """Tensors scaled together by max_norm / (norm + 1e-6) where that is below 1; a list as one.

    >>> import srcgrad as flow
    >>> flow.ops.clip_by_norm(flow.tensor([3.0, 4.0]), 10.0)
    tensor([3., 4.], dtype=srcgrad.float32)
    """
    if isinstance(x, Tensor):
        return clip_by_norm([x], max_norm, norm_type, error_if_nonfinite)[0]
    n = _norm(x, norm_type)
    if error_if_nonfinite and not bool(_F["isfinite"](n)):
        raise ArgumentValueError(f"the norm of order {norm_type} is not finite: {n.item()}")
    scale = _F["clamp"](_F["div"](float(max_norm), n + 1e-6), max=1.0)
    return type(x)([(_wide(t) * scale).to(t.dtype) for t in x])


def clip_by_value(x: Any, clip_value_min: Any = None, clip_value_max: Any = None) -> Any:
    """Elements clamped to [clip_value_min, clip_value_max]; those at a bound share its gradient.

    >>> import srcgrad as flow
    >>> flow.ops.clip_by_value(flow.tensor([1.0, 25.0, 7.0]), 5, 20)
    tensor([ 5., 20.,  7.], dtype=srcgrad.float32)
    """
    if clip_value_min is None and clip_value_max is None:
        raise ArgumentValueError(
            "For 'clip_by_value', at least one of 'clip_value_min' or 'clip_value_max' must not "
            "be None"
        )
    if isinstance(x, list | tuple):
        return type(x)([clip_by_value(t, clip_value_min, clip_value_max) for t in x])
    if not isinstance(x, Tensor):
        raise ArgumentTypeError(
            f"For 'clip_by_value', 'x' must be a tensor, but got {type(x).__name__}"
        )
    if clip_value_min is not None:
        x = _F["maximum"](x, _bound(clip_value_min, x))
    if clip_value_max is not None:
        x = _F["minimum"](x, _bound(clip_value_max, x))
    return x


def _bound(bound: Any, x: Tensor) -> Tensor:
    return bound if isinstance(bound, Tensor) else Tensor(bound, dtype=x.dtype)
