"""What rows say of themselves, held against what their implementations do."""

import itertools

import numpy as np
import pytest

from srcgrad.primitives import REGISTRY

ELEMENTWISE = [row for row in REGISTRY.values() if row.elementwise]
ORDINARY = (-1e3, -30.0, -2.0, -1.0, -0.5, -0.0, 0.0, 0.5, 1.0, 2.0, 30.0, 1e3)
COMPLEX = [complex(a, b) for a in (-1e3, -0.5, 0.0, 1.0, 30.0) for b in (-1.0, 0.0, 0.5, 1e3)]


def results(row, numbers, **params):
    """The row's floats for all tuples of numbers; nothing if it does not take such numbers."""
    columns = np.array(list(itertools.product(numbers, repeat=row.arity - row.selects))).T
    condition = [columns[0] > 0] if row.selects else []
    params |= {"dtype": columns.dtype} if row.name == "cast" else {}
    try:
        with np.errstate(all="ignore"):
            made = np.asarray(row.impl(*condition, *columns, **params))
    except TypeError:
        return np.empty(0)
    return made if made.dtype.kind in "fc" else np.empty(0)


@pytest.mark.filterwarnings("ignore:floating point number truncated")
@pytest.mark.parametrize("row", ELEMENTWISE, ids=repr)
def test_what_may_be_infinite_says_so(row):
    """Without a declaration a zero adjoint is multiplied by the value: 0 * inf would be NaN."""
    made = [results(row, ORDINARY, **dict.fromkeys(row.params, n)) for n in (-2, 2)]
    finite = np.isfinite(np.concatenate(made)).all()
    assert row.nonfinite is True or finite
    if row.name in ("exp", "floordiv"):
        assert not finite, "nothing is probed"


@pytest.mark.filterwarnings("ignore:Casting complex values")
@pytest.mark.parametrize("row", [r for r in ELEMENTWISE if not r.ordered], ids=repr)
def test_what_may_be_infinite_for_complex_numbers_says_so(row):
    made = results(row, COMPLEX, **dict.fromkeys(row.params, 2))
    assert row.nonfinite or np.isfinite(made).all()


@pytest.mark.parametrize("row", ELEMENTWISE, ids=repr)
def test_arity(row):
    """Rows without rules state it; the others have a rule for each operand."""
    assert row.arity == len(row.rules) or not row.rules
    assert results(row, (1.0,), **dict.fromkeys(row.params, 2)) is not None
