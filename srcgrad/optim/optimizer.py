"""`Optimizer`: groups of parameters with their options, and each parameter's state.

A subclass defines how one parameter's array is updated. Updates write into the parameter's memory
and are never recorded.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.eager import Tensor
from srcgrad.eager.mode import enable_grad
from srcgrad.eager.tensor import storage
from srcgrad.errors import ArgumentValueError, TensorTypeError
from srcgrad.nn.module import clear
from srcgrad.primitives.libraries import is_array
from srcgrad.tree import children, leaves, matched, spelled


class Optimizer:
    """The base of optimizers: `step`, `zero_grad`, `param_groups`, `state_dict`.

    `params`: tensors, dicts of "params" and their own options, or a structure of plain arrays,
    which are updated in place by `step(gradients)`.

    >>> import numpy as np, srcgrad as flow
    >>> params = {"w": np.array([1.0, 2.0]), "b": np.array(3.0)}
    >>> gradient = flow.grad(lambda p: np.sum(p["w"] ** 2) * p["b"])
    >>> flow.optim.SGD(params, lr=0.5).step(gradient(params))
    >>> params["w"].tolist(), params["b"].item()
    ([-2.0, -4.0], 0.5)
    """

    defaults: dict[str, Any]

    def __init__(self, params: Any, defaults: dict[str, Any]) -> None:
        if isinstance(params, Tensor):
            raise TensorTypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts,"
                f" but got {type(params)}"
            )
        given = params if children(params) is not None else list(params)
        self._structure, groups = parameters_of(given)
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
        params = [_of_array(p) if isinstance(p, np.ndarray) else p for p in params]
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

    def step(self, closure: Any = None) -> Any:
        """Updates every parameter that has a gradient.

        `closure`: a function that computes the loss, which is returned, or the gradients, in the
        structure that the parameters were given in.
        """
        loss, given = None, None
        if callable(closure):
            with enable_grad():
                loss = closure()
        elif closure is not None:
            given = self._gradients(closure)
        for group in self.param_groups:
            for p in group["params"]:
                g = _gradient_of(p) if given is None else given[p]
                if g is None:
                    continue
                state = self.state.setdefault(p, {})
                self._update(p._a, -g if group.get("maximize") else g, state, group)
                storage(p).version += 1
        return loss

    def _gradients(self, gradients: Any) -> dict[Any, Any]:
        """The array of each parameter's gradient; nothing is changed if one does not fit."""
        flat = [p for group in self.param_groups for p in group["params"]]
        if self._structure is None:
            found = list(gradients)
        else:
            found = [g for _, _, g in matched(self._structure, gradients, _refuse_other)]
        if len(found) != len(flat):
            raise ArgumentValueError(f"there are {len(flat)} parameters and {len(found)} gradients")
        made = {}
        for p, g in zip(flat, found, strict=True):
            a = None if g is None else np.asarray(g._a if isinstance(g, Tensor) else g)
            if a is not None and a.shape != p._a.shape:
                raise ArgumentValueError(
                    f"a gradient has shape {a.shape}, its parameter {tuple(p._a.shape)}"
                )
            made[p] = a
        return made

    def _update(
        self, a: np.ndarray, g: np.ndarray, state: dict[Any, Any], group: dict[Any, Any]
    ) -> None:
        """Writes the new value into `a`; `g` may not be written."""
        raise NotImplementedError  # each optimizer has its own

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__} ("]
        for k, group in enumerate(self.param_groups):
            lines.append(f"Parameter Group {k}")
            lines += [f"    {n}: {group[n]}" for n in sorted(group) if n != "params"]
        return "\n".join([*lines, ")"])

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
        self.state: dict[Any, dict[Any, Any]] = {
            flat[k]: {n: v.copy() if is_array(v) else v for n, v in s.items()}
            for k, s in state_dict["state"].items()
        }


class _OfArray(Tensor):
    """A tensor over a plain array of the caller's, which is updated in place."""


def parameters_of(params: Any) -> tuple[Any, list[Any]]:
    """The structure, if there are plain arrays in it, and the parameters, or groups of them."""
    if isinstance(params, list | tuple) and any(
        isinstance(g, dict) and "params" in g for g in params
    ):
        return None, list(params)
    found = leaves(params)
    if not any(isinstance(p, np.ndarray | float | int) for p in found):
        return (params, found) if isinstance(params, dict) else (None, list(params))
    return params, [_of_array(p) if not isinstance(p, Tensor) else p for p in found]


def _of_array(a: Any) -> Tensor:
    if not isinstance(a, np.ndarray) or a.dtype.kind != "f":
        what = f"of {a.dtype}" if isinstance(a, np.ndarray) else type(a).__name__
        raise TensorTypeError(
            f"optimizer can only optimize Tensors and arrays of floats, but one of the params is "
            f"{what}", None, "np.array(x, float), which is updated in place",
        )  # fmt: skip
    if not a.flags.writeable:
        raise TensorTypeError("an array of the params may not be written", None, "a.copy()")
    made = _OfArray([])
    made._a = a
    return made


def _refuse_other(path: tuple[Any, ...], given: Any, like: Any) -> None:
    where = f" at {spelled(('gradients', *path))}" if path else ""
    raise ArgumentValueError(f"the gradients have another structure than the parameters{where}")


def _gradient_of(p: Any) -> Any:
    """The array of a parameter's own gradient; TypeError for a plain array, which has none."""
    if isinstance(p, _OfArray):
        raise TensorTypeError("plain arrays have no grad", None, "step(gradients), from flow.grad")
    return None if p.grad is None else p.grad._a


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
