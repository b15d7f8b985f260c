"""Hints to LLVM: which loops it must not unroll before it vectorises them.

LLVM unrolls a loop of a few known trips completely before it vectorises, and then vectorises the
loop around it, whose trips need not be neighbours in memory: a row of a convolution by loops is
gathered element by element. A loop that fills a vector at least once is better off itself.

For a few known trips that go through memory backwards, the two cost models of LLVM 22 disagree on
the best width, and a build with assertions, such as llvmlite's wheel, ends the process: these loops
are given a width.
"""

from __future__ import annotations

from srcgrad.ir.nodes import Const, Def, For
from srcgrad.ir.types import Array, np_dtype
from srcgrad.passes.places import ELEMENTS
from srcgrad.passes.strips.candidates import has_vector_form
from srcgrad.passes.trips import Trips

VECTOR = 64  # bytes
ROLLED, OF_ONE_WIDTH = ", !llvm.loop !1", ", !llvm.loop !3"  # defined beside the support functions


def of_loop(s: For) -> str:
    """The metadata that follows the branch back to the head of a loop, empty for most loops."""
    if not stays_rolled(s):
        return ""
    return OF_ONE_WIDTH if may_go_backwards(s) else ROLLED


def stays_rolled(s: For) -> bool:
    """Whether a loop is to be vectorised itself: enough trips, in any order, with vector forms."""
    if not (isinstance(s.start, Const) and isinstance(s.stop, Const)):
        return False
    if not Trips(s).is_plain or not all(map(has_vector_form, s.body)):
        return False
    elements = [t.array.type for t in s.body if isinstance(t, Def) and t.op in ELEMENTS]
    sizes = [np_dtype(t.dtype).itemsize for t in elements if isinstance(t, Array)]
    return bool(sizes) and (s.stop.value - s.start.value) * max(sizes) >= VECTOR


def may_go_backwards(s: For) -> bool:
    """Whether an access of the loop may go to lower addresses from trip to trip."""
    trips = Trips(s)
    for t in trips.body:
        kind = t.args[0].type if t.op in ELEMENTS else None
        if isinstance(kind, Array):
            moved = [trips.motion(place) for place in t.args[1 : 1 + len(kind.dims)]]
            if kind.layout == "S" or any(m is None or m < 0 for m in moved):
                return True
    return s.reverse
