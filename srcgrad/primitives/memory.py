"""Primitives that know about buffers: allocation, views, loads, stores, tapes, checks.

Reverse mode handles views and stores itself (shadows, rewinding); the transposes here serve
the eager tape. A `spec` describes basic indexing, one code per item: "i" an integer, "s" a span
(start, length, step), ":" a whole axis, "n" a new axis.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.primitives.dtypes import dtype_of
from srcgrad.primitives.identities import REPEATED, WRAPPED
from srcgrad.primitives.raising import instance
from srcgrad.primitives.registry import linear, nondiff

# ---- allocation ----


def _same_dims(b: Any, x: Any, *rest: Any, **params: Any) -> tuple:
    return x.type.dtype, x.type.dims


def _alloc_typing(b: Any, *dims: Any, dtype: str) -> tuple:
    return dtype, b.dims(dims), "C"  # a buffer, also when it has no dims


def _copy_typing(b: Any, x: Any) -> tuple:
    return (*_same_dims(b, x), "C")


def unwritten(dims: Any, dtype: Any) -> np.ndarray:
    """Memory that has not been written yet: NaN, or the most negative integer.

    Compiled code finds whatever the memory held. Here a read before the first write must show.
    """
    kind = dtype_of(dtype)
    if kind.kind in "iu":
        return np.full(dims, np.iinfo(kind).min or np.iinfo(kind).max, kind)
    return np.full(dims, np.nan, kind)


zeros = nondiff(
    "zeros", lambda *d, dtype: np.zeros(d, dtype_of(dtype)), typing=_alloc_typing, fresh=True
)
empty = nondiff("empty", lambda *d, dtype: unwritten(d, dtype), typing=_alloc_typing, fresh=True)
copy = linear(
    "copy",
    lambda x: np.array(x, order="C"),
    lambda g, y, x: g,
    typing=_copy_typing,
    exact=True,
)

# ---- views ----


def span(start: Any, length: Any, step: Any) -> slice:
    """The slice that visits `length` places from `start`; both known to lie inside the axis."""
    stop = start + length * step
    return slice(start, stop if stop >= 0 else None, step) if length > 0 else slice(0, 0, 1)


def index_of(atoms: tuple, spec: tuple) -> tuple:
    """NumPy's index for a spec and its atoms."""
    out, k = [], 0
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


def _view_typing(b: Any, x: Any, *atoms: Any, spec: tuple) -> tuple:
    dims, k, axis = [], 0, 0
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


def _dims(x: Any) -> tuple:
    return tuple(np.shape(x)) if isinstance(x, np.ndarray | np.generic) else x.shape


def _unview(g: Any, x: Any, atoms: tuple, spec: tuple) -> Any:
    from srcgrad.primitives.indexing import put

    return put(g, index=(*index_of(atoms, spec), ...), shape=_dims(x))


view = linear(
    "view",
    lambda x, *atoms, spec: x[(*index_of(atoms, spec), ...)],  # a view also if all are integers
    lambda g, y, x, *atoms, spec: _unview(g, x, atoms, spec),
    typing=_view_typing,
    view=True,
)


def _transpose_typing(b: Any, x: Any, perm: tuple) -> tuple:
    dims = tuple(x.type.dims[p] for p in perm)
    moved = [p for p in perm if not b.is_const(x.type.dims[p], 1)]
    return x.type.dtype, dims, x.type.layout if moved == sorted(moved) else "S"


def _inverse(perm: tuple) -> tuple:
    return tuple(int(i) for i in np.argsort(perm))


transpose = linear(
    "transpose",
    lambda x, perm: np.transpose(x, perm),
    lambda g, y, x, perm: transpose(g, perm=_inverse(perm)),
    typing=_transpose_typing,
    view=True,
)
reshape = linear(  # of a contiguous array only
    "reshape",
    lambda x, *dims: np.reshape(x, dims),
    lambda g, y, x, *dims: reshape(g, *_dims(x)),
    typing=lambda b, x, *dims: (x.type.dtype, b.dims(dims), "C"),
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


load = linear(
    "load", lambda x, *idx: x[idx] if len(idx) != 1 else x[idx[0]],
    typing=lambda b, x, *idx: (x.type.dtype, ()), exact=True,
)  # fmt: skip
store = nondiff("store", _store, effect=True, writes=True)
add_at = nondiff("add_at", _add_at, effect=True, writes=True, adds=True)
assign = nondiff("assign", _assign, effect=True, writes=True)
add_to = nondiff("add_to", _add_to, effect=True, writes=True, adds=True)

# ---- gathers and scatters: a spec of "a" (an index array) and ":" per axis ----


def fancy_index(atoms: tuple, spec: tuple) -> tuple:
    out, k = [], 0
    for code in spec:
        if code == "a":
            out.append(atoms[k])
            k += 1
        else:
            out.append(slice(None))
    return tuple(out)


def gather_dims(x_dims: tuple, index_dims: tuple, spec: tuple) -> tuple:
    """Dims of the result: the index arrays' where NumPy puts them, the whole axes' around."""
    places = [k for k, code in enumerate(spec) if code == "a"]
    adjacent = places == list(range(places[0], places[0] + len(places)))
    before = [d for k, d in enumerate(x_dims) if spec[k] == ":" and k < places[0] and adjacent]
    after = [d for k, d in enumerate(x_dims) if spec[k] == ":" and not (adjacent and k < places[0])]
    return (*before, *index_dims, *after)


def _gather_typing(b: Any, x: Any, *idx: Any, spec: tuple) -> tuple:
    return x.type.dtype, gather_dims(x.type.dims, idx[0].type.dims, spec)


def _scatter(x: Any, *rest: Any, spec: tuple) -> None:
    x[fancy_index(rest[:-1], spec)] = rest[-1]


def _scatter_add(x: Any, *rest: Any, spec: tuple) -> None:
    np.add.at(x, fancy_index(rest[:-1], spec), rest[-1])


def _take_last(x: Any, *rest: Any, spec: tuple) -> Any:
    """What each place wrote last by a scatter gets back; zero for those overwritten since."""
    idx = fancy_index(rest, spec)
    order = np.zeros(x.shape, np.int64)
    shape = np.shape(x[idx])
    writer = np.arange(1, int(np.prod(shape)) + 1).reshape(shape)
    order[idx] = writer
    return np.where(order[idx] == writer, x[idx], x.dtype.type(0))


gather = linear(
    "gather",
    lambda x, *idx, spec: x[fancy_index(idx, spec)],
    typing=_gather_typing,
    exact=True,
)
scatter = nondiff("scatter", _scatter, effect=True, writes=True)
scatter_add = nondiff("scatter_add", _scatter_add, effect=True, writes=True, adds=True)
take_last = linear("take_last", _take_last, typing=_gather_typing, exact=True)


# ---- indices and lengths ----
def _index(i: Any, n: Any, axis: int = 0) -> Any:
    if not -n <= i < n:
        raise IndexError(f"index {i} is out of bounds for axis {axis} with size {n}")
    return i + n if i < 0 else i


def _check_indices(i: Any, n: Any, axis: int = 0) -> Any:
    i = np.asarray(i)
    bad = i[(i < -n) | (i >= n)]
    if bad.size:
        raise IndexError(f"index {bad.flat[0]} is out of bounds for axis {axis} with size {n}")
    return np.where(i < 0, i + n, i)


def _check_range(first: Any, last: Any, n: Any, axis: int = 0) -> None:
    if first <= last and last >= n:
        raise IndexError(f"index {max(first, n)} is out of bounds for axis {axis} with size {n}")


def _int(b: Any, *args: Any, **params: Any) -> tuple:
    return "int", ()


dim = nondiff("dim", lambda x, axis: x.shape[axis], typing=_int, cheap="scalars")
index = nondiff("index", _index, typing=_int, raises=True, cheap="scalars")
# the places of an index that some path reached: the check has been made
wrap = nondiff(
    "wrap", lambda i, n: i + n if i < 0 else i, typing=_int, cheap="scalars", identity=WRAPPED
)
# all the places first..last of a loop at once, none of them negative; fails as the first would
check_range = nondiff("check_range", _check_range, effect=True, raises=True)
indices = nondiff("indices", _check_indices, typing=_same_dims, raises=True)
slice_start = nondiff(
    "slice_start",
    lambda i, n, step: slice(i, None, step).indices(n)[0],
    typing=_int,
    cheap="scalars",
)
slice_stop = nondiff(
    "slice_stop",
    lambda i, n, step: slice(None, i, step).indices(n)[1],
    typing=_int,
    cheap="scalars",
)
trips = nondiff(
    "trips",
    lambda start, stop, step: len(range(start, stop, step)),
    typing=_int,
    raises=True,
    cheap="scalars",
)


def _shape_text(dims: tuple) -> str:
    """A shape as NumPy's messages have it: (3,4), without blanks."""
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


def _check_equal(a: Any, b: Any, message: str) -> None:
    if a != b:
        raise ValueError(message.format(a, b))


def _broadcast_dim(a: Any, b: Any) -> Any:
    return b if a == 1 else a


check_broadcast = nondiff("check_broadcast", _check_broadcast, effect=True, raises=True)
check_assign = nondiff("check_assign", _check_assign, effect=True, raises=True)
check_equal = nondiff("check_equal", _check_equal, effect=True, raises=True)
broadcast_dim = nondiff(
    "broadcast_dim", _broadcast_dim, typing=_int, cheap="scalars", identity=REPEATED
)


# ---- tapes ----
class GrowingArray:
    """A flat buffer that grows by half; views taken before a growth keep the old memory."""

    def __init__(self, capacity: int, dtype: Any, make: Callable = np.zeros):
        self.data = make(max(int(capacity), 1), dtype_of(dtype))

    def reserve(self, size: int) -> None:
        if size > len(self.data):
            new = np.zeros(max(size, len(self.data) * 3 // 2), self.data.dtype)
            new[: len(self.data)] = self.data
            self.data = new

    def __getitem__(self, i: Any) -> Any:
        return self.data[i]

    def __setitem__(self, i: Any, value: Any) -> None:
        self.data[i] = value


class References(list):
    """References to arrays by position."""

    def put(self, position: int, reference: Any) -> None:
        while len(self) <= position:  # places that no path fills hold anything
            self.append(reference)
        self[position] = reference


def _tape_view(tape: Any, start: Any, *dims: Any) -> Any:
    size = int(np.prod(dims)) if dims else 1
    return tape.data[start : start + size].reshape(dims)


tape = nondiff(
    "tape",
    lambda n, dtype: GrowingArray(n, dtype, unwritten),
    typing=lambda b, n, dtype: b.tape_type(dtype),
    fresh=True,
)
tape_like = nondiff(
    "tape_like",
    lambda t: GrowingArray(len(t.data), t.data.dtype),
    typing=lambda b, t: b.tape_type(t.type.dtype),
    fresh=True,
)
slots = nondiff("slots", lambda t: len(t.data), typing=_int)
reserve = nondiff("reserve", lambda t, n: t.reserve(n), effect=True, writes=True)
tape_view = linear(
    "tape_view", _tape_view, typing=lambda b, t, start, *dims: (t.type.dtype, b.dims(dims), "C"),
    view=True,
)  # fmt: skip
reftape = nondiff(
    "reftape",
    lambda dtype, ndim: References(),
    typing=lambda b, dtype, ndim: b.reftape_type(dtype, ndim),
    fresh=True,
)
ref_put = nondiff("ref_put", lambda t, p, r: t.put(p, r), effect=True, writes=True, holds=True)
ref_get = linear(
    "ref_get",
    lambda t, p, *dims: t[p],
    typing=lambda b, t, p, *dims: (t.type.dtype, b.dims(dims), "S"),
    view=True,
)


# ---- the world ----
def _fail(*values: Any, kind: str, message: str) -> None:
    raise instance(kind, message.format(*values))


fail = nondiff("fail", _fail, effect=True, raises=True)
show = nondiff("show", lambda *values, message: print(message.format(*values), end=""), effect=True)
