"""IR to IR: one file per pass, each a function from a legal program to an equivalent legal one.

`pipeline` is the table of contents. Knows no derivatives and no backends.
"""

from srcgrad.passes.pipeline import (
    BEFORE_FORWARD,
    BEFORE_REVERSE,
    LOWERING,
    PIPELINE,
    Pass,
    PassError,
    checking,
    lowering,
    run,
    without,
)

__all__ = [
    "BEFORE_FORWARD",
    "BEFORE_REVERSE",
    "LOWERING",
    "PIPELINE",
    "Pass",
    "PassError",
    "checking",
    "lowering",
    "run",
    "without",
]
