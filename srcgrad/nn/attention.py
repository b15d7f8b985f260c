"""`MultiheadAttention`, with PyTorch's arguments and names of parameters. No derivative."""

from __future__ import annotations

import math
from typing import Any

from srcgrad.eager import create
from srcgrad.eager.functions.attention import attention_weights, causal
from srcgrad.eager.functions.pointwise import add, where
from srcgrad.eager.functions.products import matmul
from srcgrad.eager.functions.reductions import mean
from srcgrad.eager.functions.shapes import permute, reshape, squeeze, transpose, unsqueeze
from srcgrad.errors import ArgumentValueError
from srcgrad.nn import functional, init
from srcgrad.nn.layers import Linear
from srcgrad.nn.module import Module
from srcgrad.nn.parameter import Parameter, drawn


class MultiheadAttention(Module):
    """Several attentions side by side, each of a part of the features: Vaswani et al. 2017.

    Returns the results and, with `need_weights`, the weights. Sequences have the dims (length,
    batch, features), or (batch, length, features) with `batch_first`, or none for the batch. In
    masks of bools, true means that a key takes no part.

    >>> import srcgrad as flow
    >>> x = flow.ones(2, 5, 4)
    >>> y, weights = flow.nn.MultiheadAttention(4, 2, batch_first=True)(x, x, x)
    >>> y.shape, weights.shape
    (srcgrad.Size([2, 5, 4]), srcgrad.Size([2, 5, 5]))
    """

    embed_dim: int
    num_heads: int
    head_dim: int
    dropout: float
    batch_first: bool

    def __init__(
        self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True,
        add_bias_kv: bool = False, add_zero_attn: bool = False, kdim: int | None = None,
        vdim: int | None = None, batch_first: bool = False, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if embed_dim <= 0 or num_heads <= 0:
            raise ArgumentValueError("embed_dim and num_heads must be greater than 0")
        if embed_dim % num_heads:
            raise ArgumentValueError("embed_dim must be divisible by num_heads")
        if add_bias_kv or add_zero_attn:
            raise ArgumentValueError(
                "MultiheadAttention has neither add_bias_kv nor add_zero_attn: join a key and a "
                "value to yours, with flow.cat"
            )
        self.embed_dim, self.num_heads, self.head_dim = embed_dim, num_heads, embed_dim // num_heads
        self.kdim: int = embed_dim if kdim is None else kdim
        self.vdim: int = embed_dim if vdim is None else vdim
        self.dropout, self.batch_first = dropout, batch_first
        self._drops, self._same = dropout > 0.0, self.kdim == self.vdim == embed_dim
        shapes = {"in_proj_weight": (3 * embed_dim, embed_dim)} if self._same else {
            "q_proj_weight": (embed_dim, embed_dim), "k_proj_weight": (embed_dim, self.kdim),
            "v_proj_weight": (embed_dim, self.vdim),
        }  # fmt: skip
        for name in ("in_proj_weight", "q_proj_weight", "k_proj_weight", "v_proj_weight"):
            made = drawn(1.0, shapes[name], dtype, device) if name in shapes else None
            self.register_parameter(name, None if made is None else _xavier(made))
        start = init.zeros_(drawn(1.0, (3 * embed_dim,), dtype, device)) if bias else None
        self.register_parameter("in_proj_bias", start)  # type: ignore[arg-type]  (a Parameter)
        self.out_proj: Linear = Linear(embed_dim, embed_dim, bias, device, dtype)
        if bias:
            init.zeros_(self.out_proj.bias)

    def forward(
        self, query: Any, key: Any, value: Any, key_padding_mask: Any = None,
        need_weights: bool = True, attn_mask: Any = None, average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> Any:  # fmt: skip
        alone = query.ndim == 2
        q, k, v = self._projected(*[self._arranged(x, alone) for x in (query, key, value)])
        mask = attn_mask
        if mask is not None and mask.ndim == 3:  # (batch * heads, queries, keys)
            mask = reshape(mask, (-1, self.num_heads, *tuple(mask.shape)[1:]))
        mask = _to_take(mask)
        if is_causal and attn_mask is None:
            mask = causal(q, k)
        if key_padding_mask is not None:
            padding = unsqueeze(key_padding_mask, 0) if alone else key_padding_mask
            mask = _both(mask, _to_take(unsqueeze(unsqueeze(padding, 1), 1)), q)
        weights = attention_weights(q, k, mask, None)
        if self._drops and self.training:
            weights = functional.dropout(weights, self.dropout)
        joined = permute(matmul(weights, v), (0, 2, 1, 3))
        out = self.out_proj(reshape(joined, (*tuple(joined.shape)[:2], self.embed_dim)))
        if alone:
            out = squeeze(out, 0)
        elif not self.batch_first:
            out = transpose(out, 0, 1)
        if not need_weights:
            return out, None
        shown = mean(weights, 1) if average_attn_weights else weights
        return out, squeeze(shown, 0) if alone else shown

    def _arranged(self, x: Any, alone: bool) -> Any:
        """The sequences as (batch, length, features)."""
        if alone:
            return unsqueeze(x, 0)
        return x if self.batch_first else transpose(x, 0, 1)

    def _projected(self, query: Any, key: Any, value: Any) -> Any:
        """Queries, keys and values as (batch, heads, length, features of a head)."""
        n, bias = self.embed_dim, self.in_proj_bias
        if self._same:
            whole = self.in_proj_weight
            weights = [whole[k * n : (k + 1) * n] for k in range(3)]
        else:
            weights = [self.q_proj_weight, self.k_proj_weight, self.v_proj_weight]
        made = []
        for k, x in enumerate((query, key, value)):
            b = None if bias is None else bias[k * n : (k + 1) * n]
            y = functional.linear(x, weights[k], b)
            heads = reshape(y, (*tuple(y.shape)[:2], self.num_heads, self.head_dim))
            made.append(permute(heads, (0, 2, 1, 3)))
        return made


def _xavier(p: Parameter) -> Parameter:
    init.xavier_uniform_(p)
    return p


def _to_take(mask: Any) -> Any:
    """A mask of bools turned round: true where a key takes part; others unchanged."""
    return mask.logical_not() if mask is not None and mask._a.dtype.kind == "b" else mask


def _both(one: Any, other: Any, like: Any) -> Any:
    """The mask of two: as numbers to be added, unless there is only one."""
    if one is None:
        return other
    zero = create.zeros((1,), dtype=like.dtype)
    numbers = [where(m, zero, -math.inf) if m._a.dtype.kind == "b" else m for m in (one, other)]
    return add(*numbers)
