"""np.r_ and np.c_ with a string: the axis, how many axes, where those stand that there were."""

import numpy as np
import pytest

import srcgrad as flow

X, A = np.array([0.3, -1.7, 2.5]), np.arange(6.0).reshape(2, 3)
CALLS = [
    lambda x, a: np.r_["0,2", x, x], lambda x, a: np.r_["-1", a, a], lambda x, a: np.r_["1", a, a],
    lambda x, a: np.r_["0,2,0", x, 1.5], lambda x, a: np.r_["1,3,1", x, x],
    lambda x, a: np.r_["0,3,-2", x, 0:4], lambda x, a: np.r_["0,3", a, a],
    lambda x, a: np.r_["0,3,1", a, a], lambda x, a: np.c_["0,2", x, x],
    lambda x, a: np.c_["1", x, x],
    lambda x, a: np.c_["0,3,1", 0:1:3j, x], lambda x, a: np.r_["0,2", 1:4, x],
    lambda x, a: np.r_["0,2,7", x, x], lambda x, a: np.r_["nothing", x, x],
    lambda x, a: np.r_[x, "0,2"], lambda x, a: np.r_["0,1,0,2", x],
]  # fmt: skip


@pytest.mark.parametrize("f", CALLS, ids=range(len(CALLS)))
def test_strings(f):
    try:
        want = f(X, A)
    except ValueError:
        want = None
    for target in ("python", "cpu"):
        compiled = flow.compile(f, target=target)
        if want is None:
            with pytest.raises(ValueError):
                compiled(X, A)
            continue
        np.testing.assert_array_equal(compiled(X, A), want)
    if want is not None:
        flow.testing.gradcheck(lambda x, a: np.sum(f(x, a) ** 2), (X, A), target="python", order=2)
