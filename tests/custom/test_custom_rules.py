"""Derivatives of the user's own: that the rule is what counts, and what surrounds it."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose

import srcgrad as flow

X = np.array([0.5, 2.0, -1.5])
TARGETS = pytest.mark.parametrize("target", ["python", "cpu"])


def doubling(f):
    """The function with twice its derivative, so that its rule is seen to be used."""
    ruled = flow.custom_vjp(f)
    ruled.defvjp(lambda x: (f(x), x), lambda x, g: (2.0 * g * flow.grad(f)(x),))
    return ruled


@flow.custom_vjp
def sine(x):
    return np.sin(x)


def sine_fwd(x):
    return sine(x), x


def sine_bwd(x, g):
    return (2.0 * g * np.cos(x),)


sine.defvjp(sine_fwd, sine_bwd)


@flow.custom_jvp
def cube(x):
    return x**3


@cube.defjvp
def cube_jvp(primals, tangents):
    return cube(primals[0]), 6.0 * primals[0] ** 2 * tangents[0]


@TARGETS
def test_the_rule_is_what_counts(target):
    f = flow.compile(lambda x: np.sum(sine(x)), target=target)
    g = flow.compile(lambda x: np.sum(cube(x)), target=target)
    assert_allclose(flow.grad(f)(X), 2.0 * np.cos(X))
    assert_allclose(flow.grad(g)(X), 6.0 * X**2)
    ones = np.ones(3)
    assert_allclose(flow.jvp(f, (X,), (ones,))[1], np.sum(2.0 * np.cos(X)))
    assert_allclose(flow.jvp(g, (X,), (ones,))[1], np.sum(6.0 * X**2))
    assert_allclose(f(X), np.sum(np.sin(X)))


def test_second_order_differentiates_the_rule():
    f = flow.grad(lambda x: sine(x))
    assert_allclose(flow.grad(f)(0.7), -2.0 * np.sin(0.7))
    assert_allclose(flow.jvp(f, (0.7,), (1.0,))[1], -2.0 * np.sin(0.7))
    g = flow.grad(lambda x: cube(x))
    assert_allclose(flow.grad(g)(0.7), 12.0 * 0.7)
    assert_allclose(flow.jvp(g, (0.7,), (1.0,))[1], 12.0 * 0.7)


def test_a_value_keeps_its_rule_at_every_order():
    """d(sine**2) = 2 sine * 2 cos, and its derivative counts each factor's own."""
    f = flow.grad(lambda x: sine(x) ** 2)
    s, c = np.sin(0.7), np.cos(0.7)
    assert_allclose(f(0.7), 4.0 * s * c)
    assert_allclose(flow.grad(f)(0.7), 8.0 * c * c - 4.0 * s * s)
    assert_allclose(flow.jvp(f, (0.7,), (1.0,))[1], 8.0 * c * c - 4.0 * s * s)


@flow.custom_vjp
def exponential(x):
    return np.exp(x)


def kept_value(x):
    y = exponential(x)
    return y, y


exponential.defvjp(kept_value, lambda y, g: (3.0 * g * y,))


def test_a_kept_value_has_the_rule_too():
    f = flow.grad(lambda x: exponential(x))
    assert_allclose(f(0.7), 3.0 * np.exp(0.7))
    assert_allclose(flow.grad(f)(0.7), 9.0 * np.exp(0.7))


@flow.custom_vjp
def exponential_of_more(x):
    return np.exp(x)


def kept_more(x):
    y = exponential_of_more(x)
    return y, 2.0 * y


exponential_of_more.defvjp(kept_more, lambda kept, g: (g * kept / 2.0,))


def test_a_function_of_a_number_that_is_called_in_its_own_rule():
    """The call inside has another argument, a run-time one, which is not compared with 1.0."""

    @flow.custom_vjp
    def half(x):
        return 0.5 * x

    half.defvjp(lambda x: (half(x), None), lambda residuals, g: (half(g),))
    f = flow.compile(lambda x: half(1.0) * x + half(x), target="python")
    assert flow.grad(f)(2.0) == 1.0
    assert (
        flow.grad(flow.compile(lambda x: half(x) * half(0.0) + half(-0.0) * x, target="python"))(
            2.0
        )
        == 0.0
    )


def test_what_is_made_of_a_value_inside_its_rule_is_refused_at_second_order():
    f = flow.grad(lambda x: exponential_of_more(x))
    assert_allclose(f(0.7), np.exp(0.7))
    with pytest.raises(flow.UnsupportedError, match="inside of its own rule"):
        flow.grad(f)(0.7)


def test_rules_need_not_be_linear_in_reverse_mode():
    """Two results: the rule sees both adjoints at once."""

    def both(x):
        return x * 2.0, x * 3.0

    f = flow.custom_vjp(both)
    f.defvjp(lambda x: (both(x), None), lambda kept, g: (np.clip(g[0] + g[1], -1.0, 1.0),))

    def loss(x):
        a, b = f(x)
        return 0.4 * a + 0.3 * b + f(x)[0]

    assert_allclose(flow.grad(loss)(1.0), 0.7 + 1.0)
    with pytest.raises(flow.UnsupportedError, match="not linear in the adjoints"):
        flow.jvp(loss, (1.0,), (1.0,))


def filled(x, t):
    out = np.ones(len(t))
    out[0] = t[0]
    return out


def counted(x, t):
    out = t
    for _ in range(3):
        out = out * x + 1.0
    return out


def on_one_side(x, t):
    if x[0] > 0.0:
        return t
    return np.ones(len(t))


AFFINE_OR_STEPS = {
    "a constant": lambda x, t: t + 1.0,
    "the value": lambda x, t: t + x,
    "without any": lambda x, t: np.cos(x),
    "selected": lambda x, t: np.where(x > 0.0, t, 1.0),
    "joined": lambda x, t: np.concatenate([t[:2], np.ones(len(t) - 2)]),
    "padded": lambda x, t: np.pad(t[1:], (1, 0), constant_values=2.0),
    "stored": filled,
    "in a loop": counted,
    "on one side": on_one_side,
    "rounded": lambda x, t: np.round(t),
    "as integers": lambda x, t: t.astype(int).astype(float),
    "stopped": lambda x, t: x * flow.stop_gradient(t),
}


@pytest.mark.parametrize("what", AFFINE_OR_STEPS)
def test_rules_with_constant_terms_or_steps_are_not_transposed(what):
    """The transpose does not show them: it would be that of another function."""
    rule = AFFINE_OR_STEPS[what]
    forward = flow.custom_jvp(lambda x: np.sin(x))
    forward.defjvp(lambda x, t: (np.sin(x[0]), rule(x[0], t[0])))
    backward = flow.custom_vjp(lambda x: np.sin(x))
    backward.defvjp(lambda x: (np.sin(x), x), lambda x, g: (rule(x, g),))
    t = np.array([0.7, 1.6, -2.2])
    assert_allclose(flow.jvp(forward, (X,), (t,))[1], rule(X, t))
    assert_allclose(flow.vjp(backward, X)[1](t)[0], rule(X, t))
    with pytest.raises(flow.UnsupportedError, match="not linear in the tangents"):
        flow.vjp(forward, X)[1](t)
    with pytest.raises(flow.UnsupportedError, match="not linear in the adjoints"):
        flow.jvp(backward, (X,), (t,))


def scattered(x, t):
    out = np.empty_like(t)
    for k in range(len(t)):
        if x[k] > 0.0:
            out[k] = 2.0 * t[k]
        else:
            out[k] = -t[k] * x[k]
    out[0] = 0.0
    return out


MATRIX = np.array([[4.0, 1.0, 0.0], [1.0, 5.0, 1.0], [0.0, 1.0, 6.0]])
LINEAR = {
    "scattered": scattered,
    "zeros": lambda x, t: np.zeros_like(t),
    "masked": lambda x, t: np.where(x > 0.0, t, 0.0) + t * (x < 0.5),
    "projected": lambda x, t: t - x * np.dot(x, t) / np.dot(x, x),
    "solved": lambda x, t: np.linalg.solve(MATRIX + np.outer(x, x), t),
    "convolved": lambda x, t: np.convolve(t, x)[: len(t)],
    "transformed": lambda x, t: np.fft.irfft(np.fft.rfft(t) * 2.0, len(t)),
    "differentiated": lambda x, t: flow.jvp(lambda z: np.sin(z) * z, (x,), (t,))[1],
    "by a rule": lambda x, t: sine(x) * t,
}


@pytest.mark.parametrize("what", LINEAR)
def test_linear_rules_are_transposed(what):
    rule = LINEAR[what]
    forward = flow.custom_jvp(lambda x: np.sin(x))
    forward.defjvp(lambda x, t: (np.sin(x[0]), rule(x[0], t[0])))
    rows = np.array([rule(X, row) for row in np.eye(len(X))])
    assert_allclose(flow.jacrev(forward)(X), rows.T, atol=1e-12)
    assert_allclose(flow.jacfwd(forward)(X), rows.T, atol=1e-12)


def test_straight_through():
    rounded = flow.custom_vjp(np.round)
    rounded.defvjp(lambda x: (np.round(x), None), lambda kept, g: (g,))
    assert_allclose(flow.grad(lambda x: np.sum(rounded(x) ** 2))(X), 2.0 * np.round(X))


def test_plain_calls_run_the_function():
    calls = []

    @flow.custom_vjp
    def f(x):
        calls.append(x)
        return x * 2.0

    assert f(3.0) == 6.0 and calls == [3.0]
    assert f.__name__ == "f" and "custom_vjp" in repr(f)


def test_a_rule_with_mistakes_does_no_harm_without_a_derivative():
    f = flow.custom_vjp(lambda x: x)
    f.defvjp(lambda x: (x, None), lambda kept, g: (g, g))
    assert flow.compile(lambda x: 2.0 * f(x), target="python")(3.0) == 6.0
    assert flow.grad(lambda x: f(x) * 0.0 + x, 0) is not None
    with pytest.raises(TypeError, match="2 values, not one adjoint for each of 1"):
        flow.grad(lambda x: f(x))(3.0)


def test_transforms_take_the_function_itself():
    assert_allclose(flow.grad(sine)(0.7), 2.0 * np.cos(0.7))
    assert_allclose(flow.jacrev(cube)(flow.tensor(X)).numpy(), np.diag(6.0 * X**2))
    assert_allclose(flow.jacfwd(cube)(flow.tensor(X)).numpy(), np.diag(6.0 * X**2))
    value, pull = flow.vjp(sine, X)
    assert_allclose(value, np.sin(X))
    assert_allclose(pull(X)[0], 2.0 * np.cos(X) * X)


def total(x):
    return np.sum(sine(x))


def test_compiled_functions_pickle_with_it():
    f = pickle.loads(pickle.dumps(flow.grad(total)))
    assert_allclose(f(X), 2.0 * np.cos(X))


def test_prints_of_rules(capsys):
    f = flow.custom_vjp(lambda x: x * x)

    def forward(x):
        print("forward", x)
        return x * x, x

    def backward(x, g):
        print("backward", g)
        return (2.0 * x * g,)

    f.defvjp(forward, backward)
    h = flow.compile(lambda x: 3.0 * f(x), target="python")
    assert h(2.0) == 12.0
    assert capsys.readouterr().out == "forward 2.0\n"
    assert flow.grad(h)(2.0) == 12.0
    assert capsys.readouterr().out == "forward 2.0\nbackward 3.0\n"


def test_tensors_have_the_rule_in_compiled_code():
    x = flow.tensor(X, requires_grad=True)
    flow.compile(lambda x: np.sum(sine(x)), target="python")(x).backward()
    assert_allclose(x.grad.numpy(), 2.0 * np.cos(X))


def tensor_rules():
    ruled = flow.custom_vjp(lambda x, p: flow.sin(x) * p["a"])

    def forward(x, p):
        return ruled(x, p), (x, p)

    def backward(kept, g):
        x, p = kept
        return 2.0 * g * flow.cos(x) * p["a"], {"a": (g * flow.sin(x)).sum()}

    ruled.defvjp(forward, backward)
    stated = flow.custom_jvp(lambda x, p: x**3 * p["a"])

    @stated.defjvp
    def rule(primals, tangents):
        (x, p), (dx, dp) = primals, tangents
        return stated(x, p), 6.0 * x**2 * p["a"] * dx + x**3 * dp["a"]

    return ruled, stated


@pytest.mark.parametrize("which", [0, 1])
def test_tensors_have_the_rule(which):
    f = tensor_rules()[which]
    x, a = (flow.tensor(v, dtype=flow.float64, requires_grad=True) for v in (X, 2.0))
    dx, da = flow.autograd.grad(f(x, {"a": a}).sum(), (x, a), create_graph=True)
    x_, plain = X, (np.sin(X), X**3)[which]
    first = (4.0 * np.cos(x_), 12.0 * x_**2)[which]
    second = (-4.0 * np.sin(x_), 24.0 * x_)[which]
    assert_allclose(dx.detach().numpy(), first)
    assert_allclose(da.detach().numpy(), np.sum(plain))
    assert_allclose(flow.autograd.grad(dx.sum(), x)[0].numpy(), second)


def test_a_captured_tensor_is_refused_on_tensors():
    w = flow.tensor(2.0, requires_grad=True)
    f = flow.custom_vjp(lambda x: x * w)
    f.defvjp(lambda x: (x * w, None), lambda kept, g: (g * w,))
    with pytest.raises(RuntimeError, match="depends on a tensor that requires grad"):
        f(flow.tensor(X, requires_grad=True))
    with flow.no_grad():
        assert_allclose(f(flow.tensor(X)).numpy(), 2.0 * X, rtol=1e-6)


def test_a_rule_stated_anew_is_followed_anew():
    f = flow.custom_vjp(lambda x: x)
    f.defvjp(lambda x: (x, None), lambda kept, g: (2.0 * g,))
    g = flow.grad(lambda x: f(x))
    assert g(1.0) == 2.0
    f.defvjp(lambda x: (x, None), lambda kept, g: (3.0 * g,))
    assert g(1.0) == 3.0


SHARED = flow.Parameter(np.array([1.0, 2.0, 3.0]))


@flow.custom_vjp
def reads_it_twice(w):
    return w * SHARED


reads_it_twice.defvjp(lambda w: (w * SHARED, None), lambda kept, g: (g * SHARED,))


def of_the_argument_only(x):
    return (reads_it_twice(SHARED) * x).sum()


def test_what_is_passed_and_captured_is_not_counted_once():
    with pytest.raises(flow.SrcgradError, match="depends on"):
        flow.grad(of_the_argument_only, None, SHARED)(X)


def test_nondiff_argument_out_of_range():
    f = flow.custom_vjp(lambda x: x, nondiff_argnums=(3,))
    f.defvjp(lambda x: (x, None), lambda *a: (a[-1],))
    with pytest.raises(ValueError, match=r"nondiff_argnums=\(3,\)"):
        flow.grad(lambda x: f(x))(1.0)
