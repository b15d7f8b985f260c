"""The table of primitives: one row each, serving reverse mode, forward mode and eager tensors.

Names in rules: `y` the result, `a b c` the arguments, `g` the incoming adjoint, `t` a tangent.
Rules are mathematics only: no broadcasting, no casting, no storage, no backend.
"""

from srcgrad.primitives import (
    arcs,
    arrays,
    attached,
    banded,
    bessel,
    callbacks,
    elementwise,
    elliptic,
    equations,
    error_functions,
    factorisations,
    indexing,
    least_squares,
    linalg,
    memory,
    messages,
    reductions,
    scans,
    schedules,
    several_results,
    singular_vectors,
    special,
    tapes,
    transforms,
    triangular,
)
from srcgrad.primitives.registry import REGISTRY, Primitive

__all__ = [
    "REGISTRY",
    "Primitive",
    "arcs",
    "arrays",
    "attached",
    "banded",
    "bessel",
    "callbacks",
    "elementwise",
    "elliptic",
    "equations",
    "error_functions",
    "factorisations",
    "indexing",
    "least_squares",
    "linalg",
    "memory",
    "messages",
    "reductions",
    "scans",
    "schedules",
    "several_results",
    "singular_vectors",
    "special",
    "tapes",
    "transforms",
    "triangular",
]
