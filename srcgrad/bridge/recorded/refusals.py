"""Refusals on the tape: located at the user's line, and raised even if a program catches them."""

from __future__ import annotations

import threading
from typing import Any, NoReturn

from srcgrad.errors import UnsupportedError
from srcgrad.tracebacks import users_place


class _State(threading.local):
    noted: list[UnsupportedError] | None = None  # of the function that is run


_state = _State()


def refuse(reason: str, way_out: str = "", like: type[Exception] | None = None) -> NoReturn:
    """Raises UnsupportedError at the line of the user's that is run."""
    error = UnsupportedError(reason, users_place(), way_out, like=like)
    if _state.noted is not None:
        _state.noted.append(error)
    raise error


class never_caught:
    """Raises the first refusal inside at the end, if the function or a library has caught it."""

    def __enter__(self) -> None:
        self._noted: list[UnsupportedError] = []
        self._before, _state.noted = _state.noted, self._noted

    def __exit__(self, cls: Any, error: BaseException | None, traceback: Any) -> None:
        _state.noted = self._before
        ordinary = error is None or isinstance(error, Exception)
        if self._noted and ordinary and error is not self._noted[0]:
            raise self._noted[0] from error
