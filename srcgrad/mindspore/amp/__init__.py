"""`srcgrad.mindspore.amp`: loss scaling for gradients of low precision."""

from srcgrad.mindspore.amp.managers import (
    DynamicLossScaleManager,
    FixedLossScaleManager,
    LossScaleManager,
)
from srcgrad.mindspore.amp.scalers import (
    DynamicLossScaler,
    LossScaler,
    StaticLossScaler,
    all_finite,
)
from srcgrad.namespace import publish

__all__ = [
    "DynamicLossScaleManager",
    "DynamicLossScaler",
    "FixedLossScaleManager",
    "LossScaleManager",
    "LossScaler",
    "StaticLossScaler",
    "all_finite",
]
publish(globals())
