"""The way values of a class come apart, and one like another is made of other parts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from srcgrad.records import record
from srcgrad.tree.registered import Registered

Made = Callable[[Any, Sequence[Any]], Any]


@record(frozen=True)
class Kind:
    """The way values of a class come apart, and one like another is made of other parts."""

    parts: Callable[[Any], Sequence[Any]]
    rebuilt: Made
    keys: Callable[[Any], Sequence[Any]] = lambda value: range(len(value))
    # the static facts for a signature, apart from the class and the parts
    static: Callable[[Any], Any] = lambda value: None
    # makes the caller's form of a value that only exists while a function is compiled
    outside: Made | None = None
    opened: Made | None = None  # makes one of parts that its class does not accept
    registered: Registered | None = None  # of a class of the user's
    holds: Callable[[Any], bool] | None = None  # tells those that are structures; None: all are
    partial: bool = False  # whether one like another may lack parts, which are None then
