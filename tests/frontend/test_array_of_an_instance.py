"""np.asarray and np.array of instances with `__array__`: called, copied and trusted as in NumPy."""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.errors import UnsupportedError
from tests.support.samples import made
from tests.support.test_array_semantics import check_gradient

X = np.arange(1.0, 4.0)


class Plain:
    def __init__(self, a):
        self.a = a

    def __array__(self):
        return self.a


class Heedless(Plain):
    """Says that it copies, and does not."""

    def __array__(self, dtype=None, copy=None):
        return self.a


class Copying(Plain):
    def __array__(self, dtype=None, copy=None):
        return np.array(self.a, dtype=dtype, copy=copy)


class OfTwo(Plain):
    """Tells that it was called with a dtype."""

    def __array__(self, dtype=None, copy=None):
        return self.a if dtype is None else 2.0 * self.a


class Wrong(Plain):
    def __array__(self):
        return 1.0


class Exposed(Plain):
    @property
    def __array_interface__(self):
        return self.a.__array_interface__


KINDS = {cls.__name__: cls for cls in (Plain, Heedless, Copying, OfTwo, Wrong, Exposed)}
PROGRAMS = (
    "a = np.asarray(Plain(x)); a[0] = 5.0; return np.sum(a * a) + x[0]",
    "a = np.array(Plain(x)); a[0] = 5.0; return np.sum(a * a) + x[0]",
    "a = np.asarray(Heedless(x)); a[0] = 5.0; return np.sum(a * a) + x[0]",
    "a = np.array(Heedless(x)); a[0] = 5.0; return np.sum(a * a) + x[0]",
    "a = np.array(Copying(x)); a[0] = 5.0; return np.sum(a * a) + x[0]",
    "a = np.array(Copying(x), dtype=float); a[0] *= 5.0; return np.sum(a * a) + x[0]",
    "return np.sum(np.asarray(OfTwo(x), float) ** 2) + np.sum(np.asarray(OfTwo(x)))",
    "a = np.asarray(Copying(x), dtype=np.float32); return np.sum(a * a)",
    "a = np.array([Plain(x), Heedless(2.0 * x)]); return np.sum(a * a)",
    "a = np.asarray(Plain(np.array(x[0]))); return a * a",
)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # NumPy's, of Plain
@pytest.mark.parametrize("body", PROGRAMS)
@pytest.mark.parametrize("target", ["python", "cpu"])
def test_instances_are_converted(body, target):
    f = made(f"def call(x):\n    x = x * 1.0; {body}\n", **KINDS)
    assert flow.compile(f, target=target)(X) == pytest.approx(f(X))
    if "float32" not in body:
        check_gradient(f, X, target)


def test_what_is_no_array_raises():
    f = made("def call(x):\n    return np.sum(np.asarray(Wrong(x)))\n", **KINDS)
    for call in (f, flow.compile(f, target="python")):
        with pytest.raises(ValueError, match="__array__ method not producing an array"):
            call(X)


def test_what_numpy_takes_first_is_refused():
    f = made("def call(x):\n    return np.sum(np.asarray(Exposed(x)))\n", **KINDS)
    with pytest.raises(UnsupportedError, match="an Exposed cannot be made an array"):
        flow.compile(f, target="python")(X)
