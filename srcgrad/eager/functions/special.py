"""The special functions that PyTorch has under names of its own; SciPy computes their values.

Primitives of the table: no derivative is defined here.
"""

from __future__ import annotations

from srcgrad.eager.fast_ops import unary
from srcgrad.eager.functions.table import declare
from srcgrad.primitives import bessel, error_functions, special

declare("lgamma", unary(special.gammaln, "lgamma"), in_place=True)
declare("digamma", unary(special.digamma, "digamma"), in_place=True)
declare("erfinv", unary(error_functions.erfinv, "erfinv"), in_place=True)
declare("i0", unary(bessel.bessel_i0, "i0"), in_place=True)
