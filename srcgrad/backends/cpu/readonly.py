"""Passes read-only arrays to compiled code that does not store to them.

Numba has a type of its own for read-only arrays, and the compiled signature is that of writable
ones. So an array that the function only reads is passed as a writable view of the same memory, and
results in that memory are made read-only. Never copies an array.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.backends.located import located_error
from srcgrad.ir.alias import AliasClasses
from srcgrad.ir.nodes import Def, Function
from srcgrad.ir.types import is_reference
from srcgrad.ir.walk import walk


class _Writable:
    """The memory of an array in NumPy's array interface, declared writable."""

    def __init__(self, array: np.ndarray):
        self.array = array  # keeps the memory alive
        interface = array.__array_interface__
        self.__array_interface__ = {**interface, "data": (interface["data"][0], False)}


def is_read_only(value: Any) -> bool:
    return isinstance(value, np.ndarray) and not value.flags.writeable


def run_with_read_only(run: Callable[..., tuple], function: Function, args: tuple) -> tuple:
    """The result of `run(*args)`, where some arguments are read-only arrays."""
    refuse_stores(function, args)
    writable = [np.asarray(_Writable(v)) if is_read_only(v) else v for v in args]
    read_only = [v for v in args if is_read_only(v)]
    out = run(*writable)
    for value in out:
        if isinstance(value, np.ndarray) and any(np.may_share_memory(value, v) for v in read_only):
            value.flags.writeable = False
    return out


def refuse_stores(function: Function, args: tuple) -> None:
    """Raises NumPy's exception if the function stores to an argument that is read-only."""
    if not any(map(is_read_only, args)):
        return
    aliases = AliasClasses(function)
    for param, value in zip(function.params, args, strict=True):
        if is_read_only(value) and aliases.of(param) in aliases.written:
            raise _store_error(function, aliases, param)


def _store_error(function: Function, aliases: AliasClasses, param: Any) -> Exception:
    """NumPy's exception, at the first store to the parameter."""
    stores = (
        s
        for s in walk(function.body)
        if isinstance(s, Def)
        and s.op.writes
        and is_reference(s.args[0].type)
        and aliases.of(s.args[0]) is aliases.of(param)
    )
    return located_error(ValueError("assignment destination is read-only"), next(stores))
