"""IR to IR: one file per pass, each a function that keeps the program legal and what it computes.

`pipeline` is the table of contents. Never knows a derivative or a backend.
"""

from srcgrad.passes.pipeline import (
    LOWERING,
    PIPELINE,
    Pass,
    PassError,
    checking,
    lowering,
    run,
    without,
)

__all__ = ["LOWERING", "PIPELINE", "Pass", "PassError", "checking", "lowering", "run", "without"]
