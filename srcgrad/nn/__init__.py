"""`flow.nn`: parameters, modules, layers and losses, with PyTorch's arguments and defaults.

MindSpore's names that PyTorch lacks (`Cell`, `Dense`, `TrainOneStepCell`, ...) are here too; its
layers of the same name are in `srcgrad.mindspore.nn`.
"""

from __future__ import annotations

import importlib
import re
from typing import TYPE_CHECKING, Any

from srcgrad.errors import nearest
from srcgrad.nn import functional, init, utils
from srcgrad.nn.attention import MultiheadAttention
from srcgrad.nn.containers import ModuleDict, ModuleList, ParameterDict, ParameterList, Sequential
from srcgrad.nn.convolutions import Conv1d, Conv2d, ConvTranspose2d
from srcgrad.nn.layers import Dropout, Embedding, Flatten, Identity, Linear, PReLU
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
        CosineDecayLR,
        Dense,
        DynamicLossScaleUpdateCell,
        ExponentialDecayLR,
        FixedLossScaleUpdateCell,
        ForwardValueAndGrad,
        HShrink,
        HSigmoid,
        HSwish,
        InverseDecayLR,
        LearningRateSchedule,
        LossBase,
        MAELoss,
        Momentum,
        NaturalExpDecayLR,
        Optimizer,
        PolynomialDecayLR,
        RMSELoss,
        RMSProp,
        SeLU,
        SequentialCell,
        SoftmaxCrossEntropyWithLogits,
        SoftShrink,
        TrainOneStepCell,
        TrainOneStepWithLossScaleCell,
        WarmUpLR,
        WithGradCell,
        WithLossCell,
        cosine_decay_lr,
        exponential_decay_lr,
        initializer,
        inverse_decay_lr,
        natural_exp_decay_lr,
        piecewise_constant_lr,
        polynomial_decay_lr,
        warmup_lr,
    )

# MindSpore's names that PyTorch lacks
_OF_MINDSPORE = (
    "Adagrad", "Adam", "AdamWeightDecay", "Cell", "CellList", "CosineDecayLR", "Dense",
    "DynamicLossScaleUpdateCell", "ExponentialDecayLR", "FixedLossScaleUpdateCell",
    "ForwardValueAndGrad", "HShrink", "HSigmoid", "HSwish", "InverseDecayLR",
    "LearningRateSchedule", "LossBase", "MAELoss", "Momentum", "NaturalExpDecayLR", "Optimizer",
    "PolynomialDecayLR", "RMSELoss", "RMSProp", "SGD", "SeLU", "SequentialCell", "SoftShrink",
    "SoftmaxCrossEntropyWithLogits", "TrainOneStepCell", "TrainOneStepWithLossScaleCell",
    "WarmUpLR", "WithGradCell", "WithLossCell", "cosine_decay_lr", "exponential_decay_lr",
    "initializer", "inverse_decay_lr", "natural_exp_decay_lr", "piecewise_constant_lr",
    "polynomial_decay_lr", "warmup_lr",
)  # fmt: skip
# PyTorch's names that are not here, by patterns, and what to write instead
_ELSEWHERE = {
    r".*3d": "images and sequences have layers: Conv1d, Conv2d and their like",
    r"Lazy(\w+)": "write the layer without Lazy, with its number of features",
    r"Transformer\w*": "compose MultiheadAttention, Linear and LayerNorm",
    r"(Reflection|Replication|Circular|Constant|Zero)Pad\dd": "write functional.pad",
    r"(Alpha|FeatureAlpha)?Dropout\d?d?": "write Dropout",
    r"Upsampl\w+|Unfold|Fold": "write x.repeat_interleave(n, dim), or x.unfold(dim, size, step)",
    r"Pixel\w+|ChannelShuffle|Unflatten": "write x.reshape(...).permute(...)",
    r"InstanceNorm\dd": "write GroupNorm with a group for each channel",
    r"RMSNorm|LocalResponseNorm|CrossMapLRN2d": "write x / (x * x).mean(dim, True).sqrt()",
    r"SyncBatchNorm": "write BatchNorm2d",
    r"DataParallel|Container|factory_kwargs": "write flow.compile(step, parallel=True)",
    r"RReLU": "write LeakyReLU",
    r"(RNN|RNNCell)Base|Uninitialized\w+": "derive from Module",
    r"Bilinear": "write flow.einsum",
    r"EmbeddingBag": "write Embedding and a sum",
    r"Softmax2d": "write Softmax(1)",
    r"\w*Pool\dd|MaxUnpool\dd": "write MaxPool2d, AvgPool2d or AdaptiveAvgPool2d",
    r"ConvTranspose1d": "write ConvTranspose2d with kernels of height 1",
    r"NLLLoss2d": "write NLLLoss",
    r"\w+Loss|\w*LogSoftmaxWithLoss|\w+Options": "write the formula, with functional",
}


def __getattr__(name: str) -> Any:
    if name in _OF_MINDSPORE:
        return getattr(importlib.import_module("srcgrad.mindspore.nn"), name)
    text = f"module 'srcgrad.nn' has no attribute {name!r}"
    for pattern, said in _ELSEWHERE.items():
        if re.fullmatch(pattern, name):
            raise AttributeError(f"{text}: {said}", name=name)
    near = "" if name.startswith("_") else nearest(name, __all__)
    raise AttributeError(f"{text}. Did you mean: '{near}'?" if near else text, name=name)


def __dir__() -> list[str]:
    return sorted(__all__)


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
    "CosineDecayLR",
    "CosineEmbeddingLoss",
    "CosineSimilarity",
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
    "Hardshrink",
    "Hardsigmoid",
    "Hardswish",
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
    "Linear",
    "LogSigmoid",
    "LogSoftmax",
    "LossBase",
    "MAELoss",
    "MSELoss",
    "MaxPool1d",
    "MaxPool2d",
    "Mish",
    "Module",
    "ModuleDict",
    "ModuleList",
    "Momentum",
    "MultiheadAttention",
    "NLLLoss",
    "NaturalExpDecayLR",
    "Optimizer",
    "PReLU",
    "PairwiseDistance",
    "Parameter",
    "ParameterDict",
    "ParameterList",
    "PolynomialDecayLR",
    "RMSELoss",
    "RMSProp",
    "RNNCell",
    "ReLU",
    "ReLU6",
    "SeLU",
    "Sequential",
    "SequentialCell",
    "SiLU",
    "Sigmoid",
    "SmoothL1Loss",
    "SoftShrink",
    "Softmax",
    "SoftmaxCrossEntropyWithLogits",
    "Softmin",
    "Softplus",
    "Softshrink",
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
    "functional",
    "init",
    "initializer",
    "inverse_decay_lr",
    "natural_exp_decay_lr",
    "piecewise_constant_lr",
    "polynomial_decay_lr",
    "utils",
    "warmup_lr",
]
globals().update(entered({n: globals()[n] for n in __all__ if n in globals()}, __name__))
