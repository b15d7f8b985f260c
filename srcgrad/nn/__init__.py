"""`flow.nn`: what trainable programs are made of: parameters, modules, layers, losses."""

from srcgrad.nn import functional, utils
from srcgrad.nn.layers import (
    Dropout,
    Embedding,
    Flatten,
    Identity,
    LayerNorm,
    Linear,
    ModuleList,
    ParameterList,
    Sequential,
)
from srcgrad.nn.module import Module
from srcgrad.nn.parameter import Parameter
from srcgrad.nn.wrapped import CLASSES

globals().update(CLASSES)

__all__ = [
    *CLASSES, "Dropout", "Embedding", "Flatten", "Identity", "LayerNorm", "Linear", "Module",
    "ModuleList", "Parameter", "ParameterList", "Sequential", "functional", "utils",
]  # fmt: skip
