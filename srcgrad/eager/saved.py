"""Shared parts of nodes that run a primitive's rules: saved operands, versions, gradient shapes.

Un-broadcasting and the undoing of promotion (`fitted`) happen here and nowhere else. Runs no rule.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from srcgrad.eager import devices
from srcgrad.eager.graph import Leaf, Node
from srcgrad.eager.tensor import Storage, Tensor, make
from srcgrad.errors import AutogradError, TensorTypeError
from srcgrad.primitives import elementwise, reductions
from srcgrad.primitives.registry import Primitive

_ndarray = np.ndarray


def modified(node: Node, x: Any, version: int, saved: int) -> AutogradError:
    kind = {"f": "Float", "i": "Long", "b": "Bool"}.get(x.dtype.kind, "")
    return AutogradError(
        "one of the variables needed for gradient computation has been modified by an inplace "
        f"operation: [{kind}Tensor {list(x.shape)}], which is read by {node.label}, is at version "
        f"{version}; expected version {saved} instead.",
        None, "write y = y + 1 rather than y += 1, or change a clone()",
    )  # fmt: skip


def rebuilt(a: Any, node: Node | None, store: Storage | None) -> Tensor:
    """The tensor that an operand was: the leaf itself if it still exists, else one like it."""
    if type(node) is Leaf:
        tensor = node.tensor()
        if tensor is not None and tensor._a is a and tensor._node is node:
            return tensor
    t = make(a, node)
    t._store = store
    return t


class Saved(Node):
    """The base of nodes made for a primitive: its rules, as class attributes."""

    __slots__ = ()
    op: ClassVar[Primitive]
    rule: ClassVar[Any]  # on arrays
    rule_recorded: ClassVar[Any]  # on tensors
    singular: ClassVar[bool]


class Shaped:
    """The shape and dtype of an operand that no rule reads: enough to fit a gradient to it."""

    __slots__ = ("dtype", "remote", "shape")

    def __init__(self, a: Any):
        self.shape, self.dtype = a.shape, a.dtype
        self.remote = type(a) is not _ndarray and devices.on_device(a)

    @property
    def ndim(self) -> int:
        return len(self.shape)


class Packed:
    """A user's packed form of a tensor that a node saves, and the function that unpacks it."""

    __slots__ = ("unpack", "value")

    def __init__(self, t: Tensor, hooks: tuple):
        pack, self.unpack = hooks
        self.value = pack(make(t._a))

    def tensor(self) -> Tensor:
        """Unpacks the tensor; TypeError if the user's function returns something else."""
        t = self.unpack(self.value)
        if not isinstance(t, Tensor):
            kind = type(t).__name__
            raise TensorTypeError(
                f"Output of saved tensor unpack_hook expected to be a Tensor but "
                f"got result of type {kind}"
            )
        return t


def fitted(c: Any, like: Any, recorded: bool) -> Any:
    """A contribution with its operand's shape and dtype: undoes broadcasting and promotion."""
    shape = tuple(like.shape)
    a = like._a if isinstance(like, Tensor) else like
    target, remote = a.dtype, type(a) is not _ndarray
    if remote:
        remote = a.remote if type(a) is Shaped else devices.on_device(a)
    if type(c) is float or type(c) is int:
        full = (devices.library() if remote else np).full(shape, c, target)
        return make(full) if recorded else full
    if not remote and type(c._a if recorded else c) is not _ndarray:
        # an operand without dims may be on the CPU beside others on a device
        c = c.cpu() if recorded else devices.moved(c, devices.CPU)
    if tuple(c.shape) != shape:
        c = _spread(c, shape)
    if recorded:
        return c if c._a.dtype == target else elementwise.cast(c, dtype=target.name)
    return c if c.dtype == target else devices.array_of(c).astype(target)


def _spread(c: Any, shape: tuple) -> Any:
    """The sum to a smaller shape; a scalar means an array filled with it."""
    if len(c.shape) < len(shape):
        return reductions.broadcast_to(c, *shape)
    return reductions.sum_to(c, *shape)
