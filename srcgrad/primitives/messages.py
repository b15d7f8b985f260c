"""Output of a program: texts, warnings, messages to loggers. Python formats and sends them.

A program holds texts only: categories and loggers are referred to by name.
"""

from __future__ import annotations

import logging
import sys
import warnings
from typing import Any

from srcgrad.primitives.callbacks import Raised, kept
from srcgrad.primitives.raising import class_of
from srcgrad.primitives.registry import nondiff

_warned: dict[str, dict[Any, Any]] = {}  # the registry of each file, like the one of its module


def send(text: str, kind: str, name: str, level: int, file: str, line: int) -> None:
    """Issues a warning of a category, or passes a record to a logger.

    Raises the warning where a filter makes it an error.
    """
    if kind == "warning":
        category: Any = class_of(name)
        warnings.warn_explicit(text, category, file, line, registry=_warned.setdefault(file, {}))
        return
    logger = logging.getLogger(name)
    if logger.isEnabledFor(level):
        logger.handle(logger.makeRecord(name, level, file, line, text, (), None))


def sent(site: int, text: str, kind: str, name: str, level: int, file: str, line: int) -> bool:
    """`send` for compiled code: an exception is saved for `callbacks.raised`."""
    return kept(site, lambda: send(text, kind, name, level, file, line))


def put(text: str, stream: str, flush: bool) -> None:
    """Writes to the present `sys.stdout` or `sys.stderr`, if there is one."""
    print(text, end="", file=getattr(sys, stream), flush=flush)


def _show(*values: Any, message: str, stream: str = "stdout", flush: bool = False) -> None:
    put(message.format(*values), stream, flush)


def _report(*values: Any, message: str, words: tuple[Any, ...]) -> None:
    try:
        send(message.format(*values), *words)
    except BaseException as error:
        raise Raised(error) from None


show = nondiff("show", _show, effect=True)
# `words`: the kind ("warning" or "logging"), the name of the category or of the logger, the level,
# the file and the line
report = nondiff("report", _report, effect=True, raises=True)
WRITTEN = (show, report)
