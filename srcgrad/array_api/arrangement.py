"""Functions of the standard that put elements elsewhere, repeat them or take some."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.array_api.operands import promoted
from srcgrad.eager.functions import selections, shapes
from srcgrad.eager.functions.arrangements import movedim
from srcgrad.eager.functions.table import TABLE
from srcgrad.eager.tensor import Tensor, make
from srcgrad.errors import ArgumentValueError, TensorIndexError
from srcgrad.primitives.libraries import near

Axes = int | tuple[int, ...] | None


def broadcast_shapes(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """The shape that tensors of these shapes broadcast to; ValueError if they do not.

    >>> from srcgrad import array_api as xp
    >>> xp.broadcast_shapes((3, 1), (4,))
    (3, 4)
    """
    return np.broadcast_shapes(*shapes)


def broadcast_to(x: Tensor, /, shape: tuple[int, ...]) -> Tensor:
    """The tensor repeated along dims of length 1 and new leading dims; a view.

    >>> from srcgrad import array_api as xp
    >>> xp.broadcast_to(xp.asarray([1, 2]), (2, 2))
    tensor([[1, 2],
            [1, 2]], dtype=srcgrad.int64)
    """
    return shapes.expand(x, shape)


def broadcast_arrays(*arrays: Tensor) -> tuple[Tensor, ...]:
    """The tensors broadcast to one shape.

    >>> from srcgrad import array_api as xp
    >>> [x.shape for x in xp.broadcast_arrays(xp.zeros((3, 1)), xp.zeros(2))]
    [srcgrad.Size([3, 2]), srcgrad.Size([3, 2])]
    """
    shape = np.broadcast_shapes(*[x.shape for x in arrays])
    return tuple(shapes.expand(x, shape) for x in arrays)


def concat(arrays: Any, /, *, axis: int | None = 0) -> Tensor:
    """Tensors joined along a dim they have; without one, their elements as a vector.

    >>> from srcgrad import array_api as xp
    >>> xp.concat([xp.asarray([1, 2]), xp.asarray([3.0])])
    tensor([1., 2., 3.], dtype=srcgrad.float64)
    """
    xs = promoted(*arrays)
    if axis is None:
        return shapes.cat([shapes.reshape(x, -1) for x in xs], 0)
    return shapes.cat(xs, axis)


def stack(arrays: Any, /, *, axis: int = 0) -> Tensor:
    """Tensors of one shape joined along a new dim.

    >>> from srcgrad import array_api as xp
    >>> xp.stack([xp.asarray([1, 2]), xp.asarray([3, 4])], axis=1)
    tensor([[1, 3],
            [2, 4]], dtype=srcgrad.int64)
    """
    return shapes.stack(promoted(*arrays), axis)


def unstack(x: Tensor, /, *, axis: int = 0) -> tuple[Tensor, ...]:
    """The tensors along a dim, without it; views.

    >>> from srcgrad import array_api as xp
    >>> xp.unstack(xp.asarray([[1, 2], [3, 4]]))
    (tensor([1, 2], dtype=srcgrad.int64), tensor([3, 4], dtype=srcgrad.int64))
    """
    return shapes.unbind(x, axis)


def expand_dims(x: Tensor, /, axis: int | tuple[int, ...]) -> Tensor:
    """The tensor with new dims of length 1; a view.

    >>> from srcgrad import array_api as xp
    >>> xp.expand_dims(xp.zeros((2, 3)), (0, -1)).shape
    srcgrad.Size([1, 2, 3, 1])
    """
    places = axis if isinstance(axis, tuple) else (axis,)
    n = x.ndim + len(places)
    for k in places:
        if not -n <= k < n:
            raise TensorIndexError(f"expand_dims(): axis {k} is out of bounds for {n} dims")
    if len({k % n for k in places}) < n - x.ndim:
        raise ArgumentValueError("expand_dims(): an axis is named twice")
    for k in sorted(k % n for k in places):
        x = shapes.unsqueeze(x, k)
    return x


def squeeze(x: Tensor, /, axis: int | tuple[int, ...]) -> Tensor:
    """The tensor without dims, which have length 1; a view. ValueError for another length.

    >>> from srcgrad import array_api as xp
    >>> xp.squeeze(xp.zeros((1, 2, 1)), (0, 2)).shape
    srcgrad.Size([2])
    """
    places = axis if isinstance(axis, tuple) else (axis,)
    for k in places:
        if not -x.ndim <= k < x.ndim:
            raise TensorIndexError(f"squeeze(): axis {k} is out of bounds for {x.ndim} dims")
        if x.shape[k] != 1:
            raise ArgumentValueError(f"squeeze(): axis {k} has length {x.shape[k]}, not 1")
    return shapes.squeeze(x, places)


def permute_dims(x: Tensor, /, axes: tuple[int, ...]) -> Tensor:
    """The tensor with its dims in another order; a view.

    >>> from srcgrad import array_api as xp
    >>> xp.permute_dims(xp.zeros((2, 3, 4)), (2, 0, 1)).shape
    srcgrad.Size([4, 2, 3])
    """
    return shapes.permute(x, axes)


def moveaxis(x: Tensor, source: Any, destination: Any, /) -> Tensor:
    """The tensor with some dims at other places; a view.

    >>> from srcgrad import array_api as xp
    >>> xp.moveaxis(xp.zeros((2, 3, 4)), 0, -1).shape
    srcgrad.Size([3, 4, 2])
    """
    return movedim(x, source, destination)


def reshape(x: Tensor, /, shape: tuple[int, ...], *, copy: bool | None = None) -> Tensor:
    """The elements in another shape; ValueError if `copy` is False and memory does not allow it.

    >>> from srcgrad import array_api as xp
    >>> xp.reshape(xp.arange(4), (2, -1))
    tensor([[0, 1],
            [2, 3]], dtype=srcgrad.int64)
    """
    made = shapes.reshape(x, shape)
    if copy is None:
        return made
    shared = np.may_share_memory(made._a, x._a)
    if not copy and not shared and x.numel():
        raise ArgumentValueError("reshape() has to copy this, and copy is False")
    return made.clone() if copy and shared else made


def flip(x: Tensor, /, *, axis: Axes = None) -> Tensor:
    """The tensor with the order along the dims reversed, along all without any.

    >>> from srcgrad import array_api as xp
    >>> xp.flip(xp.asarray([[1, 2], [3, 4]]), axis=0)
    tensor([[3, 4],
            [1, 2]], dtype=srcgrad.int64)
    """
    return shapes.flip(x, tuple(range(x.ndim)) if axis is None else axis) if x.ndim else x.clone()


def roll(x: Tensor, /, shift: int | tuple[int, ...], *, axis: Axes = None) -> Tensor:
    """The elements moved along dims, those at the end to the front.

    >>> from srcgrad import array_api as xp
    >>> xp.roll(xp.asarray([1, 2, 3]), 1)
    tensor([3, 1, 2], dtype=srcgrad.int64)
    """
    if isinstance(axis, tuple) and not isinstance(shift, tuple):
        shift = (shift,) * len(axis)
    return shapes.roll(x, shift, axis) if x.ndim else x.clone()


def tile(x: Tensor, repetitions: tuple[int, ...], /) -> Tensor:
    """The tensor repeated along its dims, the last ones if there are fewer numbers.

    >>> from srcgrad import array_api as xp
    >>> xp.tile(xp.asarray([1, 2]), (2,))
    tensor([1, 2, 1, 2], dtype=srcgrad.int64)
    """
    return shapes.tile(x, (1,) * (x.ndim - len(repetitions)) + tuple(repetitions))


def repeat(x: Tensor, repeats: Any, /, *, axis: int | None = None) -> Tensor:
    """Each element, or each part along a dim, repeated a number of times or one of its own.

    >>> from srcgrad import array_api as xp
    >>> xp.repeat(xp.asarray([1, 2]), xp.asarray([1, 2]))
    tensor([1, 2, 2], dtype=srcgrad.int64)
    """
    if axis is None:
        x, axis = shapes.reshape(x, -1), 0
    n = x.shape[axis]
    times = repeats._a if isinstance(repeats, Tensor) else repeats
    return selections.index_select(x, axis, make(near(x._a, np.repeat(np.arange(n), times))))


def take(x: Tensor, indices: Tensor, /, *, axis: int | None = None) -> Tensor:
    """The elements of a dim at the indices of a vector or number.

    >>> from srcgrad import array_api as xp
    >>> xp.take(xp.asarray([[1, 2], [3, 4]]), xp.asarray([1, 1]), axis=1)
    tensor([[2, 2],
            [4, 4]], dtype=srcgrad.int64)
    """
    if axis is None:
        if x.ndim != 1:
            raise ArgumentValueError("take() needs an axis where x has several dims")
        axis = 0
    return selections.index_select(x, axis, indices)


def take_along_axis(x: Tensor, indices: Tensor, /, *, axis: int = -1) -> Tensor:
    """The elements along a dim at the indices in a tensor; the other dims broadcast.

    >>> from srcgrad import array_api as xp
    >>> xp.take_along_axis(xp.asarray([[1, 2], [3, 4]]), xp.asarray([[1], [0]]), axis=1)
    tensor([[2],
            [3]], dtype=srcgrad.int64)
    """
    k = axis % x.ndim
    others = np.broadcast_shapes(*[
        tuple(1 if a == k else n for a, n in enumerate(t.shape)) for t in (x, indices)
    ])  # fmt: skip

    def whole(t: Tensor) -> Tensor:
        return shapes.expand(t, tuple(t.shape[k] if a == k else n for a, n in enumerate(others)))

    return selections.gather(whole(x), k, whole(indices))


def tril(x: Tensor, /, *, k: int = 0) -> Tensor:
    """The lower triangles of matrices, up to the k-th diagonal.

    >>> from srcgrad import array_api as xp
    >>> xp.tril(xp.ones((2, 2)))
    tensor([[1., 0.],
            [1., 1.]], dtype=srcgrad.float32)
    """
    return TABLE["tril"].function(x, k)


def triu(x: Tensor, /, *, k: int = 0) -> Tensor:
    """The upper triangles of matrices, from the k-th diagonal on.

    >>> from srcgrad import array_api as xp
    >>> xp.triu(xp.ones((2, 2)), k=1)
    tensor([[0., 1.],
            [0., 0.]], dtype=srcgrad.float32)
    """
    return TABLE["triu"].function(x, k)
