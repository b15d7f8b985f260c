"""Makes products of matrices of loops that multiply and sum.

`terms` splits a value into two operands, `nests` decides which loops are a product, `guards` when
one is worth its call, `matrices` writes it, and `contractions` is the pass. `apart` divides a nest
of several sums first, `points` a loop over points. Never looks at a derivative.
"""

from srcgrad.passes.contractions.contractions import contractions

__all__ = ["contractions"]
