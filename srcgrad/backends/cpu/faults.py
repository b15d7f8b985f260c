"""Reports a fault of the emitter to the user: their line, whose fault it is, the way round.

What LLVM or Numba say speaks of generated code. It is shown where `SRCGRAD_DEBUG` is set. Never
decides what is compiled.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager

from srcgrad.backends.cpu.emit.noted import Noted
from srcgrad.backends.cpu.emit.state import Program
from srcgrad.backends.cpu.emit.values import NotEmittedError
from srcgrad.errors import CompilerError, Location, SrcgradError

NO_TEXT = Noted("")
WAY_OUT = 'please report it with the function; target="python" runs it without compiling'


def debugging() -> bool:
    """Whether generated texts are kept, and shown in errors."""
    return bool(os.environ.get("SRCGRAD_DEBUG"))


@contextmanager
def faults_reported(program: Program, text: Noted = NO_TEXT) -> Iterator[None]:
    """Around the making of machine code: what goes wrong is reported at the user's line."""
    try:
        yield
    except (SrcgradError, ImportError, MemoryError, Warning):
        raise
    except Exception as error:
        fault = _fault(error, program.function.name, program.here or _place(error, text))
        raise fault from fault.__cause__


def _fault(error: Exception, name: str, location: Location | None) -> CompilerError:
    ours = isinstance(error, NotEmittedError)
    reason = f"a fault of srcgrad: {error if ours else f'no machine code is made of {name}()'}"
    said = f"it says:\n{error}" if debugging() else "SRCGRAD_DEBUG=1 shows what went wrong"
    made = CompilerError(reason, location, f"{WAY_OUT}\n  {said}")
    made.__cause__ = error if debugging() else None
    return made


def _place(error: Exception, text: Noted) -> Location | None:
    """The user's line of the line of IR that LLVM speaks of."""
    found = re.search(r":(\d+):\d+: error", str(error))
    return text.location(int(found[1]) - 1) if found else None
