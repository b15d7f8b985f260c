"""Reports failures of srcgrad while it builds a program as its faults, at the user's line.

Exceptions of the user's code, of the system and of missing packages pass unchanged. Never decides
what is built.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from traceback import walk_tb
from types import TracebackType
from typing import Any

import gast

from srcgrad import depth, interrupts
from srcgrad.errors import CompilerError, Location, SrcgradError, UnsupportedError
from srcgrad.frontend.inlining import inline
from srcgrad.ir.build import Builder
from srcgrad.ir.nodes import Def, For, If, While
from srcgrad.tracebacks import called_outside

PASSED = (SrcgradError, ImportError, MemoryError, OSError, Warning)
# modules that read the user's objects, which may run the user's code
READERS = (
    "srcgrad.frontend.captures", "srcgrad.frontend.classes", "srcgrad.frontend.guards",
    "srcgrad.frontend.handlers.inspection", "srcgrad.frontend.instances",
    "srcgrad.frontend.watches", "srcgrad.protocols", "srcgrad.transforms.capture_paths",
    "srcgrad.transforms.specialization",
    "srcgrad.tree.registered", "srcgrad.tree.structures", "srcgrad.tree.users",
)  # fmt: skip
PLACED = (Builder, Def, For, If, While)  # classes whose instances have a `loc`
REPORT = "please report it with the function"
MORE = "SRCGRAD_DEBUG=1 shows what went wrong"
SHALLOW = "write several statements, or a loop over an array, instead of one within another"


class faults_reported(AbstractContextManager[None]):
    """Turns a failure of srcgrad in the block into the error that `told` makes of it."""

    def __init__(self, told: Callable[[Exception], UnsupportedError]):
        self.told = told

    # not a generator: that would take an error caused by a StopIteration for the StopIteration
    def __exit__(self, kind: Any, error: BaseException | None, traceback: Any) -> None:
        if isinstance(error, Exception) and not isinstance(error, PASSED) and not _of_user(error):
            fault = self.told(error)
            raise fault from fault.__cause__


def _of_user(error: Exception) -> bool:
    """Whether the user's code raised: a signal handler, or code run by reading objects."""
    if interrupts.raised(error):
        return True
    outside = called_outside(error)
    if outside is None:
        return False
    caller, entered = outside
    name = entered.f_code.co_name
    by_operator = name.startswith("__") and name.endswith("__")
    return by_operator or caller.f_globals.get("__name__") in READERS


class building(faults_reported):
    """Reports faults in building a function that begins at `home`; it may be nested deeply."""

    def __init__(self, name: str, home: Location | None):
        super().__init__(partial(_fault, name, home))

    def __enter__(self) -> None:
        depth.enter()

    def __exit__(self, *raised: Any) -> None:
        try:
            super().__exit__(*raised)
        finally:
            depth.leave()


def _fault(name: str, home: Location | None, error: Exception) -> UnsupportedError:
    place = _place(error.__traceback__) or home
    if isinstance(error, RecursionError):
        made = UnsupportedError(f"{name}() is nested too deeply to be compiled", place, SHALLOW)
    else:
        reason = f"this is a fault of srcgrad, not of {name}()"
        made = CompilerError(reason, place, f"{REPORT}; {MORE}")
    made.__cause__ = error
    return made


def _place(traceback: TracebackType | None) -> Location | None:
    """The user's line being worked on, from the innermost frame that knows one."""
    node = None  # of the user's text, located by its function's frame
    for frame, _ in reversed([*walk_tb(traceback)]):
        held = frame.f_locals
        if frame.f_code is inline.__code__:
            found = held["found"]
            return found.location(node or found.tree)
        for v in reversed([*held.values()]):
            if type(v) in PLACED and v.loc is not None:
                return v.loc
            if node is None and issubclass(type(v), gast.AST) and "lineno" in vars(v):
                node = v
    return None
