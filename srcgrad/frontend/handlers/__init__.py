"""What the names of Python, math and NumPy mean in compiled code: one handler per function.

A handler takes (interpreter, node, *arguments) and emits IR. What has no row is refused by name.
"""

from srcgrad.frontend.handlers import (
    builtin,
    creation,
    elementwise,
    joins,
    products,
    reductions,
    shapes,
    sorting,
)
from srcgrad.frontend.handlers.registry import FUNCTIONS, METHODS, handler_of, method_of

__all__ = [
    "FUNCTIONS", "METHODS", "builtin", "creation", "elementwise", "handler_of", "joins",
    "method_of", "products", "reductions", "shapes", "sorting",
]  # fmt: skip
