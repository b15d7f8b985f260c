"""Operations on whole arrays that the library of the device has: products, solves, sorts, scans.

Each is a function of `xp`, which is CuPy (or NumPy for the simulated device), and of the operands.
Operations that CuPy lacks, and that are not composed here of others, are refused.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np

from srcgrad.backends.cpu.calls import CALLS
from srcgrad.errors import UnsupportedError
from srcgrad.ir.nodes import Def
from srcgrad.operation import Primitive
from srcgrad.primitives import (
    arrays,
    cholesky_factors,
    factorisations,
    least_squares,
    linalg,
    memory,
    reductions,
    scans,
    singular_vectors,
    transforms,
    triangular,
)

WAY_OUT = 'use target="cpu"'


def refuse(s: Def) -> None:
    """Refuses an operation of the host on arrays that the device's library does not have."""
    if s.op.draws:
        way_out = 'draw before, and pass the numbers; or use target="cpu"'
        raise UnsupportedError("the target cuda draws no random numbers", s.loc, way_out)
    if s.op not in LIBRARY:
        raise UnsupportedError(f"the target cuda has no '{s.op.name}'", s.loc, WAY_OUT)


def called(op: Primitive, xp: ModuleType, *args: Any, **params: Any) -> Any:
    """The result of an operation, contiguous; its LinAlgError has NumPy's text."""
    try:
        with _raising(xp):
            out = LIBRARY[op](xp, *args, **params)
    except np.linalg.LinAlgError:
        text = CALLS[op].error
        if isinstance(text, str):
            raise np.linalg.LinAlgError(text) from None
        raise
    return xp.ascontiguousarray(out) if getattr(out, "ndim", 0) else out


def _raising(xp: ModuleType) -> AbstractContextManager[Any]:
    """Lets CuPy raise for singular matrices, which it does on request only."""
    return nullcontext() if xp is np else import_module("cupyx").errstate(linalg="raise")


def _linalg_of(xp: ModuleType) -> Any:
    """`scipy.linalg`, or CuPy's part of it."""
    return import_module("scipy.linalg" if xp is np else "cupyx.scipy.linalg")


# ---- triangles ----
def _solve_triangular(xp: Any, a: Any, b: Any, lower: bool, transposed: bool, unit: bool) -> Any:
    zeros = xp.flatnonzero(xp.diagonal(a) == 0)
    if zeros.size and not unit:
        text = CALLS[triangular.solve_triangular].error
        raise np.linalg.LinAlgError(text(int(zeros[0]) + 1))  # type: ignore[operator]  (a function)
    return _linalg_of(xp).solve_triangular(
        a, b, trans=int(transposed), lower=lower, unit_diagonal=unit, check_finite=False
    )


def _lu(xp: Any, a: Any) -> Any:
    out = xp.array(a)
    for k in range(len(out) - 1):
        pivot = out[k, k]
        out[k + 1 :, k] /= xp.where(pivot == 0, 1, pivot)
        out[k + 1 :, k + 1 :] -= out[k + 1 :, k : k + 1] * out[k, k + 1 :]
    return out


def _lu_pivots(xp: Any, a: Any) -> Any:
    return _linalg_of(xp).lu_factor(a)[1].astype(np.int64)


def _factored(xp: Any, a: Any) -> Any:
    lu, pivots = _linalg_of(xp).lu_factor(a, check_finite=False)
    if (xp.diagonal(lu) == 0).any():
        raise np.linalg.LinAlgError
    return xp.concatenate((lu, pivots[None].astype(lu.dtype)))


def _solved_by_factors(xp: Any, f: Any, b: Any, transposed: bool) -> Any:
    lu, pivots = f[:-1], f[-1].real.astype(np.int32)
    return _linalg_of(xp).lu_solve((lu, pivots), b, trans=int(transposed), check_finite=False)


# ---- factorisations ----
def _singular_values(xp: Any, a: Any, checked: bool) -> Any:
    try:
        return xp.linalg.svd(a, compute_uv=False)
    except np.linalg.LinAlgError:
        if checked:
            raise
        return xp.full(min(a.shape), np.nan, a.dtype)


def _coincide(xp: Any, a: Any, b: Any) -> Any:
    sizes = xp.abs(xp.concatenate((a, b, xp.zeros(1, a.dtype))))
    unit = max(a.size, b.size) * np.finfo(a.dtype).eps
    return xp.abs(a[:, None] - b) <= unit * xp.max(sizes)


def _cofactors(xp: Any, a: Any) -> Any:
    u, s, vt = xp.linalg.svd(a)
    others = xp.where(xp.eye(len(s), dtype=bool), xp.ones((), s.dtype), s)
    return xp.linalg.det(u) * xp.linalg.det(vt) * xp.conj((u * xp.prod(others, axis=1)) @ vt)


# ---- along an axis ----
def _running_product(xp: Any, x: Any, axis: int, reverse: bool) -> Any:
    """The product of the elements before each element."""
    lines = xp.moveaxis(x, axis, 0)
    lines = lines[::-1] if reverse else lines
    y = xp.ones_like(lines)
    y[1:] = xp.cumprod(lines[:-1], axis=0)
    return xp.moveaxis(y[::-1] if reverse else y, 0, axis)


def _extreme_place(name: str) -> Callable[..., Any]:
    def place(xp: Any, x: Any, axes: tuple[int, ...]) -> Any:
        if not all(x.shape[k] for k in axes):
            raise ValueError(f"attempt to get {name} of an empty sequence")
        return getattr(xp, name)(x, axis=None if len(axes) == x.ndim else axes[0])

    return place


# ---- stores at data-dependent places: of those at one place the last one counts ----
def _scatter(xp: Any, x: Any, *rest: Any, spec: tuple[str, ...]) -> None:
    *places, value = rest
    axes = [k for k, code in enumerate(spec) if code == "a"]
    dims = memory.gather_dims(x.shape, places[0].shape, spec)
    adjacent = axes[-1] - axes[0] == len(axes) - 1
    first, rank = axes[0] if adjacent else 0, places[0].ndim
    values = xp.broadcast_to(xp.asarray(value), dims)
    lines = values.reshape((*dims[:first], -1, *dims[first + rank :]))
    last = _last_writers(xp, [p.ravel() for p in places], [x.shape[k] for k in axes])
    x[memory.fancy_index(tuple(places), spec)] = xp.take(lines, last, axis=first).reshape(dims)


def _last_writers(xp: Any, places: list[Any], lengths: list[int]) -> Any:
    """The number of the last store at the place of each store."""
    flat = xp.zeros(places[0].shape, np.int64)
    for p, n in zip(places, lengths, strict=True):
        flat = flat * n + p
    if not flat.size:
        return flat
    order = xp.argsort(flat, kind="stable")
    ordered = flat[order]
    ends = xp.ones(flat.shape, bool)
    ends[:-1] = ordered[1:] != ordered[:-1]
    group = xp.cumsum(ends) - ends  # of places, counted from 0
    last = xp.empty_like(order)
    last[order] = order[xp.flatnonzero(ends)[group]]
    return last


def _definite(xp: Any, a: Any) -> Any:
    try:
        xp.linalg.cholesky(a)
    except np.linalg.LinAlgError:
        return xp.zeros((), a.real.dtype)
    return xp.ones((), a.real.dtype)


# ---- transforms ----
def _fft(xp: Any, x: Any, axis: int, inverse: bool) -> Any:
    if inverse:
        return xp.fft.ifft(x, axis=axis, norm="forward")
    return xp.fft.fft(x, axis=axis)


def _irfft(xp: Any, x: Any, n: Any, axis: int) -> Any:
    return xp.fft.irfft(x, int(n), axis=axis, norm="forward")


# the implementations of these are made of NumPy's functions, which take CuPy's arrays as well
BY_NUMPYS_NAMES = (
    arrays.matmul, arrays.matvec, arrays.vecdot, linalg.solve, linalg.inv, linalg.det,
    cholesky_factors.cholesky, cholesky_factors.cholesky_adjoint, linalg.logabsdet,
    linalg.detsign, factorisations.eigh, singular_vectors.svd, factorisations.qr,
    least_squares.pinv, least_squares.lstsq, reductions.nonzero, scans.cumsum, scans.argsort,
)  # fmt: skip


def _as_its_row(op: Primitive) -> Callable[..., Any]:
    return lambda xp, *args, **params: op.impl(*args, **params)


LIBRARY: dict[Primitive, Callable[..., Any]] = {
    **{op: _as_its_row(op) for op in BY_NUMPYS_NAMES},
    linalg.definite: _definite,
    linalg.cofactors: _cofactors,
    triangular.solve_triangular: _solve_triangular,
    triangular.factored: _factored,
    triangular.solved_by_factors: _solved_by_factors,
    triangular.lu: _lu,
    triangular.lu_pivots: _lu_pivots,
    singular_vectors.singular_values: _singular_values,
    factorisations.coincide: _coincide,
    reductions.argmax: _extreme_place("argmax"),
    reductions.argmin: _extreme_place("argmin"),
    scans.running_product: _running_product,
    memory.scatter: _scatter,
    scans.searchsorted: lambda xp, a, v, side: xp.searchsorted(a, xp.asarray(v), side),
    transforms.fft: _fft,
    transforms.rfft: lambda xp, x, axis: xp.fft.rfft(x, axis=axis),
    transforms.irfft: _irfft,
}
