"""Rules of reverse mode that can be switched off, to prove that the tests would notice.

Each name is a rule that cost a wrong gradient before it was known. Only tests inject faults.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

RULES = {
    "two-points": "conditions, trips and indices are evaluated in the state after the statement",
    "rewind-accumulation": "x[i] += v is rewound like any store when x is read again",
    "zero-after-store": "a store takes the adjoint of what it overwrote away",
    "reload-intact": "a loaded value is reloaded only if nothing was stored in between",
    "loop-stores": "a store in a loop entered on the way spoils a reload",
    "alias-classes": "views and joined names share a class",
    "copy-shadow": "an assignment copies the shadow before it zeroes it",
    "which-buffer": "a joined reference remembers which buffer it was",
    "inverse-permutation": "swapped names are carried backwards by the inverse",
    "tape-base": "a tape position starts where the last execution of the loop ended",
    "flip-direction": "reversing a reversed loop flips its direction",
    "one-memory": "buffers that a tape of references may name are not copied",
    "plain-tests": "tests of loops that store are reversed with the body",
    "decided-once": "what is decided of values that are computed again is what was decided",
    "save-when-reread": "what a later reverse read needs is saved before it is overwritten",
}
_off: set[str] = set()


def injected(rule: str) -> bool:
    assert rule in RULES, rule
    return rule in _off


def any_injected() -> bool:
    return bool(_off)


@contextmanager
def inject(rule: str) -> Iterator[None]:
    """Differentiate without one rule, inside the block."""
    assert rule in RULES, rule
    _off.add(rule)
    try:
        yield
    finally:
        _off.discard(rule)
