"""Run-time errors as the user sees them: NumPy's exception, located at the user's line.

Every backend hands what its code raised to `located_error`. The result is an instance of the
builtin class a user would catch and of `SrcgradError`. Never decides what is an error.
"""

from __future__ import annotations

import re

import numpy as np

from srcgrad.errors import (
    BoundsError,
    DivisionError,
    Location,
    RaisedError,
    ShapeError,
    SingularError,
    SrcgradError,
    UnboundError,
    UnsupportedError,
    raised_class,
    refusal,
)

# NumPy's words in a ValueError about shapes; other ValueErrors are raised by the user's code
_SHAPES = re.compile(r"broadcast|shape|dimension|mismatch|zero-size|empty (sequence|array)")


class LocatedSingularError(SingularError, np.linalg.LinAlgError):
    """NumPy's LinAlgError, located."""


def located_error(exc: Exception, location: Location | None) -> Exception:
    """The exception for the user that an exception of compiled or generated code stands for."""
    text = str(exc.args[0]) if exc.args else ""
    match exc:
        case UnsupportedError() if exc.location is None:
            return refusal(exc.reason, location)
        case SrcgradError() | MemoryError() | RecursionError():
            return exc
        case np.linalg.LinAlgError():
            return LocatedSingularError(text, location)
        case UnboundLocalError():
            return UnboundError(text, location)
        case IndexError():
            return BoundsError(text, location)
        case ZeroDivisionError():
            return DivisionError(text, location)
        case ValueError() if type(exc) is ValueError and _SHAPES.search(text):
            return ShapeError(text, location)
    return _raised(exc, text, location)


def _raised(exc: Exception, text: str, location: Location | None) -> Exception:
    """The user's own `raise` or `assert`: an instance of the class that was raised."""
    try:
        return raised_class(type(exc))(text or type(exc).__name__, location)
    except TypeError:  # a class whose instances take more than a text
        return RaisedError(f"{type(exc).__name__}: {text}", location)
