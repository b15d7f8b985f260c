"""`scipy.integrate`: integrals of samples, followed as formulas.

Imported when a function of SciPy is met in a program that has imported scipy.integrate.
"""

from __future__ import annotations

from srcgrad.frontend.formulas import scipy_integrate as formulas
from srcgrad.frontend.handlers.followed import follow_all

assert formulas  # importing them states what they stand for
follow_all()
