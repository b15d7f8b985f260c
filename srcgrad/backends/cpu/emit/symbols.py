"""Symbols of helpers, routines and products: the names by which emitted code calls them.

That of a helper is the hash of all that determines its machine code.
"""

from __future__ import annotations

import hashlib
from typing import Any

from srcgrad.backends.cpu.environment import environment
from srcgrad.operation import Primitive
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


@record(frozen=True)
class Routine:
    """The routine of an operation for some dtypes."""

    op: Primitive
    kinds: tuple[str, ...]  # of the result and the operands; an array's ends with its shape
    params: tuple[tuple[str, Any], ...]
    guarded: bool

    @property
    def symbol(self) -> str:
        params = [f"{name}{int(value)}" for name, value in self.params]
        parts = [self.op.name, *self.kinds, *params, "guarded" * self.guarded]
        return f"srcgrad_{'_'.join(filter(None, parts))}"


@record(frozen=True)
class Product:
    """A kind of product of a dtype: of matrices, of stacks of them, with a vector, of vectors."""

    kind: str
    dtype: str
    flags: str  # of its floating-point instructions

    @property
    def symbol(self) -> str:
        return "_".join(filter(None, ("srcgrad", self.kind, self.dtype, self.flags.strip())))
