"""Elements selected and written by index tensors: scatter and related ones, take, searches.

Writing out of place uses the primitives `patch` (the last write wins) and `put` (places add).
Nothing here has a derivative of its own.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.eager.apply import apply
from srcgrad.eager.functions.pointwise import add, mul, where
from srcgrad.eager.functions.reductions import one_axis
from srcgrad.eager.functions.shapes import expand, getitem, reshape
from srcgrad.eager.functions.table import declare, declared
from srcgrad.eager.tensor import Tensor, make
from srcgrad.errors import ArgumentValueError, TensorError, TensorIndexError
from srcgrad.primitives import indexing, scans
from srcgrad.primitives.libraries import near


@declared("index_select")
def index_select(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """The elements of a dim at the indices in an integer vector.

    >>> import srcgrad as flow
    >>> flow.index_select(flow.tensor([[1, 2], [3, 4]]), 1, flow.tensor([1]))
    tensor([[2],
            [4]], dtype=srcgrad.int64)
    """
    return getitem(input, (*(slice(None),) * one_axis(input._a.ndim, dim), index))


@declared("gather")
def gather(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """The elements along `dim` at the indices in `index`.

    >>> import srcgrad as flow
    >>> flow.gather(flow.tensor([[1, 2], [3, 4]]), 1, flow.tensor([[0], [1]]))
    tensor([[1],
            [4]], dtype=srcgrad.int64)
    """
    k = one_axis(input._a.ndim, dim)
    grid = list(np.ogrid[tuple(slice(n) for n in index._a.shape)])
    grid[k] = index._a.copy()
    try:
        return apply(indexing.pick, (input,), {"index": tuple(grid)})
    except IndexError as error:
        raise TensorError(str(error).replace("axis", "dimension")) from None


@declared("masked_select")
def masked_select(input: Tensor, mask: Tensor) -> Tensor:
    """The elements where a mask is true, as a vector.

    >>> import srcgrad as flow
    >>> flow.masked_select(flow.tensor([1, 2, 3]), flow.tensor([True, False, True]))
    tensor([1, 3], dtype=srcgrad.int64)
    """
    return getitem(input, mask)


def _grid(index: np.ndarray, k: int, n: int) -> tuple:
    """The NumPy index of the places (…, index, …) along dim `k` of length `n`."""
    if index.dtype.kind not in "iu":
        raise TensorError("gather(): Expected dtype int64 for index")
    if index.size and not (index.min() >= 0 and index.max() < n):
        bad = index.max() if index.max() >= n else index.min()
        raise TensorError(f"index {bad} is out of bounds for dimension {k} with size {n}")
    grid: list = list(np.ogrid[tuple(slice(m) for m in index.shape)])
    grid[k] = index.copy()
    return tuple(grid)


def _patched(x: Tensor, v: Any, index: Any) -> Tensor:
    if not isinstance(v, Tensor):
        v = make(near(x._a, np.asarray(v, x._a.dtype)))
    elif v._a.dtype != x._a.dtype:
        raise TensorError(
            f"expected both tensors to have the same dtype, but found {x.dtype} and {v.dtype}"
        )
    return apply(indexing.patch, (x, v), {"index": index})


def _along(input: Tensor, dim: int, index: Tensor) -> tuple[int, tuple]:
    """The dim, and the NumPy index of whole slices at the places of a vector."""
    k = one_axis(input._a.ndim, dim)
    n = input._a.shape[k]
    places = index._a.reshape(-1).astype(np.int64)
    if places.size and not (-n <= places.min() and places.max() < n):
        raise TensorIndexError(f"index out of range in self of length {n} along dim {k}")
    return k, (*(slice(None),) * k, places)


# ---- places along a dim, one per element ----
@declared("scatter", in_place=True)
def scatter(
    input: Tensor, dim: int, index: Tensor, src: Any = None, *, value: Any = None,
    reduce: str | None = None,
) -> Tensor:  # fmt: skip
    """The input with the elements of `src`, or a number, written at the places `index` of a dim.

    Where a place is named twice the last write wins; `reduce="add"` adds instead.

    >>> import srcgrad as flow
    >>> flow.zeros(3).scatter(0, flow.tensor([0, 2]), flow.tensor([1.0, 5.0]))
    tensor([1., 0., 5.], dtype=srcgrad.float32)
    """
    src = value if src is None else src
    if reduce == "add":
        if not isinstance(src, Tensor):
            src = make(np.full_like(input._a, src, shape=index._a.shape))
        return scatter_add(input, dim, index, src)
    if reduce is not None:
        raise ArgumentValueError(f"scatter(): reduce {reduce!r} is not there, only 'add'")
    k = one_axis(input._a.ndim, dim)
    grid = _grid(index._a, k, input._a.shape[k])
    return _patched(input, _corner(src, index) if isinstance(src, Tensor) else src, grid)


def _corner(src: Tensor, index: Tensor) -> Tensor:
    """The part of `src` that `index` covers."""
    if src._a.shape == index._a.shape or not src._a.ndim:
        return src
    return getitem(src, tuple(slice(n) for n in index._a.shape))


@declared("scatter_add", in_place=True)
def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """The input with the elements of `src` added at the places `index` of a dim.

    >>> import srcgrad as flow
    >>> flow.scatter_add(flow.zeros(3), 0, flow.tensor([0, 0, 2]), flow.tensor([1.0, 2.0, 3.0]))
    tensor([3., 0., 3.], dtype=srcgrad.float32)
    """
    k = one_axis(input._a.ndim, dim)
    grid = _grid(index._a, k, input._a.shape[k])
    put = {"index": grid, "shape": input._a.shape}
    return add(input, apply(indexing.put, (_corner(src, index),), put))


@declared("take_along_dim")
def take_along_dim(input: Tensor, indices: Tensor, dim: int | None = None) -> Tensor:
    """The elements at places along a dim, both broadcast; of the flat tensor without a dim.

    >>> import srcgrad as flow
    >>> flow.take_along_dim(flow.tensor([[1, 2], [3, 4]]), flow.tensor([[1], [0]]), 1)
    tensor([[2],
            [3]], dtype=srcgrad.int64)
    """
    if dim is None:
        return gather(reshape(input, -1), 0, reshape(indices, -1))
    k = one_axis(input._a.ndim, dim)
    shape = list(np.broadcast_shapes(_but(input, k), _but(indices, k)))
    at, of = ([*shape[:k], t._a.shape[k], *shape[k + 1 :]] for t in (indices, input))
    return gather(expand(input, of), k, expand(indices, at))


def _but(t: Tensor, k: int) -> tuple:
    return (*t._a.shape[:k], 1, *t._a.shape[k + 1 :])


# ---- whole slices at the places of a vector ----
@declared("index_add", in_place=True)
def index_add(input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Any = 1) -> Tensor:
    """The input with slices of `source`, times `alpha`, added at the places of a dim.

    >>> import srcgrad as flow
    >>> flow.index_add(flow.zeros(3), 0, flow.tensor([0, 2]), flow.tensor([1.0, 2.0]))
    tensor([1., 0., 2.], dtype=srcgrad.float32)
    """
    _, places = _along(input, dim, index)
    put = {"index": places, "shape": input._a.shape}
    return add(input, apply(indexing.put, (source if alpha == 1 else mul(source, alpha),), put))


@declared("index_copy", in_place=True)
def index_copy(input: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """The input with slices of `source` written at the places of a dim.

    >>> import srcgrad as flow
    >>> flow.index_copy(flow.zeros(3), 0, flow.tensor([0, 2]), flow.tensor([1.0, 2.0]))
    tensor([1., 0., 2.], dtype=srcgrad.float32)
    """
    _, places = _along(input, dim, index)
    return _patched(input, source, places)


@declared("index_fill", in_place=True)
def index_fill(input: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    """The input with a number at the places of a dim.

    >>> import srcgrad as flow
    >>> flow.index_fill(flow.zeros(3), 0, flow.tensor([0, 2]), 5.0)
    tensor([5., 0., 5.], dtype=srcgrad.float32)
    """
    _, places = _along(input, dim, index)
    return _patched(input, value, places)


@declared("index_put", in_place=True)
def index_put(input: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Tensor:
    """The input with values written, or added, at the places that index tensors name.

    >>> import srcgrad as flow
    >>> flow.index_put(flow.zeros(3), (flow.tensor([1]),), flow.tensor([4.0]))
    tensor([0., 4., 0.], dtype=srcgrad.float32)
    """
    places = tuple(i._a.copy() for i in indices)
    if not accumulate:
        return _patched(input, values, places)
    wanted = np.empty_like(input._a, bool)[places].shape
    put = {"index": places, "shape": input._a.shape}
    return add(input, apply(indexing.put, (expand(values, wanted),), put))


# ---- flat places, masks ----
@declared("take")
def take(input: Tensor, index: Tensor) -> Tensor:
    """The elements at places of the flat tensor, in the shape of `index`.

    >>> import srcgrad as flow
    >>> flow.take(flow.tensor([[1, 2], [3, 4]]), flow.tensor([0, 3]))
    tensor([1, 4], dtype=srcgrad.int64)
    """
    n, places = input._a.size, index._a
    if places.size and not (-n <= places.min() and places.max() < n):
        raise TensorIndexError(f"out of range: tried to access an index of {n} elements")
    return apply(indexing.pick, (reshape(input, -1),), {"index": places.copy()})


@declared("masked_scatter", in_place=True)
def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """The input with the elements of `source`, in order, where the mask is true.

    >>> import srcgrad as flow
    >>> mask = flow.tensor([True, False, True])
    >>> flow.masked_scatter(flow.tensor([1, 2, 3]), mask, flow.tensor([8, 9]))
    tensor([8, 2, 9], dtype=srcgrad.int64)
    """
    where_ = np.broadcast_to(mask._a, input._a.shape)
    n = int(where_.sum())
    if n > source._a.size:
        raise TensorError("masked_scatter: expected self and source to have the same number")
    return _patched(input, reshape(source, -1)[:n], np.nonzero(where_))


@declared("repeat_interleave")
def repeat_interleave(input: Tensor, repeats: Any, dim: int | None = None) -> Tensor:
    """Each element, or each slice of a dim, several times in a row.

    >>> import srcgrad as flow
    >>> flow.repeat_interleave(flow.tensor([1, 2]), 2)
    tensor([1, 1, 2, 2], dtype=srcgrad.int64)
    """
    x = reshape(input, -1) if dim is None else input
    k = one_axis(x._a.ndim, 0 if dim is None else dim)
    times = repeats.cpu()._a if isinstance(repeats, Tensor) else repeats
    places = np.repeat(np.arange(x._a.shape[k]), times)
    return getitem(x, (*(slice(None),) * k, make(places)))


# ---- searches ----
@declared("nonzero")
def nonzero(input: Tensor, *, as_tuple: bool = False) -> Any:
    """The indices of the elements that are not zero: a row each, or one vector per dim.

    >>> import srcgrad as flow
    >>> flow.nonzero(flow.tensor([0, 5, 7]))
    tensor([[1],
            [2]], dtype=srcgrad.int64)
    """
    if as_tuple:
        return tuple(make(i) for i in np.nonzero(np.atleast_1d(input._a)))
    return make(np.argwhere(input._a))


@declared("argwhere")
def argwhere(input: Tensor) -> Tensor:
    """The indices of the elements that are not zero, a row each.

    >>> import srcgrad as flow
    >>> flow.argwhere(flow.tensor([[0, 1], [2, 0]]))
    tensor([[0, 1],
            [1, 0]], dtype=srcgrad.int64)
    """
    return make(np.argwhere(input._a))


@declared("searchsorted", method=False)
def searchsorted(sorted_sequence: Tensor, input: Any, *, right: bool = False) -> Tensor:
    """The positions of values in ordered rows: before equal ones, or after them if `right`.

    >>> import srcgrad as flow
    >>> flow.searchsorted(flow.tensor([1.0, 2.0, 3.0]), flow.tensor([0.5, 2.5]))
    tensor([0, 2], dtype=srcgrad.int64)
    """
    a, v = sorted_sequence._a, input._a if isinstance(input, Tensor) else np.asarray(input)
    side = "right" if right else "left"
    if a.ndim == 1:
        return make(np.asarray(scans.searchsorted(a, v, side=side)))
    rows = zip(a.reshape(-1, a.shape[-1]), v.reshape(-1, v.shape[-1]), strict=True)
    return make(np.stack([np.searchsorted(r, x, side) for r, x in rows]).reshape(v.shape))


@declared("bucketize", method=False)
def bucketize(input: Any, boundaries: Tensor, *, right: bool = False) -> Tensor:
    """The number of the bucket between ordered boundaries that each element falls into.

    >>> import srcgrad as flow
    >>> flow.bucketize(flow.tensor([0.5, 3.5]), flow.tensor([1.0, 2.0, 3.0]))
    tensor([0, 3], dtype=srcgrad.int64)
    """
    return searchsorted(boundaries, input, right=right)


# ---- triangles ----
def _triangle(name: str, f: Any) -> None:
    def function(input: Tensor, diagonal: int = 0) -> Tensor:
        if input._a.ndim < 2:
            raise TensorError(f"{name}: input tensor must have at least 2 dimensions")
        mask = make(near(input._a, f(np.ones(input._a.shape[-2:], bool), diagonal)))
        return where(mask, input, make(np.zeros((), input._a.dtype)))

    function.__name__ = function.__qualname__ = name
    declare(name, function, in_place=True)


_triangle("tril", np.tril)
_triangle("triu", np.triu)
