"""`x.flags` and `x.setflags` of an array of the tape: whether it may be stored to is its own."""

from __future__ import annotations

from typing import Any

from srcgrad.bridge.recorded.refusals import refuse
from srcgrad.bridge.recorded.values import raw

_WRITEABLE = ("writeable", "WRITEABLE", "W")
_OWNING = ("owndata", "OWNDATA", "O")  # the views of the tape's memory own nothing


def set_flags(of: Any, write: Any = None, align: Any = None, uic: Any = None) -> None:
    """Makes an array read-only, and all views that are taken of it from then on."""
    if align is not None or uic is not None:
        refuse("setflags() sets whether an array of the tape may be stored to: write= alone")
    if write and not of._writeable:
        refuse(
            "an array of the tape that is read-only is made writeable",
            "store before it is made read-only, or to a copy: .copy()",
        )
    if write is not None:
        of._writeable = bool(write)


class Flags:
    """The flags of an array of the tape, read as they are now."""

    __slots__ = ("_of",)

    def __init__(self, of: Any):
        object.__setattr__(self, "_of", of)

    def __getattr__(self, name: str) -> Any:
        _refuse_owner(name)
        return getattr(raw(self._of).flags, name)

    def __getitem__(self, name: str) -> Any:
        _refuse_owner(name)
        return raw(self._of).flags[name]

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _WRITEABLE:
            return set_flags(self._of, value)
        refuse(f"the flag {name!r} of an array of the tape is not set")

    __setitem__ = __setattr__

    def __repr__(self) -> str:
        return repr(raw(self._of).flags)


def _refuse_owner(name: str) -> None:
    if name in _OWNING:
        refuse("whether an array of the tape owns its memory is not known")
