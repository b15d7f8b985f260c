"""`LBFGS`: quasi-Newton steps from the last changes of parameters and gradients.

The two-loop recursion of Nocedal 1980, and a line search for the strong Wolfe conditions
(Nocedal and Wright, Numerical Optimization, algorithms 3.5 and 3.6).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.eager.mode import enable_grad
from srcgrad.eager.tensor import storage
from srcgrad.errors import ArgumentValueError
from srcgrad.optim.optimizer import Optimizer
from srcgrad.optim.wolfe import Point, wolfe


class LBFGS(Optimizer):
    """Up to `max_iter` quasi-Newton steps in each `step(closure)`; the closure computes the loss.

    `line_search_fn`: None for steps of `lr`, or "strong_wolfe". One group of parameters.

    >>> import srcgrad as flow
    >>> w = flow.nn.Parameter(flow.tensor([1.0, 2.0]))
    >>> optimizer = flow.optim.LBFGS([w], line_search_fn="strong_wolfe")
    >>> def closure():
    ...     optimizer.zero_grad()
    ...     loss = ((w - 3.0) ** 2).sum()
    ...     loss.backward()
    ...     return loss
    >>> optimizer.step(closure).item(), w.round(decimals=3).tolist()
    (5.0, [3.0, 3.0])
    """

    def __init__(
        self, params: Any, lr: float = 1, max_iter: int = 20, max_eval: int | None = None,
        tolerance_grad: float = 1e-07, tolerance_change: float = 1e-09, history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:  # fmt: skip
        if line_search_fn not in (None, "strong_wolfe"):
            raise ArgumentValueError("only 'strong_wolfe' is supported")
        defaults = {
            "lr": lr, "max_iter": max_iter,
            "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
            "tolerance_grad": tolerance_grad, "tolerance_change": tolerance_change,
            "history_size": history_size, "line_search_fn": line_search_fn,
        }  # fmt: skip
        super().__init__(params, defaults)
        if len(self.param_groups) != 1:
            raise ArgumentValueError("LBFGS doesn't support per-parameter options")
        self._params = self.param_groups[0]["params"]

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Makes the steps; returns the loss before them."""
        if not callable(closure):
            raise ArgumentValueError("LBFGS evaluates the loss several times: step(closure)")
        group, evaluated = self.param_groups[0], 0
        state = self.state.setdefault(
            self._params[0], {"n_iter": 0, "func_evals": 0, "changes": [], "scale": 1.0}
        )

        def at(x: np.ndarray | None) -> Point:
            nonlocal evaluated
            if x is not None:
                self._write(x)
            with enable_grad():
                loss = closure()
            evaluated += 1
            state["func_evals"] += 1
            return Point(float(loss), self._gradient(), loss)

        here = at(None)
        first = here.result
        for k in range(group["max_iter"]):
            if np.abs(here.gradient).max(initial=0.0) <= group["tolerance_grad"]:
                break
            state["n_iter"] += 1
            before = self._direction(state, here.gradient, group["history_size"])
            rate = group["lr"]
            if state["n_iter"] == 1:
                rate *= min(1.0, 1.0 / np.abs(here.gradient).sum())
            slope = float(here.gradient @ before)
            if slope > -group["tolerance_change"]:
                break
            x, last = self._vector(), k == group["max_iter"] - 1
            if group["line_search_fn"] is not None:
                rate, there = wolfe(at, x, before, rate, here, group["tolerance_change"])
                self._write(x + rate * before)
            else:
                self._write(x + rate * before)
                there = here if last else at(None)
            state["step"], state["previous"] = rate * before, here.gradient
            moved, here = here, there
            if last or evaluated >= group["max_eval"]:
                break
            if np.abs(rate * before).max() <= group["tolerance_change"]:
                break
            if abs(here.value - moved.value) < group["tolerance_change"]:
                break
        return first

    def _direction(self, state: dict[Any, Any], g: np.ndarray, size: int) -> np.ndarray:
        """Minus the approximate inverse Hessian times the gradient."""
        if state["n_iter"] == 1:
            return -g
        s, y = state["step"], g - state["previous"]
        curvature = float(y @ s)
        if curvature > 1e-10:
            state["changes"] = [*state["changes"], (s, y)][-size:]
            state["scale"] = curvature / float(y @ y)
        q, weights = -g, []
        for s, y in reversed(state["changes"]):
            weights.append(float(s @ q) / float(y @ s))
            q = q - weights[-1] * y
        q = q * state["scale"]
        for (s, y), weight in zip(state["changes"], reversed(weights), strict=True):
            q = q + s * (weight - float(y @ q) / float(y @ s))
        return q

    def _vector(self) -> np.ndarray:
        return np.concatenate([p._a.ravel() for p in self._params])

    def _gradient(self) -> np.ndarray:
        parts = [np.zeros(p._a.size) if p.grad is None else p.grad._a for p in self._params]
        kind = self._params[0]._a.dtype
        return np.concatenate([np.asarray(g, kind).ravel() for g in parts])

    def _write(self, x: np.ndarray) -> None:
        at = 0
        for p in self._params:
            n = p._a.size
            p._a[...] = x[at : at + n].reshape(p._a.shape)
            storage(p).version += 1
            at += n
