"""`flow.amp`: loss scaling by PyTorch's `GradScaler`, and all of `srcgrad.mindspore.amp`."""

from srcgrad.amp.gradients import GradScaler, autocast
from srcgrad.mindspore.amp import (
    DynamicLossScaleManager,
    DynamicLossScaler,
    FixedLossScaleManager,
    LossScaleManager,
    LossScaler,
    StaticLossScaler,
    all_finite,
)
from srcgrad.namespace import publish

__all__ = [
    "DynamicLossScaleManager",
    "DynamicLossScaler",
    "FixedLossScaleManager",
    "GradScaler",
    "LossScaleManager",
    "LossScaler",
    "StaticLossScaler",
    "all_finite",
    "autocast",
]
publish(globals())
