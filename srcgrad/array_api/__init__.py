"""The Python array API standard on tensors: the namespace that `Tensor.__array_namespace__` gives.

Functions of https://data-apis.org/array-api/2025.12 with its names, signatures and promotion. What
they compute, and their derivatives, are the table's rows; what has no row is NumPy's function.
docs/decisions/array_api.md tells where this face and PyTorch's differ.

>>> import srcgrad as flow
>>> x = flow.tensor([3.0, 1.0, 2.0], requires_grad=True)
>>> xp = x.__array_namespace__()
>>> xp.sum(xp.sort(x) * xp.asarray([0.0, 1.0, 2.0])).backward()
>>> x.grad
tensor([2., 0., 1.], dtype=srcgrad.float32)
"""

from __future__ import annotations

import math

from srcgrad.array_api import fft, linalg
from srcgrad.array_api.arrangement import (
    broadcast_arrays,
    broadcast_shapes,
    broadcast_to,
    concat,
    expand_dims,
    flip,
    moveaxis,
    permute_dims,
    repeat,
    reshape,
    roll,
    squeeze,
    stack,
    take,
    take_along_axis,
    tile,
    tril,
    triu,
    unstack,
)
from srcgrad.array_api.creation import (
    arange,
    asarray,
    empty,
    empty_like,
    eye,
    from_dlpack,
    full,
    full_like,
    linspace,
    meshgrid,
    ones,
    ones_like,
    zeros,
    zeros_like,
)
from srcgrad.array_api.data_types import (
    DTYPES,
    __array_namespace_info__,
    astype,
    can_cast,
    finfo,
    iinfo,
    isdtype,
    result_type,
)
from srcgrad.array_api.elementwise import ELEMENTWISE
from srcgrad.array_api.linalg import matmul, matrix_transpose, tensordot, vecdot
from srcgrad.array_api.reductions import (
    all,
    any,
    count_nonzero,
    cumulative_prod,
    cumulative_sum,
    diff,
    max,
    mean,
    min,
    prod,
    std,
    sum,
    var,
)
from srcgrad.array_api.searches import (
    argmax,
    argmin,
    argsort,
    isin,
    nonzero,
    searchsorted,
    sort,
    unique_all,
    unique_counts,
    unique_inverse,
    unique_values,
    where,
)
from srcgrad.namespace import publish

VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12")
__array_api_version__ = VERSIONS[-1]
e: float = math.e
inf: float = math.inf
nan: float = math.nan
pi: float = math.pi
newaxis: None = None
__all__ = [
    "__array_api_version__", "__array_namespace_info__", "all", "any", "arange", "argmax",
    "argmin", "argsort", "asarray", "astype", "broadcast_arrays", "broadcast_shapes",
    "broadcast_to", "can_cast", "concat", "count_nonzero", "cumulative_prod", "cumulative_sum",
    "diff", "e", "empty", "empty_like", "expand_dims", "eye", "fft", "finfo", "flip",
    "from_dlpack", "full", "full_like", "iinfo", "inf", "isdtype", "isin", "linalg", "linspace",
    "matmul", "matrix_transpose", "max", "mean", "meshgrid", "min", "moveaxis", "nan",
    "newaxis", "nonzero", "ones", "ones_like", "permute_dims", "pi", "prod", "repeat",
    "reshape", "result_type", "roll", "searchsorted", "sort", "squeeze", "stack", "std", "sum",
    "take", "take_along_axis", "tensordot", "tile", "tril", "triu", "unique_all",
    "unique_counts", "unique_inverse", "unique_values", "unstack", "var", "vecdot", "where",
    "zeros", "zeros_like",
]  # fmt: skip
__all__ += [*DTYPES, *ELEMENTWISE]
globals().update(DTYPES | ELEMENTWISE)
publish(globals())
