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
    gamma,
    index_tricks,
    inspection,
    joins,
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

__all__ = [
    "FUNCTIONS", "METHODS", "aliases", "builtin", "calculus", "choices", "containers", "creation",
    "diagonals", "edits", "elementwise", "folds", "gamma", "handler_of", "index_tricks",
    "inspection", "joins", "matrices", "nans", "operators", "places", "polynomials", "products",
    "reductions", "scalars", "shapes", "sorting", "statistics", "ufuncs",
]  # fmt: skip
