"""Functions whose MindSpore form differs from the table's: an `axis`, another order."""

from __future__ import annotations

from typing import Any

import srcgrad.eager.functions.composed as composed
import srcgrad.eager.functions.losses as losses
from srcgrad.eager import create
from srcgrad.eager.functions.table import TABLE

_where = TABLE["where"].function


def ones(shape: Any, dtype: Any = None) -> Any:
    """A tensor of ones."""
    return create.ones(shape, dtype=dtype)


def zeros(shape: Any, dtype: Any = None) -> Any:
    """A tensor of zeros."""
    return create.zeros(shape, dtype=dtype)


def softmax(input: Any, axis: int = -1, *, dtype: Any = None) -> Any:
    """exp(x) divided by its sum along an axis."""
    return composed.softmax(input, axis, dtype)


def log_softmax(logits: Any, axis: int = -1) -> Any:
    """The logarithm of softmax along an axis."""
    return composed.log_softmax(logits, axis)


def select(condition: Any, input: Any, other: Any) -> Any:
    """`input` where the condition holds, `other` elsewhere."""
    return _where(condition, input, other)


def binary_cross_entropy(logits: Any, labels: Any, weight: Any = None, reduction: str = "mean"):
    """The cross entropy of probabilities against labels."""
    return losses.binary_cross_entropy(logits, labels, weight, reduction)


def binary_cross_entropy_with_logits(
    logits: Any, label: Any, weight: Any = None, pos_weight: Any = None, reduction: str = "mean"
) -> Any:
    """binary_cross_entropy of sigmoid(logits), without overflow."""
    return losses.binary_cross_entropy_with_logits(logits, label, weight, reduction, pos_weight)
