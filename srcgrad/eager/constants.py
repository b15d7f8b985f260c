"""Python numbers as read-only 0-d arrays of a dtype: NumPy computes with those in half the time.

Cached by value, so that a program's few constants are converted once. Holds no tensor.
"""

from __future__ import annotations

from typing import Any

import numpy as np

F64, F32 = np.dtype(np.float64), np.dtype(np.float32)
IN_F64: dict[float, np.ndarray] = {}
IN_F32: dict[float, np.ndarray] = {}


def constant(number: Any, d: np.dtype) -> Any:
    """The number as an array of dtype `d`; unchanged for dtypes other than float64 and float32."""
    kept = IN_F64 if d is F64 else IN_F32 if d is F32 else None
    if kept is None:
        return number
    try:
        made = np.array(number, d)
    except OverflowError:
        return number
    made.setflags(write=False)
    if number:  # 0.0 and -0.0 are equal
        if len(kept) > 255:
            kept.clear()
        kept[number] = made
    return made
