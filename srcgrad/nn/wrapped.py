"""Activations and losses as modules: each holds the arguments of a function of `functional`."""

from __future__ import annotations

import inspect
from typing import Any

from srcgrad.errors import ArgumentValueError, TensorTypeError
from srcgrad.nn import functional
from srcgrad.nn.docstrings import shown_as
from srcgrad.nn.module import Module

OF_FUNCTIONS = ("dtype",)  # options that the modules of PyTorch lack


def _module(
    name: str, function: Any, tensors: int, without: tuple[Any, ...] = OF_FUNCTIONS
) -> type[Module]:
    """A module whose arguments are the function's after its tensors, but for some."""
    options = list(inspect.signature(function).parameters.values())[tensors:]
    signature = inspect.Signature([o for o in options if o.name not in without])

    class Wrapped(Module):
        __signature__ = signature

        def __init__(self, *args: Any, **params: Any) -> None:
            super().__init__()
            try:
                self._options = dict(signature.bind(*args, **params).arguments)
            except TypeError as error:
                names = ", ".join(signature.parameters) or "none"
                raise TensorTypeError(
                    f"{name}(): {error}; it takes the arguments {names}"
                ) from None
            reduction = self._options.get("reduction", "mean")
            if reduction not in ("mean", "sum", "none", "batchmean"):
                raise ArgumentValueError(
                    f"For '{name}', the 'reduction' must be in ['mean', 'sum', 'none'], but got "
                    f"{reduction}."
                )

        def forward(self, *tensors: Any) -> Any:
            return function(*tensors, **self._options)

        def extra_repr(self) -> str:
            return ", ".join(f"{k}={v}" for k, v in self._options.items())

    Wrapped.__name__ = Wrapped.__qualname__ = name
    Wrapped.__doc__ = shown_as(function, f"flow.nn.{name}")
    return Wrapped


CELU = _module("CELU", functional.celu, 1)
ELU = _module("ELU", functional.elu, 1)
GELU = _module("GELU", functional.gelu, 1)
GLU = _module("GLU", functional.glu, 1)
Hardshrink = _module("Hardshrink", functional.hardshrink, 1)
Hardsigmoid = _module("Hardsigmoid", functional.hardsigmoid, 1)
Hardswish = _module("Hardswish", functional.hardswish, 1)
Hardtanh = _module("Hardtanh", functional.hardtanh, 1)
LeakyReLU = _module("LeakyReLU", functional.leaky_relu, 1)
LogSigmoid = _module("LogSigmoid", functional.logsigmoid, 1)
LogSoftmax = _module("LogSoftmax", functional.log_softmax, 1)
Mish = _module("Mish", functional.mish, 1)
ReLU = _module("ReLU", functional.relu, 1)
ReLU6 = _module("ReLU6", functional.relu6, 1)
SELU = _module("SELU", functional.selu, 1)
SiLU = _module("SiLU", functional.silu, 1)
Sigmoid = _module("Sigmoid", functional.sigmoid, 1)
Softmax = _module("Softmax", functional.softmax, 1)
Softmin = _module("Softmin", functional.softmin, 1)
Softplus = _module("Softplus", functional.softplus, 1)
Softshrink = _module("Softshrink", functional.softshrink, 1)
Softsign = _module("Softsign", functional.softsign, 1)
Tanh = _module("Tanh", functional.tanh, 1)
Tanhshrink = _module("Tanhshrink", functional.tanhshrink, 1)
Threshold = _module("Threshold", functional.threshold, 1)

BCELoss = _module("BCELoss", functional.binary_cross_entropy, 2)
BCEWithLogitsLoss = _module("BCEWithLogitsLoss", functional.binary_cross_entropy_with_logits, 2)
CrossEntropyLoss = _module("CrossEntropyLoss", functional.cross_entropy, 2)
HuberLoss = _module("HuberLoss", functional.huber_loss, 2, ("weight",))
KLDivLoss = _module("KLDivLoss", functional.kl_div, 2)
L1Loss = _module("L1Loss", functional.l1_loss, 2, ("weight",))
MSELoss = _module("MSELoss", functional.mse_loss, 2, ("weight",))
NLLLoss = _module("NLLLoss", functional.nll_loss, 2)
SmoothL1Loss = _module("SmoothL1Loss", functional.smooth_l1_loss, 2)
CosineEmbeddingLoss = _module("CosineEmbeddingLoss", functional.cosine_embedding_loss, 3)
HingeEmbeddingLoss = _module("HingeEmbeddingLoss", functional.hinge_embedding_loss, 2)
MarginRankingLoss = _module("MarginRankingLoss", functional.margin_ranking_loss, 3)
MultiLabelSoftMarginLoss = _module(
    "MultiLabelSoftMarginLoss", functional.multilabel_soft_margin_loss, 2
)
PoissonNLLLoss = _module("PoissonNLLLoss", functional.poisson_nll_loss, 2)
SoftMarginLoss = _module("SoftMarginLoss", functional.soft_margin_loss, 2)
TripletMarginLoss = _module("TripletMarginLoss", functional.triplet_margin_loss, 3)
CosineSimilarity = _module("CosineSimilarity", functional.cosine_similarity, 2)
PairwiseDistance = _module("PairwiseDistance", functional.pairwise_distance, 2)
