"""What the names of Python, math and NumPy mean in compiled code: one handler per function.

A handler takes (interpreter, node, *arguments) and emits IR. What has no row is refused by name.
"""

from srcgrad.frontend.handlers import (
    builtin,
    choices,
    complexes,
    containers,
    creation,
    decompositions,
    diagonals,
    edits,
    einsum,
    elementwise,
    folds,
    followed,
    fourier,
    grids,
    index_tricks,
    inspection,
    iterators,
    joins,
    margins,
    matrices,
    nans,
    norms,
    operators,
    outside,
    places,
    polynomials,
    products,
    reductions,
    scalars,
    shapes,
    shifts,
    solvers,
    sorting,
    ufuncs,
)
from srcgrad.frontend.handlers.registry import FUNCTIONS, METHODS, follow_all, handler_of

follow_all()

__all__ = [
    "FUNCTIONS", "METHODS", "builtin", "choices", "complexes",
    "containers", "creation", "decompositions", "diagonals", "edits", "einsum", "elementwise",
    "folds", "followed", "fourier", "grids", "handler_of", "index_tricks",
    "inspection", "iterators", "joins", "margins", "matrices", "nans", "norms", "operators",
    "outside", "places", "polynomials", "products", "reductions", "scalars", "shapes",
    "shifts", "solvers", "sorting", "ufuncs",
]  # fmt: skip
