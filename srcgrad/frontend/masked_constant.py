"""`np.ma.masked`: the constant itself, and the masked array that operators and attributes read."""

from __future__ import annotations

import sys
from typing import Any


class Masked:
    """The constant: its identity, its class and its truth value."""

    def __init__(self, cls: type):
        self.cls = cls

    def outside(self) -> Any:
        """The constant of the caller's."""
        return sys.modules["numpy.ma"].masked

    def __bool__(self) -> bool:
        return False

    def __str__(self) -> str:
        return "--"

    __repr__ = __str__


Masked.__name__ = "MaskedConstant"  # in messages
_FOUND: list[Masked] = []


def as_array(it: Any, v: Any, node: Any) -> Any:
    """The masked array of rank 0 that the constant is; other values unchanged."""
    return it.call(formulas().constant_array, [], {}, node) if isinstance(v, Masked) else v


def formulas() -> Any:
    """The formulas of numpy.ma, which a program need not have met that has the constant."""
    from srcgrad.frontend.formulas import masked_made

    return masked_made


def masked_constant(value: Any) -> Masked | None:
    """The stand-in of the constant; None for any other value."""
    if "numpy.ma" not in sys.modules or value is not sys.modules["numpy.ma"].masked:
        return None
    if not _FOUND:
        _FOUND.append(Masked(type(value)))
    return _FOUND[0]
