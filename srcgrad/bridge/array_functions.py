"""Evaluates NumPy functions on tensors in eager mode by compiling the call.

Each call is a compiled program of its own that records one node on the tape, so eager and compiled
code agree on the meaning of a NumPy function of a tensor.
"""

from __future__ import annotations

from typing import Any

from srcgrad.errors import SrcgradError, located
from srcgrad.transforms.compiled import Compiled
from srcgrad.transforms.entry_points import compile

_COMPILED: dict[Any, Compiled] = {}


def followed(function: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
    """Calls a NumPy function on tensors; UnsupportedError if the compiler refuses the call."""
    if function not in _COMPILED:
        _COMPILED[function] = _compiled(function)
    try:
        return _COMPILED[function](args, kwargs)
    except SrcgradError as error:  # its location is inside `_compiled`, not the user's
        error.location, error.args = None, (located(error.reason, None, error.way_out),)
        raise error from None


def _compiled(function: Any) -> Compiled:
    def call(args: tuple, kwargs: dict[str, Any]) -> Any:
        return function(*args, **kwargs)

    call.__name__ = function.__name__
    return compile(call, target="python", cache=False)
