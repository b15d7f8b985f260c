"""What is checked of every case: importing this package imports each file, which registers checks.

`tests/test_cases.py` runs the checks of a case as one test and reports every one that fails.
"""

from tests.checks import derivatives, layouts, passes, recomputed, shown, targets, tensors
from tests.checks.registry import CHECKS, Check, failures

__all__ = [
    "CHECKS",
    "Check",
    "derivatives",
    "failures",
    "layouts",
    "passes",
    "recomputed",
    "shown",
    "targets",
    "tensors",
]
