"""`flow.nn.functional`: activations as functions."""

from srcgrad.eager.functions.pointwise import relu
from srcgrad.eager.functions.table import TABLE

sigmoid, tanh = TABLE["sigmoid"].function, TABLE["tanh"].function

__all__ = ["relu", "sigmoid", "tanh"]
