"""np.unique of rows and columns, and with NaNs that count one by one."""

import numpy as np
import pytest

import srcgrad as flow

ROWS = np.array([[2.0, 1.0], [0.0, 3.0], [2.0, 1.0], [-0.0, 3.0], [2.0, 0.5], [np.nan, 1.0]])
KINDS = [np.float64, np.float32, np.int64, np.int8]
CALLS = [
    lambda a: np.unique(a, True, True, True, axis=0), lambda a: np.unique(a, axis=-1),
    lambda a: np.unique(np.stack([a, a]), return_counts=True, axis=0),
    lambda a: np.unique(np.stack([a, 1 - a]), return_inverse=True, axis=1),
    lambda a: np.unique(a[:, 0], True, True, True, axis=0),
    lambda a: np.unique(a[:1], axis=0), lambda a: np.unique(a, equal_nan=False),
    lambda a: np.unique(a, True, True, True, equal_nan=False),
]  # fmt: skip


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("f", CALLS, ids=range(len(CALLS)))
def test_as_numpy(f, target):
    compiled = flow.compile(f, target=target)
    for kind in KINDS:
        a = (ROWS if np.dtype(kind).kind == "f" else ROWS[:-1]).astype(kind)
        got, want = ((v if isinstance(v, tuple) else (v,)) for v in (compiled(a), f(a)))
        for g, w in zip(got, want, strict=True):
            assert g.dtype == w.dtype
            np.testing.assert_array_equal(g, w)


def test_the_first_of_equal_parts_has_the_derivative():
    def f(a, w):
        return np.sum(np.unique(a, axis=0) * w)

    w = np.arange(1.0, 7.0).reshape(3, 2)
    want = [[5.0, 6.0], [1.0, 2.0], [0.0, 0.0], [0.0, 0.0], [3.0, 4.0]]
    for target in ("python", "cpu"):
        got = flow.grad(flow.compile(f, target=target))(ROWS[:5], w)
        np.testing.assert_array_equal(got, want)
