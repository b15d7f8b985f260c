"""What is checked of every case: importing this package imports each file, which registers checks.

`tests/test_cases.py` runs the checks of a case as one test and reports every one that fails.
"""

from tests.checks import derivatives, layouts, on_tensors, passes, recomputed, shown, targets
from tests.checks.case_checks import CHECKS, Check, failures

__all__ = [
    "CHECKS",
    "Check",
    "derivatives",
    "failures",
    "layouts",
    "on_tensors",
    "passes",
    "recomputed",
    "shown",
    "targets",
]
