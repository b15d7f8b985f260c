"""softmax and log_softmax: one row each, whole or lowered, along any axes, of any numbers."""

import numpy as np
import pytest
from scipy import special

import srcgrad as flow
from srcgrad.ir.nodes import Def
from srcgrad.ir.walk import walk
from srcgrad.passes import LOWERING, run
from srcgrad.primitives import elementwise

FUNCTIONS = pytest.mark.parametrize("f", [special.softmax, special.log_softmax])
TARGETS = pytest.mark.parametrize("target", ["python", "loops", "cpu"])
X = np.random.default_rng(3).normal(size=(3, 4, 2))
INF, NAN = np.inf, np.nan
SPECIAL = np.array(
    [
        [0.0, 1.0, 2.0],
        [INF, 1.0, 2.0],
        [-INF, 1.0, 2.0],
        [-INF, -INF, -INF],
        [NAN, 1.0, 2.0],
        [1000.0, 1001.0, -1000.0],
        [-1000.0, -1001.0, -1002.0],
    ]
)


@FUNCTIONS
@pytest.mark.parametrize("axis", [None, 0, -1, (0, 2), (1,), ()])
@TARGETS
def test_along_any_axes(f, axis, target):
    def weighted(x, w):
        return np.sum(f(x, axis) * w)

    def values(x):
        return f(x, axis)

    np.testing.assert_allclose(
        flow.compile(values, target=target)(X), f(X, axis), rtol=1e-14, atol=1e-15
    )
    w = np.arange(24.0).reshape(X.shape)
    got = flow.grad(flow.compile(weighted, target=target))(X, w)
    np.testing.assert_allclose(got, _gradient(f, axis, w), rtol=1e-12, atol=1e-14)


def _gradient(f, axis, w):
    """In closed form."""
    if axis == ():
        return np.zeros(X.shape)
    y = special.softmax(X, axis)
    if f is special.softmax:
        return y * (w - np.sum(y * w, axis=axis, keepdims=True))
    return w - y * np.sum(w, axis=axis, keepdims=True)


@FUNCTIONS
@TARGETS
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_special_values_are_scipys(f, target, dtype):
    def values(x):
        return f(x, axis=1)

    x = SPECIAL.astype(dtype)
    got, want = flow.compile(values, target=target)(x), f(x, axis=1)
    assert got.dtype == dtype
    np.testing.assert_allclose(got, want, rtol=4 * np.finfo(dtype).eps)
    tensor = getattr(flow, f.__name__)(flow.tensor(x), 1)
    np.testing.assert_allclose(tensor.numpy(), want, rtol=4 * np.finfo(dtype).eps)


@FUNCTIONS
@TARGETS
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_line_that_nobody_reads_has_the_gradient_zero(f, target):
    """To second order, in both modes and on tensors, whatever the line holds."""

    def one_line(x):
        return f(x, axis=1)[0, 1]

    def summed(x):
        return np.sum(flow.grad(flow.compile(one_line, target=target))(x) * W)

    compiled = flow.compile(one_line, target=target)
    want = np.zeros(SPECIAL.shape)
    want[:1] = flow.grad(compiled)(SPECIAL[:1])
    np.testing.assert_allclose(flow.grad(compiled)(SPECIAL), want, rtol=1e-14)
    second = np.zeros(SPECIAL.shape)
    second[0] = flow.jacfwd(flow.grad(lambda x: f(x)[1]))(SPECIAL[0]) @ W[0]
    np.testing.assert_allclose(flow.grad(summed)(SPECIAL), second, rtol=1e-12, atol=1e-15)

    t = flow.tensor(SPECIAL, requires_grad=True)
    y = getattr(flow, f.__name__)(t, 1)[0, 1]
    (g,) = flow.autograd.grad(y, t, create_graph=True)
    np.testing.assert_allclose(g.detach().numpy(), want, rtol=1e-14)
    (g,) = flow.autograd.grad((g * flow.tensor(W)).sum(), t)
    np.testing.assert_allclose(g.numpy(), second, rtol=1e-12, atol=1e-15)


W = np.random.default_rng(4).normal(size=SPECIAL.shape)


@FUNCTIONS
@TARGETS
def test_nothing_along_an_axis_raises_as_scipy_does(f, target):
    def values(x):
        return f(x, axis=1)

    compiled = flow.compile(values, target=target)
    assert compiled(np.zeros((0, 3))).shape == (0, 3)
    with pytest.raises(ValueError, match="zero-size array to reduction operation maximum"):
        values(np.zeros((3, 0)))
    with pytest.raises(ValueError, match="zero-size array to reduction operation maximum"):
        compiled(np.zeros((3, 0)))


@FUNCTIONS
@TARGETS
def test_numbers_and_integers(f, target):
    def values(x, n):
        return f(x) + f(n, axis=0)

    compiled, n = flow.compile(values, target=target), np.array([1, 2, 4])
    np.testing.assert_allclose(compiled(2.5, n), f(2.5) + f(n, axis=0), rtol=1e-14)

    def of_a_number(x):
        return f(x)

    assert flow.grad(flow.compile(of_a_number, target=target))(2.5) == 0.0


@FUNCTIONS
@TARGETS
def test_jacobians_run_all_seeds_at_once(f, target):
    def values(x):
        return f(x, axis=0)

    x = X[:, :, 0]
    y, eye = special.softmax(x, 0), np.eye(3)
    rows = eye[:, :, None] - y  # of log_softmax, by output and input along the axis
    rows = rows if f is special.log_softmax else y[:, None] * rows
    want = np.einsum("ikj,jl->ijkl", rows, np.eye(4))
    compiled = flow.compile(values, target=target)
    np.testing.assert_allclose(flow.jacrev(compiled)(x), want, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(flow.jacfwd(compiled)(x), want, rtol=1e-12, atol=1e-15)


@FUNCTIONS
def test_an_exponential_is_taken_once(f):
    """The reverse sweep reads those of the forward sweep."""

    def weighted(x, w):
        return np.sum(f(x, axis=1) * w)

    grad = flow.value_and_grad(flow.compile(weighted, target="loops"))
    grad(X, X)
    (entry,) = [e for found in grad._entries.values() for e in found]
    lowered = run(entry.program.function, LOWERING)
    assert [s.op for s in walk(lowered.body) if isinstance(s, Def)].count(elementwise.exp) == 1


@TARGETS
def test_log_softmax_in_a_loop_and_stored_to(target):
    def repeated(x):
        for _ in range(3):
            y = special.log_softmax(x, axis=1)
            y[0] = np.sin(y[0])
            x = y * x
        return np.sum(x)

    flow.testing.gradcheck(flow.compile(repeated, target=target), (X,))
