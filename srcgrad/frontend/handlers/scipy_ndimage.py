"""`scipy.ndimage`: filters that are sums over windows, followed as formulas.

Imported when a function of SciPy is met in a program that has imported scipy.ndimage.
"""

from __future__ import annotations

from srcgrad.frontend.formulas import scipy_ndimage as formulas
from srcgrad.frontend.handlers.followed import follow_all

assert formulas  # importing them states what they stand for
follow_all()
