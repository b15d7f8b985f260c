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
from srcgrad.tracebacks import entered

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
globals().update(entered({n: globals()[n] for n in __all__}, __name__))
