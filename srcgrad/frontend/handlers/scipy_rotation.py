"""Rotations of scipy.spatial.transform: formulas, and those that were made outside.

Imported when a function of SciPy is met in a program that has imported that module.
"""

from __future__ import annotations

from scipy.spatial.transform import Rotation

from srcgrad.frontend.formulas.rotations import HeldTurns
from srcgrad.frontend.handlers.registry import follows_as

if hasattr(Rotation.identity(), "_quat"):  # from SciPy 1.17 on
    follows_as(Rotation, HeldTurns, held="_quat", alone="_single")
