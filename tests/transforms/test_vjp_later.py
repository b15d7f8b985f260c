"""Arrays that the caller changes between a value and its gradient: right, or refused."""

import numpy as np
import pytest

import srcgrad as flow
from srcgrad.errors import ArgumentTypeError, AutogradError, SrcgradError
from tests.cases.registry import vec

SEED = flow.tensor(1.0, dtype=flow.float64)


@pytest.fixture(params=["python", "cpu"])
def target(request: pytest.FixtureRequest) -> str:
    return request.param


def cubed(x):
    return np.sum(x * x * x)


def returned(x):
    return x, np.sum(x * x)


def overwritten(x, y):
    x[1:] *= y[:-1]
    return np.sum(x * y)


def test_an_argument_changed(target: str):
    x = vec(3)
    want = 3.0 * x * x
    _, pull = flow.vjp(flow.compile(cubed, target=target), x)
    for _ in range(2):
        x += 1.0
        assert np.allclose(pull(1.0)[0], want, rtol=1e-14)


def test_a_result_that_is_an_argument_changed(target: str):
    x = vec(3)
    want = np.ones(3) + 2.0 * x
    (out, _), pull = flow.vjp(flow.compile(returned, target=target), x)
    out[:] = 7.0
    assert np.allclose(pull(np.ones(3), 1.0)[0], want, rtol=1e-14)


def test_a_captured_array_changed(target: str):
    table = vec(3)

    def f(x):
        return np.sum(table * x * x)

    x = vec(3, 1)
    _, pull = flow.vjp(flow.compile(f, target=target), x)
    before, want = table.copy(), 2.0 * table * x
    assert np.allclose(pull(1.0)[0], want, rtol=1e-14)
    table *= 2.0
    with pytest.raises(AutogradError, match=r"'table' has changed since vjp\(\) was called"):
        pull(1.0)
    table[:] = before
    assert np.allclose(pull(1.0)[0], want, rtol=1e-14)


def test_a_captured_number_changed(target: str):
    k = 2.0

    def f(x):
        return np.sum(k * x * x)

    _, pull = flow.vjp(flow.compile(f, target=target), vec(3))
    k = 3.0
    with pytest.raises(AutogradError, match="'k' has changed"):
        pull(1.0)


def test_nan_is_no_change():
    table = np.array([1.0, np.nan])

    def f(x):
        return np.sum(np.where(np.isnan(table), x, table * x))

    _, pull = flow.vjp(flow.compile(f, target="python"), vec(2))
    assert pull(1.0)[0].tolist() == [1.0, 1.0]


def test_with_weights_and_aux():
    x = flow.tensor([1.0, 2.0], dtype=flow.float64)
    w = flow.Parameter(flow.tensor([3.0, 4.0], dtype=flow.float64), name="w")

    def f(x):
        return (x * x * w).sum(), x

    _, pull, _ = flow.vjp(f, x, weights=[w], has_aux=True)
    x.mul_(100.0)
    by_x, by_w = pull(SEED)
    assert by_x[0].tolist() == [6.0, 16.0] and by_w[0].tolist() == [1.0, 4.0]
    with flow.no_grad():
        w.mul_(2.0)
    with pytest.raises(AutogradError, match="'w' has changed"):
        pull(SEED)


@pytest.mark.parametrize("kind", ["array", "tensor"])
def test_captured_by_a_function_of_tensors(kind: str):
    table = np.array([3.0, 4.0])
    held = table if kind == "array" else flow.tensor(table)

    def f(x):
        return (x * x * held).sum()

    x = flow.tensor([1.0, 2.0], dtype=flow.float64)
    _, pull = flow.vjp(flow.compile(f, target="python"), x)
    held *= 10.0
    assert pull(SEED)[0].tolist() == [6.0, 16.0]


def test_linearize():
    x = vec(3)
    want = np.sum(3.0 * x * x)
    _, derivative = flow.linearize(flow.compile(cubed, target="python"), x)
    x += 1.0
    assert np.isclose(derivative(np.ones(3)), want, rtol=1e-14)


def test_linearize_refuses_if_a_captured_value_has_changed():
    scale, table = 2.0, np.array([1.0, 2.0])

    def f(x):
        return scale * np.sum(x * table)

    _, derivative = flow.linearize(flow.compile(f, target="python"), np.ones(2))
    assert derivative(np.ones(2)) == 6.0
    table[0] = 5.0
    with pytest.raises(AutogradError, match=r"'table' has changed since linearize\(\)"):
        derivative(np.ones(2))
    table[0], scale = 1.0, 3.0
    with pytest.raises(AutogradError, match=r"'scale' has changed since linearize\(\)"):
        derivative(np.ones(2))


def test_linearize_on_arguments_that_are_stored_to():
    x, y = vec(4), vec(4, 1)
    fn = flow.compile(overwritten, target="python")
    want = flow.jvp(fn, (x, y), (np.ones(4), np.zeros(4)))
    out, derivative = flow.linearize(fn, (x, y))
    assert np.isclose(out, want[0], rtol=1e-14)
    assert np.isclose(derivative(np.ones(4), np.zeros(4)), want[1], rtol=1e-14)
    assert np.array_equal(x, vec(4))


def test_vjp_and_jvp_of_arguments_that_share_memory(target: str):
    """Copies made one by one would not share it, and their value would not be NumPy's."""
    fn, x = flow.compile(overwritten, target=target), vec(5)
    for args in ((x, x), (x[1:], x[:-1])):
        with pytest.raises(SrcgradError, match="share memory"):
            flow.vjp(fn, *args)
        with pytest.raises(SrcgradError, match="share memory"):
            flow.jvp(fn, args, (np.ones_like(args[0]), np.ones_like(args[1])))
    assert np.array_equal(x, vec(5))


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_adjoints_in_any_memory_order(target):
    x = np.arange(6.0).reshape(2, 3)
    for f in (lambda a: a * 2.0, lambda a: (a * 2.0).T.copy().T, lambda a: a.T * 2.0):
        out, pull = flow.vjp(flow.compile(f, target=target), x)
        g = np.arange(6.0).reshape(out.shape)
        want = pull(g)[0]
        for same in (np.asfortranarray(g), np.repeat(g, 2, axis=1)[:, ::2], g[::-1].copy()[::-1]):
            np.testing.assert_array_equal(pull(same)[0], want)


class Point:
    """A plain class, which is no structure."""

    def __init__(self, x, parts):
        self.x, self.parts = x, parts


class Slotted:
    __slots__ = ("x",)

    def __init__(self, x):
        self.x = x


def point(x):
    return np.sum(x), Point(x * x, 1)


def point_of_a_point(x):
    return Point(2, [Point(x, None)])


def slotted(x):
    return [Slotted(x * 2.0)]


@pytest.mark.parametrize("f", [point, point_of_a_point, slotted])
def test_an_output_whose_parts_take_no_adjoints(f, target: str):
    _, pull = flow.vjp(flow.compile(f, target=target), vec(3))
    with pytest.raises(ArgumentTypeError, match="return its numbers in a tuple"):
        pull(None)


def test_an_object_without_floats_beside_an_output(target: str):
    _, pull = flow.vjp(flow.compile(lambda x: (np.sum(x * x), "ab"), target=target), vec(3))
    assert np.allclose(pull((1.0, None))[0], 2.0 * vec(3), rtol=1e-14)
