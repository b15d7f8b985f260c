"""Functions that rearrange: reshaping, transposing, joining, splitting, repeating, selecting.

Views of NumPy's stay views, and are updated when their base is written.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.eager.apply import apply, as_tensor_operand, shown, viewed
from srcgrad.eager.dtypes import float32
from srcgrad.eager.functions.pointwise import cast
from srcgrad.eager.functions.reductions import one_axis
from srcgrad.eager.functions.table import declare, declared
from srcgrad.eager.indexing import getitem
from srcgrad.eager.inplace import copy_, fill_, store, zero_
from srcgrad.eager.tensor import Tensor
from srcgrad.errors import TensorError, TensorIndexError, TensorTypeError
from srcgrad.primitives import arrays, indexing, memory, reductions

Tensor.__getitem__ = getitem
Tensor.__setitem__ = store  # type: ignore[attr-defined]  (attached)
Tensor.zero_ = Tensor.zeros_ = zero_
Tensor.fill_, Tensor.copy_ = fill_, copy_


# ---- the same elements in another form ----
def _dims(given: tuple) -> tuple:
    whole = len(given) == 1 and isinstance(given[0], tuple | list | np.ndarray)
    return tuple(given[0]) if whole and np.ndim(given[0]) else given


def _resolved(x: Tensor, shape: tuple) -> tuple[int, ...]:
    """The shape with a -1 replaced; RuntimeError if the elements do not fit."""
    n, known = x._a.size, 1
    for d in shape:
        known *= d if d != -1 else 1
    if -1 in shape and known and n % known == 0:
        return tuple(n // known if d == -1 else int(d) for d in shape)
    if -1 in shape or known != n:
        raise TensorError(f"shape '{list(shape)}' is invalid for input of size {n}")
    return tuple(map(int, shape))


@declared("reshape")
def reshape(input: Tensor, *shape: Any) -> Tensor:
    """The elements in another shape, one dim of which may be -1; a view where memory allows.

    >>> import srcgrad as flow
    >>> flow.reshape(flow.tensor([1, 2, 3, 4]), (2, -1))
    tensor([[1, 2],
            [3, 4]], dtype=srcgrad.int64)
    """
    return shown(memory.reshape, input, _resolved(input, _dims(shape)), {})


@declared("view", top=False)
def view(self: Tensor, *shape: Any) -> Tensor:
    """The same memory in another shape; RuntimeError where that needs a copy."""
    dims = _resolved(self, _dims(shape))
    if self._a.size and not np.may_share_memory(self._a, np.reshape(self._a, dims)):
        raise TensorError(
            "view size is not compatible with input tensor's size and stride (at least one "
            "dimension spans across two contiguous subspaces). Use .reshape(...) instead."
        )
    return viewed(memory.reshape, self, dims, {})


declare("view_as", lambda self, other: view(self, other._a.shape), top=False)
declare("reshape_as", lambda self, other: reshape(self, other._a.shape), top=False)


@declared("permute")
def permute(input: Tensor, *dims: Any) -> Tensor:
    """The dims in another order.

    >>> import srcgrad as flow
    >>> flow.permute(flow.ones(2, 3, 4), 2, 0, 1).shape
    srcgrad.Size([4, 2, 3])
    """
    n = input._a.ndim
    perm = tuple(one_axis(n, d) for d in _dims(dims))
    if sorted(perm) != list(range(n)):
        raise TensorError(f"permute(): dims {perm} are not an order of the {n} dims of the tensor")
    return viewed(memory.transpose, input, (), {"perm": perm})


@declared("transpose", "swapaxes", "swapdims")
def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """Two dims exchanged.

    >>> import srcgrad as flow
    >>> flow.swapaxes(flow.ones(2, 3), 0, 1).shape
    srcgrad.Size([3, 2])
    """
    n = input._a.ndim
    perm = list(range(n))
    if n:
        a, b = one_axis(n, dim0), one_axis(n, dim1)
        perm[a], perm[b] = perm[b], perm[a]
    return viewed(memory.transpose, input, (), {"perm": tuple(perm)})


@declared("t")
def t(input: Tensor) -> Tensor:
    """The transpose of a matrix; RuntimeError for more dims.

    >>> import srcgrad as flow
    >>> flow.t(flow.tensor([[1, 2], [3, 4]]))
    tensor([[1, 3],
            [2, 4]], dtype=srcgrad.int64)
    """
    if input._a.ndim > 2:
        raise TensorError(
            f"t() expects a tensor with <= 2 dimensions, but self is {input._a.ndim}D"
        )
    return permute(input, *reversed(range(input._a.ndim)))


Tensor.T = property(lambda self: permute(self, *reversed(range(self._a.ndim))))  # type: ignore[attr-defined]  (attached)
Tensor.H = Tensor.T  # type: ignore[attr-defined]  (attached)
Tensor.mT = Tensor.mH = property(lambda self: transpose(self, -2, -1))  # type: ignore[attr-defined]  (attached)


@declared("squeeze")
def squeeze(input: Tensor, dim: Any = None) -> Tensor:
    """The tensor without dims of length 1, all or the given ones.

    >>> import srcgrad as flow
    >>> flow.squeeze(flow.ones(1, 3, 1)).shape
    srcgrad.Size([3])
    """
    n, shape = input._a.ndim, input._a.shape
    given = range(n) if dim is None else dim if isinstance(dim, tuple | list) else (dim,)
    gone = {one_axis(n, d) for d in given}
    return reshape(input, tuple(d for k, d in enumerate(shape) if k not in gone or d != 1))


@declared("unsqueeze")
def unsqueeze(input: Tensor, dim: int) -> Tensor:
    """The tensor with one more dim of length 1, at `dim` of the result.

    >>> import srcgrad as flow
    >>> flow.unsqueeze(flow.tensor([1, 2]), 1)
    tensor([[1],
            [2]], dtype=srcgrad.int64)
    """
    dims = list(input._a.shape)
    dims.insert(one_axis(len(dims) + 1, dim), 1)
    return viewed(memory.reshape, input, tuple(dims), {})


@declared("flatten")
def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """The dims from `start_dim` to `end_dim` merged into one.

    >>> import srcgrad as flow
    >>> flow.flatten(flow.tensor([[1, 2], [3, 4]]))
    tensor([1, 2, 3, 4], dtype=srcgrad.int64)
    """
    n = input._a.ndim
    if not n:
        return reshape(input, 1)
    a, b = one_axis(n, start_dim), one_axis(n, end_dim)
    s = input._a.shape
    return reshape(input, (*s[:a], int(np.prod(s[a : b + 1])), *s[b + 1 :]))


@declared("expand", top=False)
def expand(self: Tensor, *sizes: Any) -> Tensor:
    """The tensor broadcast to a shape; -1 keeps a dim. A view that cannot be written."""
    dims = list(_dims(sizes))
    lead = len(dims) - self._a.ndim
    if lead < 0:
        raise TensorError(
            f"expand({dims}, size={list(self._a.shape)}): the number of sizes provided "
            f"({len(dims)}) must be greater or equal to the number of dimensions in the tensor "
            f"({self._a.ndim})"
        )
    for k, d in enumerate(dims):
        n = self._a.shape[k - lead] if k >= lead else 1
        if d == -1 and k >= lead:
            dims[k] = n
        elif (d != n and n != 1) or d < 0:
            raise TensorError(
                f"The expanded size of the tensor ({d}) must match the existing size ({n}) at "
                f"non-singleton dimension {k}.  Target sizes: {list(dims)}.  Tensor sizes: "
                f"{list(self._a.shape)}"
            )
    return viewed(reductions.expand, self, tuple(dims), {})


declare("expand_as", lambda self, other: expand(self, other._a.shape), top=False)
declare("broadcast_to", lambda input, shape: expand(input, shape))
declare("clone", lambda input: apply(memory.copy, (input,), {}))
declare("contiguous", lambda self: self if self.is_contiguous() else self.clone(), top=False)


# ---- joins ----
def _joined(tensors: Any, name: str) -> list[Tensor]:
    if isinstance(tensors, Tensor) or not isinstance(tensors, tuple | list):
        kind = type(tensors).__name__
        raise TensorTypeError(f"{name}(): argument 'tensors' must be tuple of Tensors, not {kind}")
    xs = [as_tensor_operand(x, name) for x in tensors]
    if not xs:
        raise TensorError(f"{name} expects a non-empty TensorList")
    target = np.result_type(*(x._a.dtype for x in xs))
    if target == np.float64 and not any(x._a.dtype == np.float64 for x in xs):
        target = float32.np  # NumPy widens float32 with int64, tensors do not
    return [cast(x, target) for x in xs]


def _but_empty(xs: list[Tensor]) -> list[Tensor]:
    """The tensors without empty vectors, which join with anything."""
    return [x for x in xs if x._a.shape != (0,)] or xs[:1]


@declared("cat", "concat", "concatenate", method=False)
def cat(tensors: Any, dim: int = 0) -> Tensor:
    """Tensors joined along a dim they have; RuntimeError if the others differ.

    >>> import srcgrad as flow
    >>> flow.cat([flow.tensor([1, 2]), flow.tensor([3])])
    tensor([1, 2, 3], dtype=srcgrad.int64)
    """
    xs = _joined(tensors, "cat")
    xs = _but_empty(xs)
    axis = one_axis(xs[0]._a.ndim, dim)
    for x in xs:
        if not x._a.ndim:
            raise TensorError("zero-dimensional tensor (at position 0) cannot be concatenated")
    return apply(arrays.concatenate, tuple(xs), {"axis": axis})


@declared("stack", method=False)
def stack(tensors: Any, dim: int = 0) -> Tensor:
    """Tensors of one shape joined along a new dim.

    >>> import srcgrad as flow
    >>> flow.stack([flow.tensor([1, 2]), flow.tensor([3, 4])])
    tensor([[1, 2],
            [3, 4]], dtype=srcgrad.int64)
    """
    xs = _joined(tensors, "stack")
    for k, x in enumerate(xs):
        if x._a.shape != xs[0]._a.shape:
            raise TensorError(
                f"stack expects each tensor to be equal size, but got {list(xs[0]._a.shape)} at "
                f"entry 0 and {list(x._a.shape)} at entry {k}"
            )
    return cat([unsqueeze(x, dim) for x in xs], one_axis(xs[0]._a.ndim + 1, dim))


# ---- pieces ----
@declared("narrow")
def narrow(input: Tensor, dim: int, start: int, length: int) -> Tensor:
    """The places `start` to `start + length` of a dim; a view.

    >>> import srcgrad as flow
    >>> flow.narrow(flow.tensor([1, 2, 3, 4]), 0, 1, 2)
    tensor([2, 3], dtype=srcgrad.int64)
    """
    k = one_axis(input._a.ndim, dim)
    n = input._a.shape[k]
    if not -n <= start <= n:
        raise TensorIndexError(
            f"Dimension out of range (expected to be in range of [{-n}, {n}], but got {start})"
        )
    start += n if start < 0 else 0
    if length < 0 or start + length > n:
        raise TensorError(f"start ({start}) + length ({length}) exceeds dimension size ({n}).")
    return getitem(input, (*(slice(None),) * k, slice(start, start + length)))


@declared("select")
def select(input: Tensor, dim: int, index: int) -> Tensor:
    """One index of a dim; a view.

    >>> import srcgrad as flow
    >>> flow.select(flow.tensor([[1, 2], [3, 4]]), 0, 1)
    tensor([3, 4], dtype=srcgrad.int64)
    """
    return getitem(input, (*(slice(None),) * one_axis(input._a.ndim, dim), index))


@declared("split")
def split(tensor: Tensor, split_size: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Pieces of one length, the last perhaps shorter, or of the lengths given; views.

    >>> import srcgrad as flow
    >>> flow.split(flow.tensor([1, 2, 3]), 2)
    (tensor([1, 2], dtype=srcgrad.int64), tensor([3], dtype=srcgrad.int64))
    """
    n = tensor._a.shape[one_axis(tensor._a.ndim, dim)]
    if isinstance(split_size, int):
        if split_size < 0 or (not split_size and n):
            raise TensorError(
                f"split_size can only be 0 if dimension size is 0, but got dimension size of {n}"
            )
        sizes = [min(split_size, n - k) for k in range(0, n, split_size or 1)] or [0]
    else:
        sizes = list(split_size)
        if sum(sizes) != n:
            raise TensorError(
                f"split_with_sizes expects split_sizes to sum exactly to {n}, but got {sizes}"
            )
    starts = [sum(sizes[:k]) for k in range(len(sizes))]
    return tuple(narrow(tensor, dim, s, k) for s, k in zip(starts, sizes, strict=True))


@declared("chunk")
def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """At most `chunks` pieces of equal length but for the last; views.

    >>> import srcgrad as flow
    >>> flow.chunk(flow.tensor([1, 2, 3]), 2)
    (tensor([1, 2], dtype=srcgrad.int64), tensor([3], dtype=srcgrad.int64))
    """
    n = input._a.shape[one_axis(input._a.ndim, dim)]
    return split(input, max(-(-n // chunks), 1), dim)


@declared("unbind")
def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """The tensors along a dim, without it; views.

    >>> import srcgrad as flow
    >>> flow.unbind(flow.tensor([[1, 2], [3, 4]]))
    (tensor([1, 2], dtype=srcgrad.int64), tensor([3, 4], dtype=srcgrad.int64))
    """
    n = input._a.shape[one_axis(input._a.ndim, dim)]
    return tuple(select(input, dim, k) for k in range(n))


# ---- the same elements elsewhere, or repeated ----
@declared("flip")
def flip(input: Tensor, *dims: Any) -> Tensor:
    """The tensor with the order along the dims reversed.

    >>> import srcgrad as flow
    >>> flow.flip(flow.tensor([1, 2, 3]), 0)
    tensor([3, 2, 1], dtype=srcgrad.int64)
    """
    n = input._a.ndim
    axes = {one_axis(n, d) for d in _dims(dims)}
    index = tuple(slice(None, None, -1 if k in axes else None) for k in range(n))
    return apply(memory.copy, (apply(indexing.pick, (input,), {"index": index}),), {})


@declared("roll")
def roll(input: Tensor, shifts: Any, dims: Any = None) -> Tensor:
    """The elements moved along dims, those at the end to the front.

    >>> import srcgrad as flow
    >>> flow.roll(flow.tensor([1, 2, 3]), 1)
    tensor([3, 1, 2], dtype=srcgrad.int64)
    """
    if dims is None:
        return reshape(roll(reshape(input, -1), shifts, 0), input._a.shape)
    moves, axes = (x if isinstance(x, tuple | list) else (x,) for x in (shifts, dims))
    if len(moves) != len(axes):
        raise TensorError(
            f"shifts and dimensions must align. shifts: {len(moves)}, dims:{len(axes)}"
        )
    made = input
    for shift, d in zip(moves, axes, strict=True):
        k = one_axis(made._a.ndim, d)
        n = made._a.shape[k]
        at = n - shift % n if n else 0
        made = cat([narrow(made, k, at, n - at), narrow(made, k, 0, at)], k)
    return made


@declared("tile")
def tile(input: Tensor, *dims: Any) -> Tensor:
    """The tensor repeated along its dims.

    >>> import srcgrad as flow
    >>> flow.tile(flow.tensor([1, 2]), 2)
    tensor([1, 2, 1, 2], dtype=srcgrad.int64)
    """
    times = tuple(_dims(dims))
    shape = (1,) * (len(times) - input._a.ndim) + input._a.shape
    times = (1,) * (len(shape) - len(times)) + times
    columns = reshape(input, tuple(m for d in shape for m in (1, d)))
    spread = expand(columns, tuple(m for t, d in zip(times, shape, strict=True) for m in (t, d)))
    whole = tuple(t * d for t, d in zip(times, shape, strict=True))
    return apply(memory.reshape, (spread.clone(), *whole), {})


declare("repeat", tile, top=False)


__all__ = ["reshape", "transpose", "unsqueeze"]
