"""NumPy's generators of random numbers as structures. Imported when one is first met."""

from __future__ import annotations

from numpy.random import MT19937, PCG64, PCG64DXSM, SFC64, Generator, Philox, RandomState

from srcgrad.tree.random_generators import register

register(Generator, RandomState, MT19937, PCG64, PCG64DXSM, Philox, SFC64)
