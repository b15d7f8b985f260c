"""`np.ma.masked` in programs that ask whether a value is masked: of theirs none is."""

from __future__ import annotations

import sys
from typing import Any


class Masked:
    """The constant, of which only the identity, the class and the truth value are known."""

    def __init__(self, cls: type):
        self.cls = cls

    def __bool__(self) -> bool:
        return False

    def __str__(self) -> str:
        return "--"

    __repr__ = __str__


Masked.__name__ = "MaskedConstant"  # in messages
_FOUND: list[Masked] = []


def masked_constant(value: Any) -> Masked | None:
    """The stand-in of the constant; None for any other value."""
    if "numpy.ma" not in sys.modules or value is not sys.modules["numpy.ma"].masked:
        return None
    if not _FOUND:
        _FOUND.append(Masked(type(value)))
    return _FOUND[0]
