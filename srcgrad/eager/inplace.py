"""Operations in place: write the buffer, and give the tensor the node of its new value.

The value is computed out of place and copied in, so that rules never read overwritten data.
Writing a view writes its base: the base becomes the old base with the view's places replaced, and
every view of it is derived anew. Each write increments the version of the storage.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from srcgrad.eager import devices, hooks, mode
from srcgrad.eager.apply import Unsuitable, apply, operand, recorded, recording
from srcgrad.eager.graph import Leaf
from srcgrad.eager.holders import IN_VARIABLE, references
from srcgrad.eager.indexing import basic_part, getitem, numpy_index
from srcgrad.eager.tensor import Tensor, make, storage
from srcgrad.errors import AutogradError, TensorError, TensorTypeError
from srcgrad.primitives import indexing, memory

_CATEGORY = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}  # a result is not stored in a lower one

OUTSIDE = "an update that is not to be recorded goes inside `with flow.no_grad():`"


def check_writable(t: Tensor) -> None:
    """RuntimeError for a leaf that requires grad, or a view of one, while recording."""
    if not recording():
        return
    if type(t._node) is Leaf:
        raise AutogradError(
            "a leaf Tensor that requires grad is being used in an in-place operation.",
            None,
            OUTSIDE,
        )
    view = getattr(t, "_view", None)
    if view is not None and type(view[0]._node) is Leaf:
        raise AutogradError(
            "a view of a leaf Tensor that requires grad is being used in an in-place operation.",
            None, OUTSIDE,
        )  # fmt: skip


def check_memory(t: Tensor) -> None:
    """RuntimeError for an expanded tensor, and for one over an array that is read only."""
    if not devices.is_own(t._a):
        raise TensorError(
            "unsupported operation: more than one element of the written-to tensor refers to a "
            "single memory location, or its memory may not be written. Please clone() the tensor "
            "before performing the operation."
        )


def in_place(function: Callable, t: Tensor, *args: Any, **params: Any) -> Tensor:
    """`t` with the value of `function(t, *args)`, written into its own memory."""
    check_writable(t)
    old = make(t._a, t._node)
    made = function(old, *(old if a is t else a for a in args), **params)
    if old._store is not None and made._node is not None:
        # it took views, which its nodes may read: they must not see the write below
        old = make(t._a.copy(), t._node)
        made = function(old, *(old if a is t else a for a in args), **params)
    if made._a.shape != t._a.shape:
        raise TensorError(
            f"output with shape {list(t._a.shape)} doesn't match the broadcast shape "
            f"{list(made._a.shape)}"
        )
    if _CATEGORY[made._a.dtype.kind] > _CATEGORY[t._a.dtype.kind]:
        names = {"f": "Float", "i": "Long", "u": "Byte", "b": "Bool", "c": "ComplexFloat"}
        source, target = (names.get(a.dtype.kind, str(a.dtype)) for a in (made._a, t._a))
        raise TensorError(f"result type {source} can't be cast to the desired output type {target}")
    if references(old) > IN_VARIABLE:  # its node reads it
        old._a = old._a.copy()
    node = made._node
    if node is not None and made._a.dtype != t._a.dtype:
        made = made.to(t.dtype)
        node = made._node
    write(t, made._a)
    if recording():
        rebase(t, node)
    return t


def touched(tensors: Any) -> None:
    """Increments the versions of tensors whose arrays were written to."""
    for t in tensors:
        storage(t).version += 1


def write(t: Tensor, a: Any) -> None:
    """Copies an array into the tensor's memory and increments its version."""
    check_memory(t)
    np.copyto(t._a, a, casting="unsafe")
    storage(t).version += 1


def rebase(t: Tensor, node: Any) -> None:
    """Gives `t` the node of the value written to it; bases and views follow."""
    view = getattr(t, "_view", None)
    if view is None:
        old, t._node = t._node, node
        hooks.moved(t, old)
        refresh_views(t)
        return
    base, _ = view
    if node is None and base._node is None:
        return
    places = positions(t)
    flat = make(base._a, base._node)
    if base._a.ndim != 1:
        flat = recorded(memory.reshape, (flat, base._a.size), {}, base._a.reshape(-1))
    value = make(t._a, node)
    patched = recorded(
        indexing.patch, (flat, value), {"index": places}, np.empty_like(base._a, shape=base._a.size)
    )
    if base._a.ndim != 1:
        patched = recorded(memory.reshape, (patched, *base._a.shape), {}, base._a)
    base._node = patched._node
    refresh_views(base)


def positions(t: Tensor) -> np.ndarray:
    """The positions of a view's elements in its base, counted in the base's order."""
    base, steps = t._view
    places: Any = np.arange(base._a.size).reshape(base._a.shape)
    for op, args, params in _unfolded(steps):
        places = op.impl(places, *args, **params)
    return np.asarray(places)


def _unfolded(steps: tuple[Any, ...]) -> Iterator[tuple]:
    """The operations that make a view; deferred ones are computed at their first use."""
    for step in steps:
        told: Any = step() if callable(step) else (step,)
        yield from told


def refresh_views(base: Tensor) -> None:
    """Derives the views of a tensor anew from its current node."""
    if base._store is None:
        return
    for ref in list(base._store.views):
        t = ref()
        view = None if t is None else getattr(t, "_view", None)
        if t is None or view is None or view[0] is not base:
            continue
        value: Any = make(base._a, base._node)
        with mode.enable_grad():
            for op, args, params in _unfolded(view[1]):
                value = apply(op, (value, *args), params)
        old, t._node = t._node, value._node
        hooks.moved(t, old)


# ---- index stores ----
def store(t: Tensor, index: Any, value: Any) -> None:
    """`t[index] = value`."""
    check_writable(t)
    check_memory(t)
    first, index = basic_part(numpy_index(t, index))
    if first is not None:
        t = getitem(t, first)
    try:
        value = operand(value)
    except Unsuitable:
        from srcgrad.eager.create import tensor

        value = tensor(value, dtype=t.dtype)
    value = _without_leading_ones(value)
    a: Any = value._a if isinstance(value, Tensor) else value
    if isinstance(a, complex) and t._a.dtype.kind != "c":
        raise TensorError("value cannot be converted to the tensor's dtype without overflow")
    head = value._node if isinstance(value, Tensor) else None
    if devices.is_array(a) and np.may_share_memory(a, t._a):
        a = a.copy()  # type: ignore[union-attr]  (it is an array)
    try:
        t._a[index] = a
    except ValueError as error:
        raise TensorError(
            f"shape mismatch: value tensor cannot be stored at the index: {error}"
        ) from None
    except IndexError as error:
        raise index_error(error) from None
    storage(t).version += 1
    if not recording() or (t._node is None and head is None):
        return
    old = make(t._a, t._node)
    v = value if isinstance(value, Tensor) else make(devices.namespace(t._a).asarray(a, t._a.dtype))
    new = recorded(indexing.patch, (old, v), {"index": index}, t._a)
    rebase(t, new._node)


def _without_leading_ones(value: Any) -> Any:
    """A value to be stored, without leading dims of length one: it may have too many."""
    if not isinstance(value, Tensor):
        return value
    k = next((k for k, n in enumerate(value._a.shape) if n != 1), value._a.ndim)
    return getitem(value, (*[0] * k, ...)) if k else value


def index_error(error: IndexError) -> IndexError:
    from srcgrad.errors import TensorIndexError

    return TensorIndexError(str(error))


# ---- methods ----
def zero_(self: Tensor) -> Tensor:
    """Sets every element to zero, in place.

    >>> import srcgrad as flow
    >>> flow.ones(2).zero_()
    tensor([0., 0.], dtype=srcgrad.float32)
    """
    return fill_(self, 0)


def fill_(self: Tensor, value: Any) -> Tensor:
    """Sets every element to a number or a 0-d tensor, in place."""
    value = operand(value)
    if isinstance(value, Tensor) and value._a.ndim:
        raise TensorError("fill_ only supports 0-dimension value tensor")
    return copy_(self, value)


def copy_(self: Tensor, other: Any) -> Tensor:
    """Copies `other`, broadcast and cast, into this tensor; gradients flow to `other`."""
    check_writable(self)
    try:
        other = operand(other)
    except Unsuitable as kind:
        raise TensorTypeError(f"copy_(): argument 'other' must be Tensor, not {kind}") from None
    if isinstance(other, Tensor):
        other = other.to(self.device)
    head = other._node if isinstance(other, Tensor) else None
    try:
        write(self, other._a if isinstance(other, Tensor) else other)
    except ValueError as error:
        raise TensorError(f"The size of the tensors must match: {error}") from None
    if recording() and (head is not None or self._node is not None):
        if head is None:
            old = make(self._a, self._node)
            node = recorded(indexing.erase, (old,), {"index": ...}, self._a)._node
        else:
            # through a view of all places, so that shape and dtype are undone as for any store
            blank = make(np.zeros_like(self._a))
            node = recorded(indexing.patch, (blank, other), {"index": ...}, self._a)._node
        rebase(self, node)
    return self


__all__ = ["copy_", "fill_", "in_place", "store", "zero_"]
