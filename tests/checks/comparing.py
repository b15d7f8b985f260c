"""How the numbers of two runs of a case are compared."""

from typing import Any

import numpy as np

from tests.cases import Case
from tests.tools.structures import flatten, float_leaves

EPS32 = float(np.finfo(np.float32).eps)

# cases that amplify rounding, by how much their gradients agree where each is right
AMPLIFYING = {"inverse_kinematics": 1e-9}  # an argument's last bit changes it by 2e-10


def nearness(case: Case) -> float:
    """How near the gradients of a case are that are computed in two ways."""
    return AMPLIFYING.get(case.name, 1e-12)


def with_arrays(case: Case) -> bool:
    return any(isinstance(v, np.ndarray) for v in float_leaves(case.args))


def close(got: Any, want: Any, tolerance: float, what: str):
    """Numbers agree relative to the largest, and the forms are the same."""
    a, b = flatten(got), flatten(want)
    assert a.shape == b.shape, f"{what}: {a.size} numbers, expected {b.size}"
    scale = np.max(np.abs(b[np.isfinite(b)]), initial=0.0)
    good = (a == b) | (np.isnan(a) & np.isnan(b)) | (np.abs(a - b) <= tolerance * (scale + 1e-3))
    assert np.all(good), f"{what}: got {a[~good]}, want {b[~good]}"


def close_each(got: list[Any], want: list[Any], tolerance: float, what: str):
    """Leaf by leaf: shapes agree, and numbers by the dtype and the largest of each leaf."""
    assert [np.shape(g) for g in got] == [np.shape(w) for w in want], what
    for g, w in zip(got, want, strict=True):
        near = 1e-5 if np.asarray(w).dtype == np.float32 else tolerance
        scale = np.max(np.abs(w), initial=0.0, where=np.isfinite(w))
        np.testing.assert_allclose(g, w, near, near * (scale + 1e-3), err_msg=what)
