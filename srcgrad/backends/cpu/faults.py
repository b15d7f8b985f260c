"""Reports a fault of the emitter to the user: their line, the cause, the way round.

Messages of LLVM or Numba are about generated code. They are shown if `SRCGRAD_DEBUG` is set. Never
decides what is compiled.
"""

from __future__ import annotations

import re
from contextlib import AbstractContextManager
from functools import partial

from srcgrad.backends.cpu.emit.noted import Noted
from srcgrad.backends.cpu.emit.state import Program
from srcgrad.backends.cpu.emit.values import NotEmittedError
from srcgrad.errors import CompilerError, Location
from srcgrad.faults import MORE, REPORT, faults_reported
from srcgrad.settings import is_on

NO_TEXT = Noted("")
WAY_OUT = f'{REPORT}; target="python" runs it without compiling'


def debugging() -> bool:
    """Whether generated texts are stored, and shown in errors."""
    return is_on("debug")


def compiling(program: Program, text: Noted = NO_TEXT) -> AbstractContextManager[None]:
    """Reports errors while machine code is made, within the `with` block, at the user's line."""
    return faults_reported(partial(_fault, program, text))


def _fault(program: Program, text: Noted, error: Exception) -> CompilerError:
    name, location = program.function.name, program.here or _place(error, text)
    ours = isinstance(error, NotEmittedError)
    reason = f"a fault of srcgrad: {error if ours else f'no machine code is made of {name}()'}"
    said = f"it says:\n{error}" if debugging() else MORE
    made = CompilerError(reason, location, f"{WAY_OUT}\n  {said}")
    made.__cause__ = error if debugging() else None
    return made


def _place(error: Exception, text: Noted) -> Location | None:
    """The user's line of the line of IR that LLVM's message names."""
    found = re.search(r":(\d+):\d+: error", str(error))
    return text.location(int(found[1]) - 1) if found else None
