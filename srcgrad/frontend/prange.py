"""`prange`: a range whose trips, as its user promises, do not depend on one another."""

from __future__ import annotations


def prange(start: int, stop: int | None = None, step: int = 1) -> range:
    """A range; the promise that the trips of a loop over it may run in any order, or at once.

    A loop that is compiled with `parallel=True` then runs on several cores where no proof of it is
    found, as where the indices that it stores to are data. A broken promise is refused if it is
    detected, and gives wrong results if it is not. Trips may contribute to a sum, an extremum, or
    an array that every trip adds to. Elsewhere it is `range`.

    >>> import srcgrad as flow
    >>> [i for i in flow.prange(1, 4)]
    [1, 2, 3]
    """
    return range(start) if stop is None else range(start, stop, step)
