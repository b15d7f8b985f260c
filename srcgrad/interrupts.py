"""Signals wait while code is built, and are answered at points where all is whole.

A handler that raises in the middle of an import, or of Numba's or LLVM's work, would leave them
broken for the rest of the process. `held` makes the handlers of the user's wait, `answer` is a
point where they may raise, `released` calls code of the user's, for which they do not wait.
Handlers run in the main thread alone, so elsewhere each of these does nothing. Never loses a
signal, and never touches one that no function of Python's handles.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from traceback import walk_tb
from types import FrameType
from typing import Any

# what people raise from; a profiler's signals are not among them. The last is put back last
SIGNALS = tuple(
    getattr(signal, name)
    for name in ("SIGTERM", "SIGBREAK", "SIGALRM", "SIGUSR1", "SIGUSR2", "SIGINT")
    if hasattr(signal, name)
)

_handlers: dict[int, Callable[[int, FrameType | None], Any]] = {}  # the user's, of what is held
_noted: list[int] = []  # signals that wait for their handler
_waiting = False
_within = False  # whether code of the user's runs in what is held


def is_main() -> bool:
    """Whether this is the thread that runs handlers."""
    return threading.get_ident() == threading.main_thread().ident


def _note(number: int, frame: FrameType | None) -> None:
    """The handler of what is held."""
    if not _waiting:
        _run(number, frame)
    elif number not in _noted:
        _noted.append(number)


@contextmanager
def held() -> Iterator[None]:
    """Handlers wait for `answer`, or for the end of the block."""
    global _waiting
    if _waiting or not is_main():
        yield
        return
    _waiting = True
    try:
        _take()
        yield
    finally:
        try:
            if not _within:
                _restore()
        finally:
            _waiting = False
            answer()


def _take() -> None:
    with suppress(ValueError):  # another interpreter of the process, which handles no signals
        for number in SIGNALS:
            handler = signal.getsignal(number)
            if callable(handler) and handler is not _note:
                _handlers[number] = handler
                signal.signal(number, _note)


def _restore() -> None:
    """Put the user's handlers back, but where others were put meanwhile."""
    for number in SIGNALS:
        if number in _handlers and signal.getsignal(number) is _note:
            signal.signal(number, _handlers[number])


def answer() -> None:
    """Run the handlers of what has come in: this place may be left by what they raise."""
    while _noted and is_main():
        _run(_noted.pop(0), sys._getframe())


def _run(number: int, frame: FrameType | None) -> None:
    _handlers[number](number, frame)


def raised(error: BaseException) -> bool:
    """Whether the handler of a signal raised an exception: one that has waited, or another."""
    set_up = [signal.getsignal(s) for s in signal.valid_signals()]
    codes = {_run.__code__, *(getattr(h, "__code__", None) for h in set_up)}
    return any(frame.f_code in codes for frame, _ in walk_tb(error.__traceback__))


def released(run: Callable[[], Any]) -> None:
    """Call code of the user's: handlers do not wait, and what has waited is answered first."""
    global _waiting, _within
    if not (_waiting and is_main()):
        run()
        return
    before = _within
    _waiting, _within = False, True
    try:
        answer()
        run()
    finally:
        _waiting, _within = True, before  # no call comes first: a handler could raise in it
        _take()
