"""Elementwise functions of complex numbers by their parts."""

from __future__ import annotations

from typing import Any

import numpy as np


def direction(re: Any, im: Any) -> tuple[Any, Any]:
    """The parts of z / abs(z), and of 0 for 0; of numbers with one infinite part, along its axis.

    >>> [float(v) for v in direction(3.0, 4.0)]
    [0.6, 0.8]
    """
    endless, upwards = np.isinf(re), np.isinf(im)
    far = endless | upwards
    along = np.where(far, np.where(endless, np.sign(re), 0.0), re)
    across = np.where(far, np.where(upwards, np.sign(im), 0.0), im)
    size = np.where(endless & upwards, np.nan, np.hypot(along, across))
    divisor = np.where(size == 0.0, 1.0, size)
    return tuple([np.where(size == 0.0, 0.0, part / divisor) for part in (along, across)])
