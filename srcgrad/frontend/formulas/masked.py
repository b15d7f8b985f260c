"""Tests for masked arrays of NumPy, which compiled functions do not take."""

from __future__ import annotations

import numpy as np

from srcgrad.frontend.formulas.registry import stand_for

stand_for({np.ma.isMaskedArray: lambda x: False})
