"""Results of SciPy as dicts whose items are attributes too."""

from __future__ import annotations

from typing import Any


class Result:
    """The part of a result that compiled code has, by attributes and by the same names as keys.

    `get` and `in` are left out: SciPy's result holds more than this part.
    """

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)
