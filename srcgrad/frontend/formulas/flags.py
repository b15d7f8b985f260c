"""The flags of an array as an object: what is known of its memory, and whether it is stored to."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.frontend.formulas.registry import stands_for, unsupported

NAMES = frozenset(n for n in dir(np.zeros(0).flags) if not n.startswith("_"))
UNKNOWN = "is not known in compiled code"
# the names of NumPy's items, each with that of an attribute
ITEMS = {
    "C": "c_contiguous", "CONTIGUOUS": "c_contiguous", "C_CONTIGUOUS": "c_contiguous",
    "F": "f_contiguous", "FORTRAN": "f_contiguous", "F_CONTIGUOUS": "f_contiguous",
    "A": "aligned", "ALIGNED": "aligned", "W": "writeable", "WRITEABLE": "writeable",
    "FNC": "fnc", "FORC": "forc",
}  # fmt: skip
# the requirements of `np.require`
REQUIRED = {
    "C": "C", "C_CONTIGUOUS": "C", "CONTIGUOUS": "C", "F": "F", "F_CONTIGUOUS": "F", "FORTRAN": "F",
    "A": "A", "ALIGNED": "A", "W": "W", "WRITEABLE": "W", "O": "O", "OWNDATA": "O",
    "E": "E", "ENSUREARRAY": "E",
}  # fmt: skip


def lies_in_c_order(x: Any) -> bool:
    """Whether an array is known to lie in memory in C order."""
    return x.flags.c_contiguous


class Flags:
    """`x.flags`.

    >>> flags = Flags(np.zeros((2, 3)))
    >>> flags.c_contiguous, flags["F"]
    (True, False)
    """

    def __init__(self, of: Any):
        self.of = of

    @property
    def c_contiguous(self) -> Any:
        if not lies_in_c_order(self.of):
            return unsupported(
                f"whether this array is contiguous {UNKNOWN}",
                "leave the test out: np.ascontiguousarray(x) copies where it is needed",
            )
        return True

    @property
    def contiguous(self) -> Any:
        return self.c_contiguous

    @property
    def f_contiguous(self) -> Any:
        in_c_order, lengths = self.c_contiguous, self.of.shape
        several = sum([n != 1 for n in lengths]) > 1
        return in_c_order and (not several or self.of.size == 0)

    @property
    def fortran(self) -> Any:
        return self.f_contiguous

    @property
    def forc(self) -> Any:
        return self.f_contiguous or self.c_contiguous

    @property
    def fnc(self) -> Any:
        return self.f_contiguous and not self.c_contiguous

    @property
    def aligned(self) -> bool:
        return True

    @property
    def writeable(self) -> Any:
        return unsupported(
            f"whether an array may be stored to {UNKNOWN}", "store to a copy: x = x.copy()"
        )

    @writeable.setter
    def writeable(self, value: Any) -> None:
        self.of.setflags(write=value)

    def __getattr__(self, name: str) -> Any:
        if name not in NAMES:
            raise AttributeError(f"'flagsobj' object has no attribute {name!r}")
        return unsupported(f"the flag {name!r} {UNKNOWN}")

    def __getitem__(self, name: Any) -> Any:
        if name not in ITEMS:
            return unsupported(f"the flag {name!r} {UNKNOWN}")
        return getattr(self, ITEMS[name])

    def __setitem__(self, name: Any, value: Any) -> None:
        if ITEMS.get(name) != "writeable":
            unsupported(f"the flag {name!r} is not set in compiled code")
        self.writeable = value


@stands_for(np.require)
def require(a: Any, dtype: Any = None, requirements: Any = None) -> Any:
    """The array itself if it meets the requirements, else a copy.

    A store to an array of the caller's that is read-only raises, where NumPy stores to a copy.

    >>> require([1, 2], float, ["C", "W"])
    array([1., 2.])
    """
    if not requirements:
        return np.asanyarray(a, dtype=dtype)
    kinds = {REQUIRED[name.upper()] for name in requirements}
    if "O" in kinds:
        unsupported("whether an array owns its memory is not known", "leave 'OWNDATA' out")
    if {"C", "F"} <= kinds:
        raise ValueError('Cannot specify both "C" and "F" order')
    order = "F" if "F" in kinds else "C" if "C" in kinds else "A"
    return np.array(a, dtype=dtype, order=order, copy=None, subok="E" not in kinds)
