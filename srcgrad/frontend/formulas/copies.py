"""The memo that `copy.deepcopy` hands to a `__deepcopy__`: the copies that were made."""

from __future__ import annotations

from typing import Any

from srcgrad.frontend.formulas.registry import made_inside


@made_inside("copies")
class Memo:
    """The copies by the identity of what was copied.

    >>> memo, of = Memo({}), object()
    >>> memo[id(of)] = "copy"
    >>> id(of) in memo, memo[id(of)], memo.get(1, "none")
    (True, 'copy', 'none')
    """

    def __init__(self, copies: dict):
        self.copies = copies

    def __setitem__(self, key: Any, value: Any) -> None:
        self.copies[key] = value

    def __getitem__(self, key: Any) -> Any:
        return self.copies[key]

    def __contains__(self, key: Any) -> Any:
        return key in self.copies

    def get(self, key: Any, default: Any = None) -> Any:
        return self.copies.get(key, default)
