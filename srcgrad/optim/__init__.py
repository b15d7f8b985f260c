"""`flow.optim`: optimizers of tensors, with PyTorch's formulae."""

from srcgrad.optim import lr_scheduler
from srcgrad.optim.adam import Adam, AdamW
from srcgrad.optim.optimizer import Optimizer
from srcgrad.optim.sgd import SGD
from srcgrad.tracebacks import entered

__all__ = ["SGD", "Adam", "AdamW", "Optimizer", "lr_scheduler"]
globals().update(entered({n: globals()[n] for n in __all__ if n != "lr_scheduler"}, __name__))
