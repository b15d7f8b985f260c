"""`save_safetensors`, `load_safetensors`: tensors by name in a file that other libraries read.

The library `safetensors` reads and writes; here are the kinds of numbers. Nothing in such a file
is executed when it is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike, fspath
from typing import Any

import numpy as np

from srcgrad.eager import devices, dtypes
from srcgrad.eager.tensor import Tensor, make
from srcgrad.errors import ArgumentValueError, TensorError, TensorTypeError
from srcgrad.interop.functions import library

# the names of dtypes in a file that tensors have too
KINDS = {
    "BOOL": "bool", "U8": "uint8", "I8": "int8", "I16": "int16", "I32": "int32", "I64": "int64",
    "F16": "float16", "F32": "float32", "F64": "float64", "C64": "complex64",
}  # fmt: skip
HALVES = ("float16", "bfloat16", "float32", "float64")


def save_safetensors(
    tensors: Mapping[str, Any], file: str | PathLike[str], *, dtype: Any = None,
    metadata: dict[str, str] | None = None,
) -> None:  # fmt: skip
    """Writes a dict of tensors or arrays, as `state_dict()` returns one, to a safetensors file.

    `dtype`: the one that floating tensors are rounded to, such as "float16" or "bfloat16" (for
    which the library ml_dtypes is needed); without it each keeps its own. TypeError for what is no
    tensor or array, for keys that are no text and for dtypes that such files lack.

    >>> import os, tempfile
    >>> import srcgrad as flow
    >>> from srcgrad.interop import load_safetensors, save_safetensors
    >>> file = os.path.join(tempfile.mkdtemp(), "model.safetensors")
    >>> save_safetensors({"w": flow.tensor([1.0, 2.5])}, file, dtype="bfloat16")
    >>> load_safetensors(file)
    {'w': tensor([1.0000, 2.5000], dtype=srcgrad.float32)}
    """
    target = None if dtype is None else _floating(dtype)
    arrays: dict[str, np.ndarray] = {}
    for name, value in tensors.items():
        if not isinstance(name, str):
            raise TensorTypeError(f"the names of tensors are texts, not {name!r}")
        if not isinstance(value, Tensor | np.ndarray):
            kind = type(value).__name__
            raise TensorTypeError(f"{name!r} is no tensor or array, but of type {kind}")
        a = value._a if isinstance(value, Tensor) else value
        a = np.ascontiguousarray(devices.moved(a, devices.CPU)).reshape(a.shape)
        if a.dtype.name not in KINDS.values():
            raise TensorTypeError(f"{name!r} has the dtype {a.dtype}, which these files lack")
        with np.errstate(over="ignore"):  # past the largest number there is infinity
            arrays[name] = a if target is None or a.dtype.kind != "f" else a.astype(target)
    library("safetensors.numpy").save_file(arrays, fspath(file), metadata)


def load_safetensors(file: str | PathLike[str]) -> dict[str, Tensor]:
    """Reads a safetensors file as a dict of tensors, for `load_state_dict` and others.

    A bfloat16 becomes the float32 of the same value. RuntimeError for a file of another kind,
    TypeError for dtypes that tensors do not have.

    >>> import tempfile
    >>> import srcgrad as flow
    >>> from srcgrad.interop import load_safetensors, save_safetensors
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_safetensors({"w": flow.tensor([1.0])}, folder + "/model.safetensors")
    ...     load_safetensors(folder + "/model.safetensors")
    {'w': tensor([1.], dtype=srcgrad.float32)}
    """
    read = library("safetensors")
    with open(file, "rb") as opened:
        data = opened.read()
    try:
        found = read.deserialize(data)
    except read.SafetensorError as error:
        raise TensorError(
            f"this is not a safetensors file: {error}", None,
            "flow.load reads what flow.save wrote",
        ) from None  # fmt: skip
    return {name: make(_array(name, part).reshape(part["shape"])) for name, part in found}


def _array(name: str, part: dict[str, Any]) -> np.ndarray:
    if part["dtype"] == "BF16":  # the upper half of a float32
        bits = np.frombuffer(part["data"], "<u2").astype(np.uint32) << 16
        return bits.view(np.float32)
    if part["dtype"] not in KINDS:
        raise TensorTypeError(f"{name!r} has the dtype {part['dtype']}, which tensors do not have")
    kind = np.dtype(KINDS[part["dtype"]])
    return np.frombuffer(part["data"], kind.newbyteorder("<")).astype(kind)


def _floating(dtype: Any) -> Any:
    name = dtype if isinstance(dtype, str) else dtypes.to_dtype(dtype).name
    if name not in HALVES:
        raise ArgumentValueError(f"dtype is one of {', '.join(HALVES)}, not {name!r}")
    return library("ml_dtypes").bfloat16 if name == "bfloat16" else np.dtype(name)
