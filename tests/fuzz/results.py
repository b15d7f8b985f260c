"""Whether two calls of a program returned the same and left the same behind.

Compared are the numbers, the types, dtypes and shapes, and which arrays share memory: a result may
be an argument, a view of another result, or the same array twice.  Knows nothing of derivatives.
"""

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np

from tests.fuzz.stages import demand

Values = tuple[Any, ...]


def parts(out: Any) -> Values:
    """The results of a program that returns one or several."""
    return out if isinstance(out, tuple) else (out,)


def same(got: Any, want: Any, near: float, what: str = "value", dtypes: bool = True) -> None:
    """Raise Mismatch unless the results are the same, to `near` of 1 plus the size of each."""
    got, want = parts(got), parts(want)
    demand(len(got) == len(want), "number of results", len(got), len(want))
    for a, b in zip(got, want, strict=True):
        demand(np.shape(a) == np.shape(b), "shape of a result", np.shape(a), np.shape(b))
        kinds = _kind(a, dtypes), _kind(b, dtypes)
        demand(kinds[0] == kinds[1], "type of a result", *kinds)
        demand(np.allclose(a, b, rtol=near, atol=near, equal_nan=True), what, a, b)


def same_memory(got: Values, want: Values) -> None:
    """Raise Mismatch unless the same pairs of values share memory."""
    demand(len(got) == len(want), "number of values", len(got), len(want))
    a, b = list(_shared(got)), list(_shared(want))
    demand(a == b, "shared memory", a, b)


def _kind(value: Any, dtypes: bool) -> tuple[bool, Any]:
    """A number may be Python's or NumPy's: after a join, compiled code cannot tell."""
    return isinstance(value, np.ndarray), np.asarray(value).dtype if dtypes else None


def _shared(values: Values) -> Iterator[tuple[int, int]]:
    arrays = [(k, v) for k, v in enumerate(values) if isinstance(v, np.ndarray)]
    for (j, a), (k, b) in combinations(arrays, 2):
        if np.shares_memory(a, b):
            yield j, k
