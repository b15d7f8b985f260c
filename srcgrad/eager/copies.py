"""`copy.copy`, `copy.deepcopy` and pickle of tensors, attached to `Tensor`."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from srcgrad.eager import mode
from srcgrad.eager.tensor import Tensor
from srcgrad.errors import AutogradError


def install() -> None:
    """Adds the methods to `Tensor`."""
    T: Any = Tensor
    T.__copy__, T.__deepcopy__, T.__reduce__ = _copied, _deeply_copied, _reduced


def _copied(self: Any) -> Tensor:
    """Another tensor over the same memory: a leaf of its own, or a view with the history."""
    if self.is_leaf:
        rebuild, args = self.__reduce__()
        return rebuild(*args)
    with mode.enable_grad():
        return self[...]


def _deeply_copied(self: Tensor, memo: dict) -> Tensor:
    if not self.is_leaf:
        raise AutogradError(
            "Only Tensors created explicitly by the user (graph leaves) support the deepcopy "
            "protocol at the moment"
        )
    t = object.__new__(type(self))
    memo[id(self)] = t
    t._a, t._node, t._store = self._a.copy(), None, None
    t.requires_grad = self.requires_grad
    if self.grad is not None:
        t._grad = copy.deepcopy(self.grad, memo)
    return t


def _reduced(self: Tensor) -> tuple:
    if not self.is_leaf:
        raise AutogradError("only leaf tensors can be pickled: use detach()")
    return _unpickled, (type(self), self._a, self.requires_grad)


def _unpickled(cls: type, a: np.ndarray, requires_grad: bool) -> Tensor:
    t = object.__new__(cls)
    t._a, t._node, t._store = a, None, None
    t.requires_grad = requires_grad
    return t
