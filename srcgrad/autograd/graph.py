"""`flow.autograd.graph`: hooks on the values that nodes save, and on several gradients at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from srcgrad.eager import Tensor, hooks, mode
from srcgrad.eager.graph import Node
from srcgrad.errors import ArgumentValueError, AutogradError
from srcgrad.namespace import publish


class saved_tensors_hooks:
    """Inside, `pack` is called with each tensor that a node saves; `unpack` restores it.

    The result of `pack` is stored instead of the tensor: a file's name, an array of half precision.
    `unpack` must return a tensor of the same shape (TypeError in the backward pass otherwise).
    Compiled functions save their values themselves.

    >>> import srcgrad as flow
    >>> x = flow.tensor([1.0, 2.0], requires_grad=True)
    >>> def pack(t):
    ...     print("kept", t)
    ...     return t.numpy()
    >>> with flow.autograd.graph.saved_tensors_hooks(pack, flow.from_numpy):
    ...     y = x.exp()
    kept tensor([2.7183, 7.3891], dtype=srcgrad.float32)
    >>> y.sum().backward()
    >>> x.grad
    tensor([2.7183, 7.3891], dtype=srcgrad.float32)
    """

    def __init__(self, pack_hook: Callable[[Any], Any], unpack_hook: Callable[[Any], Any]):
        self._hooks = pack_hook, unpack_hook

    def __enter__(self) -> None:
        if (why := mode.no_saving()) is not None:
            raise AutogradError(why)
        mode.save_by((*mode.saving_stack(), self._hooks))

    def __exit__(self, *exc: object) -> None:
        mode.save_by(mode.saving_stack()[:-1])


class save_on_cpu(saved_tensors_hooks):
    """Inside, what nodes save is moved to the CPU until the backward pass reads it.

    `pin_memory` changes nothing.

    >>> import srcgrad as flow
    >>> x = flow.ones(1, requires_grad=True)
    >>> with flow.autograd.graph.save_on_cpu():
    ...     y = x.exp()
    >>> y.sum().backward()
    >>> x.grad
    tensor([2.7183], dtype=srcgrad.float32)
    """

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda"):
        super().__init__(lambda t: (t.device, t.cpu()), lambda packed: packed[1].to(packed[0]))


@contextmanager
def disable_saved_tensors_hooks(error_message: str) -> Iterator[None]:
    """Inside, `saved_tensors_hooks` raises a RuntimeError with this text.

    >>> import srcgrad as flow
    >>> with flow.autograd.graph.disable_saved_tensors_hooks("not here"):
    ...     with flow.autograd.graph.save_on_cpu():
    ...         pass
    Traceback (most recent call last):
        ...
    srcgrad.errors.AutogradError: not here
    """
    before = mode.no_saving()
    mode.refuse_saving(error_message)
    try:
        yield
    finally:
        mode.refuse_saving(before)


class _Together:
    """The gradients of several tensors in one backward pass."""

    def __init__(self, tensors: Sequence[Tensor], fn: Callable[..., Any], together: bool):
        self.fn, self.together, self.length = fn, together, len(tensors)
        self.found: dict[int, Tensor] = {}
        self.handles = [t.register_hook(self._seen(k)) for k, t in enumerate(tensors)]

    def _seen(self, k: int) -> Callable[[Tensor], None]:
        def see(g: Tensor) -> None:
            if not self.found:
                hooks.at_end(self._ended)
                if not self.together:
                    self.fn(g)
            self.found[k] = g

        return see

    def _ended(self, succeeded: bool) -> None:
        found, self.found = self.found, {}
        if self.together and succeeded:
            self.fn([found.get(k) for k in range(self.length)])

    def remove(self) -> None:
        """Removes the hook."""
        for handle in self.handles:
            handle.remove()

    def __enter__(self) -> _Together:
        return self

    def __exit__(self, *exc: object) -> None:
        self.remove()


def register_multi_grad_hook(
    tensors: Sequence[Tensor], fn: Callable[..., Any], *, mode: str = "all"
) -> Any:
    """Calls `fn` with the list of the tensors' gradients at the end of each backward pass.

    None stands there for a tensor that the pass did not reach; a pass that reaches none of them
    calls nothing. With `mode="any"` the first gradient of each pass is passed on, when it is
    known. Returns a handle with `remove()`.

    >>> import srcgrad as flow
    >>> x, y = flow.ones(1, requires_grad=True), flow.ones(1, requires_grad=True)
    >>> handle = flow.autograd.graph.register_multi_grad_hook((x, y), lambda gs: print(len(gs)))
    >>> (x * y).sum().backward()
    2
    """
    if mode not in ("all", "any"):
        raise ArgumentValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    return _Together(tensors, fn, mode == "all")


__all__ = [
    "Node", "disable_saved_tensors_hooks", "register_multi_grad_hook", "save_on_cpu",
    "saved_tensors_hooks",
]  # fmt: skip
publish(globals())
