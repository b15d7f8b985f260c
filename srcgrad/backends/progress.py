"""Reports what is being compiled: records of the logger `srcgrad`, and a line for users who wait.

Imported at the first build. `SRCGRAD_LOG=info` in the environment sets the level and shows the
records on stderr. Never changes what is built, and never writes to a file or a pipe by itself.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from srcgrad.ir.nodes import Function
from srcgrad.ir.text import Printer
from srcgrad.ir.walk import walk

PATIENCE = 1.0  # seconds of compiling after which a line is printed
LEVELS = ("debug", "info", "warning", "error", "critical")


class _OnStderr(logging.Handler):
    """Writes to the present `sys.stderr`: tests replace it."""

    def emit(self, record: logging.LogRecord) -> None:
        if sys.stderr is not None:
            sys.stderr.write(f"{self.format(record)}\n")


def _configured(log: logging.Logger, level: str) -> logging.Logger:
    """The logger at the level that the environment names."""
    for handler in [h for h in log.handlers if isinstance(h, _OnStderr)]:
        log.removeHandler(handler)
        log.setLevel(logging.NOTSET)
    if not log.handlers:
        log.addHandler(logging.NullHandler())
    if level.lower() in LEVELS:
        shown = _OnStderr()
        shown.setFormatter(logging.Formatter("%(name)s: %(message)s"))
        log.addHandler(shown)
        log.setLevel(level.upper())
    elif level:
        text = f"SRCGRAD_LOG is {level!r}, which is no level: choose one of {', '.join(LEVELS)}"
        warnings.warn(text, stacklevel=2)
    return log


LOG = logging.getLogger("srcgrad")
_level: list[str] = []  # the level that was set last


def _follow() -> None:
    """Sets the level that the environment names now."""
    level = os.environ.get("SRCGRAD_LOG", "")
    if _level != [level]:
        _level[:] = [level]
        _configured(LOG, level)


_follow()


def announced(function: Function, kept: bool, compile: Callable[[], Any]) -> Any:
    """The result of `compile`, with a log record; `kept`: its code goes to the cache folder."""
    _follow()
    logged = LOG.isEnabledFor(logging.INFO)
    if logged:
        LOG.info("compiling %s", _described(function))
    start = time.perf_counter()
    with _waiting(function, kept):
        made = compile()
    if logged and made.cached:
        LOG.info("%s: loaded from the cache", function.name)
    elif logged:
        LOG.info("compiled %s in %.1f s", function.name, time.perf_counter() - start)
    return made


def _described(function: Function) -> str:
    """The signature and the size: `f for (f64[n], i64): 20 statements`."""
    printer = Printer(set())
    kinds = ", ".join(printer.type(p.type) for p in function.params)
    return f"{function.name} for ({kinds}): {sum(1 for _ in walk(function.body))} statements"


# ---- a line for those who wait ----
@contextmanager
def _waiting(function: Function, kept: bool) -> Iterator[None]:
    """Writes one line to a terminal or a notebook if the body takes long."""
    stream = sys.stderr
    if not _is_watched(stream) or any(isinstance(h, _OnStderr) for h in LOG.handlers):
        yield
        return

    def say() -> None:
        how = "; it is kept on disk for the next time" if kept else ""
        with suppress(OSError, ValueError):  # closed meanwhile
            stream.write(f"srcgrad: compiling {_described(function)}{how}\n")
            stream.flush()

    timer = threading.Timer(PATIENCE, say)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join(PATIENCE)  # at once, unless the terminal has been stopped


def _is_watched(stream: Any) -> bool:
    """Whether a person reads a stream while it is written."""
    if stream is None or os.environ.get("CI"):
        return False
    if type(stream).__module__.partition(".")[0] == "ipykernel":
        return True
    try:
        return stream.isatty()
    except (AttributeError, ValueError):  # no stream, or a closed one
        return False
