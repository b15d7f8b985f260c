"""The class of what NumPy's functions and ndarray's methods give for an instance of a subclass.

Most call `__array_finalize__` once, with the instance; some build an instance on the way. A
function that is not here is refused. Ufuncs have rules of their own.
"""

from __future__ import annotations

import numpy as np

from srcgrad.records import record


@record(frozen=True)
class Rule:
    """How a result is made: like the argument at a position, or a plain array if there is none."""

    of: int | None = 0
    steps: int = 1  # instances that are made one from another
    numbers: bool = False  # whether a number becomes an instance of rank 0
    reads: tuple[str, ...] = ()  # members that NumPy reads, besides a method of the function's name
    otherwise_plain: bool = False  # whether an array at that position makes it a plain array
    alone: bool = False  # it depends on the other arguments: there may be none
    from_rank: int = 0  # of a lower rank the result is a plain array
    wraps: str = ""  # how NumPy calls `__array_wrap__`, of a class that defines it


# calls of `__array_wrap__`: with a context and whether a number is wanted, without a context, with
# the array alone, or several calls for one result
OF_UFUNC, OF_REDUCTION, OF_ARRAY_ALONE, OF_STEPS = "ufunc", "reduction", "alone", "steps"
_LIKE, _PLAIN = Rule(), Rule(None)
_REDUCED, _SCANNED = Rule(numbers=True, wraps=OF_REDUCTION), Rule(wraps=OF_REDUCTION)
_SPREAD = Rule(steps=2, numbers=True, reads=("__sub__", "dtype", "shape", "ndim"), wraps=OF_STEPS)
_MEAN = Rule(numbers=True, reads=("dtype", "shape", "ndim"), wraps=OF_STEPS)

FUNCTIONS: dict[object, Rule] = {
    **dict.fromkeys((
        np.sum, np.max, np.min, np.prod, np.any, np.all,
    ), _REDUCED),
    np.mean: _MEAN, np.std: _SPREAD, np.var: _SPREAD, np.cumsum: _SCANNED, np.cumprod: _SCANNED,
    **dict.fromkeys((
        np.transpose, np.reshape, np.ravel, np.swapaxes, np.repeat,
        np.take, np.argsort, np.ones_like, np.full_like, np.empty_like,
    ), _LIKE),
    np.zeros_like: Rule(reads=("dtype",)), np.clip: Rule(reads=("dtype",), wraps=OF_UFUNC),
    np.round: Rule(alone=True, wraps=OF_UFUNC),
    np.around: Rule(reads=("round",), alone=True, wraps=OF_UFUNC),
    np.sort: Rule(reads=("copy", "flatten")), np.diagonal: _LIKE,
    np.diag: Rule(reads=("shape", "diagonal"), alone=True, from_rank=2),
    np.expand_dims: Rule(reads=("reshape", "ndim", "shape")),
    np.moveaxis: Rule(reads=("transpose", "ndim")),
    **dict.fromkeys((np.flip, np.fliplr, np.flipud), Rule(reads=("__getitem__", "ndim"))),
    np.diff: Rule(
        steps=2, reads=("__getitem__", "ndim", "shape", "dtype"), alone=True, wraps=OF_STEPS),
    **dict.fromkeys((np.linalg.inv, np.linalg.cholesky), Rule(
        reads=("ndim", "shape", "dtype"), wraps=OF_ARRAY_ALONE)),
    np.linalg.solve: Rule(
        1, reads=("ndim", "shape", "dtype"), otherwise_plain=True, wraps=OF_ARRAY_ALONE),
    **dict.fromkeys((
        np.asarray, np.array, np.ascontiguousarray, np.copy, np.linalg.norm, np.linalg.det,
        np.linalg.eigvalsh, np.where, np.cross, np.outer, np.einsum, np.interp, np.broadcast_to,
        np.vdot, np.convolve, np.array_equal, np.concatenate, np.cov,
    ), _PLAIN),
    **dict.fromkeys((
        np.stack, np.vstack, np.hstack, np.column_stack, np.dstack,
    ), Rule(None, reads=("shape", "ndim", "__getitem__", "T"))),
    **dict.fromkeys((np.tril, np.triu), Rule(None, reads=("shape", "ndim", "dtype"))),
    **dict.fromkeys((
        np.argmax, np.argmin, np.nonzero, np.count_nonzero,
    ), Rule(None, alone=True)),
    np.trace: Rule(None, alone=True, wraps=OF_STEPS),
    **dict.fromkeys((np.shape, np.ndim, np.size), Rule(None, reads=("shape", "ndim", "size"))),
}  # fmt: skip
# the class of the argument that takes precedence, the first of equal ones
PRODUCTS = (np.dot, np.inner)

METHODS: dict[str, Rule] = {
    **dict.fromkeys(("sum", "max", "min", "prod", "any", "all"), _REDUCED),
    "mean": _MEAN, "std": _SPREAD, "var": _SPREAD, "cumsum": _SCANNED, "cumprod": _SCANNED,
    **dict.fromkeys((
        "copy", "transpose", "reshape", "ravel", "flatten", "swapaxes",
        "repeat", "take", "argsort", "diagonal", "astype", "compress",
    ), _LIKE),
    "clip": Rule(reads=("dtype",), wraps=OF_UFUNC), "round": Rule(alone=True, wraps=OF_UFUNC),
    **dict.fromkeys(("tolist", "item", "fill", "sort", "searchsorted"), _PLAIN),
    **dict.fromkeys(("argmax", "argmin", "nonzero"), Rule(None, alone=True)),
    "trace": Rule(None, alone=True, wraps=OF_STEPS),
}  # fmt: skip
# attributes that are the array's
ATTRIBUTES = ("shape", "ndim", "size", "dtype", "itemsize", "nbytes", "strides", "flags")

# ---- np.matrix ----
# what a np.matrix has of ndarray's own
OF_MATRICES = {
    *("copy", "astype", "reshape", "clip", "transpose", "round", "item", "fill", "swapaxes"),
    *("diagonal", "dot", "conj", "conjugate", "view", "real", "imag"),
}
BY_METHOD_OF_MATRICES = frozenset((
    np.sum, np.mean, np.std, np.var, np.prod, np.max, np.min, np.any, np.all, np.argmax, np.argmin,
    np.transpose,
))  # fmt: skip
JOINS_OF_MATRICES = frozenset((np.concatenate, np.hstack, np.vstack, np.column_stack))
FUNCTIONS_OF_MATRICES = frozenset((
    np.linalg.inv, np.linalg.cholesky, np.linalg.solve, np.zeros_like, np.ones_like, np.full_like,
    np.clip, np.asarray, np.array, np.linalg.norm, np.linalg.det, np.where, np.outer, np.einsum,
    np.trace, np.vdot, np.array_equal, np.shape, np.ndim, np.size, np.count_nonzero,
))  # fmt: skip
