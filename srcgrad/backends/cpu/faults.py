"""A failure of Numba as the user is told it: their line, whose fault it is, the way round.

Numba's own text speaks of generated code. It is shown where `SRCGRAD_DEBUG` is set. Never decides
what is compiled.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from srcgrad.errors import CompilerError, Location, SrcgradError

WAY_OUT = 'please report it with the function; target="python" runs it without Numba'


def fault(error: Exception, name: str, text: str, places: Sequence[Location | None]) -> Exception:
    """The error for a module text that Numba did not compile; `places`: where its lines are from.

    `places` belong to the last lines of the text: above them are its imports.
    """
    if isinstance(error, SrcgradError | ImportError | MemoryError):
        return error
    above = len(text.splitlines()) - len(places)
    numbered = {above + k: place for k, place in enumerate(places, 1)}
    location = next((numbered[n] for n in _lines(error) if numbered.get(n)), None)
    reason = f"a fault of srcgrad: Numba does not compile what it made of {name}()"
    debug = bool(os.environ.get("SRCGRAD_DEBUG"))
    said = f"Numba says:\n{error}" if debug else "SRCGRAD_DEBUG=1 shows what Numba says"
    made = CompilerError(reason, location, f"{WAY_OUT}\n  {said}")
    made.__cause__ = error if debug else None
    return made


def _lines(error: Exception) -> list[int]:
    """The lines of the generated module that an error of Numba speaks of, the innermost first."""
    # other files are those of our kernels
    module = r"(?:k_[0-9a-f]+\.py|<srcgrad k_[0-9a-f]+>)"
    last = getattr(error, "loc", None)
    said = f"{error} at {getattr(last, 'filename', '')} ({getattr(last, 'line', 0)})"
    return [int(n) for n in re.findall(rf'{module}(?:"?, line | \()(\d+)', said)]
