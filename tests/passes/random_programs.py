"""Random programs for a pass: what is common to the tests that compare before and after."""

from collections.abc import Callable, Sequence
from typing import Any

from srcgrad.backends.backend import BuildOptions
from srcgrad.backends.cpu.build import build
from srcgrad.ir.nodes import Function


def cpu_build(function: Function) -> Any:
    """Machine code of a function, as NumPy rounds."""
    return build(function, BuildOptions(cache=False, fastmath=False))


def none_is_wrong(is_wrong: Callable[[int], bool | None], seeds: Sequence[int], least: int = 0):
    """No program of the seeds is wrong, and more than `least` of them say something (not None)."""
    seen = [is_wrong(seed) for seed in seeds]
    assert not any(seen), [seed for seed, wrong in zip(seeds, seen, strict=True) if wrong]
    assert seen.count(False) > least
