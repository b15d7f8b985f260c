"""`flow.nn.functional`: activations, losses and layers as functions; rows of the table."""

from srcgrad.eager.functions.activations import (
    celu,
    dropout,
    elu,
    gelu,
    glu,
    hardshrink,
    hardsigmoid,
    hardswish,
    hardtanh,
    leaky_relu,
    log_softmax,
    logsigmoid,
    mish,
    prelu,
    relu,
    relu6,
    selu,
    sigmoid,
    silu,
    softmax,
    softmin,
    softplus,
    softshrink,
    softsign,
    tanh,
    tanhshrink,
    threshold,
)
from srcgrad.eager.functions.layers import (
    cdist,
    cosine_similarity,
    embedding,
    layer_norm,
    linear,
    normalize,
    one_hot,
    pairwise_distance,
)
from srcgrad.eager.functions.losses import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    cross_entropy,
    huber_loss,
    kl_div,
    l1_loss,
    mse_loss,
    nll_loss,
    smooth_l1_loss,
)
from srcgrad.tracebacks import entered

__all__ = [
    "binary_cross_entropy", "binary_cross_entropy_with_logits", "cdist", "celu",
    "cosine_similarity", "cross_entropy", "dropout", "elu", "embedding", "gelu", "glu",
    "hardshrink", "hardsigmoid", "hardswish", "hardtanh", "huber_loss", "kl_div", "l1_loss",
    "layer_norm", "leaky_relu", "linear", "log_softmax", "logsigmoid", "mish", "mse_loss",
    "nll_loss", "normalize", "one_hot", "pairwise_distance", "prelu", "relu", "relu6", "selu",
    "sigmoid", "silu", "smooth_l1_loss", "softmax", "softmin", "softplus", "softshrink",
    "softsign", "tanh", "tanhshrink", "threshold",
]  # fmt: skip
globals().update(entered({n: globals()[n] for n in __all__}, __name__))
