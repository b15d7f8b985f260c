"""Linear systems of scipy.signal: responses in time and frequency, forms and conversions."""

import linecache
from typing import Any

import numpy as np
import pytest
from scipy import signal

import srcgrad as flow
from srcgrad.errors import SrcgradError
from srcgrad.tree import leaves
from tests.tools.turns import share

pytestmark = pytest.mark.filterwarnings("ignore")
P = np.array([0.7, 1.3, 0.9])
T, W, U = np.linspace(0.0, 3.0, 7), np.array([0.3, 0.5, 1.7]), np.sin(np.arange(7.0))
SPACE = {"np": np, "signal": signal, "T": T, "W": W, "U": U}
TF = "([p[0]], [1.0, p[1], p[2]])"
WIDE = "([p[0], 0.3], [2.0, p[1], p[2]])"
SS = (
    "(np.array([[0.0, 1.0], [-p[0], -p[1]]]), np.array([[0.0], [1.0]]),"
    " np.array([[1.0, p[2]]]), np.array([[0.3]]))"
)
TWO = (
    "(np.array([[0.0, 1.0], [-p[0], -p[1]]]), np.array([[0.0, 1.0], [1.0, p[2]]]),"
    " np.array([[1.0, 0.5]]), np.array([[0.3, 0.0]]))"
)
ZPK = "([-p[0]], [-p[1], -p[2]], 2.0)"
SAMPLED = "([p[0]], [1.0, 0.3 * p[1], 0.1 * p[2]], 0.5)"
CALLS = [
    *(f"signal.freqresp({s}, W)[1]" for s in (TF, WIDE, SS, ZPK)),
    f"signal.freqresp({WIDE})[1]",
    *(f"signal.bode({s}, W)" for s in (TF, SS)),
    f"signal.bode({TF})",
    *(f"signal.step({s}, T=T)" for s in (TF, WIDE, SS, ZPK)),
    f"signal.step({TF}, N=20)",
    f"signal.step({SS}, X0=np.array([p[0], 1.0]), T=T)",
    *(f"signal.impulse({s}, T=T)" for s in (TF, SS, ZPK)),
    f"signal.impulse({TF}, T=T + 0.5)",
    *(f"signal.lsim({s}, U, T)" for s in (TF, SS)),
    f"signal.lsim({TWO}, np.stack([U, U * U], axis=1), T, interp=False)",
    f"signal.lsim({SS}, U, T, X0=[p[0], p[1]])",
    f"signal.lsim({SS}, None, T, X0=[p[0], p[1]])",
    f"signal.dlsim({SAMPLED}, U)",
    f"signal.dlsim((*{SS}, 0.4), U[:, None], x0=p[:2])",
    f"signal.dlsim({SAMPLED}, U, t=T)",
    f"signal.impulse({SS}, X0=p[:2, None], T=T)",
    f"signal.step({SS}, X0=p[0], T=T)",
    f"signal.lsim({SS}, 0.0, T, X0=[p[0], p[1]])",
    f"signal.freqresp({TWO}, W)[1]",
    f"signal.dfreqresp((*{TWO}, 0.4), W)[1]",
    *(f"signal.freqresp({s}, 4)" for s in (TF, SS, ZPK)),
    f"signal.dbode({SAMPLED}, 4)",
    f"signal.dfreqresp({SAMPLED}, [1, 2])[0]",
    "signal.normalize([0.0, 0.0, p[0]], [0.0, p[1], p[2]])",
    "signal.normalize([[0.0, p[0]], [p[1], p[2]]], [p[1], p[2]])",
    f"signal.dstep({SAMPLED}, n=9)",
    f"signal.dimpulse({SAMPLED}, n=9)",
    f"signal.dfreqresp({SAMPLED}, W)[1]",
    f"signal.dbode({SAMPLED}, W)",
    f"signal.lti(*{TF}).bode(W)",
    f"signal.lti(*{SS}).step(T=T)",
    f"signal.lti(*{TF}).output(U, T)",
    f"signal.TransferFunction(*{TF}).freqresp(W)[1]",
    f"signal.TransferFunction(*{TF}).impulse(T=T)",
    f"signal.StateSpace(*{SS}).to_tf().num",
    f"signal.StateSpace(*{SS}).to_tf().den",
    f"signal.StateSpace(*{SS}).A",
    f"signal.ZerosPolesGain(*{ZPK}).to_tf().num",
    f"signal.ZerosPolesGain(*{ZPK}).poles",
    f"signal.lti(*{WIDE}).poles.real",
    f"signal.dlti(*{TF}, dt=0.5).dt",
    f"signal.ss2tf(*{SS})",
    f"signal.ss2tf(*{TWO}, input=1)",
    f"signal.zpk2ss(*{ZPK})",
    "np.poly(np.array([[0.0, 1.0, p[0]], [-p[0], -p[1], 0.2], [p[2], 0.0, 1.0]]))",
]


def program(call: str) -> Any:
    source = f"def f(p):\n    return {call}\n"
    linecache.cache[call] = (len(source), None, source.splitlines(True), call)
    scope = dict(SPACE)
    exec(compile(source, call, "exec"), scope)
    return scope["f"]


def compare(call: str, target: str) -> None:
    f = program(call)
    got = flow.compile(f, target=target)(P)
    for g, w in zip(leaves(got), leaves(f(P)), strict=True):
        np.testing.assert_allclose(g, w, rtol=1e-9, atol=1e-11)
        assert np.shape(g) == np.shape(w)


@pytest.mark.parametrize("call", CALLS)
def test_values(call: str):
    compare(call, "python")


@pytest.mark.parametrize("call", share(CALLS)[::6])
def test_values_on_the_cpu(call: str):
    compare(call, "cpu")


@pytest.mark.parametrize("call", share([c for c in CALLS if not c.endswith(".dt")]))
def test_derivatives(call: str):
    of_two = program(f"[v for v in {call}]") if call.endswith(")") else program(f"[{call}]")

    def f(p):
        total = 0.0
        for v in of_two(p):
            for each in v if isinstance(v, tuple) else (v,):
                total = total + np.sum(np.abs(each) ** 2)
        return total

    flow.testing.gradcheck(f, (P,), target="python")


def test_poles_that_coincide():
    """The response is smooth there, though the poles are not."""

    def f(p):
        return np.sum(np.abs(signal.freqresp(([1.0], [1.0, 2.0 * p, p * p]), W)[1]) ** 2)

    flow.testing.gradcheck(f, (1.0,), target="python", order=2)


def test_inputs_before_the_first_time_lie_on_its_line():
    def f(u, t):
        return signal.dlsim(([1.0], [1.0, 0.4], 0.5), u, t)[1]

    given, t = np.array([1.0, 3.0, 2.0]), np.array([1.0, 2.0, 3.0])
    # SciPy refuses such times in versions that interpolate by interp1d
    want = f(np.array([-1.0, *given]), np.array([0.0, *t]))
    np.testing.assert_allclose(flow.compile(f, target="python")(given, t), want)
    between = np.array([0.5, 1.5, 3.2])
    flow.testing.gradcheck(lambda u: f(u, between), (given,), target="python")


def test_coefficients_in_front_that_are_zero():
    """The response in frequency depends on them; what is made of the others does not tell."""

    def size(top, below):
        return np.sum(np.abs(signal.freqresp((top, below), W)[1]) ** 2)

    def last(top, below):
        return signal.step((top, below), T=T)[1][-1]

    top, below = np.array([0.0, 1.0, 0.5]), np.array([0.0, 2.0, 3.0, 1.0])
    for given in (top, np.array([0.3, 0.0]), np.zeros(2)):
        flow.testing.gradcheck(size, (given, below), target="python")
    by_top, by_below = flow.grad(flow.compile(last, target="python"), (0, 1))(top, below)
    assert np.isnan(by_top[0]) and np.isnan(by_below[0])
    rest = flow.grad(flow.compile(last, target="python"), (0, 1))(top[1:], below[1:])
    np.testing.assert_allclose(by_top[1:], rest[0])
    np.testing.assert_allclose(by_below[1:], rest[1])


def test_numerators_that_are_zero_up_to_rounding_change_no_value():
    def f(p):
        return signal.normalize([1e-15 * p[0], p[1]], [p[0], p[2]])[0]

    np.testing.assert_array_equal(flow.compile(f, target="python")(P), f(P))


def test_inputs_that_are_zero_have_a_derivative():
    def f(u):
        return signal.lsim(([1.0], [1.0, 0.4]), u, T)[1][-1]

    flow.testing.gradcheck(f, (np.zeros(7),), target="python")


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (f"signal.lsim({TF}, U, T[::-1] - 5.0)[1]", ValueError, "nonnegative"),
        (f"signal.lsim({TF}, U, T * T)[1]", ValueError, "equally spaced"),
        (f"signal.lsim({TF}, U[:3], T)[1]", ValueError, "number of rows"),
        (f"signal.lsim({TF}, U * 1j, T)[1]", SrcgradError, "complex value cannot be stored"),
        (f"signal.dstep(signal.lti(*{TF}))[1]", AttributeError, "discrete-time"),
        (f"signal.step(signal.dlti(*{TF}))[1]", AttributeError, "continuous-time"),
        (f"signal.StateSpace(*{SS}).num", AttributeError, "convert it"),
        (f"signal.lti(*{TF})", SrcgradError, "return its numbers"),
        (f"signal.dfreqresp({SAMPLED}, whole=True)[1]", SrcgradError, "pass w"),
        ("signal.lti([[1.0, p[0]], [p[1], 2.0]], [1.0, p[2]]).zeros", ValueError, "rank-1"),
        (f"signal.impulse({SS}, X0=p[:2], T=T)", ValueError, "broadcast"),
    ],
)
def test_errors(call: str, error: Any, said: str):
    with pytest.raises(error, match=said):
        flow.compile(program(call), target="python")(P)
