"""`srcgrad.mindspore.nn`: cells, layers, losses, optimizers, with MindSpore's arguments."""

import re
from typing import Any

from srcgrad.errors import nearest
from srcgrad.mindspore.nn.cell import Cell
from srcgrad.mindspore.nn.cells import CellList, Dense, SequentialCell
from srcgrad.mindspore.nn.images import AvgPool2d, BatchNorm1d, BatchNorm2d, Conv2d, MaxPool2d
from srcgrad.mindspore.nn.initializer import initializer
from srcgrad.mindspore.nn.layers import Dropout, Embedding, Flatten, GroupNorm, LayerNorm
from srcgrad.mindspore.nn.losses import (
    LossBase,
    MAELoss,
    RMSELoss,
    SoftMarginLoss,
    SoftmaxCrossEntropyWithLogits,
)
from srcgrad.mindspore.nn.optimizer import Optimizer
from srcgrad.mindspore.nn.optimizers import (
    SGD,
    Adagrad,
    Adam,
    AdamWeightDecay,
    Momentum,
    RMSProp,
)
from srcgrad.mindspore.nn.recurrent import GRU, LSTM, RNN, GRUCell, LSTMCell, RNNCell
from srcgrad.mindspore.nn.renamed import (
    CELU,
    ELU,
    GELU,
    GLU,
    BCEWithLogitsLoss,
    Hardtanh,
    HShrink,
    HSigmoid,
    HSwish,
    KLDivLoss,
    LeakyReLU,
    LogSigmoid,
    LogSoftmax,
    Mish,
    ReLU,
    ReLU6,
    SeLU,
    Sigmoid,
    SiLU,
    SmoothL1Loss,
    Softmax,
    Softmin,
    Softplus,
    SoftShrink,
    Softsign,
    Tanh,
    Tanhshrink,
    Threshold,
)
from srcgrad.mindspore.nn.scaling import (
    DynamicLossScaleUpdateCell,
    FixedLossScaleUpdateCell,
    TrainOneStepWithLossScaleCell,
)
from srcgrad.mindspore.nn.schedules import (
    CosineDecayLR,
    ExponentialDecayLR,
    InverseDecayLR,
    LearningRateSchedule,
    NaturalExpDecayLR,
    PolynomialDecayLR,
    WarmUpLR,
    cosine_decay_lr,
    exponential_decay_lr,
    inverse_decay_lr,
    natural_exp_decay_lr,
    piecewise_constant_lr,
    polynomial_decay_lr,
    warmup_lr,
)
from srcgrad.mindspore.nn.training import (
    ForwardValueAndGrad,
    TrainOneStepCell,
    WithGradCell,
    WithLossCell,
)
from srcgrad.namespace import publish
from srcgrad.nn.layers import Identity
from srcgrad.nn.wrapped import (
    BCELoss,
    CosineEmbeddingLoss,
    CrossEntropyLoss,
    HuberLoss,
    L1Loss,
    MSELoss,
    NLLLoss,
)

# MindSpore's names that are not here, and what to write instead
_ELSEWHERE = {
    r".*3d": "images have layers: Conv2d, MaxPool2d, BatchNorm2d",
    r"Accuracy|F1|Precision|Recall|Loss|MAE|MSE|Top.*": "write it: (logits.argmax(1) == y).mean()",
    r"Model|Trainer": "write the loop: ms.value_and_grad, then optimizer(grads)",
    r"AdamW": "write AdamWeightDecay, or srcgrad.optim.AdamW",
    r"Conv1d|Conv\w*Transpose": "write srcgrad.nn.Conv1d, srcgrad.nn.ConvTranspose2d",
    r"MultiheadAttention": "write srcgrad.nn.MultiheadAttention",
    r"Lamb|LARS|FTRL|LazyAdam|ProximalAdagrad|ASGD|Rprop|Ada\w+": "write Adam, Momentum or RMSProp",
    r"\w+Loss": "derive from LossBase: return self.get_loss(...) in construct",
    r"\w+Cell": "derive from Cell",
}


def __getattr__(name: str) -> Any:
    text = f"module 'srcgrad.mindspore.nn' has no attribute {name!r}"
    for pattern, said in _ELSEWHERE.items():
        if re.fullmatch(pattern, name):
            raise AttributeError(f"{text}: {said}", name=name)
    near = "" if name.startswith("_") else nearest(name, __all__)
    raise AttributeError(f"{text}. Did you mean: '{near}'?" if near else text, name=name)


__all__ = [
    "CELU",
    "ELU",
    "GELU",
    "GLU",
    "GRU",
    "LSTM",
    "RNN",
    "SGD",
    "Adagrad",
    "Adam",
    "AdamWeightDecay",
    "AvgPool2d",
    "BCELoss",
    "BCEWithLogitsLoss",
    "BatchNorm1d",
    "BatchNorm2d",
    "Cell",
    "CellList",
    "Conv2d",
    "CosineDecayLR",
    "CosineEmbeddingLoss",
    "CrossEntropyLoss",
    "Dense",
    "Dropout",
    "DynamicLossScaleUpdateCell",
    "Embedding",
    "ExponentialDecayLR",
    "FixedLossScaleUpdateCell",
    "Flatten",
    "ForwardValueAndGrad",
    "GRUCell",
    "GroupNorm",
    "HShrink",
    "HSigmoid",
    "HSwish",
    "Hardtanh",
    "HuberLoss",
    "Identity",
    "InverseDecayLR",
    "KLDivLoss",
    "L1Loss",
    "LSTMCell",
    "LayerNorm",
    "LeakyReLU",
    "LearningRateSchedule",
    "LogSigmoid",
    "LogSoftmax",
    "LossBase",
    "MAELoss",
    "MSELoss",
    "MaxPool2d",
    "Mish",
    "Momentum",
    "NLLLoss",
    "NaturalExpDecayLR",
    "Optimizer",
    "PolynomialDecayLR",
    "RMSELoss",
    "RMSProp",
    "RNNCell",
    "ReLU",
    "ReLU6",
    "SeLU",
    "SequentialCell",
    "SiLU",
    "Sigmoid",
    "SmoothL1Loss",
    "SoftMarginLoss",
    "SoftShrink",
    "Softmax",
    "SoftmaxCrossEntropyWithLogits",
    "Softmin",
    "Softplus",
    "Softsign",
    "Tanh",
    "Tanhshrink",
    "Threshold",
    "TrainOneStepCell",
    "TrainOneStepWithLossScaleCell",
    "WarmUpLR",
    "WithGradCell",
    "WithLossCell",
    "cosine_decay_lr",
    "exponential_decay_lr",
    "initializer",
    "inverse_decay_lr",
    "natural_exp_decay_lr",
    "piecewise_constant_lr",
    "polynomial_decay_lr",
    "warmup_lr",
]
publish(globals())
