"""Symbols of helpers: a name that is the hash of all that determines their machine code."""

from __future__ import annotations

import hashlib

from srcgrad.backends.cpu.environment import environment
from srcgrad.records import record


@record(frozen=True)
class Kind:
    """The type of an argument or result: a scalar's dtype, or an array's with rank and layout."""

    dtype: str
    ndim: int = -1
    layout: str = ""


@record(frozen=True)
class Helper:
    """A function `call` of a module text, and its types."""

    text: str
    kinds: tuple[Kind, ...]
    result: Kind

    @property
    def symbol(self) -> str:
        what = "\0".join((self.text, repr(self.kinds), repr(self.result), *environment()))
        return f"srcgrad_{hashlib.sha256(what.encode()).hexdigest()[:20]}"
