"""Named results: tuples of tensors whose parts have names, printed as PyTorch prints them."""

from __future__ import annotations

from collections import namedtuple
from typing import Any


def named(name: str, *fields: str) -> Any:
    """A class of tuples with named parts.

    >>> named("sort", "values", "indices")(1, 2)
    srcgrad.return_types.sort(
    values=1,
    indices=2)
    """
    base = namedtuple(name, fields)

    def text(self: Any) -> str:
        parts = (f"{field}={value!r}" for field, value in zip(fields, self, strict=True))
        return f"srcgrad.return_types.{name}(\n" + ",\n".join(parts) + ")"

    return type(name, (base,), {"__slots__": (), "__repr__": text, "__module__": __name__})
