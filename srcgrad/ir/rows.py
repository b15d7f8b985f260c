"""The rows of the table of primitives as methods of a builder: `b.mul(x, y)`.

The type checker reads `rows.pyi`, which a test compares with the table.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

RowName = str  # of the names in the table; the type checker knows each


class Rows:
    """Has a method for each row of its table, which calls the object with that row."""

    def __getattr__(self: Any, name: str) -> Callable[..., Any]:
        op = self.__dict__.get("table", {}).get(name)
        if op is None:
            raise AttributeError(f"no row of the table is called {name!r}")
        return partial(self, op)
