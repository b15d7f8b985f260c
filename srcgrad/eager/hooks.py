"""Hooks: functions that see, and may replace, the gradient that arrives at a tensor.

They are attached to the node and run once per backward on the summed gradient, in the order of
their registration, before `retain_grad` captures it. A handle removes one. Never run on a graph
that is not being walked.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from typing import Any

from srcgrad.eager import devices
from srcgrad.eager.graph import HOOKED, Leaf, Node
from srcgrad.eager.tensor import Tensor, make
from srcgrad.errors import AutogradError, TensorTypeError


def _of(node: Node) -> list[Any]:
    """The node's hooks; an empty list is attached if it has none."""
    if node not in HOOKED:
        node.hooks = []
        HOOKED.add(node)
    return node.hooks


class RemovableHandle:
    """The result of registering a hook; `remove()` removes the hook, also as a context."""

    def __init__(self, registered: list[Any], entry: Any):
        self._registered, self._entry = registered, entry

    def remove(self) -> None:
        """Removes the hook; does nothing the second time."""
        if self._entry in self._registered:
            self._registered.remove(self._entry)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *exc: object) -> None:
        self.remove()


class _Hook:
    """A user's function."""

    def __init__(self, f: Callable[..., Any]):
        self.f = f


class _Before:
    """A user's function of the gradients that arrive at a node, as a tuple."""

    def __init__(self, f: Callable):
        self.f = f


class _After:
    """A user's function of the gradients that leave a node and of those that arrived."""

    def __init__(self, f: Callable):
        self.f = f


class _Retained:
    """The tensor whose `grad` is to be retained; weakly, as the tensor holds the node."""

    def __init__(self, tensor: Tensor):
        self.tensor = weakref.ref(tensor)


def run(node: Node, g: Any, record: bool) -> Any:
    """The gradient after a node's hooks; an array, or a tensor under `record`."""
    if isinstance(g, dict):
        return g
    retained = []
    if not record:
        g = devices.array_of(g).copy(order="K")  # a hook may write into it, and others may hold it
    for entry in list(node.hooks):
        if isinstance(entry, _Retained):
            retained.append(entry)
            continue
        if isinstance(entry, _After):
            continue
        given = g if record else make(g)
        new = entry.f((given,) if isinstance(entry, _Before) else given)
        if isinstance(entry, _Before) and isinstance(new, tuple):
            (new,) = new
        if new is None:
            g = given if record else given._a
            continue
        if not isinstance(new, Tensor):
            raise TensorTypeError(f"a hook must return a Tensor or None, not {type(new).__name__}")
        if new._a.shape != given._a.shape:
            raise AutogradError("hook has changed the size of value")
        g = new if record else new._a.astype(given._a.dtype, copy=False)
    for entry in retained:
        tensor = entry.tensor()
        if tensor is not None:
            more = g if record else make(devices.array_of(g).copy(order="K"))
            tensor._grad = more if tensor.grad is None else tensor.grad + more
    return g


class _Pass(threading.local):
    """This thread's backward passes, which may lie within one another."""

    depth = 0
    ends: tuple = ()  # pairs of a depth and a function, called with whether the pass succeeded


_pass = _Pass()


def begin() -> None:
    """Notes that a backward pass begins."""
    _pass.depth += 1


def end(succeeded: bool) -> None:
    """Notes that a backward pass ends, and calls what waited for that."""
    depth = _pass.depth
    _pass.depth = depth - 1
    if _pass.ends:
        due = [f for at, f in _pass.ends if at == depth]
        _pass.ends = tuple(e for e in _pass.ends if e[0] != depth)
        for f in due:
            f(succeeded)


def at_end(f: Callable[[bool], Any]) -> None:
    """Calls `f` when the backward pass that is being walked ends."""
    _pass.ends = (*_pass.ends, (_pass.depth, f))


def after(node: Node, made: Any, g: Any, record: bool) -> Any:
    """The gradients that leave a node, after the hooks that see them."""
    entries = [e for e in node.hooks if isinstance(e, _After)]
    if not entries or isinstance(g, dict):
        return made
    wrapped = lambda x: x if x is None or isinstance(x, Tensor) else make(x)
    for entry in entries:
        leaving = tuple(made) if node.many else (made,)
        new = entry.f(tuple(map(wrapped, leaving)), (wrapped(g),))
        if new is None:
            continue
        new = new if isinstance(new, tuple) else (new,)
        if len(new) != len(leaving):
            raise AutogradError(
                f"a hook of {node.name()} returned {len(new)} gradients instead of {len(leaving)}"
            )
        arrays = [x if record or x is None else x._a for x in new]
        made = arrays if node.many else arrays[0]
    return made


def register_prehook(self: Node, fn: Callable) -> RemovableHandle:
    """Calls `fn` with the tuple of gradients that arrive at this node; its result replaces it."""
    return _registered(self, _Before(fn))


def register_node_hook(self: Node, fn: Callable) -> RemovableHandle:
    """Calls `fn(leaving, arriving)` with tuples of gradients; its result replaces the first."""
    return _registered(self, _After(fn))


def _registered(node: Node, entry: Any) -> RemovableHandle:
    registered = _of(node)
    registered.append(entry)
    return RemovableHandle(registered, entry)


def after_accumulation(leaf: Leaf, tensor: Tensor) -> None:
    """Runs the hooks that follow a leaf's accumulation."""
    for f in list(leaf.after):
        f(tensor)


def register_hook(self: Tensor, hook: Callable[..., Any]) -> RemovableHandle:
    """Calls `hook` with this tensor's gradient at each backward; its result replaces it.

    >>> import srcgrad as flow
    >>> x = flow.tensor(2.0, requires_grad=True)
    >>> handle = x.register_hook(lambda g: g * 10)
    >>> (x * x).backward()
    >>> x.grad
    tensor(40., dtype=srcgrad.float32)
    >>> handle.remove()
    """
    if self._node is None:
        raise AutogradError("cannot register a hook on a tensor that doesn't require gradient")
    if not callable(hook):
        raise TensorTypeError(f"'{type(hook).__name__}' object is not callable")
    return _registered(self._node, _Hook(hook))


def register_post_accumulate_grad_hook(self: Tensor, hook: Callable[..., Any]) -> RemovableHandle:
    """Calls `hook` with this leaf after adding to its `grad`; RuntimeError if it is not a leaf."""
    if type(self._node) is not Leaf:
        raise AutogradError("post accumulate grad hooks cannot be registered on non-leaf tensors")
    self._node.after.append(hook)
    return RemovableHandle(self._node.after, hook)


def retain_grad(self: Tensor) -> None:
    """Keeps this tensor's gradient in `grad` although it is not a leaf.

    >>> import srcgrad as flow
    >>> x = flow.tensor(2.0, requires_grad=True)
    >>> y = x * x
    >>> y.retain_grad()
    >>> (y * 3).backward()
    >>> y.grad
    tensor(3., dtype=srcgrad.float32)
    """
    if self._node is None:
        raise AutogradError("can't retain_grad on Tensor that has requires_grad=False")
    if not self.is_leaf and not _retains(self):
        _of(self._node).append(_Retained(self))


def _retains(self: Tensor) -> bool:
    entries = self._node.hooks if self._node in HOOKED else ()  # type: ignore[union-attr]  (a key has hooks)
    return any(isinstance(e, _Retained) and e.tensor() is self for e in entries)


def moved(tensor: Tensor, old: Node | None) -> None:
    """Moves `retain_grad` with the tensor to its new node after an in-place operation."""
    if old is None or tensor._node is None or old not in HOOKED:
        return
    entries = old.hooks
    ours = [e for e in entries if isinstance(e, _Retained) and e.tensor() is tensor]
    for e in ours:
        entries.remove(e)
        _of(tensor._node).append(e)


Tensor.register_hook = register_hook
Node.register_hook, Node.register_prehook = register_node_hook, register_prehook  # type: ignore[attr-defined]  (attached)
Tensor.register_post_accumulate_grad_hook = register_post_accumulate_grad_hook
Tensor.retain_grad = retain_grad
Tensor.retains_grad = property(_retains)  # type: ignore[attr-defined]  (attached)
