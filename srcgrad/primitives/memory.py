"""Primitives that know about buffers: allocation, views, loads, stores, tapes, checks.

Reverse mode handles views and stores itself (shadows, rewinding); the transposes here serve
the eager tape. A `spec` describes basic indexing, one code per item: "i" an integer, "s" a span
(start, length, step), ":" a whole axis, "n" a new axis.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.operation import Stated
from srcgrad.primitives.dtypes import dtype_of
from srcgrad.primitives.identities import BROADCAST, WRAPPED
from srcgrad.primitives.libraries import array_of, copied
from srcgrad.primitives.raising import instance
from srcgrad.primitives.registry import linear, nondiff
from srcgrad.primitives.rules import shape

# ---- allocation ----


def _same_dims(b: Any, x: Any, *rest: Any, **params: Any) -> Stated:
    return x.type.dtype, x.type.dims


def _alloc_typing(b: Any, *dims: Any, dtype: str) -> Stated:
    return dtype, b.dims(dims), "C"  # a buffer, even without dims


def _copy_typing(b: Any, x: Any) -> Stated:
    return x.type.dtype, x.type.dims, "C"


def unwritten(dims: int | tuple[int, ...], dtype: Any) -> np.ndarray:
    """Memory that has not been written yet: NaN, or the most negative integer.

    Compiled code finds whatever the memory held. Here a read before the first write must be seen.
    """
    kind = dtype_of(dtype)
    if kind.kind in "iu":
        return np.full(dims, np.iinfo(kind).min or np.iinfo(kind).max, kind)
    return np.full(dims, np.nan, kind)


def _zeros(*dims: Any, dtype: str) -> Any:
    return np.zeros(dims, dtype_of(dtype))


def _empty(*dims: Any, dtype: str) -> Any:
    return unwritten(dims, dtype)


def _copy(x: Any) -> Any:
    return copied(x)


zeros = nondiff("zeros", _zeros, typing=_alloc_typing, fresh=True)
empty = nondiff("empty", _empty, typing=_alloc_typing, fresh=True)
copy = linear(
    "copy",
    _copy,
    lambda g, y, x: g,
    typing=_copy_typing,
    exact=True,
)

# ---- views ----


def span(start: Any, length: Any, step: Any) -> slice:
    """The slice that visits `length` places from `start`; both known to be in bounds."""
    stop = start + length * step
    return slice(start, stop if stop >= 0 else None, step) if length > 0 else slice(0, 0, 1)


def index_of(atoms: tuple[Any, ...], spec: tuple[str, ...]) -> tuple[Any, ...]:
    """The NumPy index for a spec and its atoms."""
    out: list[Any] = []
    k = 0
    for code in spec:
        if code == "i":
            out.append(atoms[k])
            k += 1
        elif code == "s":
            out.append(span(*atoms[k : k + 3]))
            k += 3
        else:
            out.append(slice(None) if code == ":" else None)
    return tuple(out)


def _view_typing(b: Any, x: Any, *atoms: Any, spec: tuple[str, ...]) -> Stated:
    dims: list[Any] = []
    k, axis = 0, 0
    contiguous, leading = x.type.layout == "C", True
    for code in spec:
        if code == "n":
            dims.append(1)
            continue
        if code == "i":
            contiguous &= leading
            k += 1
        elif code == "s":
            dims.append(b.dim(atoms[k + 1]))
            contiguous &= leading and b.is_const(atoms[k + 2], 1)
            leading = False
            k += 3
        else:
            dims.append(x.type.dims[axis])
            leading = False
        axis += 1
    return x.type.dtype, tuple(dims), "C" if contiguous else "S"


def _view(x: Any, *atoms: Any, spec: tuple[str, ...]) -> Any:
    return x[(*index_of(atoms, spec), ...)]  # a view even if all are integers


def _unview(g: Any, y: Any, x: Any, *atoms: Any, spec: tuple[str, ...]) -> Any:
    from srcgrad.primitives.indexing import put

    return put(g, index=(*index_of(atoms, spec), ...), shape=shape(x))


view = linear(
    "view",
    _view,
    _unview,
    typing=_view_typing,
    view=True,
)


def _transpose_typing(b: Any, x: Any, perm: tuple[int, ...]) -> Stated:
    dims = tuple(x.type.dims[p] for p in perm)
    moved = [p for p in perm if not b.is_const(x.type.dims[p], 1)]
    return x.type.dtype, dims, x.type.layout if moved == sorted(moved) else "S"


def _inverse(perm: tuple[int, ...]) -> tuple[Any, ...]:
    return tuple(int(i) for i in np.argsort(perm))


transpose = linear(
    "transpose",
    lambda x, perm: np.transpose(x, perm),
    lambda g, y, x, perm: transpose(g, perm=_inverse(perm)),
    typing=_transpose_typing,
    view=True,
)


def _reshape(x: Any, *dims: Any) -> Any:
    return np.reshape(x, dims)


def _reshape_back(g: Any, y: Any, x: Any, *dims: Any) -> Any:
    return reshape(g, *shape(x))


def _reshape_typing(b: Any, x: Any, *dims: Any) -> Stated:
    return x.type.dtype, b.dims(dims), "C"


reshape = linear(  # of a contiguous array only
    "reshape",
    _reshape,
    _reshape_back,
    typing=_reshape_typing,
    view=True,
)


# ---- loads and stores ----
def _store(x: Any, *rest: Any) -> None:
    x[rest[:-1]] = rest[-1]


def _add_at(x: Any, *rest: Any) -> None:
    x[rest[:-1]] += rest[-1]


def _assign(x: Any, value: Any) -> None:
    x[...] = value


def _add_to(x: Any, value: Any) -> None:
    x += value


def _load(x: Any, *idx: Any) -> Any:
    return x[idx] if len(idx) != 1 else x[idx[0]]


def _load_typing(b: Any, x: Any, *idx: Any) -> Stated:
    return x.type.dtype, ()


load = linear("load", _load, typing=_load_typing, exact=True)
store = nondiff("store", _store, effect=True, writes=True)
add_at = nondiff("add_at", _add_at, effect=True, writes=True, adds=True)
assign = nondiff("assign", _assign, effect=True, writes=True)
add_to = nondiff("add_to", _add_to, effect=True, writes=True, adds=True)

# ---- gathers and scatters: a spec of "a" (an index array) and ":" per axis ----


def fancy_index(atoms: tuple[Any, ...], spec: tuple[str, ...]) -> tuple[Any, ...]:
    out: list[Any] = []
    k = 0
    for code in spec:
        if code == "a":
            out.append(atoms[k])
            k += 1
        else:
            out.append(slice(None))
    return tuple(out)


def gather_dims(
    x_dims: tuple[Any, ...], index_dims: tuple[Any, ...], spec: tuple[str, ...]
) -> tuple[Any, ...]:
    """Dims of the result: the index arrays' where NumPy puts them, the whole axes' around them."""
    places = [k for k, code in enumerate(spec) if code == "a"]
    adjacent = places == list(range(places[0], places[0] + len(places)))
    before = [d for k, d in enumerate(x_dims) if spec[k] == ":" and k < places[0] and adjacent]
    after = [d for k, d in enumerate(x_dims) if spec[k] == ":" and not (adjacent and k < places[0])]
    return (*before, *index_dims, *after)


def _gather_typing(b: Any, x: Any, *idx: Any, spec: tuple[str, ...]) -> Stated:
    return x.type.dtype, gather_dims(x.type.dims, idx[0].type.dims, spec)


def _scatter(x: Any, *rest: Any, spec: tuple[str, ...]) -> None:
    x[fancy_index(rest[:-1], spec)] = rest[-1]


def _scatter_add(x: Any, *rest: Any, spec: tuple[str, ...]) -> None:
    np.add.at(x, fancy_index(rest[:-1], spec), rest[-1])


def _take_last(x: np.ndarray, *rest: Any, spec: tuple[str, ...]) -> Any:
    """The element for each write of a scatter; zero for writes that were overwritten later."""
    idx = fancy_index(rest, spec)
    order = np.zeros_like(x, np.int64)
    writer = np.arange(1, order[idx].size + 1).reshape(order[idx].shape)
    order[idx] = writer
    return np.where(order[idx] == writer, x[idx], x.dtype.type(0))


def _gather(x: Any, *idx: Any, spec: tuple[str, ...]) -> Any:
    return x[fancy_index(idx, spec)]


gather = linear("gather", _gather, typing=_gather_typing, exact=True)
scatter = nondiff("scatter", _scatter, effect=True, writes=True)
scatter_add = nondiff("scatter_add", _scatter_add, effect=True, writes=True, adds=True)
take_last = linear("take_last", _take_last, typing=_gather_typing, exact=True)


# ---- indices and lengths ----
def _index(i: Any, n: Any, axis: int = 0) -> Any:
    if not -n <= i < n:
        raise IndexError(f"index {i} is out of bounds for axis {axis} with size {n}")
    return int(i) + n if i < 0 else i  # a narrow integer could not hold the sum with the length


def _check_indices(i: np.ndarray, n: int, axis: int = 0) -> Any:
    i = array_of(i)
    bad = i[(i < -n) | (i >= n)]
    if bad.size:
        raise IndexError(f"index {bad.flat[0]} is out of bounds for axis {axis} with size {n}")
    return np.where(i < 0, i + n, i)


def _check_range(first: Any, last: Any, n: Any, axis: int = 0) -> None:
    apart = (int(last) - int(first)) % 2**64
    if apart < 2**63 and not 0 <= first <= last < n:
        raise IndexError(f"index {max(first, n)} is out of bounds for axis {axis} with size {n}")


def whole(b: Any, *args: Any, **params: Any) -> Stated:
    return "int", ()


# `may_be_one`: of an array from another program, whose lengths are not specialized on
dim = nondiff("dim", lambda x, axis, may_be_one=False: x.shape[axis], typing=whole, cheap="scalars")
index = nondiff("index", _index, typing=whole, raises=True, cheap="scalars")
# an index that was already checked on some path
wrap = nondiff(
    "wrap", lambda i, n: int(i) + n if i < 0 else i, typing=whole, cheap="scalars", identity=WRAPPED
)
# checks all places first..last of a loop, none of them negative; fails as the first would, and
# where one of them has wrapped around: there are last - first + 1 places, none if that is negative
check_range = nondiff("check_range", _check_range, effect=True, raises=True)
indices = nondiff("indices", _check_indices, typing=_same_dims, raises=True)
slice_start = nondiff(
    "slice_start",
    lambda i, n, step: slice(i, None, step).indices(n)[0],
    typing=whole,
    cheap="scalars",
)
slice_stop = nondiff(
    "slice_stop",
    lambda i, n, step: slice(None, i, step).indices(n)[1],
    typing=whole,
    cheap="scalars",
)
trips = nondiff(
    "trips",
    lambda start, stop, step: len(range(start, stop, step)),
    typing=whole,
    raises=True,
    cheap="scalars",
)


def _shape_text(dims: tuple[Any, ...]) -> str:
    """A shape as in NumPy's messages: (3,4), without blanks."""
    return str(dims).replace(" ", "")


def _check_broadcast(*dims: Any, split: int) -> None:
    a, b = tuple(map(int, dims[:split])), tuple(map(int, dims[split:]))
    for m, n in zip(reversed(a), reversed(b), strict=False):
        if m != n and m != 1 and n != 1:
            shapes = f"{_shape_text(a)} {_shape_text(b)}"
            raise ValueError(f"operands could not be broadcast together with shapes {shapes}")


def _check_assign(*dims: Any, split: int) -> None:
    a, b = tuple(map(int, dims[:split])), tuple(map(int, dims[split:]))
    extra = b[: max(len(b) - len(a), 0)]
    pairs = zip(reversed(a), reversed(b), strict=False)
    if any(n != 1 for n in extra) or any(n not in (m, 1) for m, n in pairs):
        shapes = f"shape {_shape_text(b)} into shape {_shape_text(a)}"
        raise ValueError(f"could not broadcast input array from {shapes}")


def _check_equal(a: Any, b: Any, message: str, kind: str = "ValueError") -> None:
    if a != b:
        raise instance(kind, message.format(a, b))


def _broadcast_dim(a: Any, b: Any) -> Any:
    return b if a == 1 else a


check_broadcast = nondiff("check_broadcast", _check_broadcast, effect=True, raises=True)
check_assign = nondiff("check_assign", _check_assign, effect=True, raises=True)
check_equal = nondiff("check_equal", _check_equal, effect=True, raises=True)
broadcast_dim = nondiff(
    "broadcast_dim", _broadcast_dim, typing=whole, cheap="scalars", identity=BROADCAST
)


# ---- exceptions ----
def _fail(*values: Any, kind: str, message: str) -> None:
    raise instance(kind, message.format(*values))


fail = nondiff("fail", _fail, effect=True, raises=True)
