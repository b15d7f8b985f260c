"""What is checked of every case: importing this package imports each file, which registers checks.

`tests/test_cases.py` runs the checks of a case as one test and reports every one that fails.
"""

from tests.checks import (
    batches,
    derivatives,
    layouts,
    on_arrays,
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
    "batches",
    "derivatives",
    "failures",
    "layouts",
    "on_arrays",
    "on_tensors",
    "passes",
    "posed",
    "recomputed",
    "shown",
    "sparse",
    "targets",
]
