"""Nodes whose derivative is computed elsewhere: a whole compiled function is one of them.

The owner of the derivative is a `Pull`: it takes the gradients of the results as arrays and returns
those of the arguments. Knows no compiler and no rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from srcgrad.eager import devices, mode
from srcgrad.eager.graph import Node, Output, level_above
from srcgrad.eager.saved import modified
from srcgrad.eager.tensor import Tensor, make, storage


class Pull(Protocol):
    """The interface through which an opaque node gets its gradients."""

    def arrays(self, given: dict[int, Any], node: Node, keep: bool) -> Sequence[Any]:
        """The gradient of each argument, None where none is wanted; releases unless `keep`."""
        ...

    def tensors(self, given: dict[int, Any], node: Node, keep: bool) -> Sequence[Any]:
        """The same on tensors, recorded."""
        ...


class Opaque(Node):
    """One call of something that has its own derivative."""

    __slots__ = ("label", "pull")
    many = True
    label: str
    pull: Pull

    def vjp(self, g: Any, keep: bool) -> Any:
        return self.pull.arrays(g if type(g) is dict else {0: g}, self, keep)

    def vjp_recorded(self, g: Any, keep: bool) -> Any:
        return self.pull.tensors(g if type(g) is dict else {0: g}, self, keep)

    def __repr__(self) -> str:
        return f"<{self.label} object at {id(self):#x}>"


def record(
    outputs: Sequence[Any], floats: Sequence[int], heads: tuple, pull: Pull, label: str
) -> list:
    """The results as tensors of one node; only those numbered in `floats` have a gradient."""
    node: Any = object.__new__(Opaque)
    node.level, node.next, node.pull, node.label = level_above(heads), heads, pull, label
    watcher = mode.watcher()
    if watcher is not None:
        watcher.made(node)
    made = list(outputs)
    for k in floats:
        made[k] = make(devices.array_of(outputs[k]), node if len(floats) == 1 else Output(node, k))
    return made


class Kept:
    """An array that was read; its version if it is a tensor's, or in the memory of a `lender`."""

    __slots__ = ("array", "store", "version")

    def __init__(self, x: Any, lender: Tensor | None = None):
        self.array, self.store, self.version = x, None, None
        if isinstance(x, Tensor):
            self.array, lender = x._a, x
        if lender is not None:
            self.store = storage(lender)
            self.version = self.store.version

    def read(self, node: Node) -> Any:
        """The array; RuntimeError if it was modified in place since."""
        if self.store is not None and self.store.version != self.version:
            raise modified(node, self.array, self.store.version, self.version or 0)
        return self.array
