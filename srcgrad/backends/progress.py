"""Reports what is being compiled: records of the logger `srcgrad`, and a line for users who wait.

Imported at the first build. `SRCGRAD_LOG=info` in the environment sets the level and shows the
records on stderr. Never changes what is built, and never writes to a file or a pipe by itself.
"""

from __future__ import annotations

import logging
import os
import shutil
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

PATIENCE = 2.0  # seconds of compiling after which a line is shown
TICK = 1.0  # seconds after which it is written anew
ONE_WAIT = 0.2  # seconds between two builds that are one wait to a user
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


def announced(function: Function, compile: Callable[[], Any]) -> Any:
    """The result of `compile`, with a log record."""
    _follow()
    logged = LOG.isEnabledFor(logging.INFO)
    if logged:
        LOG.info("compiling %s", _described(function))
    start = time.perf_counter()
    with waiting(function.name, "machine code"):
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
class _Line(threading.Thread):
    """One line on a terminal or in a notebook: what is compiled, for how long, at which stage."""

    def __init__(self, stream: Any, what: str, stage: str, start: float):
        super().__init__(daemon=True, name="srcgrad progress")
        self.stream, self.what, self.stage, self.start_time = stream, what, stage, start
        self.ended, self.length = threading.Event(), 0

    def run(self) -> None:
        wait = self.start_time + PATIENCE - time.perf_counter()
        while not self.ended.wait(max(wait, 0.0)):
            seconds = time.perf_counter() - self.start_time
            at = f" ({self.stage})" if self.stage else ""
            self._write(f"srcgrad: compiling {self.what}, {seconds:.0f} s{at}")
            wait = TICK

    def _write(self, text: str) -> None:
        """Puts a text in place of the one before; nothing where the stream is closed meanwhile."""
        text = text[: shutil.get_terminal_size().columns - 1]
        with suppress(OSError, ValueError):
            self.stream.write("\r" + text.ljust(self.length))
            self.stream.flush()
        self.length = len(text)

    def end(self) -> None:
        """Takes the line away."""
        self.ended.set()
        self.join(PATIENCE)  # at once, unless the terminal has been stopped
        if self.length:
            self._write("")
            with suppress(OSError, ValueError):
                self.stream.write("\r")
                self.stream.flush()


class _Here(threading.local):
    line: _Line | None = None
    began: float = 0.0
    ended: float = 0.0


_here = _Here()


@contextmanager
def waiting(what: str, stage: str = "") -> Iterator[None]:
    """Shows one line to a user if the body, and what was compiled right before, takes long.

    The line is written anew each second and taken away at the end. Builds within the body are
    stages of it.
    """
    stream = sys.stderr
    shown = any(isinstance(h, _OnStderr) for h in LOG.handlers)
    if _here.line is not None or shown or not _is_watched(stream):
        yield
        return
    now = time.perf_counter()
    _here.began = _here.began if now - _here.ended < ONE_WAIT else now
    line = _here.line = _Line(stream, what, stage, _here.began)
    line.start()
    try:
        yield
    finally:
        _here.line = None
        line.end()
        _here.ended = time.perf_counter()


def at_stage(name: str) -> None:
    """Notes the stage that the line shows."""
    if _here.line is not None:
        _here.line.stage = name


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
