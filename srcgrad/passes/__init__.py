"""IR to IR: one file per pass, each a function that keeps the program legal and what it computes.

A pass takes a function, the table of primitives and the pairs of parameters that share memory.
`pipeline` is the table of contents. Never knows a derivative or a backend.
"""

from srcgrad.passes.pipeline import (
    LOWERING,
    PIPELINE,
    Pass,
    PassError,
    checking,
    lowered,
    run,
    without,
)

__all__ = ["LOWERING", "PIPELINE", "Pass", "PassError", "checking", "lowered", "run", "without"]
