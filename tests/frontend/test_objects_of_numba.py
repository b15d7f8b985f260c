"""Objects of Numba's that are captured or passed are refused, and what the refusal says works."""

import numba
import numpy as np
import pytest
from numba.experimental import jitclass
from numba.typed import List

import srcgrad as flow

pytestmark = pytest.mark.usefixtures("quiet")
X = np.array([1.0, 2.0, 4.0])
WEIGHTS = List([1.0, 2.0])


class Plain:
    def __init__(self, w):
        self.w = w

    def scaled(self, x):
        return self.w * x


Compiled = jitclass([("w", numba.float64)])(Plain)


instance, plain = Compiled(2.0), Plain(2.0)
ROWS = [
    (lambda x: instance.scaled(x[0]), lambda x: plain.scaled(x[0]),
     "'instance' is an instance of a jitclass of Numba's",
     "pass one of the plain class, without jitclass, as an argument"),
]  # fmt: skip


@pytest.mark.parametrize(("wrong", "right", "reason", "way_out"), ROWS)
def test_what_is_refused_and_what_to_write(wrong, right, reason, way_out):
    with pytest.raises(NotImplementedError) as e:
        flow.grad(flow.compile(wrong, target="python"))(X)
    assert e.value.reason.startswith(reason) and e.value.way_out == way_out
    assert e.value.location.file == __file__
    made, plainly = flow.compile(right, target="python"), wrong(X)
    assert made(X) == pytest.approx(plainly)
    steps = [(wrong(X + 1e-6 * e) - wrong(X - 1e-6 * e)) / 2e-6 for e in np.eye(3)]
    np.testing.assert_allclose(flow.grad(made)(X), steps, atol=1e-8)


def test_a_captured_list():
    with pytest.raises(NotImplementedError) as e:
        flow.grad(flow.compile(lambda x: x[0] * WEIGHTS[1], target="python"))(X)
    assert e.value.way_out == "pass list(WEIGHTS) as an argument"
    assert e.value.location.file == __file__
    f = flow.grad(flow.compile(lambda x, w: x[0] * w[1], target="python"))
    with pytest.raises(TypeError, match=r"'w' is a typed List of Numba's\n  pass list\(w\)"):
        f(X, WEIGHTS)
    assert f(X, list(WEIGHTS)).tolist() == [2.0, 0.0, 0.0]


def test_an_instance_that_is_passed():
    f = flow.grad(flow.compile(lambda x, p: p.scaled(x[0]), target="python"))
    with pytest.raises(TypeError, match="'p' is an instance of a jitclass of Numba's"):
        f(X, instance)
    assert f(X, plain).tolist() == [2.0, 0.0, 0.0]


@numba.njit
def all_but(i, x):
    mask = np.ones_like(x, dtype=numba.boolean)
    mask[i] = False
    out = np.zeros(2, dtype=numba.float64)
    out[:] = x[mask]
    return out[0] * out[1] + x.astype(numba.float32)[0]


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_a_type_as_a_dtype(target):
    x = np.array([0.5, 2.0, 4.0])
    value, gradient = flow.value_and_grad(lambda x: all_but(1, x), target=target)(x)
    assert value == all_but(1, x)
    np.testing.assert_allclose(gradient, [5.0, 0.0, 0.5])


def test_what_has_the_name_of_a_type_is_no_dtype():
    class Float:
        name = "float64"

    kind = Float()
    with pytest.raises(NotImplementedError, match=r"dtype .* is not supported"):
        flow.compile(lambda x: np.zeros(2, dtype=kind) + x, target="python")(X[:2])


@numba.njit
def product(a, b):
    return a * b


def called(f, x):
    return f(*[x] * 2)


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_a_list_is_made_where_a_function_of_numba_is_an_argument(target):
    f = flow.value_and_grad(lambda x: called(product, x), target=target)
    assert f(3.0) == (called(product, 3.0), 6.0)
