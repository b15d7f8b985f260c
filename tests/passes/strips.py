"""Functions that are rewritten in strips, in short ones, and compared."""

import numpy as np

from srcgrad.passes.strips import sizes, strip_mining
from tests.passes.pass_programs import after, agree, outcome, text
from tests.tools.strips import SMALL, loops_over_lanes

COUNTS = (0, 1, 2, 3, 4, 7, 11)


def shorten(monkeypatch):
    """Strips of three trips, so that short arrays have several."""
    for name, value in (SMALL | {"SHORT": 8}).items():
        monkeypatch.setattr(sizes, name, value)


def whole(*shape):
    """Small whole numbers: their sums are exact in any order."""
    k = np.arange(1, int(np.prod(shape)) + 1)
    return ((k * 7) % 5 - 2.0).reshape(shape)


def same(f, *calls, run=strip_mining):
    """The function in strips, having given the same."""
    new = agree(run, f, *calls)
    assert loops_over_lanes(new), "no loop was rewritten"
    return new


def stays(f, run=strip_mining):
    assert text(after(run, f)) == text(f)


def differs(f, *every):
    new = after(strip_mining, f)
    return any(outcome(new, args) != outcome(f, args) for args in every)
