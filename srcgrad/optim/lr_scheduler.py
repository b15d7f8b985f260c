"""`flow.optim.lr_scheduler`: learning rates that change with the epochs, by PyTorch's formulae."""

from typing import Any

from srcgrad.errors import nearest
from srcgrad.namespace import publish
from srcgrad.optim.one_cycle import CosineAnnealingWarmRestarts, OneCycleLR
from srcgrad.optim.plateau import ReduceLROnPlateau
from srcgrad.optim.schedules import (
    ConstantLR,
    CosineAnnealingLR,
    ExponentialLR,
    LambdaLR,
    LinearLR,
    MultiplicativeLR,
    MultiStepLR,
    PolynomialLR,
    SequentialLR,
    StepLR,
)
from srcgrad.optim.scheduling import LRScheduler

_LRScheduler = LRScheduler


def __getattr__(name: str) -> Any:
    text = f"module 'srcgrad.optim.lr_scheduler' has no attribute {name!r}"
    if name in ("ChainedScheduler", "CyclicLR"):
        raise AttributeError(f"{text}: write LambdaLR with a function of the epoch", name=name)
    near = "" if name.startswith("_") else nearest(name, __all__)
    raise AttributeError(f"{text}. Did you mean: '{near}'?" if near else text, name=name)


__all__ = [
    "ConstantLR", "CosineAnnealingLR", "CosineAnnealingWarmRestarts", "ExponentialLR",
    "LRScheduler", "LambdaLR", "LinearLR", "MultiStepLR", "MultiplicativeLR", "OneCycleLR",
    "PolynomialLR", "ReduceLROnPlateau", "SequentialLR", "StepLR",
]  # fmt: skip
publish(globals())
