"""`np.ma.masked` in functions that ask whether a value is masked; computing with it is refused."""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.errors import ReturnTypeError, UnsupportedError

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


REFUSED = [
    stored, on_one_path, lambda x: np.sum(x + masked), lambda x: x[0] * masked,
    lambda x: x[0] if x[0] == masked else x[1], lambda x: x[0] if x[0] != masked else x[1],
    lambda x: x[0] if x[0] in [masked] else x[1], lambda x: np.sum(np.array([x[0], masked])),
    lambda x: np.sum(np.where(x > 1.0, x, masked)), lambda x: x[0] * float(masked),
    lambda x: x[0] if np.isnan(masked) else x[1], lambda x: max(x[0], masked),
    lambda x: x[0] if x[0] > 1.0 else masked, lambda x: np.sum([x[0], masked]),
    lambda x: x[0] * len(masked.shape), lambda x: x[0] if -masked else x[1],
]  # fmt: skip


@pytest.mark.parametrize("f", REFUSED, ids=range(len(REFUSED)))
def test_what_is_computed_with_it_is_refused(f):
    with pytest.raises(UnsupportedError):
        flow.grad(f, target="python")(X)


def test_it_is_not_returned():
    for f in (lambda x: masked, lambda x: (x, masked), lambda x: {"a": x, "b": [masked]}):
        with pytest.raises(ReturnTypeError):
            flow.compile(f, target="python")(X)
