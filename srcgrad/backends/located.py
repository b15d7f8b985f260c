"""Run-time errors for users: NumPy's exception, located at the user's line.

Every backend passes exceptions of its code to `located_error`. The result is an instance of the
builtin class a user would catch and of `SrcgradError`. Never decides what is an error.
"""

from __future__ import annotations

import linecache
import re
from functools import cache

import numpy as np

from srcgrad.errors import (
    ArgumentTypeError,
    BoundsError,
    DivisionError,
    Location,
    OutOfMemoryError,
    RaisedError,
    ShapeError,
    SingularError,
    SrcgradError,
    UnboundError,
    UnsupportedError,
    raised_class,
    refusal,
)
from srcgrad.ir.nodes import Def, Stmt
from srcgrad.primitives.tapes import SAVED, reserve

# NumPy's words in a ValueError about shapes; other ValueErrors are raised by the user's code
_SHAPES = re.compile(r"broadcast|shape|dimension|mismatch|zero-size|empty (sequence|array)")

NEAR = 20  # lines of a loop that are searched for names of carried values
WAY_OUT = (
    'a loop over flow.checkpointed(range(n), memory="1GB") keeps some of its states and computes '
    "the rest again; flow.checkpoint does so for a function"
)


def located_error(exc: Exception, s: Stmt | None) -> Exception:
    """The exception for the user that one of compiled or generated code becomes, at `s`."""
    location = None if s is None else s.loc
    text = str(exc.args[0]) if exc.args else ""
    match exc:
        case UnsupportedError() | ArgumentTypeError() if exc.location is None:
            return refusal(exc.reason, location, type(exc))
        case SrcgradError():
            return exc
        case RecursionError() if not _raises(
            s, "RecursionError"
        ):  # Python's own, of a deep program
            return exc
        case MemoryError():
            return _no_memory(str(exc), s)
        case np.linalg.LinAlgError():
            return singular_error(text, location)
        case UnboundLocalError():
            return UnboundError(text, location)
        case IndexError():
            return BoundsError(text, location)
        case ZeroDivisionError():
            return DivisionError(text, location)
        case ValueError() if type(exc) is ValueError and _SHAPES.search(text):
            return ShapeError(text, location)
    return _raised(exc, text, location)


def _raises(s: Stmt | None, kind: str) -> bool:
    """Whether a statement of the program raises an error of this kind."""
    return isinstance(s, Def) and s.params.get("kind") == kind


def singular_error(text: str, location: Location | None) -> Exception:
    """NumPy's LinAlgError, located."""
    return _singular_class()(text, location)


@cache
def _singular_class() -> type[Exception]:
    """A subclass of both errors, under the name that has a page."""
    members = {
        "__module__": SingularError.__module__,
        "__reduce__": lambda self: (singular_error, (self.reason, self.location)),
    }
    return type(SingularError.__name__, (SingularError, np.linalg.LinAlgError), members)


def _no_memory(text: str, s: Stmt | None) -> OutOfMemoryError:
    """The error for a buffer without memory; for a tape it names the saved value."""
    made = s.args[0] if isinstance(s, Def) and s.op is reserve else getattr(s, "var", None)
    name, location = getattr(made, "name", ""), None if s is None else s.loc
    if not name.endswith(SAVED):
        return OutOfMemoryError(text, location)
    name = name.removesuffix(SAVED)
    what = f"'{name}'" if _is_users(name, location) else "an intermediate value"
    return OutOfMemoryError(f"{text}: the reverse sweep saves {what}", location, WAY_OUT)


def _is_users(name: str, location: Location | None) -> bool:
    """Whether a variable has its name from the lines at a place, and not from an operation."""
    if location is None:
        return False
    lines = linecache.getlines(location.file)[location.line - 1 :][:NEAR]
    return re.search(rf"(?<![\w.]){re.escape(name)}(?![\w(])", "".join(lines)) is not None


def _raised(exc: Exception, text: str, location: Location | None) -> Exception:
    """The user's own `raise` or `assert`: an instance of the class that was raised."""
    try:
        return raised_class(type(exc))(text or type(exc).__name__, location)
    except TypeError:  # a class whose instances take more than a text
        return RaisedError(f"{type(exc).__name__}: {text}", location)
