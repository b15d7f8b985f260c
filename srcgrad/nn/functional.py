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
from srcgrad.eager.functions.images import (
    adaptive_avg_pool1d,
    adaptive_avg_pool2d,
    adaptive_max_pool2d,
    avg_pool1d,
    avg_pool2d,
    conv1d,
    conv2d,
    conv_transpose2d,
    max_pool1d,
    max_pool2d,
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
    cosine_embedding_loss,
    cross_entropy,
    huber_loss,
    kl_div,
    l1_loss,
    mse_loss,
    nll_loss,
    smooth_l1_loss,
)
from srcgrad.eager.functions.normalizations import batch_norm, group_norm
from srcgrad.eager.functions.paddings import pad
from srcgrad.tracebacks import entered

__all__ = [
    "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_max_pool2d", "avg_pool1d",
    "avg_pool2d", "batch_norm", "binary_cross_entropy", "binary_cross_entropy_with_logits",
    "cdist", "celu", "conv1d", "conv2d", "conv_transpose2d", "cosine_embedding_loss",
    "cosine_similarity", "cross_entropy", "dropout", "elu", "embedding", "gelu", "glu",
    "group_norm", "hardshrink", "hardsigmoid", "hardswish", "hardtanh", "huber_loss", "kl_div",
    "l1_loss", "layer_norm", "leaky_relu", "linear", "log_softmax", "logsigmoid", "max_pool1d",
    "max_pool2d", "mish", "mse_loss", "nll_loss", "normalize", "one_hot", "pad",
    "pairwise_distance", "prelu", "relu", "relu6", "selu", "sigmoid", "silu", "smooth_l1_loss",
    "softmax", "softmin", "softplus", "softshrink", "softsign", "tanh", "tanhshrink",
    "threshold",
]  # fmt: skip
globals().update(entered({n: globals()[n] for n in __all__}, __name__))
