"""Every case: importing this package imports each theme, which registers its functions."""

import importlib
import pkgutil
from typing import Any

import pytest

from tests.cases.registry import CASES, Case

__all__ = ["CASES", "Case", "first_instances", "sample"]

LONGEST = 30  # lines of a function in the sample

for _module in sorted(m.name for m in pkgutil.iter_modules(__path__)):
    importlib.import_module(f"{__name__}.{_module}")


def sample(count: int) -> list[Case]:
    """About `count` cases, taken from the themes in turn and from different functions first.

    None of the longest: Numba takes up to a minute for one. They are compiled under `--full`.
    """
    themes: dict[str, list[Case]] = {}
    for each in CASES:
        if each.cpu and lines_of(each.fn) <= LONGEST:
            themes.setdefault(each.theme, []).append(each)
    for cases in themes.values():
        # Spread over the file: neighbours in a file resemble each other.
        cases.sort(key=lambda c: (c.instance, hash_of(c.name)))
    chosen: list[Case] = []
    while len(chosen) < count and any(themes.values()):
        for cases in themes.values():
            if cases and len(chosen) < count:
                chosen.append(cases.pop(0))
    return chosen


def first_instances(cases: list[Case]) -> list[Any]:
    """Parameters for a test: other arguments of a function are for `--full`."""
    return [pytest.param(c, marks=pytest.mark.full) if c.instance else c for c in cases]


def lines_of(fn: Any) -> int:
    """The lines of code of a function, and of the functions it closes over."""
    code = getattr(fn, "__code__", None)
    if code is None:
        return 0
    inner = (cell.cell_contents for cell in getattr(fn, "__closure__", None) or ())
    return len({line for *_, line in code.co_lines()}) + sum(map(lines_of, inner))


def hash_of(text: str) -> int:
    """A hash that is the same in every process (Python's own is salted)."""
    return sum((i + 1) * ord(c) for i, c in enumerate(text)) % 997
