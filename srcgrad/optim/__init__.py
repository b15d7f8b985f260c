"""`flow.optim`: optimizers of tensors and of plain arrays, with PyTorch's formulae."""

from typing import Any

from srcgrad.errors import nearest
from srcgrad.namespace import publish
from srcgrad.optim import lr_scheduler
from srcgrad.optim.adam import Adam, AdamW
from srcgrad.optim.lbfgs import LBFGS
from srcgrad.optim.optimizer import Optimizer
from srcgrad.optim.rmsprop import Adagrad, RMSprop
from srcgrad.optim.sgd import SGD

# PyTorch's names that are not here, and what to write instead
_ELSEWHERE = {
    "ASGD": "SGD and a mean of the parameters",
    "Adadelta": "Adam or RMSprop",
    "Adafactor": "Adam",
    "Adamax": "Adam",
    "Muon": "SGD",
    "NAdam": "Adam",
    "RAdam": "Adam",
    "Rprop": "RMSprop",
    "SparseAdam": "Adam",
}


def __getattr__(name: str) -> Any:
    text = f"module 'srcgrad.optim' has no attribute {name!r}"
    if name in _ELSEWHERE:
        raise AttributeError(f"{text}: write {_ELSEWHERE[name]}", name=name)
    near = "" if name.startswith("_") else nearest(name, __all__)
    raise AttributeError(f"{text}. Did you mean: '{near}'?" if near else text, name=name)


__all__ = [
    "LBFGS", "SGD", "Adagrad", "Adam", "AdamW", "Optimizer", "RMSprop", "lr_scheduler",
]  # fmt: skip
publish(globals())
