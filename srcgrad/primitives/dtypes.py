"""NumPy's dtypes for the short names of the IR: "f64" is float64, "i8" is int8.

NumPy itself would read "i8" as an integer of 8 bytes, and "f64" not at all.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

_KINDS = {"i": "int", "u": "uint", "f": "float", "c": "complex"}
Operand = np.ndarray | complex  # arguments of implementations: an array or a number


def dtype_of(dtype: Any) -> np.dtype[Any]:
    """The dtype of a short name; anything else that NumPy accepts as a dtype passes through."""
    if isinstance(dtype, str) and (short := re.fullmatch(r"([iufc])(8|16|32|64|128)", dtype)):
        return np.dtype(_KINDS[short[1]] + short[2])
    return np.dtype(dtype)
