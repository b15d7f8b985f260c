"""Tensors on the CPU and on CUDA devices: `to`, `cpu`, `cuda`; a copy's adjoint is copied back."""

from __future__ import annotations

from typing import Any

from srcgrad.eager import devices
from srcgrad.eager.apply import recording
from srcgrad.eager.functions.pointwise import cast
from srcgrad.eager.functions.table import declared
from srcgrad.eager.graph import Node
from srcgrad.eager.mode import watcher
from srcgrad.eager.tensor import Tensor, make
from srcgrad.errors import ArgumentValueError


class ToCopyBackward(Node):
    """The copy of a tensor on another device."""

    __slots__ = ("source",)
    label = "ToCopyBackward0"
    source: devices.device

    def vjp(self, g: Any, keep: bool) -> Any:
        return devices.moved(g, self.source)

    def vjp_recorded(self, g: Any, keep: bool) -> Any:
        return moved(g, self.source)


def moved(input: Tensor, target: devices.device) -> Tensor:
    """The tensor on a device: itself if it is there."""
    a = devices.moved(input._a, target)
    if a is input._a:
        return input
    if input._node is None or not recording():
        return make(a)
    node: Any = ToCopyBackward()
    node.level, node.next, node.source = input._node.level + 1, input._node, input.device
    if (seen := watcher()) is not None:
        seen.made(node)
    return make(a, node)


@declared("to", top=False)
def to(
    self: Tensor, *args: Any, dtype: Any = None, device: Any = None, copy: bool = False
) -> Tensor:
    """The tensor in a dtype, on a device, or in the dtype and on the device of another tensor."""
    for a in args:
        if isinstance(a, Tensor):
            dtype, device = a.dtype, a.device
        elif names_device(a):
            device = a
        elif not isinstance(a, bool):
            dtype = a
    made = self if dtype is None else cast(self, dtype)
    made = made if device is None else moved(made, devices.device(device))
    return made.clone() if copy and made is self else made


def names_device(a: Any) -> bool:
    """Whether an argument of `to` is a device, not a dtype."""
    if isinstance(a, str):
        return a.partition(":")[0] in ("cpu", "cuda")
    return isinstance(a, devices.device | int) and not isinstance(a, bool)


@declared("cpu", top=False)
def cpu(self: Tensor) -> Tensor:
    """The tensor on the CPU: itself if it is there."""
    return moved(self, devices.CPU)


@declared("cuda", top=False)
def cuda(self: Tensor, device: Any = None) -> Tensor:
    """The tensor on a CUDA device, the current one unless it is named: itself if it is there."""
    return moved(self, devices.device("cuda" if device is None else device))


@declared("to_device", top=False)
def to_device(self: Tensor, device: Any, /, *, stream: Any = None) -> Tensor:
    """The tensor on a device, by the array API's name; ValueError for a stream."""
    if stream is not None:
        raise ArgumentValueError("to_device() takes no stream: copies wait for their device")
    return moved(self, devices.device(device))
