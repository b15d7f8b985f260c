"""Functions of NumPy and SciPy whose own source is followed.

`followed_names.py` lists them. Functions of its library that one of them calls are followed too,
unless a handler or a formula has its meaning.
"""

from __future__ import annotations

import types
from typing import Any

import numpy as np

from srcgrad.protocols import home_module

LIBRARIES = ("numpy", "scipy")
DISPATCHER = type(np.sum)  # NumPy's wrapper that looks for `__array_function__`
NAMESPACE = ".array_api_compat.numpy"  # SciPy's module of NumPy's functions


CLASSES: list[type] = [np.poly1d]  # whose methods are followed; handlers add others
# those that derive from dict, whose instances a program may also make
DICTS: list[type] = []


def is_of_class(f: Any) -> bool:
    """Whether a function is a method, or reads or sets a property, of a class that is followed."""
    for member in [m for cls in (*CLASSES, *DICTS) for m in vars(cls).values()]:
        if f is member or (isinstance(member, property) and f in (member.fget, member.fset)):
            return f is not None
    return False


def is_of_library(f: Any) -> bool:
    """Whether a function is defined by NumPy or SciPy."""
    return home_module(f).partition(".")[0] in LIBRARIES


def python_of(f: Any) -> types.FunctionType | None:
    """The Python function that runs when a function of NumPy or SciPy is called, if any."""
    inner = f.__wrapped__ if isinstance(f, DISPATCHER) else f
    return inner if isinstance(inner, types.FunctionType) and is_of_library(f) else None


def is_constant(function: types.FunctionType, v: Any) -> bool:
    """Whether a global of a library's function is a constant: no program changes it."""
    return is_of_library(function) and not isinstance(v, np.ndarray | list | dict | set)


def is_number_of_library(function: types.FunctionType, cell: types.CellType) -> bool:
    """Whether a cell of a library's function holds a number: no program changes it."""
    return is_of_library(function) and isinstance(cell.cell_contents, int | float | complex)


def in_numpy(v: Any) -> Any:
    """NumPy for the module that SciPy wraps it in; any other value unchanged."""
    return np if isinstance(v, types.ModuleType) and v.__name__.endswith(NAMESPACE) else v
