"""The constant `np.ma.masked`: what is asked of it, and what is computed with it."""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.errors import UnsupportedError

X = np.array([1.5, 2.0, 3.0])
masked = np.ma.masked


def by_class(v):
    return type(v) != type(np.ma.masked)  # noqa: E721


def of_helpers(x):
    total = 0.0
    for v in x:
        if by_class(v) and v is not masked:
            total += v * v
    return total


ASKING = {
    "helpers": of_helpers,
    "is": lambda x: x[0] if x[0] is masked else x[2] ** 2,
    "the same": lambda x: x[0] if np.ma.masked is masked else x[1],
    "isinstance": lambda x: (
        x[0] * isinstance(masked, np.ma.MaskedArray) * isinstance(masked, np.ndarray)
    ),
    "isinstance of an array": lambda x: x[0] if isinstance(x, np.ma.MaskedArray) else x[1],
    "truth": lambda x: x[0] if masked else x[1] ** 2,
    "text": lambda x: x[0] * len(f"{masked}"),
}


@pytest.mark.parametrize("name", ASKING)
def test_what_is_asked_of_it(name):
    f = ASKING[name]
    value, g = flow.value_and_grad(f, target="python")(X)
    want = [(f(X + 1e-6 * e) - f(X - 1e-6 * e)) / 2e-6 for e in np.eye(3)]
    np.testing.assert_allclose(value, f(X))
    np.testing.assert_allclose(g, want, 1e-6, 1e-7)


def stored(x):
    y = x * 1.0
    y[1] = masked
    return np.sum(y)


def on_one_path(x):
    v = masked
    if x[0] > 1.0:
        v = x[0]
    return v * 2.0


COMPUTED = {
    "array": lambda x: np.ma.getmaskarray(x + masked),
    "array's data": lambda x: (masked * x).data + x,
    "number": lambda x: x[0] * masked,
    "equal": lambda x: x[0] == masked,
    "unlike": lambda x: 1.0 if x[0] != masked else 2.0,
    "float": lambda x: float(masked),
    "function": lambda x: np.isnan(masked),
    "among": lambda x: x[0] if x[0] in [masked] else x[1],
    "a path": lambda x: x[0] if x[0] > 9.0 else masked,
    "shape": lambda x: x[0] * len(masked.shape),
    "sign": lambda x: -masked,
    "in place": on_one_path,
    "itself": lambda x: masked,
    "beside": lambda x: (x, masked),
    "inside": lambda x: {"a": x, "b": [masked]},
}


@pytest.mark.parametrize("name", COMPUTED)
def test_what_is_computed_with_it(name):
    f = COMPUTED[name]
    got, want = flow.compile(f, target="python")(X), f(X)
    for g, w in zip(flow.tree.leaves(got), flow.tree.leaves(want), strict=True):
        assert (g is masked) == (w is masked)
        if w is not masked:
            np.testing.assert_array_equal(g, w)


def test_it_has_no_derivative():
    def f(x):
        return np.ma.masked_less(x, 2.0).sum()

    assert flow.grad(f, target="python")(X).tolist() == [0.0, 1.0, 1.0]
    with pytest.raises(UnsupportedError, match=r"returns np.ma.masked here, which has no deriv"):
        flow.grad(f, target="python")(X - 9.0)


REFUSED = [
    stored, lambda x: np.sum(np.array([x[0], masked])), lambda x: np.sum([x[0], masked]),
    lambda x: np.sum(np.where(x > 1.0, x, masked)), lambda x: max(x[0], masked),
]  # fmt: skip


@pytest.mark.parametrize("f", REFUSED, ids=range(len(REFUSED)))
def test_what_is_refused(f):
    with pytest.raises((UnsupportedError, TypeError)):
        flow.grad(f, target="python")(X)
