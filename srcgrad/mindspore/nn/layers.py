"""Layers with MindSpore's arguments: dropout, normalisation of layers and groups, embedding."""

from __future__ import annotations

from typing import Any

from srcgrad.errors import ArgumentTypeError, ArgumentValueError
from srcgrad.mindspore.nn.cell import Cell
from srcgrad.mindspore.nn.initializer import initial
from srcgrad.mindspore.parameter import Parameter
from srcgrad.nn import functional


class Dropout(Cell):
    """Drops elements with probability `p`, or 1 - `keep_prob`, in training; nothing otherwise.

    >>> import srcgrad as flow
    >>> flow.mindspore.nn.Dropout(p=0.2)(flow.ones(2))
    tensor([1., 1.], dtype=srcgrad.float32)
    """

    def __init__(self, keep_prob: float = 0.5, p: float | None = None, dtype: Any = None) -> None:
        super().__init__()
        drop = 1.0 - keep_prob if p is None else p
        if not 0.0 <= drop < 1.0:
            raise ArgumentValueError(
                f"For 'Dropout', the 'p' must be in [0, 1) and 'keep_prob' in (0, 1], but 'p' is "
                f"{drop}."
            )
        self.p = drop

    def construct(self, x: Any) -> Any:
        return functional.dropout(x, self.p, self.training)

    def extra_repr(self) -> str:
        return f"p={self.p}"


class LayerNorm(Cell):
    """The dims from `begin_norm_axis` on normalised to mean 0 and variance 1, scaled, shifted.

    >>> import srcgrad as flow
    >>> flow.mindspore.nn.LayerNorm((2,))(flow.tensor([[1.0, 3.0]])).round().detach()
    tensor([[-1.,  1.]], dtype=srcgrad.float32)
    """

    normalized_shape: tuple[int, ...]
    epsilon: float
    begin_norm_axis: int
    begin_params_axis: int

    def __init__(
        self, normalized_shape: Any, begin_norm_axis: int = -1, begin_params_axis: int = -1,
        gamma_init: Any = "ones", beta_init: Any = "zeros", epsilon: float = 1e-7,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if not isinstance(normalized_shape, tuple | list):
            raise ArgumentTypeError(
                "For 'LayerNorm', the type of 'normalized_shape' must be tuple[int] or list[int], "
                f"but got {normalized_shape} and the type is {type(normalized_shape)}."
            )
        self.normalized_shape, self.epsilon = tuple(normalized_shape), epsilon
        self.begin_norm_axis, self.begin_params_axis = begin_norm_axis, begin_params_axis
        self.gamma: Parameter = Parameter(
            initial(gamma_init, self.normalized_shape, dtype), name="gamma"
        )
        self.beta: Parameter = Parameter(
            initial(beta_init, self.normalized_shape, dtype), name="beta"
        )

    def construct(self, x: Any) -> Any:
        for name, axis in (("norm", self.begin_norm_axis), ("params", self.begin_params_axis)):
            first = axis if axis >= 0 else x.ndim + axis
            if x.ndim - first != len(self.normalized_shape):
                raise ArgumentValueError(
                    f"For 'LayerNorm', the dims from begin_{name}_axis on must be those of "
                    "'normalized_shape'"
                )
        return functional.layer_norm(x, self.normalized_shape, self.gamma, self.beta, self.epsilon)

    def extra_repr(self) -> str:
        return f"normalized_shape={self.normalized_shape}, epsilon={self.epsilon}"


class GroupNorm(Cell):
    """Groups of channels normalised to mean 0 and variance 1, then channels scaled and shifted.

    >>> import srcgrad as flow
    >>> import srcgrad.mindspore as ms
    >>> ms.nn.GroupNorm(2, 4)(flow.ones(1, 4, 2, 2)).shape
    srcgrad.Size([1, 4, 2, 2])
    """

    num_groups: int
    num_channels: int
    eps: float

    def __init__(
        self, num_groups: int, num_channels: int, eps: float = 1e-5, affine: bool = True,
        gamma_init: Any = "ones", beta_init: Any = "zeros", dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if num_channels % num_groups:
            raise ArgumentValueError("For 'GroupNorm', 'num_groups' must divide 'num_channels'")
        self.num_groups, self.num_channels, self.eps = num_groups, num_channels, eps
        for name, init in (("gamma", gamma_init), ("beta", beta_init)):
            start = initial(init, (num_channels,), dtype)
            setattr(self, name, Parameter(start, name=name, requires_grad=affine))

    def construct(self, x: Any) -> Any:
        return functional.group_norm(x, self.num_groups, self.gamma, self.beta, self.eps)

    def extra_repr(self) -> str:
        return f"num_groups={self.num_groups}, num_channels={self.num_channels}"


class Embedding(Cell):
    """Rows of a matrix at integer indices; the row `padding_idx` is zero at first.

    >>> import srcgrad as flow
    >>> flow.mindspore.nn.Embedding(5, 3)(flow.tensor([1, 4])).shape
    srcgrad.Size([2, 3])
    """

    vocab_size: int
    embedding_size: int
    use_one_hot: bool
    padding_idx: int | None

    def __init__(
        self, vocab_size: int, embedding_size: int, use_one_hot: bool = False,
        embedding_table: Any = "normal", dtype: Any = None, padding_idx: int | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.vocab_size, self.embedding_size = vocab_size, embedding_size
        self.use_one_hot, self.padding_idx = use_one_hot, padding_idx
        start = initial(embedding_table, (vocab_size, embedding_size), dtype)
        if padding_idx is not None:
            if not 0 <= padding_idx < vocab_size:
                raise ArgumentValueError("For 'Embedding', 'padding_idx' must be a row")
            start[padding_idx] = 0.0
        self.embedding_table: Parameter = Parameter(start, name="embedding_table")

    def construct(self, ids: Any) -> Any:
        return functional.embedding(ids, self.embedding_table)

    def extra_repr(self) -> str:
        return f"vocab_size={self.vocab_size}, embedding_size={self.embedding_size}"


class Flatten(Cell):
    """The dims from `start_dim` to `end_dim` merged into one.

    >>> import srcgrad as flow
    >>> import srcgrad.mindspore as ms
    >>> ms.nn.Flatten()(flow.ones(2, 3, 4)).shape
    srcgrad.Size([2, 12])
    """

    start_dim: int
    end_dim: int

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def construct(self, x: Any) -> Any:
        return x.flatten(self.start_dim, self.end_dim)
