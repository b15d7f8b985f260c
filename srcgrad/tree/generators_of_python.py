"""Python's generators of random numbers as structures. Imported when one is first met."""

from __future__ import annotations

from random import Random

from srcgrad.tree.random_generators import register

register(Random)
