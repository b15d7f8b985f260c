"""`flow.optim`: optimizers of tensors, with PyTorch's formulae."""

from srcgrad.optim.adam import Adam, AdamW
from srcgrad.optim.optimizer import Optimizer
from srcgrad.optim.sgd import SGD

__all__ = ["SGD", "Adam", "AdamW", "Optimizer"]
