"""What is checked of every case: importing this package imports each file, which registers checks.

`tests/test_cases.py` runs the checks of a case as one test and reports every one that fails.
"""

from tests.checks import (
    derivatives,
    layouts,
    on_tensors,
    passes,
    posed,
    recomputed,
    shown,
    sparse,
    targets,
)
from tests.checks.case_checks import CHECKS, Check, Record, failures

__all__ = [
    "CHECKS",
    "Check",
    "Record",
    "derivatives",
    "failures",
    "layouts",
    "on_tensors",
    "passes",
    "posed",
    "recomputed",
    "shown",
    "sparse",
    "targets",
]
