"""`flow.optim`: optimizers of tensors, with PyTorch's formulae."""

from srcgrad.optim.adam import Adam, AdamW
from srcgrad.optim.optimizer import Optimizer
from srcgrad.optim.sgd import SGD
from srcgrad.tracebacks import entered

__all__ = ["SGD", "Adam", "AdamW", "Optimizer"]
globals().update(entered({n: globals()[n] for n in __all__}, __name__))
