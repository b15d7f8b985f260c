"""NumPy's generators of random numbers as structures. Imported when one is first met."""

from __future__ import annotations

from numpy.random import Generator, RandomState

from srcgrad.tree.random_generators import register

register(Generator, RandomState)
