"""Nodes of the graph that `backward` walks: the base class, leaves, and outputs of a tuple.

A node's `level` is greater than that of every node it leads to, so that walking by descending
level meets a node after all that contribute to it. `next` is the one node it leads to, or a tuple
with None where no gradient is wanted (`many`). Nodes know no rules and hold no tensors here.
"""

from __future__ import annotations

import weakref
from typing import Any

from srcgrad.errors import AutogradError

# The nodes that have hooks; empty in the common case, so that walking need not look them up.
HOOKED: weakref.WeakSet[Node] = weakref.WeakSet()


class Node:
    """One operation of the graph; `vjp` maps the gradient of its result to its arguments'.

    >>> import srcgrad as flow
    >>> y = flow.ones(1, requires_grad=True).exp()
    >>> isinstance(y.grad_fn, flow.autograd.graph.Node)
    True
    """

    # hooks: unset unless the node is in HOOKED; called: unless a function of tensors made it
    __slots__ = ("__weakref__", "called", "hooks", "level", "next")
    many = False
    label = "Node"
    level: int
    next: Any
    hooks: list[Any]
    called: str  # the label by the function that was called

    def vjp(self, g: Any, keep: bool) -> Any:
        """The gradient for `next`, or a sequence of them; of arrays. Releases unless `keep`."""
        raise NotImplementedError

    def vjp_recorded(self, g: Any, keep: bool) -> Any:
        """The same on tensors, so that it is recorded itself."""
        raise NotImplementedError

    def name(self) -> str:
        """The name that printing a tensor shows: of the function that was called."""
        return getattr(self, "called", self.label)

    @property
    def next_functions(self) -> tuple[Any, ...]:
        """The nodes this one leads to, each with the number of the output it came from."""
        heads = self.next if self.many else (self.next,)
        return tuple(
            (None, 0) if n is None else (n.next, n.index) if type(n) is Output else (n, 0)
            for n in heads
        )

    def released(self) -> AutogradError:
        return AutogradError(
            f"This FunctionNode with name `{self.name()}` has been released.\n"
            "Maybe you try to backward through the node a second time. Specify retain_graph=True "
            "when calling .backward() or autograd.grad() the first time."
        )

    def __repr__(self) -> str:
        return f"<{self.name()} object at {id(self):#x}>"


def label_of(name: str) -> str:
    """The label of a node by the name of a function.

    >>> label_of("mse_loss")
    'MseLossBackward0'
    """
    return "".join(part.capitalize() for part in name.split("_")) + "Backward0"


class Leaf(Node):
    """The end of a leaf's gradient; the tensor is held weakly and owns its `grad`."""

    tensor: weakref.ref[Any]
    level: int
    next: Any

    __slots__ = ("after", "tensor")
    label = "AccumulateGrad"

    def __init__(self, tensor: Any):
        self.level, self.next, self.tensor = 0, None, weakref.ref(tensor)
        self.after: list[Any] = []  # hooks that follow the accumulation

    @property
    def variable(self) -> Any:
        """The leaf tensor, or None when it is gone."""
        return self.tensor()


class Output(Node):
    """One of several results of a node: passes its gradient on with its number."""

    index: int
    level: int
    next: Any

    __slots__ = ("index",)

    def __init__(self, node: Node, index: int):
        self.level, self.next, self.index = node.level + 1, node, index

    @property
    def label(self) -> str:
        return self.next.label

    def vjp(self, g: Any, keep: bool) -> Any:
        return {self.index: g}

    vjp_recorded = vjp


def level_above(nodes: Any) -> int:
    """The level of a node that leads to these."""
    return 1 + max([n.level for n in nodes if n is not None])
