"""Evaluates a primitive on tensors and records a node where a gradient is wanted.

`apply` is any primitive on any operands; the hot functions are in `fast_ops`. Promotion and NumPy's
errors are handled here; nothing here knows a derivative or the engine.
"""

from __future__ import annotations

import itertools
import weakref
from typing import Any

import numpy as np

from srcgrad.eager import devices, dtypes, mode, node_kinds
from srcgrad.eager.graph import level_above
from srcgrad.eager.tensor import Storage, Tensor, make, storage
from srcgrad.errors import TensorError, TensorTypeError, UnsupportedError
from srcgrad.primitives.registry import Primitive
from srcgrad.primitives.rules import Select, plain

_new = object.__new__
_OFF = mode.OFF
_ndarray = np.ndarray
_NUMBERS = (int, float, bool, complex)


class Unsuitable(Exception):
    """An operand that no tensor function accepts; an operator returns NotImplemented."""


def recording() -> bool:
    """Whether this thread records: cheap unless some thread has switched recording off."""
    return not _OFF or mode.is_grad_enabled()


# ---- operands ----
def operand(x: Any) -> Any:
    """A tensor or a Python number; arrays become tensors, NumPy's scalars numbers."""
    if isinstance(x, Tensor) or type(x) in _NUMBERS:
        return x
    if devices.is_array(x):
        return _own(x)
    if isinstance(x, np.generic):
        return x.item()
    if type(x) is Select:
        return operand(x.value())
    kind: Any
    for kind in _NUMBERS:
        if isinstance(x, kind):
            return kind(x)
    if type(x).__module__ == "torch":  # its class has the same name
        raise TensorTypeError(
            "a Tensor of PyTorch is no operand of a Tensor of srcgrad", None,
            "make one of it: flow.from_dlpack(x.detach())",
        )  # fmt: skip
    raise Unsuitable(type(x).__name__)


def _own(x: Any) -> Tensor:
    """A tensor of an array, of a copy where the graph may save it: its owner may store to it."""
    return make(x.copy() if recording() else x)


def as_tensor_operand(x: Any, name: str) -> Tensor:
    """The tensor that a function was given; TypeError if it is not one."""
    if isinstance(x, Tensor):
        return x
    if devices.is_array(x):
        return _own(x)
    kind = type(x).__name__
    raise TensorTypeError(f"{name}(): argument 'input' must be Tensor, not {kind}")


# ---- any primitive ----
def apply(op: Primitive, args: tuple, params: dict) -> Any:
    """Evaluates a primitive on tensors and numbers, recorded if a gradient is wanted."""
    raw = []
    for a in args:
        if isinstance(a, Tensor):
            raw.append(a._a)
        elif type(a) is Select:
            return apply(op, tuple(plain(b) for b in args), params)
        else:
            raw.append(a)
    if op.elementwise and op.kind != "nondiff" and len(raw) > 1:
        raw = _promoted(op, raw)
    try:
        y = op.impl(*raw, **params)
    except (ValueError, TypeError) as error:
        near = devices.beside(raw)
        if near is raw:
            raise reworded(error, raw) from None
        y = _on_one_device(op, near, params)
    return recorded(op, args, params, y)


def _on_one_device(op: Primitive, raw: Any, params: dict) -> Any:
    try:
        return op.impl(*raw, **params)
    except (ValueError, TypeError) as error:
        raise reworded(error, raw) from None


def recorded(op: Primitive, args: tuple, params: dict, y: Any) -> Tensor:
    """The tensor over the value `y` of a primitive, with its node if a gradient is wanted."""
    if type(y) is not _ndarray:
        y = devices.array_of(y)
    heads = tuple([a._node if isinstance(a, Tensor) else None for a in args])
    if not any(heads) or (_OFF and not mode.is_grad_enabled()):
        return make(y)
    kind = node_kinds.GENERAL[op]
    if kind is None or y.dtype.kind not in "fc":
        return make(y)
    if y.dtype.kind == "c":
        raise UnsupportedError(
            f"{op.name} of a tensor that requires grad gives complex numbers, which have no "
            "gradient here",
            way_out="compute with real and imaginary parts as two tensors, or detach first",
        )
    node = kind()
    node.level = level_above(heads)
    node.record(heads, args, params, y)
    if _OFF and (watcher := mode.watcher()) is not None:
        watcher.made(node)
    return make(y, node)


def _promoted(op: Primitive, raw: list) -> list:
    """The operands in the dtype of the operation; numbers stay weak."""
    start = int(op.selects)
    joined = raw[start:]
    if not start and not any(isinstance(a, _ndarray) or devices.on_device(a) for a in joined):
        return raw
    target = dtypes.promoted([_number(a) for a in joined])
    made = raw[:start]
    for a in joined:
        if type(a) is _ndarray or devices.is_array(a):
            made.append(a if a.dtype == target else a.astype(target))
        else:
            made.append(target.type(a) if start else a)
    return made


def _number(a: Any) -> Any:
    return a.item() if isinstance(a, np.generic) else a


def reworded(error: Exception, raw: list) -> Exception:
    """NumPy's error about devices or shapes in PyTorch's words; any other one unchanged."""
    try:
        devices.check_one_device(raw)
    except TensorError as several:
        return several
    if isinstance(error, TypeError):
        if "'invert'" in str(error):
            return TensorTypeError(
                "~ (operator.invert) is only implemented on integer and Boolean-type tensors"
            )
        if "boolean" in str(error):
            return TensorError(str(error))
        return UnsupportedError(str(error))
    shapes = [a.shape for a in raw if devices.is_array(a)]
    for one, other in itertools.pairwise(shapes):
        n = max(len(one), len(other))
        a, b = (1,) * (n - len(one)) + one, (1,) * (n - len(other)) + other
        for k in reversed(range(n)):
            if a[k] != b[k] and 1 not in (a[k], b[k]):
                return TensorError(
                    f"The size of tensor a ({a[k]}) must match the size of tensor b ({b[k]}) "
                    f"at non-singleton dimension {k}"
                )
    return TensorError(str(error))


# ---- views ----
def viewed(op: Primitive, x: Tensor, args: tuple, params: dict) -> Tensor:
    """The value of a primitive that returns a view of `x`'s array, known to share its memory."""
    t = apply(op, (x, *args), params)
    mark_view(t, x, (op, args, params))
    return t


def shown(op: Primitive, x: Tensor, args: tuple, params: dict) -> Tensor:
    """The same for a primitive that copies where memory does not allow a view."""
    t = apply(op, (x, *args), params)
    if x._a.flags.c_contiguous or np.may_share_memory(t._a, x._a):
        mark_view(t, x, (op, args, params))
    return t


def mark_view(t: Tensor, x: Tensor, step: Any) -> None:
    """Records that `t` is a view of `x`'s memory, and how: a primitive with its arguments, or a
    function that returns several."""
    s: Storage = storage(x)
    base, steps = getattr(x, "_view", None) or (x, ())
    t._store, t._view = s, (base, (*steps, step))
    s.views.append(weakref.ref(t))
    if len(s.views) & (len(s.views) - 1) == 0:  # at each power of two: drop dead references
        s.views[:] = [r for r in s.views if r() is not None]
