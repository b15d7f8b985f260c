"""Dtypes and operands of a definition, for the emitters of scalar operations."""

from __future__ import annotations

from collections.abc import Callable

from srcgrad.backends.cpu.emit.values import Number
from srcgrad.backends.cpu.emit.writer import Writer
from srcgrad.ir.nodes import Def

# an emitter returns None for dtypes that it does not handle: then a helper does
Emit = Callable[[Writer, Def], Number | None]


def dtype_of(s: Def) -> str:
    return s.args[-1].type.dtype


def is_real(dtype: str) -> bool:
    return dtype in ("f32", "f64")


def values(w: Writer, s: Def) -> list:
    return [w.value(a) for a in s.args]
