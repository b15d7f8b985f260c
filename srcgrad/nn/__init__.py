"""`flow.nn`: what trainable programs are made of."""

from srcgrad.nn import functional
from srcgrad.nn.parameter import Parameter

__all__ = ["Parameter", "functional"]
