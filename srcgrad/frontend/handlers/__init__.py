"""What the names of Python, math and NumPy mean in compiled code: one handler per function.

A handler takes (interpreter, node, *arguments) and emits IR. What has no row is refused by name.
"""

from srcgrad.frontend.handlers import (
    aliases,
    builtin,
    calculus,
    choices,
    containers,
    creation,
    diagonals,
    edits,
    elementwise,
    folds,
    followed,
    gamma,
    grids,
    inspection,
    joins,
    margins,
    matrices,
    nans,
    operators,
    places,
    polynomials,
    products,
    reductions,
    scalars,
    shapes,
    sorting,
    statistics,
    ufuncs,
)
from srcgrad.frontend.handlers.registry import FUNCTIONS, METHODS, handler_of

followed.follow_all()

__all__ = [
    "FUNCTIONS", "METHODS", "aliases", "builtin", "calculus", "choices", "containers", "creation",
    "diagonals", "edits", "elementwise", "folds", "followed", "gamma", "grids", "handler_of",
    "inspection", "joins", "margins", "matrices", "nans", "operators", "places", "polynomials",
    "products", "reductions", "scalars", "shapes", "sorting", "statistics", "ufuncs",
]  # fmt: skip
