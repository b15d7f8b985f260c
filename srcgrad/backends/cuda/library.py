"""Operations on whole arrays that the library of the device has: products, solves, sorts.

Their implementations are NumPy's functions, which hand over to CuPy where an operand is an array
of CuPy's. An operation that is not named here is refused.
"""

from __future__ import annotations

from srcgrad.errors import UnsupportedError
from srcgrad.ir.nodes import Def
from srcgrad.primitives import arrays, linalg

LIBRARY = frozenset((
    arrays.matmul, arrays.matvec, arrays.vecdot, linalg.solve, linalg.inv, linalg.cholesky,
))  # fmt: skip
WAY_OUT = 'use target="cpu"'


def refuse(s: Def) -> None:
    """Refuses an operation of the host on arrays that the device's library does not have."""
    if s.op not in LIBRARY:
        raise UnsupportedError(f"the target cuda has no '{s.op.name}'", s.loc, WAY_OUT)
