"""`GradScaler` and `autocast`: PyTorch's training in mixed precision, on tensors."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.eager import Tensor, dtypes
from srcgrad.eager.mode import no_grad
from srcgrad.errors import ArgumentValueError, TensorError


class GradScaler:
    """Scales a loss, divides its gradients by the scale, skips steps whose gradients overflow.

    `update` multiplies the scale by `backoff_factor` after such a step, and by `growth_factor`
    after `growth_interval` others. The device is ignored: gradients are scaled where they are.

    >>> import srcgrad as flow
    >>> w = flow.nn.Parameter(flow.tensor([1.0]))
    >>> optimizer, scaler = flow.optim.SGD([w], lr=0.1), flow.amp.GradScaler("cpu")
    >>> scaler.scale((w * 2.0).sum()).backward()
    >>> scaler.step(optimizer); scaler.update(); w.tolist()
    [0.800000011920929]
    """

    def __init__(
        self, device: str = "cuda", init_scale: float = 65536.0, growth_factor: float = 2.0,
        backoff_factor: float = 0.5, growth_interval: int = 2000, enabled: bool = True,
    ) -> None:  # fmt: skip
        if growth_factor <= 1.0:
            raise ArgumentValueError("The growth factor must be > 1.0.")
        if backoff_factor >= 1.0:
            raise ArgumentValueError("The backoff factor must be < 1.0.")
        self._enabled, self._scale = enabled, float(init_scale)
        self._growth_factor, self._backoff_factor = growth_factor, backoff_factor
        self._growth_interval, self._good = growth_interval, 0
        self._stages: dict[int, str] = {}  # of optimizers since the last update
        self._overflow: dict[int, bool] = {}

    def scale(self, outputs: Any) -> Any:
        """A tensor, or those of a list or tuple, times the scale."""
        if not self._enabled:
            return outputs
        if isinstance(outputs, Tensor):
            return outputs * self._scale
        return type(outputs)(self.scale(x) for x in outputs)

    def unscale_(self, optimizer: Any) -> None:
        """Divides the gradients of an optimizer's parameters by the scale, in place, once a step.

        RuntimeError for a second time since `update`.
        """
        if not self._enabled:
            return
        stage = self._stages.get(id(optimizer), "ready")
        if stage != "ready":
            raise TensorError(
                "unscale_() has already been called on this optimizer since the last update()."
                if stage == "unscaled" else "unscale_() is being called after step()."
            )  # fmt: skip
        grads = [p.grad for g in optimizer.param_groups for p in g["params"] if p.grad is not None]
        with no_grad():
            for g in grads:
                g.mul_(1.0 / self._scale)
        self._overflow[id(optimizer)] = not all(bool(np.isfinite(g._a).all()) for g in grads)
        self._stages[id(optimizer)] = "unscaled"

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """Divides the gradients unless that is done, and makes a step if they are finite."""
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if self._stages.get(id(optimizer)) == "stepped":
            raise TensorError("step() has already been called since the last update().")
        if self._stages.get(id(optimizer)) is None:
            self.unscale_(optimizer)
        self._stages[id(optimizer)] = "stepped"
        return None if self._overflow[id(optimizer)] else optimizer.step(*args, **kwargs)

    def update(self, new_scale: Any = None) -> None:
        """Adjusts the scale after the steps of all optimizers, or sets it."""
        if not self._enabled:
            return
        if new_scale is not None:
            self._scale = float(new_scale)
        elif not self._overflow:
            raise TensorError("No inf checks were recorded prior to update.")
        elif any(self._overflow.values()):
            self._scale, self._good = self._scale * self._backoff_factor, 0
        else:
            self._good += 1
            if self._good == self._growth_interval:
                self._scale, self._good = self._scale * self._growth_factor, 0
        self._stages, self._overflow = {}, {}

    def get_scale(self) -> float:
        """The scale; 1 if scaling is not enabled."""
        return self._scale if self._enabled else 1.0

    def is_enabled(self) -> bool:
        """Whether anything is scaled."""
        return self._enabled

    def get_growth_factor(self) -> float:
        """The factor after steps without overflow."""
        return self._growth_factor

    def set_growth_factor(self, new_factor: float) -> None:
        """Sets the factor after steps without overflow."""
        self._growth_factor = new_factor

    def get_backoff_factor(self) -> float:
        """The factor after a step with overflow."""
        return self._backoff_factor

    def set_backoff_factor(self, new_factor: float) -> None:
        """Sets the factor after a step with overflow."""
        self._backoff_factor = new_factor

    def get_growth_interval(self) -> int:
        """The number of steps without overflow before the scale grows."""
        return self._growth_interval

    def set_growth_interval(self, new_interval: int) -> None:
        """Sets the number of steps without overflow before the scale grows."""
        self._growth_interval = new_interval

    def state_dict(self) -> dict[str, Any]:
        """The scale, the factors and the number of steps since the last change."""
        if not self._enabled:
            return {}
        return {
            "scale": self._scale, "growth_factor": self._growth_factor,
            "backoff_factor": self._backoff_factor, "growth_interval": self._growth_interval,
            "_growth_tracker": self._good,
        }  # fmt: skip

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over the state of another scaler."""
        if not self._enabled:
            return
        self._scale, self._good = float(state_dict["scale"]), state_dict["_growth_tracker"]
        self._growth_factor = state_dict["growth_factor"]
        self._backoff_factor = state_dict["backoff_factor"]
        self._growth_interval = state_dict["growth_interval"]


class autocast:
    """A region in which lower precision is allowed; all is computed in the operands' dtypes.

    It changes nothing: there are no kernels of lower precision that would be faster. Cast with
    `x.half()` where float16 is meant. Serves as a decorator too.

    >>> import srcgrad as flow
    >>> with flow.amp.autocast("cpu"):
    ...     print((flow.ones(2, 2) @ flow.ones(2)).dtype)
    srcgrad.float32
    """

    device: str
    enabled: bool
    dtype: dtypes.dtype | None

    def __init__(
        self, device_type: str, dtype: Any = None, enabled: bool = True,
        cache_enabled: bool | None = None,
    ) -> None:  # fmt: skip
        if not isinstance(device_type, str):
            kind = type(device_type).__name__
            raise ArgumentValueError(f"Expected `device_type` of type `str`, got: `{kind}`")
        self.device, self.enabled = device_type, enabled
        self.dtype = None if dtype is None else dtypes.to_dtype(dtype)

    def __enter__(self) -> autocast:
        return self

    def __exit__(self, *exc: Any) -> None:
        return None

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            return function(*args, **kwargs)

        return call
