"""`flow.export`: a file that runs where srcgrad is not installed."""

import subprocess
import sys

import numpy as np
import pytest
from scipy import optimize

import srcgrad as flow

WITHOUT = """
import sys
sys.modules["srcgrad"] = sys.modules["numba"] = None  # an import of these fails
import numpy as np
import slope
print(repr(slope.{name}({args})))
"""


def relaxed(u, rate, steps):
    for _ in range(steps):
        u[1:-1] += rate * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u**2)


def test_it_runs_without_srcgrad(tmp_path):
    gradient = flow.value_and_grad(flow.compile(relaxed, target="python"), (0, 1))
    flow.export(gradient, tmp_path / "slope.py", np.linspace(0.0, 1.0, 6), 0.1, 3)
    program = WITHOUT.format(name="relaxed_grad", args="np.linspace(0.0, 1.0, 9) ** 2, 0.2, 5")
    run = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True,
        env={"PYTHONPATH": str(tmp_path)},
    )  # fmt: skip
    scope = {"np": np, "array": np.array}
    value, (by_u, by_rate) = eval(run.stdout, scope)
    want = gradient(np.linspace(0.0, 1.0, 9) ** 2, 0.2, 5)
    assert value == pytest.approx(want[0], rel=1e-13)
    np.testing.assert_allclose(by_u, want[1][0], rtol=1e-6)  # printed with eight digits
    assert by_rate == pytest.approx(want[1][1], rel=1e-13)


def loaded(fn, *args, **kwargs):
    text = exported_text(fn, *args, **kwargs)
    scope = {}
    exec(text, scope)
    return scope[text.rpartition("\ndef ")[2].partition("(")[0]]


def exported_text(fn, *args, **kwargs):
    from srcgrad.transforms.exported import exported

    return exported(flow.compile(fn, target="python"), args, kwargs)


def test_lengths_may_differ_also_equal_ones():
    def f(x, y):
        return np.sum(x * y)

    text = loaded(f, np.ones(3), np.ones(3))
    assert text(np.ones(4), np.full(4, 2.0)) == 8.0
    assert text(np.full(4, 2.0), np.ones(1)) == 8.0


def test_what_it_was_made_for_is_checked():
    def f(x, axis, power=2):
        return np.sum(np.sum(x, axis=axis) ** power)

    made = loaded(f, np.ones((2, 3)), 0)
    assert made(np.ones((4, 3)), 0) == 48.0
    with pytest.raises(ValueError, match="made for x of rank 2"):
        made(np.ones(3), 0)
    with pytest.raises(ValueError, match="made for axis = 0"):
        made(np.ones((2, 3)), 1)


def test_a_zero_adjoint_absorbs_an_infinite_partial():
    def f(x):
        return np.where(x > 0.0, np.log(np.where(x > 0.0, x, 1.0)), 0.0)[0] * np.sqrt(x[1] * 0.0)

    x = np.array([1.0, 0.0])
    gradient = flow.grad(flow.compile(f, target="python"))
    text = exported_text(gradient, x)
    scope = {}
    exec(text, scope)
    np.testing.assert_array_equal(scope["f_grad"](x), gradient(x))


def test_calls_back_are_refused():
    def f(x):
        return optimize.brentq(lambda v: v**3 - x, 0.0, 5.0) + outside(x)

    outside = flow.opaque(np.cbrt, lambda x: x, vjp=lambda x, y, g: g)
    with pytest.raises(flow.UnsupportedError, match="calls back to Python here"):
        exported_text(f, 2.0)


TABLE = np.linspace(0.0, 1.0, 1000)


def test_captured_arrays_are_written_out():
    def f(x):
        return np.sum(TABLE) * x

    assert loaded(f, 2.0)(3.0) == pytest.approx(3.0 * np.sum(TABLE), rel=1e-14)
