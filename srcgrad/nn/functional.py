"""`flow.nn.functional`: activations, losses and layers as functions; rows of the table."""

from srcgrad.eager.functions.losses import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    cdist,
    cosine_similarity,
    cross_entropy,
    embedding,
    huber_loss,
    kl_div,
    l1_loss,
    layer_norm,
    linear,
    mse_loss,
    nll_loss,
    normalize,
    one_hot,
    pairwise_distance,
    smooth_l1_loss,
)
from srcgrad.eager.functions.table import TABLE

_ROWS = {
    name: TABLE[name].function for name in (
        "relu", "sigmoid", "tanh", "elu", "celu", "selu", "leaky_relu", "prelu", "hardtanh",
        "relu6", "hardsigmoid", "hardswish", "gelu", "silu", "softplus", "mish", "softsign",
        "logsigmoid", "threshold", "hardshrink", "softshrink", "tanhshrink", "softmin", "glu",
        "dropout", "softmax", "log_softmax",
    )
}  # fmt: skip
globals().update(_ROWS)

__all__ = [
    *_ROWS, "binary_cross_entropy", "binary_cross_entropy_with_logits", "cdist",
    "cosine_similarity", "cross_entropy", "embedding", "huber_loss", "kl_div", "l1_loss",
    "layer_norm", "linear", "mse_loss", "nll_loss", "normalize", "one_hot", "pairwise_distance",
    "smooth_l1_loss",
]  # fmt: skip
