"""Makes products of matrices of loops that multiply and sum.

`terms` splits a value into two operands, `nests` decides which loops are a product, `guards` when
one is worth its call, `matrices` writes it, and `contractions` is the pass. Never looks at a
derivative.
"""

from srcgrad.passes.contractions.contractions import contractions

__all__ = ["contractions"]
