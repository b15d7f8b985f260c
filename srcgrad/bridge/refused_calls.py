"""Calls that the compiler refuses: made on the tape, and the error to raise where that fails."""

from __future__ import annotations

import copy
from typing import Any

from srcgrad.bridge import eager_fallback
from srcgrad.errors import AutogradError, SrcgradError


def run_refused(compiled: Any, arguments: dict[str, Any], refusal: SrcgradError | None) -> Any:
    """Makes a call on the tape; if that fails too, raises the compiler's refusal.

    What is wrong with a backward pass is raised as it is: nothing else could have said it.
    """
    try:
        return eager_fallback.run(compiled, arguments)
    except Exception as error:
        if refusal is None:
            raise
        if isinstance(error, SrcgradError) and not isinstance(error, AutogradError):
            refused = copy.copy(refusal)
            refused.add_note(f"The tape, which was tried instead, failed as well: {error}")
            raise refused from error
        error.add_note(
            f"This is of the tape: the compiler had refused {compiled.__name__}(): {refusal}"
        )
        raise
