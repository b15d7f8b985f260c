"""`Optimizer`: groups of parameters with their options, and each parameter's state.

A subclass defines how one parameter's array is updated. Updates write into the parameter's memory
and are never recorded.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.eager import Tensor
from srcgrad.eager.mode import enable_grad
from srcgrad.eager.tensor import storage
from srcgrad.errors import ArgumentValueError, TensorTypeError
from srcgrad.nn.module import clear
from srcgrad.primitives.libraries import is_array


class Optimizer:
    """The base of optimizers: `step`, `zero_grad`, `param_groups`, `state_dict`."""

    def __init__(self, params: Any, defaults: dict[str, Any]) -> None:
        if isinstance(params, Tensor):
            raise TensorTypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts,"
                f" but got {type(params)}"
            )
        groups = list(params)
        if not groups:
            raise ArgumentValueError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        self.defaults, self.state = defaults, {}
        self.param_groups: list[dict[str, Any]] = []
        for group in groups:
            self.add_param_group(group)

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Adds parameters with options of their own; those not given are the defaults."""
        given = param_group["params"]
        params = [given] if isinstance(given, Tensor) else list(given)
        params = [p[1] if isinstance(p, tuple) else p for p in params]  # (name, parameter)
        seen = {id(p) for g in self.param_groups for p in g["params"]}
        for p in params:
            if not isinstance(p, Tensor):
                raise TensorTypeError(
                    f"optimizer can only optimize Tensors, but one of the params is {type(p)}"
                )
            if not p.is_leaf:
                raise ArgumentValueError("can't optimize a non-leaf Tensor")
            if id(p) in seen:
                raise ArgumentValueError("some parameters appear in more than one parameter group")
        self.param_groups.append({**self.defaults, **param_group, "params": params})

    def zero_grad(self, set_to_none: bool = False) -> None:
        """Sets the parameters' gradients to zeros in place, or to None."""
        for group in self.param_groups:
            for p in group["params"]:
                clear(p, set_to_none)

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Updates every parameter that has a gradient; returns the loss of a closure."""
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                g = p.grad._a
                state = self.state.setdefault(p, {})
                self._update(p._a, -g if group.get("maximize") else g, state, group)
                storage(p).version += 1
        return loss

    def _update(self, a: np.ndarray, g: np.ndarray, state: dict, group: dict) -> None:
        """Writes the new value into `a`; `g` may not be written."""
        raise NotImplementedError  # each optimizer has its own

    def state_dict(self) -> dict[str, Any]:
        """The state of each parameter and the groups' options, parameters by number."""
        flat = [p for group in self.param_groups for p in group["params"]]
        number = {id(p): k for k, p in enumerate(flat)}
        groups = [{**g, "params": [number[id(p)] for p in g["params"]]} for g in self.param_groups]
        return {
            "state": {number[id(p)]: dict(s) for p, s in self.state.items()},
            "param_groups": groups,
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over state and options; ValueError if the groups differ in size."""
        saved = state_dict["param_groups"]
        if [len(g["params"]) for g in saved] != [len(g["params"]) for g in self.param_groups]:
            raise ArgumentValueError(
                "loaded state dict contains a parameter group that doesn't match the size of "
                "optimizer's group"
            )
        flat = [p for group in self.param_groups for p in group["params"]]
        for group, other in zip(self.param_groups, saved, strict=True):
            group.update({k: v for k, v in other.items() if k != "params"})
        self.state = {
            flat[k]: {n: v.copy() if is_array(v) else v for n, v in s.items()}
            for k, s in state_dict["state"].items()
        }


def supported(differentiable: bool) -> None:
    """ValueError for an update that shall be recorded; other switches change no result."""
    if differentiable:
        raise ArgumentValueError(
            "updates are never recorded: differentiate through steps that are written as a "
            "function, with flow.grad"
        )


def checked(**options: float) -> None:
    """ValueError for an option below zero."""
    names = {"lr": "learning rate", "eps": "epsilon value"}
    for name, value in options.items():
        if not value >= 0.0:
            raise ArgumentValueError(f"Invalid {names.get(name, name)}: {value}")
