"""`flow.amp`: loss scaling for gradients of low precision."""

from srcgrad.amp.managers import DynamicLossScaleManager, FixedLossScaleManager, LossScaleManager
from srcgrad.amp.scalers import DynamicLossScaler, LossScaler, StaticLossScaler, all_finite

__all__ = [
    "DynamicLossScaleManager",
    "DynamicLossScaler",
    "FixedLossScaleManager",
    "LossScaleManager",
    "LossScaler",
    "StaticLossScaler",
    "all_finite",
]
