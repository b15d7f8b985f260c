"""The passes of a program before it is differentiated.

Functions of matrices are found on the way, while small matrices are not yet numbers.
"""

from __future__ import annotations

from srcgrad.autodiff.spectral import has_decompositions, with_matrix_functions
from srcgrad.ir.nodes import Function
from srcgrad.passes import PIPELINE
from srcgrad.passes import run as run_passes
from srcgrad.passes.pipeline import CONTRACTIONS, INTERCHANGE, SMALL_ARRAYS

FIRST = PIPELINE.index(SMALL_ARRAYS)
LAST = (CONTRACTIONS, INTERCHANGE)


def prepared(function: Function) -> Function:
    """A traced function after the passes."""
    if not has_decompositions(function):
        return run_passes(function, (*PIPELINE, *LAST))
    found = with_matrix_functions(run_passes(function, PIPELINE[:FIRST]))
    return run_passes(found, (*PIPELINE[FIRST:], *LAST))
