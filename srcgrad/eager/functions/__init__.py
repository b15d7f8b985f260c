"""The functions on tensors: importing this declares them all and attaches the methods."""

from srcgrad.eager.functions import composed, pointwise, products, reductions, shapes
from srcgrad.eager.functions.table import TABLE

__all__ = ["TABLE", "composed", "pointwise", "products", "reductions", "shapes"]
