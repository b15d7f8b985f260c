"""What reverse mode keeps of programs in loops: nothing that no rule reads."""

import numpy as np
import pytest

from tests.autodiff.recorded import arguments, kept, mixture, triangle
from tests.cases import local_buffers


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
    assert bool(overwritten(kept(fn, (X, W), (0, 1)))) == expected
