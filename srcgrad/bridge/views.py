"""Results of a call in the memory of tensors: views of the call's inputs, or of one another.

A result that only overlaps with other memory is a copy. The positions of a view's elements in its
base are found when one of the two is first written to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from srcgrad.backends.gpu_arrays import may_share
from srcgrad.eager import devices
from srcgrad.eager.apply import mark_view
from srcgrad.eager.tensor import Tensor, make
from srcgrad.ir.alias import alias_classes
from srcgrad.ir.nodes import Function, Var
from srcgrad.ir.types import is_reference
from srcgrad.primitives import indexing, memory
from srcgrad.primitives.libraries import copied


def sharing(function: Function) -> frozenset[int]:
    """The results that may be in the memory of a parameter or of another result."""
    classes = alias_classes(function)
    at = {
        k: classes.of(a)
        for k, a in enumerate(function.returns)
        if isinstance(a, Var) and is_reference(a.type)
    }
    taken = [*at.values(), *(classes.of(p) for p in function.params if is_reference(p.type))]
    return frozenset(k for k, c in at.items() if taken.count(c) > 1)


def settle(
    made: list, which: Iterable[int], values: Sequence[Any], kept: Sequence[Any], link: bool
) -> None:
    """Separates the results `which` from all other memory, or `link`s them to tensors they are in.

    `values` are the call's inputs, `kept` is what its reverse sweep reads.
    """
    bases = [v for v in values if isinstance(v, Tensor)] if link else []
    others = [a for a in (*map(_array, values), *kept) if devices.is_array(a)]
    found = [k for k in which if devices.is_array(_array(made[k]))]
    for k in sorted(found, key=lambda k: -_array(made[k]).size):
        a = _array(made[k])
        base = next((t for t in bases if _lies_in(a, t._a)), None)
        if base is None and any(overlap(a, b) for b in others):
            a = copied(a)
        others.append(a)
        if link or isinstance(made[k], Tensor):
            made[k] = t = made[k] if isinstance(made[k], Tensor) else make(a)
            t._a = a
            if base is None:
                bases.append(t)
            else:
                mark_view(t, base, _steps(a, base._a))


def overlap(a: Any, b: Any) -> bool:
    """Whether two arrays may share memory."""
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return np.may_share_memory(a, b)
    return devices.on_device(a) and devices.on_device(b) and may_share(a, b)


def _array(value: Any) -> Any:
    return value._a if isinstance(value, Tensor) else value


def _lies_in(a: Any, base: Any) -> bool:
    """Whether all elements of an array are elements of another one."""
    if type(a) is not np.ndarray or type(base) is not np.ndarray or a.dtype != base.dtype:
        return False
    return a.size > 0 and overlap(a, base) and _places(a, base, check=True) is not None


def _steps(a: np.ndarray, base: np.ndarray) -> Callable[[], list]:
    """The operations that make a view of its base, as `mark_view` takes them."""
    return lambda: [
        (memory.reshape, (base.size,), {}),
        (indexing.pick, (), {"index": _places(a, base)}),
    ]


def _places(a: np.ndarray, base: np.ndarray, check: bool = False) -> Any:
    """The positions of an array's elements in a base, in its order; None if one is elsewhere.

    With `check` only whether they are there is decided, which is known of a base without gaps.
    """
    if check and base.flags.c_contiguous:
        (low, high), (first, last) = (np.lib.array_utils.byte_bounds(x) for x in (a, base))
        return True if first <= low and high <= last else None
    wanted, there = _addresses(a), _addresses(base).ravel()
    order = np.argsort(there)
    at = order[np.minimum(np.searchsorted(there, wanted, sorter=order), order.size - 1)]
    return at if np.array_equal(there[at], wanted) else None


def _addresses(a: np.ndarray) -> np.ndarray:
    made = np.array(a.ctypes.data)
    for n, step in zip(a.shape, a.strides, strict=True):
        made = made[..., None] + np.arange(n) * step
    return made
