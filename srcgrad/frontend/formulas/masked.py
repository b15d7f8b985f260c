"""Masked arrays of NumPy: none is taken."""

from __future__ import annotations

import numpy as np

from srcgrad.frontend.formulas.registry import stand_for

stand_for({np.ma.isMaskedArray: lambda x: False})
