"""What reverse mode keeps of programs in loops: nothing that no rule reads."""

import numpy as np
import pytest

from srcgrad.ir.nodes import Def, For
from srcgrad.ir.walk import walk
from srcgrad.passes.pipeline import without
from srcgrad.primitives import memory
from tests.autodiff.recorded import adjoint, arguments, kept, mixture, triangle
from tests.cases import CASES, local_buffers


def overwritten(tapes):
    """The variables of which a store's old elements are kept."""
    return {t.what for t in tapes if t.tape.name.startswith("old")}


@pytest.mark.parametrize(("fn", "positions"), [(mixture, (0, 1, 2)), (triangle, (0, 1))])
def test_what_a_trip_stores_to_its_own_buffers_is_not_put_back(fn, positions):
    assert not overwritten(kept(fn, arguments(fn), positions))


X, W = np.linspace(0.3, 1.1, 12).reshape(3, 4), np.linspace(0.5, 0.9, 4)
PUT_BACK = [
    (local_buffers.filled_then_read, False),
    (local_buffers.read_between_two_stores, True),
    (local_buffers.read_and_stored_in_one_inner_loop, True),
    (local_buffers.the_next_trip_stores, True),
    (local_buffers.some_later_trip_stores, True),
    (local_buffers.view_of_a_trip_s_buffer, True),
]


@pytest.mark.parametrize(("fn", "expected"), PUT_BACK, ids=[fn.__name__ for fn, _ in PUT_BACK])
def test_what_is_read_before_it_is_overwritten_is_put_back(fn, expected):
    # nothing is stored to what has become numbers, nor to what is read as what was stored
    with without("small_arrays", "forward_stores"):
        assert bool(overwritten(kept(fn, (X, W), (0, 1)))) == expected


@pytest.mark.parametrize(("fn", "positions"), [(mixture, (0, 1, 2)), (triangle, (0, 1))])
def test_no_tape_grows_and_no_integer_is_kept(fn, positions):
    tapes = kept(fn, arguments(fn), positions)
    assert all(t.slots is not None and t.dtype == "f64" for t in tapes)


# the counters that are kept: once for each execution of their loop, or in each trip
REMEMBERED = {
    "triangle_with_diagonal": [],
    "triangle_without_diagonal": [],
    "triangle_below": [],
    "triangle_below_with_diagonal": [],
    "triangle_that_starts_late": [],
    "triangle_of_all_but_the_last": [],
    "triangle_from_a_given_row": ["len(x) - first"],  # its step is chosen in the trip
    "trips_that_are_cut_off": ["len(x)"] * 3,
    "rectangle": [],
    "two_triangles_in_a_trip": ["len(x)"],
    "lengths_of_rows": ["len(lengths)"],
    "sometimes_counted": [None],
    "counted_in_a_while": [],
    "counted_down": [],
    "triangle_from_the_last_row": [],
    "triangle_with_both_counted_down": [],
    "triangle_down_to_a_given_row": ["len(x) - (first + 1)"] * 2,
    "rectangle_counted_down": [],
    "counters_that_start_from_counters": ["len(x)"],
}


@pytest.mark.parametrize("case", [c for c in CASES if c.name in REMEMBERED], ids=lambda c: c.id)
def test_where_a_loop_starts_to_count_is_kept_once(case):
    tapes = kept(case.fn, case.arguments(), case.position)
    # with one row the place that is counted is a constant, kept in one slot
    counted = ("count", "a constant")
    counters = [t for t in tapes if t.dtype == "i64" and not t.what.startswith(counted)]
    assert [t.slots for t in counters] == REMEMBERED[case.name]


@pytest.mark.parametrize("fn", [mixture, triangle])
def test_what_is_never_put_back_is_read_where_it_was_saved(fn):
    function = adjoint(fn, arguments(fn), (0, 1, 2) if fn is mixture else (0, 1))
    loops = [s for s in walk(function.body) if isinstance(s, For)]
    made = [s for loop in loops for s in loop.body if isinstance(s, Def) and s.op is memory.copy]
    assert not made
