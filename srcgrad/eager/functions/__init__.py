"""The functions on tensors: importing this declares them all and attaches the methods."""

from srcgrad.eager.functions import (
    activations,
    arrangements,
    composed,
    contractions,
    elementary,
    fills,
    layers,
    linear_algebra,
    losses,
    pointwise,
    products,
    ranks,
    reductions,
    selections,
    shapes,
    special,
    statistics,
    transfers,
)
from srcgrad.eager.functions.table import TABLE

__all__ = [
    "TABLE", "activations", "arrangements", "composed", "contractions", "elementary", "fills",
    "layers", "linear_algebra", "losses", "pointwise", "products", "ranks", "reductions",
    "selections", "shapes", "special", "statistics", "transfers",
]  # fmt: skip
