"""More functions that rearrange: dims moved and split, stacks, diagonals, repeats in blocks.

All are composed of the functions of `shapes`. Nothing here has a derivative of its own.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from srcgrad.eager.apply import apply, mark_view, viewed
from srcgrad.eager.functions.pointwise import mul, power
from srcgrad.eager.functions.reductions import one_axis
from srcgrad.eager.functions.shapes import (
    cat,
    expand,
    flip,
    getitem,
    narrow,
    permute,
    reshape,
    split,
    stack,
    transpose,
    unsqueeze,
)
from srcgrad.eager.functions.table import declare, declared
from srcgrad.eager.tensor import Tensor, make
from srcgrad.errors import TensorError
from srcgrad.primitives import indexing, memory, reductions


def _several(tensors: tuple) -> list[Tensor]:
    return list(tensors[0]) if len(tensors) == 1 and not isinstance(tensors[0], Tensor) else [
        *tensors
    ]  # fmt: skip


# ---- dims ----
@declared("movedim", "moveaxis")
def movedim(input: Tensor, source: Any, destination: Any) -> Tensor:
    """Some dims moved to other places, the others in their order.

    >>> import srcgrad as flow
    >>> flow.moveaxis(flow.ones(2, 3, 4), 0, 2).shape
    srcgrad.Size([3, 4, 2])
    """
    n = input._a.ndim
    old, new = (
        [one_axis(n, d) for d in (dims if isinstance(dims, tuple | list) else (dims,))]
        for dims in (source, destination)
    )
    if len(old) != len(new) or len(set(old)) < len(old) or len(set(new)) < len(new):
        raise TensorError(f"movedim: repeated or unequal dims {source} and {destination}")
    perm = [k for k in range(n) if k not in old]
    for place, k in sorted(zip(new, old, strict=True)):
        perm.insert(place, k)
    return permute(input, *perm)


declare("ravel", lambda input: reshape(input, -1))


@declared("unflatten")
def unflatten(input: Tensor, dim: int, sizes: Any) -> Tensor:
    """A dim split into several.

    >>> import srcgrad as flow
    >>> flow.unflatten(flow.tensor([1, 2, 3, 4]), 0, (2, 2))
    tensor([[1, 2],
            [3, 4]], dtype=srcgrad.int64)
    """
    k, s = one_axis(input._a.ndim, dim), input._a.shape
    known = abs(int(np.prod(sizes)))
    inner = tuple(s[k] // known if d == -1 and known else d for d in sizes)
    return reshape(input, (*s[:k], *inner, *s[k + 1 :]))


@declared("atleast_1d", method=False)
def atleast_1d(input: Tensor) -> Tensor:
    """The tensor, with a dim of length 1 if it had none.

    >>> import srcgrad as flow
    >>> flow.atleast_1d(flow.tensor(5))
    tensor([5], dtype=srcgrad.int64)
    """
    return input if input._a.ndim else reshape(input, 1)


@declared("atleast_2d", method=False)
def atleast_2d(input: Tensor) -> Tensor:
    """The tensor with leading dims of length 1, so that it has two.

    >>> import srcgrad as flow
    >>> flow.atleast_2d(flow.tensor([1, 2]))
    tensor([[1, 2]], dtype=srcgrad.int64)
    """
    return input if input._a.ndim > 1 else reshape(input, (1, -1))


@declared("atleast_3d", method=False)
def atleast_3d(input: Tensor) -> Tensor:
    """The tensor with dims of length 1, so that it has three: a matrix gets a last one.

    >>> import srcgrad as flow
    >>> flow.atleast_3d(flow.ones(2, 3)).shape
    srcgrad.Size([2, 3, 1])
    """
    return input if input._a.ndim > 2 else unsqueeze(atleast_2d(input), 2)


@declared("sum_to_size", top=False)
def sum_to_size(self: Tensor, *size: Any) -> Tensor:
    """The sum to a shape that broadcasts to this one."""
    dims = size[0] if len(size) == 1 and isinstance(size[0], tuple | list) else size
    return apply(reductions.sum_to, (self, *dims), {})


# ---- joins and pieces ----
@declared("hstack", method=False)
def hstack(tensors: Any) -> Tensor:
    """Tensors joined along dim 1; vectors along dim 0.

    >>> import srcgrad as flow
    >>> flow.hstack([flow.tensor([1, 2]), flow.tensor([3])])
    tensor([1, 2, 3], dtype=srcgrad.int64)
    """
    xs = [atleast_1d(x) for x in tensors]
    return cat(xs, 0 if xs[0]._a.ndim == 1 else 1)


@declared("vstack", "row_stack", method=False)
def vstack(tensors: Any) -> Tensor:
    """Tensors joined along dim 0, vectors as rows.

    >>> import srcgrad as flow
    >>> flow.row_stack([flow.tensor([1, 2]), flow.tensor([3, 4])])
    tensor([[1, 2],
            [3, 4]], dtype=srcgrad.int64)
    """
    return cat([atleast_2d(x) for x in tensors], 0)


@declared("dstack", method=False)
def dstack(tensors: Any) -> Tensor:
    """Tensors joined along dim 2.

    >>> import srcgrad as flow
    >>> flow.dstack([flow.tensor([1, 2]), flow.tensor([3, 4])]).shape
    srcgrad.Size([1, 2, 2])
    """
    return cat([atleast_3d(x) for x in tensors], 2)


@declared("column_stack", method=False)
def column_stack(tensors: Any) -> Tensor:
    """Tensors joined along dim 1, vectors as columns.

    >>> import srcgrad as flow
    >>> flow.column_stack([flow.tensor([1, 2]), flow.tensor([3, 4])])
    tensor([[1, 3],
            [2, 4]], dtype=srcgrad.int64)
    """
    return cat([x if x._a.ndim > 1 else reshape(x, (-1, 1)) for x in tensors], 1)


@declared("tensor_split")
def tensor_split(input: Tensor, indices_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Pieces cut at indices of a dim, or a number of pieces of nearly equal length; views.

    >>> import srcgrad as flow
    >>> flow.tensor_split(flow.tensor([1, 2, 3]), 2)
    (tensor([1, 2], dtype=srcgrad.int64), tensor([3], dtype=srcgrad.int64))
    """
    k = one_axis(input._a.ndim, dim)
    n, how = input._a.shape[k], indices_or_sections
    if isinstance(how, int):
        small, more = divmod(n, how)
        return split(input, [small + 1] * more + [small] * (how - more), k)
    cuts = [0, *(min(max(c + n if c < 0 else c, 0), n) for c in how), n]
    return tuple(narrow(input, k, a, max(b - a, 0)) for a, b in itertools.pairwise(cuts))


declare("hsplit", lambda input, how: tensor_split(input, how, 0 if input._a.ndim == 1 else 1))
declare("vsplit", lambda input, how: tensor_split(input, how, 0))
declare("split_with_sizes", lambda self, sizes, dim=0: split(self, sizes, dim), top=False)


@declared("broadcast_tensors", method=False)
def broadcast_tensors(*tensors: Any) -> tuple[Tensor, ...]:
    """The tensors broadcast to one shape.

    >>> import srcgrad as flow
    >>> a, b = flow.broadcast_tensors(flow.ones(3, 1), flow.ones(4))
    >>> a.shape == b.shape
    True
    """
    xs = _several(tensors)
    shape = np.broadcast_shapes(*(x._a.shape for x in xs))
    return tuple(expand(x, shape) for x in xs)


@declared("meshgrid", method=False)
def meshgrid(*tensors: Any, indexing: str = "ij") -> tuple[Tensor, ...]:
    """The coordinates of a grid over vectors, one tensor each.

    >>> import srcgrad as flow
    >>> rows, columns = flow.meshgrid(flow.tensor([1, 2]), flow.tensor([3, 4]))
    >>> rows
    tensor([[1, 1],
            [2, 2]], dtype=srcgrad.int64)
    """
    xs = _several(tensors)
    n = len(xs)
    form = [tuple(-1 if a == k else 1 for a in range(n)) for k in range(n)]
    grid = broadcast_tensors([reshape(x, f) for x, f in zip(xs, form, strict=True)])
    if indexing == "xy" and n > 1:
        ys = [reshape(x, f) for x, f in zip([xs[1], xs[0], *xs[2:]], form, strict=True)]
        grid = broadcast_tensors(ys)
        return (grid[1], grid[0], *grid[2:])
    return grid


@declared("cartesian_prod", method=False)
def cartesian_prod(*tensors: Tensor) -> Tensor:
    """Every combination of one element of each vector, a row each.

    >>> import srcgrad as flow
    >>> flow.cartesian_prod(flow.tensor([1, 2]), flow.tensor([3, 4])).tolist()
    [[1, 3], [1, 4], [2, 3], [2, 4]]
    """
    if len(tensors) == 1:
        return tensors[0]
    return stack([reshape(g, -1) for g in meshgrid(*tensors)], 1)


@declared("combinations", method=False)
def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    """The subsets of `r` elements of a vector, a row each.

    >>> import srcgrad as flow
    >>> flow.combinations(flow.tensor([1, 2, 3])).tolist()
    [[1, 2], [1, 3], [2, 3]]
    """
    draw = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    places = np.array(list(draw(range(input._a.size), r)), np.int64).reshape(-1, r)
    return apply(indexing.pick, (input,), {"index": places})


@declared("vander", method=False)
def vander(x: Tensor, N: int | None = None, increasing: bool = False) -> Tensor:
    """The powers of a vector's elements as columns, descending unless `increasing`.

    >>> import srcgrad as flow
    >>> flow.vander(flow.tensor([1, 2, 3]))
    tensor([[1, 1, 1],
            [4, 2, 1],
            [9, 3, 1]], dtype=srcgrad.int64)
    """
    n = x._a.size if N is None else N
    order = range(n) if increasing else range(n - 1, -1, -1)
    return stack([power(x, k) for k in order], 1)


# ---- rotations and reflections ----
declare("fliplr", lambda input: flip(input, 1))
declare("flipud", lambda input: flip(input, 0))


@declared("rot90")
def rot90(input: Tensor, k: int = 1, dims: Any = (0, 1)) -> Tensor:
    """The rotation by k right angles in the plane of two dims.

    >>> import srcgrad as flow
    >>> flow.rot90(flow.tensor([[1, 2], [3, 4]]))
    tensor([[2, 4],
            [1, 3]], dtype=srcgrad.int64)
    """
    a, b = dims
    match k % 4:
        case 1:
            return transpose(flip(input, b), a, b)
        case 2:
            return flip(input, a, b)
        case 3:
            return flip(transpose(input, a, b), b)
    return mul(input, 1)


@declared("unfold", top=False)
def unfold(self: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """The windows of a size along a dim, every `step` places; the window is the last dim.

    A view; windows that overlap cannot be written.
    """
    k = one_axis(self._a.ndim, dimension)
    n = self._a.shape[k]
    if size > n:
        raise TensorError(f"maximum size for tensor at dimension {k} is {n} but size is {size}")
    if step <= 0:
        raise TensorError(f"step is {step} but must be > 0")
    places = np.arange(0, n - size + 1, step)[:, None] + np.arange(size)
    windows = movedim(getitem(self, (*(slice(None),) * k, make(places))), k + 1, -1)
    return in_memory_of(windows, self, k, places, step)


def in_memory_of(windows: Tensor, x: Tensor, k: int, places: Any, step: int) -> Tensor:
    """The windows as a view of the tensor they were taken from."""
    if type(x._a) is not np.ndarray:
        return windows
    size, whole = places.shape[1], (slice(None),) * k
    a = np.lib.stride_tricks.sliding_window_view(x._a, size, k, writeable=x._a.flags.writeable)
    windows._a = a[(*whole, slice(None, None, step))]
    if step < size:
        windows._a.setflags(write=False)
    perm = (*(d for d in range(windows._a.ndim) if d != k + 1), k + 1)
    steps = (indexing.pick, (), {"index": (*whole, places)}), (memory.transpose, (), {"perm": perm})
    mark_view(windows, x, lambda: steps)
    return windows


# ---- diagonals ----
@declared("diagonal")
def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """The diagonal of two dims, as the last dim; a view.

    >>> import srcgrad as flow
    >>> flow.diagonal(flow.tensor([[1, 2], [3, 4]]))
    tensor([1, 4], dtype=srcgrad.int64)
    """
    n = input._a.ndim
    a, b = one_axis(n, dim1), one_axis(n, dim2)
    if a == b or n < 2:
        raise TensorError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    return viewed(indexing.diagonal, input, (), {"offset": offset, "axis1": a, "axis2": b})


@declared("diag_embed")
def diag_embed(input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """Matrices with the last dim as their diagonal.

    >>> import srcgrad as flow
    >>> flow.diag_embed(flow.tensor([1, 2]))
    tensor([[1, 0],
            [0, 2]], dtype=srcgrad.int64)
    """
    n = input._a.shape[-1] + abs(offset)
    rows, columns = np.nonzero(np.eye(n, k=offset))
    lead = input._a.shape[:-1]
    put = {"index": (..., rows, columns), "shape": (*lead, n, n)}
    made = apply(indexing.put, (input,), put)
    m = made._a.ndim
    return movedim(made, (-2, -1), (one_axis(m, dim1), one_axis(m, dim2)))


declare("diagflat", lambda input, offset=0: diag_embed(reshape(input, -1), offset))


@declared("block_diag", method=False)
def block_diag(*tensors: Tensor) -> Tensor:
    """A matrix with matrices along its diagonal.

    >>> import srcgrad as flow
    >>> flow.block_diag(flow.tensor([[1, 2]]), flow.tensor([[3]]))
    tensor([[1, 2, 0],
            [0, 0, 3]], dtype=srcgrad.int64)
    """
    xs = [atleast_2d(x) for x in tensors]
    width, before, rows = 0, [0], []
    for x in xs:
        width += x._a.shape[1]
        before.append(width)
    for x, at in zip(xs, before, strict=False):
        h, w = x._a.shape
        left, right = (make(np.zeros_like(x._a, shape=(h, m))) for m in (at, width - at - w))
        rows.append(cat([left, x, right], 1))
    return cat(rows, 0)


def _triangle_places(name: str, f: Any) -> None:
    def function(row: int, col: int, offset: int = 0) -> Tensor:
        return make(np.stack(f(row, offset, col)))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = "The rows and columns of the places in a triangle of a matrix."
    declare(name, function, method=False)


_triangle_places("tril_indices", np.tril_indices)
_triangle_places("triu_indices", np.triu_indices)
