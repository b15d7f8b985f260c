"""NumPy's functions of tensors outside of compiled code: the same function, followed as inside.

Each is a compiled program of one call, run on whole arrays: its result is one node of the tape. So
both faces agree on what a function of NumPy's makes of a tensor.
"""

from __future__ import annotations

from typing import Any

from srcgrad.api.compiled import Compiled
from srcgrad.api.transforms import compile
from srcgrad.errors import SrcgradError, located

_COMPILED: dict[Any, Compiled] = {}


def followed(function: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
    """The value of a function; NotImplementedError if it is not followed."""
    if function not in _COMPILED:
        _COMPILED[function] = _compiled(function)
    try:
        return _COMPILED[function](args, kwargs)
    except SrcgradError as error:  # the line is that of the program below
        error.location, error.args = None, (located(error.reason, None, error.way_out),)
        raise error from None


def _compiled(function: Any) -> Compiled:
    def call(args: tuple, kwargs: dict[str, Any]) -> Any:
        return function(*args, **kwargs)

    call.__name__ = function.__name__
    return compile(call, target="python", cache=False)
