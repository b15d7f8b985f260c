"""A table by code objects: an entry lives as long as the code of its function.

Code objects are compared by identity. Equal ones may be in different files, or read the globals
of different modules.
"""

from __future__ import annotations

import types
import weakref
from typing import Generic, TypeVar

T = TypeVar("T")


class ByCode(Generic[T]):
    """Values by code object, which are dropped with it; holds on to no code."""

    def __init__(self, most: int | None = None) -> None:
        self.most = most
        self._found: dict[int, tuple[weakref.ref[types.CodeType], T]] = {}

    def get(self, code: types.CodeType) -> T | None:
        found = self._found.get(id(code))
        return None if found is None or found[0]() is not code else found[1]

    def put(self, code: types.CodeType, value: T) -> None:
        at = id(code)

        def drop(gone: weakref.ref) -> None:
            found = self._found.get(at)
            if found is not None and found[0] is gone:
                self._found.pop(at, None)

        self._found.pop(at, None)
        self._found[at] = (weakref.ref(code, drop), value)
        if self.most is not None:
            for first in list(self._found)[: -self.most]:  # the oldest entry
                self._found.pop(first, None)

    def clear(self) -> None:
        self._found.clear()

    def __len__(self) -> int:
        return len(self._found)
