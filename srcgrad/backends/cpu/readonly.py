"""Passes read-only arrays to compiled code that does not store to them.

The function that Python calls of a program takes writable arrays only, since the program may store
to them. So an array that the program only reads is passed as a writable view of the same memory,
and results in that memory are made read-only. Never copies an array.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from srcgrad.backends.located import located_error
from srcgrad.ir.alias import holders
from srcgrad.ir.nodes import Def, Function
from srcgrad.ir.types import Array
from srcgrad.ir.walk import walk


class _Writable:
    """The memory of an array in NumPy's array interface, declared writable."""

    def __init__(self, array: np.ndarray):
        self.array = array  # keeps the memory alive
        interface = array.__array_interface__
        self.__array_interface__ = {**interface, "data": (interface["data"][0], False)}


WRITEABLE = 0x0400  # NumPy's flag; `flags.writeable` warns of arrays of np.broadcast_arrays


def is_read_only(value: Any) -> bool:
    return isinstance(value, np.ndarray) and not value.flags.num & WRITEABLE


class Stores:
    """The parameters that a function stores to, found when an array is first read-only."""

    def __init__(self, function: Function):
        self.function = function

    @cached_property
    def _written(self) -> dict[int, Def]:
        """The first store to each parameter, by position."""
        stores = [
            s for s in walk(self.function.body)
            if isinstance(s, Def) and s.op.writes and isinstance(s.args[0].type, Array)
        ]  # fmt: skip
        found = {}
        for k, param in enumerate(self.function.params):
            if isinstance(param.type, Array):
                names = holders(self.function, param)
                to = next((s for s in stores if s.args[0] in names), None)
                if to is not None:
                    found[k] = to
        return found

    def refuse(self, args: Sequence[Any]) -> None:
        """Raises NumPy's exception if the function stores to an argument that is read-only."""
        if any(map(is_read_only, args)):
            for k, store in self._written.items():
                if is_read_only(args[k]):
                    error = ValueError("assignment destination is read-only")
                    raise located_error(error, store)


def run_with_read_only(run: Callable[..., tuple], stores: Stores, args: tuple) -> tuple:
    """The result of `run(*args)`, where some arguments are read-only arrays."""
    stores.refuse(args)
    writable = [np.asarray(_Writable(v)) if is_read_only(v) else v for v in args]
    read_only = [v for v in args if is_read_only(v)]
    out = run(*writable)
    for value in out:
        if not isinstance(value, np.ndarray) or any([value is v for v in args]):
            continue  # an array of the caller's own keeps its flag
        if any([np.may_share_memory(value, v) for v in read_only]):
            value.flags.writeable = False
    return out
