"""Private helpers of NumPy and SciPy that their own source calls, where it is followed.

SciPy looks up the array library of its arguments. Here it is NumPy.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from srcgrad.frontend.formulas import array_api, series
from srcgrad.frontend.handlers.reductions import place_of_axis
from srcgrad.frontend.handlers.registry import PRIVATE, implements, method
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import is_array


@implements(operator.index)
def index(it: Interpreter, node: Node, a: Any) -> Any:
    return it.static_int(a, node, "an index")


def _private(*names: str, library: str = "scipy") -> Any:
    def register(handler: Any) -> Any:
        for name in names:
            PRIVATE[library, name] = handler
        return handler

    return register


@_private("normalize_axis_index", library="numpy")
def axis_index(it: Interpreter, node: Node, axis: Any, ndim: Any, msg_prefix: Any = None) -> int:
    return place_of_axis(it, node, axis, ndim)


@_private("trimseq", library="numpy")
def without_last_zeros(it: Interpreter, node: Node, c: Any) -> Any:
    return it.call(series.without_last_zeros, [c], {}, node)


@_private("array_namespace")
def namespace(it: Interpreter, node: Node, /, *arrays: Any, **kwargs: Any) -> Any:
    return np


@_private("is_numpy", "is_numpy_namespace", "_is_numpy")
def is_numpy(it: Interpreter, node: Node, xp: Any) -> bool:
    return True


@_private(
    "is_cupy", "is_torch", "is_jax", "is_dask", "is_array_api_strict", "is_marray",
    "is_lazy_array", "is_torch_array", "is_cupy_array", "is_jax_array", "is_dask_array",
    "is_torch_namespace", "is_cupy_namespace", "is_jax_namespace", "is_dask_namespace",
    "is_array_api_strict_namespace",
)  # fmt: skip
def is_another(it: Interpreter, node: Node, x: Any) -> bool:
    return False


@_private("is_array_api_obj", "is_numpy_array")
def is_numpy_array(it: Interpreter, node: Node, x: Any) -> bool:
    return is_array(x)


@method("array", "__array_namespace__")
def array_namespace(it: Interpreter, node: Node, x: Any, *, api_version: Any = None) -> Any:
    try:
        return np.empty(0).__array_namespace__(api_version=api_version)
    except ValueError as error:
        it.wrong(node, str(error), ValueError)


@_private("device", "xp_device", "xp_result_device")
def device(it: Interpreter, node: Node, *x: Any) -> None:
    return None


@_private("at")
def at(it: Interpreter, node: Node, x: Any, idx: Any = ...) -> Any:
    return it.call(array_api.At, [x, idx], {}, node)


@_private("xp_promote")
def promote(it: Interpreter, node: Node, /, *args: Any, **kwargs: Any) -> Any:
    return it.call(array_api.promoted, list(args), kwargs, node)


@_private("size", "xp_size")
def size(it: Interpreter, node: Node, x: Any) -> Any:
    return it.call_numpy(np.size, [x], {}, node)
