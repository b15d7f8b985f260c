"""Instances outside that are stored to."""

import functools

import numpy as np

from tests.cases.registry import vec
from tests.errors.programs import program


class Remembering:
    """It keeps what it has seen."""

    seen = None

    @functools.cached_property
    def twice(self):
        return 2.0


KEPT = Remembering()


@program(0.7)
def dict_of_an_instance_that_is_stored_to(x):
    KEPT.seen = x
    return len(KEPT.__dict__)  # error: UnsupportedError: '__dict__' of a Remembering ... one by one


@program(0.7)
def cached_property_of_an_instance_that_is_stored_to(x):
    KEPT.seen = x
    return KEPT.twice  # error: UnsupportedError: 'twice' of a Remembering ... one by one


@program(vec(3).astype(np.float32), how="call")
def grown_list_kept_outside(x):
    KEPT.seen = [0.1]
    for v in x:
        if v > 0.5:
            KEPT.seen.append(v)
    return x[0]  # error: UnsupportedError: 'seen': a list whose length ... float(...)
