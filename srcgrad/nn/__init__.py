"""`flow.nn`: parameters, modules, layers and losses, with PyTorch's arguments and defaults.

MindSpore's names that PyTorch lacks (`Cell`, `Dense`, `TrainOneStepCell`, ...) are here too; its
layers of the same name are in `srcgrad.mindspore.nn`.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from srcgrad.errors import nearest
from srcgrad.nn import functional, utils
from srcgrad.nn.containers import ModuleDict, ModuleList, ParameterDict, ParameterList, Sequential
from srcgrad.nn.convolutions import Conv1d, Conv2d, ConvTranspose2d
from srcgrad.nn.layers import Dropout, Embedding, Flatten, Identity, Linear
from srcgrad.nn.module import Module
from srcgrad.nn.normalization import BatchNorm1d, BatchNorm2d, GroupNorm, LayerNorm
from srcgrad.nn.parameter import Buffer, Parameter
from srcgrad.nn.pooling import (
    AdaptiveAvgPool1d,
    AdaptiveAvgPool2d,
    AdaptiveMaxPool2d,
    AvgPool1d,
    AvgPool2d,
    MaxPool1d,
    MaxPool2d,
)
from srcgrad.nn.recurrent import GRU, LSTM, RNN, GRUCell, LSTMCell, RNNCell
from srcgrad.nn.wrapped import (
    CELU,
    ELU,
    GELU,
    GLU,
    SELU,
    BCELoss,
    BCEWithLogitsLoss,
    CosineEmbeddingLoss,
    CosineSimilarity,
    CrossEntropyLoss,
    Hardshrink,
    Hardsigmoid,
    Hardswish,
    Hardtanh,
    HuberLoss,
    KLDivLoss,
    L1Loss,
    LeakyReLU,
    LogSigmoid,
    LogSoftmax,
    Mish,
    MSELoss,
    NLLLoss,
    PairwiseDistance,
    ReLU,
    ReLU6,
    Sigmoid,
    SiLU,
    SmoothL1Loss,
    Softmax,
    Softmin,
    Softplus,
    Softshrink,
    Softsign,
    Tanh,
    Tanhshrink,
    Threshold,
)
from srcgrad.tracebacks import entered

if TYPE_CHECKING:
    from srcgrad.mindspore.nn import (
        SGD,
        Adagrad,
        Adam,
        AdamWeightDecay,
        Cell,
        CellList,
        Dense,
        DynamicLossScaleUpdateCell,
        FixedLossScaleUpdateCell,
        ForwardValueAndGrad,
        Momentum,
        Optimizer,
        RMSProp,
        SequentialCell,
        TrainOneStepCell,
        TrainOneStepWithLossScaleCell,
        WithGradCell,
        WithLossCell,
        initializer,
    )

# MindSpore's names that PyTorch lacks
_OF_MINDSPORE = (
    "Adagrad", "Adam", "AdamWeightDecay", "Cell", "CellList", "Dense",
    "DynamicLossScaleUpdateCell", "FixedLossScaleUpdateCell", "ForwardValueAndGrad", "Momentum",
    "Optimizer", "RMSProp", "SGD", "SequentialCell", "TrainOneStepCell",
    "TrainOneStepWithLossScaleCell", "WithGradCell", "WithLossCell", "initializer",
)  # fmt: skip
# PyTorch's names that are not here, and what to write instead
_ELSEWHERE = {
    "BatchNorm3d": "only images and sequences have layers: BatchNorm1d, BatchNorm2d",
    "Conv3d": "only images and sequences have layers: Conv1d, Conv2d",
    "MaxPool3d": "only images and sequences have layers: MaxPool1d, MaxPool2d",
    "DataParallel": "write flow.compile(step, parallel=True)",
    "Transformer": "compose MultiheadAttention, Linear and LayerNorm",
    "TransformerEncoder": "compose MultiheadAttention, Linear and LayerNorm",
    "TransformerEncoderLayer": "compose MultiheadAttention, Linear and LayerNorm",
    "SyncBatchNorm": "write BatchNorm2d",
}


def __getattr__(name: str) -> Any:
    if name in _OF_MINDSPORE:
        return getattr(importlib.import_module("srcgrad.mindspore.nn"), name)
    text = f"module 'srcgrad.nn' has no attribute {name!r}"
    if name in _ELSEWHERE:
        raise AttributeError(f"{text}: {_ELSEWHERE[name]}", name=name)
    near = "" if name.startswith("_") else nearest(name, __all__)
    raise AttributeError(f"{text}. Did you mean: '{near}'?" if near else text, name=name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


__all__ = [
    "CELU",
    "ELU",
    "GELU",
    "GLU",
    "GRU",
    "LSTM",
    "RNN",
    "SELU",
    "SGD",
    "Adagrad",
    "Adam",
    "AdamWeightDecay",
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveMaxPool2d",
    "AvgPool1d",
    "AvgPool2d",
    "BCELoss",
    "BCEWithLogitsLoss",
    "BatchNorm1d",
    "BatchNorm2d",
    "Buffer",
    "Cell",
    "CellList",
    "Conv1d",
    "Conv2d",
    "ConvTranspose2d",
    "CosineEmbeddingLoss",
    "CosineSimilarity",
    "CrossEntropyLoss",
    "Dense",
    "Dropout",
    "DynamicLossScaleUpdateCell",
    "Embedding",
    "FixedLossScaleUpdateCell",
    "Flatten",
    "ForwardValueAndGrad",
    "GRUCell",
    "GroupNorm",
    "Hardshrink",
    "Hardsigmoid",
    "Hardswish",
    "Hardtanh",
    "HuberLoss",
    "Identity",
    "KLDivLoss",
    "L1Loss",
    "LSTMCell",
    "LayerNorm",
    "LeakyReLU",
    "Linear",
    "LogSigmoid",
    "LogSoftmax",
    "MSELoss",
    "MaxPool1d",
    "MaxPool2d",
    "Mish",
    "Module",
    "ModuleDict",
    "ModuleList",
    "Momentum",
    "NLLLoss",
    "Optimizer",
    "PairwiseDistance",
    "Parameter",
    "ParameterDict",
    "ParameterList",
    "RMSProp",
    "RNNCell",
    "ReLU",
    "ReLU6",
    "Sequential",
    "SequentialCell",
    "SiLU",
    "Sigmoid",
    "SmoothL1Loss",
    "Softmax",
    "Softmin",
    "Softplus",
    "Softshrink",
    "Softsign",
    "Tanh",
    "Tanhshrink",
    "Threshold",
    "TrainOneStepCell",
    "TrainOneStepWithLossScaleCell",
    "WithGradCell",
    "WithLossCell",
    "functional",
    "initializer",
    "utils",
]
globals().update(entered({n: globals()[n] for n in __all__ if n in globals()}, __name__))
