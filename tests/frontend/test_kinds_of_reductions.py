"""Reductions to one number return NumPy's number, not an array of rank 0."""

import numpy as np
import pytest

import srcgrad as flow

HOLES = np.array([[0.3, np.nan, 1.1], [0.7, -0.4, np.nan]])
REDUCTIONS = [
    np.sum, np.mean, np.std, np.median, np.max, np.ptp, np.nansum, np.nanmean, np.nanvar, np.nanmax,
    np.nanmedian, lambda x: np.nanquantile(x, 0.3), lambda x: np.nanpercentile(x, 30.0),
    lambda x: np.quantile(x, 0.3), lambda x: np.nanmedian(x.astype(np.float32)),
]  # fmt: skip


@pytest.mark.parametrize("f", REDUCTIONS)
def test_a_number_is_a_number(f):
    found, expected = flow.compile(f, target="python")(HOLES), f(HOLES)
    assert type(found) is type(expected)
    assert np.allclose(found, expected, equal_nan=True)
