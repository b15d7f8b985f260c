"""Recognizes arrays and functions of other libraries, and suggests the conversion.

Objects of other libraries are neither followed nor constants: they may change unseen. Loads
none of these libraries.
"""

from __future__ import annotations

import collections
import sys
import types
from typing import Any

import numpy as np

from srcgrad.frontend.derived import plain_class, redefined
from srcgrad.frontend.library_source import CLASSES
from srcgrad.frontend.values import article, describe
from srcgrad.protocols import class_states, held, home_module, poses
from srcgrad.tree import is_leaf, is_structured, registered_as

# by the top package of the class: the library, and what makes a NumPy array of `{}`
LIBRARIES = {
    "torch": ("PyTorch", "{}.detach().numpy()"),
    "jax": ("JAX", "np.asarray({})"),
    "jaxlib": ("JAX", "np.asarray({})"),
    "tensorflow": ("TensorFlow", "{}.numpy()"),
    "pandas": ("pandas", "{}.to_numpy()"),
    "polars": ("polars", "{}.to_numpy()"),
    "xarray": ("xarray", "{}.to_numpy()"),
    "cupy": ("CuPy", "{}.get()"),
    "mindspore": ("MindSpore", "{}.asnumpy()"),
    "scipy": ("SciPy", "{}.tocsr()"),  # sparse matrices of other formats
}


# modules of the standard library whose classes in Python are followed: UserDict, cached_property
FOLLOWED = ("collections", "_collections_abc", "functools")

# containers that are no arguments, by the module of their class: a description, and what to pass
NOT_TAKEN = {
    "numba.typed.typedlist": ("a typed List of Numba's", "list({})"),
    "numba.typed.typeddict": ("a typed Dict of Numba's", "dict({})"),
    "numba.experimental.jitclass.boxing": (
        "an instance of a jitclass of Numba's", "one of the plain class, without jitclass,"
    ),
    "array": ("an array of the module array", "np.asarray({})"),
}  # fmt: skip


def foreign_array(value: Any, name: str) -> tuple[str, str] | None:
    """The description of a value of another library, and the way out; None if it is of none."""
    cls = type(value)
    if isinstance(value, collections.deque):
        return f"'{name}' is a deque, which is made inside only", f"pass list({name})"
    if cls.__module__ in NOT_TAKEN:
        kind, way_out = NOT_TAKEN[cls.__module__]
        return f"'{name}' is {kind}", f"pass {way_out.format(name)}"
    library = LIBRARIES.get(str(cls.__module__).split(".")[0])
    if library is None or not (hasattr(cls, "__array__") or hasattr(cls, "toarray")):
        return None
    if registered_as(cls) is not None or cls in CLASSES:
        return None
    kind = cls.__name__ if cls.__name__ != "ArrayImpl" else "array"
    return f"'{name}' is {article(kind)} {kind} of {library[0]}", f"pass {library[1].format(name)}"


def foreign_library(f: Any) -> str:
    """The library that a function belongs to, if it is not followed."""
    owner = held(f, "__self__")
    modules = (
        home_module(f),
        type(f).__module__,
        getattr(owner, "__module__", None),
        type(owner).__module__,
    )
    tops = (str(m).split(".")[0] for m in modules)
    return next((LIBRARIES[t][0] for t in tops if t in LIBRARIES and t != "scipy"), "")


def not_taken(value: Any, name: str) -> tuple[str, str] | None:
    """The reason why a value of an unsupported type is refused, and the way out."""
    of_modules = issubclass(type(value), types.ModuleType)  # such a proxy imports when it is read
    if poses(value) and not (of_modules or class_states(value.__class__, "__call__")):
        cls, other = type(value).__name__, value.__class__.__name__
        reason = f"'{name}' is {article(cls)} {cls}, which says that it is {article(other)} {other}"
        return reason, f"pass the {other} itself"
    if own := redefined(type(value)):
        cls, plain = type(value).__name__, plain_class(value)
        reason = f"'{name}' is {article(cls)} {cls}, which defines {own}: it is no plain {plain}"
        return reason, f"pass {plain}({name})"
    if is_structured(value) and not value.dtype.isnative:
        reason = f"'{name}' has fields in another byte order than that of this machine"
        return reason, f"pass {name}.astype({name}.dtype.newbyteorder('='))"
    if isinstance(value, np.ndarray | np.void) and is_leaf(value):
        what = f"{describe(value)} of dtype {value.dtype}"
        reason = f"'{name}' is {what}, which is not supported"
        return reason, _way_out(value, name)
    if isinstance(value, np.inexact):
        return f"'{name}' is {value!r}, a number of unsupported precision", f"pass float({name})"
    return foreign_array(value, name)


def _way_out(value: Any, name: str) -> str:
    """The conversion of a NumPy array or record of an unsupported kind to a supported one."""
    if "numpy.ma" in sys.modules and isinstance(value, np.ma.MaskedArray):
        return f"pass {name}.filled(0.0) and the mask as another argument"
    dtype = value.dtype
    if isinstance(value, np.recarray) or dtype.names is not None:
        return f"pass its fields: {name}['...']"
    if type(value) not in (np.ndarray, np.memmap) and isinstance(value, np.ndarray):
        return f"pass np.asarray({name})"
    if dtype.kind in "mM":
        return f"pass numbers: {name}.astype(np.int64)"
    if dtype.kind in "SUV":
        return "pass numbers"
    if dtype.kind == "O":
        return f"make it an array of numbers: np.asarray({name}, float)"
    to = "complex" if dtype.kind == "c" else "float" if dtype.kind == "f" else "np.int64"
    return f"pass {name}.astype({to})"
