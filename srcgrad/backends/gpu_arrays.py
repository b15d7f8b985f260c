"""Arrays of other libraries on a GPU: their layouts, and results of their kind.

Queries two protocols, DLPack and `__cuda_array_interface__`; imports no library. Never copies.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from srcgrad.errors import ArgumentTypeError, ArgumentValueError
from srcgrad.primitives.layouts import Layout, layout_told
from srcgrad.protocols import states

if TYPE_CHECKING:
    from srcgrad.backends.cuda.device import Device

GPUS = (2, 13)  # DLPack's numbers for memory of a GPU, and for memory that it shares with the host


def is_on_device(value: Any) -> bool:
    """Whether a value is an array whose memory is a GPU's."""
    if states(value, "__dlpack_device__"):
        return value.__dlpack_device__()[0] in GPUS
    return states(value, "__cuda_array_interface__")


def layout_of(value: Any) -> Layout:
    """The layout of an array that is on a GPU."""
    try:
        told = hasattr(value, "__cuda_array_interface__")
    except (RuntimeError, TypeError) as refusal:  # PyTorch: requires grad, sparse
        text = f"a {type(value).__name__} does not tell where its memory is: {refusal}"
        raise ArgumentTypeError(text, None, "pass x.detach(), dense") from None
    return layout_told(value if told else _current().array(value))


def may_share(a: Any, b: Any) -> bool:
    """Whether two arrays on GPUs may have memory in common."""
    (start, stop), (low, high) = layout_of(a).extent, layout_of(b).extent
    return start < high and low < stop


def made_like(value: Any, like: Any) -> Any:
    """An array of the device as one of the library of another array, in the same memory.

    A library that takes no others' arrays gets CuPy's.
    """
    if type(value) is type(like):
        return value
    told = getattr(like, "__array_namespace__", None)
    library = told() if told else sys.modules.get(str(type(like).__module__).partition(".")[0])
    take = getattr(library, "from_dlpack", None)
    return take(value) if take else value


def on_device(value: Any, like: Any, what: str, whose: str) -> Any:
    """A cotangent or tangent for an array of the device, in C order; None is zero."""
    device, wanted = _current(), layout_of(like)
    if value is None:
        return device.xp.zeros(wanted.shape, wanted.dtype)
    taken = device.array(np.asarray(value) if not is_on_device(value) else value)
    if taken.shape != wanted.shape:
        text = f"{what} has the shape {taken.shape}, {whose} has {wanted.shape}"
        raise ArgumentValueError(text, None, "None means zero")
    return device.xp.array(taken, wanted.dtype, order="C")


def _current() -> Device:
    from srcgrad.backends.cuda.selection import current  # loaded late: few need it

    return current()
