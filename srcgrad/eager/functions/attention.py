"""Attention: weighted means of values, by products of queries and keys. No derivative."""

from __future__ import annotations

import math
from typing import Any

from srcgrad.eager import create
from srcgrad.eager.functions.activations import dropout
from srcgrad.eager.functions.composed import softmax
from srcgrad.eager.functions.pointwise import add, mul, where
from srcgrad.eager.functions.products import matmul
from srcgrad.eager.functions.shapes import transpose
from srcgrad.eager.functions.table import TABLE
from srcgrad.eager.tensor import Tensor
from srcgrad.errors import ArgumentValueError

tril = TABLE["tril"].function


def attention_weights(query: Any, key: Any, mask: Any, scale: float | None) -> Any:
    """softmax(query @ key.T * scale) along the keys; `mask`: bools to take part, or numbers."""
    factor = 1.0 / math.sqrt(query.shape[-1]) if scale is None else scale
    scores = mul(matmul(query, transpose(key, -2, -1)), factor)
    return softmax(scores if mask is None else masked(scores, mask), -1)


def masked(scores: Any, mask: Any) -> Any:
    """Scores where a mask of bools is true, -inf elsewhere; other masks are added."""
    if mask._a.dtype.kind == "b":
        return where(mask, scores, -math.inf)
    return add(scores, mask)


def causal(query: Any, key: Any) -> Any:
    """The mask in which a query takes keys up to its own place: bools."""
    ones = create.ones((query.shape[-2], key.shape[-2]), dtype=query.dtype)
    return TABLE["gt"].function(tril(ones), 0.5)


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None = None,
    dropout_p: float = 0.0, is_causal: bool = False, scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:  # fmt: skip
    """softmax(query @ key.T / sqrt(features)) @ value: Vaswani et al. 2017.

    `attn_mask`: bools, true where a key takes part, or numbers that are added to the products.
    ValueError for a mask beside `is_causal`.

    >>> import srcgrad as flow
    >>> q = k = flow.zeros(1, 2, 3)
    >>> v = flow.tensor([[[1.0], [3.0]]])
    >>> flow.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True).tolist()
    [[[1.0], [2.0]]]
    """
    if enable_gqa:
        raise ArgumentValueError(
            "enable_gqa is not supported: repeat the keys and values, x.repeat_interleave(n, -3)"
        )
    if is_causal and attn_mask is not None:
        raise ArgumentValueError("Explicit attn_mask should not be set when is_causal=True")
    mask = causal(query, key) if is_causal else attn_mask
    weights = attention_weights(query, key, mask, scale)
    if dropout_p != 0.0:
        weights = dropout(weights, dropout_p)
    return matmul(weights, value)
