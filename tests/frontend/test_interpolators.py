"""scipy.interpolate in compiled code: made inside from data, and captured.

Values at the ends, outside and at NaN are SciPy's; derivatives by the data and by the place agree
with differences, forward with reverse mode, to second order.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import interpolate as si

import srcgrad as flow
from srcgrad.errors import UnsupportedError
from tests.tools.memo import shared
from tests.tools.turns import in_one_of, share

X = np.array([0.0, 0.7, 1.1, 2.0, 3.2, 4.0])
Y = np.sin(X) + 0.3 * X
WITHIN = np.array([0.1, 0.75, 1.5, 2.9, 3.9])
BEYOND = np.array([-0.3, 1.5, 2.9, 4.4])
EDGES = np.array([-np.inf, -5.0, -0.0, 0.7, np.nextafter(0.7, 0), 1.1, 4.0, 9.0, np.inf, np.nan])
KINDS = ("linear", "nearest", "nearest-up", "previous", "next", "zero", "slinear", "cubic", 2)
pytestmark = pytest.mark.filterwarnings("ignore:invalid value")


def spline(x, y, z):
    return si.CubicSpline(x, y)(z)


def natural_spline(x, y, z):
    return si.CubicSpline(x, y, bc_type="natural")(z) + si.CubicSpline(x, y, 0, "clamped", False)(z)


def spline_with_slopes(x, y, z):
    return si.CubicSpline(x, y, bc_type=((1, 0.3), (2, y[0])))(z)


def periodic_spline(x, y, z):
    s = si.CubicSpline(x, np.concatenate((y[:-1], y[:1])), bc_type="periodic")
    return s(z) + s.integrate(-1.0, z[1])


def derivatives_of_spline(x, y, z):
    s = si.CubicSpline(x, y)
    return s(z, 1) * s.derivative(2)(z) + s.antiderivative()(z) + s(z, nu=4)


def integral_of_spline(x, y, z):
    return si.CubicSpline(x, y).integrate(z[0], z[1]) * z


def hermite(x, y, z):
    return si.CubicHermiteSpline(x, y, y**2)(z)


def pieces(x, y, z):
    return si.PPoly(np.stack([y[1:], y[:-1]]), x)(z) + si.pchip_interpolate(x, y, z, der=1)


def pchip(x, y, z):
    return si.PchipInterpolator(x, y)(z)


def akima(x, y, z):
    return si.Akima1DInterpolator(x, y)(z) + si.Akima1DInterpolator(x, y, method="makima")(z)


def b_spline(x, y, z):
    s = si.make_interp_spline(x, y)
    return s(z) * s.derivative()(z) + s.antiderivative()(z) + s(z, 2) + s(z, extrapolate=False)


def b_spline_of_degree_5(x, y, z):
    return si.make_interp_spline(x, y, k=5)(z)


def b_spline_with_slopes(x, y, z):
    s = si.make_interp_spline(x, y, bc_type=([(1, 0.3)], [(2, 0.1)]))
    return s(z) + s.integrate(z[0], z[1])


def basis_element(x, y, z):
    wide = np.concatenate((x[:1] - 2.0, x[:1] - 1.0, x, x[-1:] + 1.0))
    return si.BSpline.basis_element(x)(z) + si.BSpline(wide, y, 2)(z)


def fitpack(x, y, z):
    tck = si.splrep(x, y)
    inner = si.splev(z, tck, der=1, ext=1) + si.splev(z, si.splder(tck), ext=3)
    return inner + si.splev(z, tck) + si.splint(z[0], z[1], si.splantider(tck))


def fitted(x, y, z):
    s = si.UnivariateSpline(x, y, s=0, ext="const")
    return s(z) + s.derivative()(z) + si.InterpolatedUnivariateSpline(x, y, k=2).integral(0.1, z)[0]


def of_two_variables(x, y, z):
    s = si.RectBivariateSpline(x, x, np.outer(y, y**2))
    return s.ev(z, z[::-1]) + s(z[0], z[1])[0, 0] + s(z, z, dx=1, dy=1, grid=False)


def grid(x, y, z):
    made = si.RegularGridInterpolator((x, x), np.outer(y, y), bounds_error=False)
    return made((z, z[::-1]))


def splines_on_grid(x, y, z):
    made = si.RegularGridInterpolator((x,), y, method="slinear", bounds_error=False)
    return made(z) + si.interpn((x, -x), np.outer(y, y), np.stack([z, -z], 1), bounds_error=False)


MADE: list[Callable] = [
    spline, natural_spline, spline_with_slopes, periodic_spline, derivatives_of_spline, hermite,
    pieces, pchip, akima, b_spline, b_spline_of_degree_5, b_spline_with_slopes, basis_element,
    fitpack, of_two_variables, grid, splines_on_grid, integral_of_spline,
]  # fmt: skip


def differences(f: Callable, args: list, k: int) -> np.ndarray:
    """The gradient of a number by argument k."""
    found = np.zeros_like(args[k])
    for at in np.ndindex(found.shape):
        step = np.zeros_like(found)
        step[at] = 1e-5
        up, down = (f(*args[:k], args[k] + s * step, *args[k + 1 :]) for s in (1, -1))
        found[at] = (up - down) / 2e-5
    return found


@shared
def check(f: Callable, *args: Any, target: str = "python", further: bool = False) -> None:
    """The value and the gradient of an array's weighted sum; `further`: forward, second order."""
    shape = np.shape(f(*args))
    weights = np.cos(1.0 + np.arange(np.prod(shape))).reshape(shape)

    def loss(*args):
        return np.sum(weights * f(*args))

    compiled, places = flow.compile(loss, target=target), range(len(args))
    value, found = flow.value_and_grad(compiled, tuple(places))(*args)
    found = found if len(args) > 1 else (found,)
    assert value == pytest.approx(loss(*args), rel=1e-10, abs=1e-12)
    for k in places:
        expected = differences(loss, [*args], k)
        np.testing.assert_allclose(found[k], expected, rtol=1e-6, atol=1e-6)
    if further:
        ways = tuple(np.sin(2.0 + np.arange(np.size(a))).reshape(np.shape(a)) for a in args)
        _, moved = flow.jvp(compiled, args, ways)
        assert moved == pytest.approx(sum(np.sum(found[k] * ways[k]) for k in places))
        last = flow.compile(lambda z: loss(*args[:-1], z), target=target)
        slope, second = flow.grad(last), flow.hvp(last)(args[-1], ways[-1])
        up, down = (slope(args[-1] + s * 1e-6 * ways[-1]) for s in (1, -1))
        np.testing.assert_allclose(second, (up - down) / 2e-6, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("f", share(MADE))
def test_derivatives_by_data_and_place(f: Callable):
    check(f, X, Y, WITHIN, further=in_one_of(f.__name__, 3))


@pytest.mark.parametrize("f", [*share(MADE), *share(KINDS)])
def test_values_at_edges(f: Any):
    def steps(x, y, z):
        return si.interp1d(x, y, kind=f, bounds_error=False, fill_value=(-7.0, 7.0))(z)

    def continued(x, y, z):
        return si.interp1d(x, y, kind=f, fill_value="extrapolate")(z)

    for made in (f,) if callable(f) else (steps, continued):
        compiled = flow.compile(made, target="python")
        for kind in (np.float64, np.float32):
            args = (X.astype(kind), Y.astype(kind), EDGES.astype(kind))
            found, expected = compiled(*args), made(*args)
            assert found.dtype == expected.dtype
            rounding = 1e-10 if kind is np.float64 else 1e-4
            finite = np.isfinite(
                expected
            )  # the sign of an infinity is that of a rounded coefficient
            np.testing.assert_array_equal(np.isfinite(found), finite)
            np.testing.assert_allclose(found[finite], expected[finite], rounding, rounding)


@pytest.mark.parametrize("kind", share(KINDS))
def test_interp1d(kind):
    def f(x, y, z):
        return si.interp1d(x, y, kind=kind, axis=0)(z)

    def filled(x, y, z):
        return si.interp1d(x, y, kind=kind, bounds_error=False, fill_value=(y[0], 2.0))(z)

    check(f, X, np.stack([Y, Y**2], 1), WITHIN.reshape(5, 1))
    check(filled, X[::-1].copy(), Y, BEYOND)
    with pytest.raises(ValueError, match="below the interpolation range"):
        flow.compile(f, target="python")(X, Y, BEYOND)


@pytest.mark.parametrize("n", [2, 3, 4])
def test_few_points(n: int):
    def f(x, y, z):
        s = si.CubicSpline(x, y)(z) + si.CubicSpline(x, y, bc_type="natural")(z)
        return s + si.PchipInterpolator(x, y)(z) + si.Akima1DInterpolator(x, y, extrapolate=True)(z)

    check(f, X[:n], Y[:n], BEYOND)
    around = flow.compile(periodic_spline, target="python")
    np.testing.assert_allclose(around(X[:n], Y[:n], WITHIN), periodic_spline(X[:n], Y[:n], WITHIN))


def test_axes_and_scalars():
    table = np.stack([Y, Y**2, np.cos(Y)])

    def f(x, y, z):
        s, b = si.CubicSpline(x, y, axis=1), si.make_interp_spline(x, y, axis=1)
        return s(z) + si.PchipInterpolator(x, y, axis=-1)(z) + b(z) + s.derivative()(z)

    def at(x, y, z):
        return si.CubicSpline(x, y)(z) + si.interp1d(x, y)(z) + si.splev(z, si.splrep(x, y))

    check(f, X, table, WITHIN.reshape(5, 1))
    check(at, X, Y, 1.7)


# ---- made outside ----
SPLINE, MONOTONE = si.CubicSpline(X, Y), si.PchipInterpolator(X, np.stack([Y, Y**2]), axis=1)
B_SPLINE, SMOOTHED = si.make_interp_spline(X, np.stack([Y, Y**2], 1)), si.UnivariateSpline(X, Y)
LINES = [
    si.interp1d(X, Y, kind=k, bounds_error=False, fill_value=(1.0, 2.0))
    for k in ("linear", "nearest", "cubic")
]
ROWS = si.interp1d(X, np.stack([Y, Y**2]), bounds_error=False, fill_value=np.array([1.0, 2.0]))
SURFACE = si.RectBivariateSpline(X, X, np.outer(Y, Y))
GRIDS = {
    m: si.RegularGridInterpolator((X, -X), np.outer(Y, Y), m, bounds_error=False, fill_value=None)
    for m in ("linear", "nearest", "cubic")
}
TCK = si.splrep(X, Y)


class Model:
    def __init__(self):
        self.table = SPLINE

    def __call__(self, z):
        return self.table(z) * self.table.derivative()(z) + self.table(z, 2)


MODEL = Model()


def held(z):
    return MODEL(z) + SPLINE.integrate(0.3, z[0]) + np.sum(SPLINE.c[0])


def captured(z):
    return np.sum(MONOTONE(z), axis=0) + np.sum(B_SPLINE(z), axis=1) + SMOOTHED(z) * SMOOTHED(z, 1)


def captured_lines(z):
    return LINES[0](z) + LINES[1](z) + LINES[2](z) + np.sum(ROWS(z), axis=0)


def captured_grids(z):
    at = np.stack([z, -z[::-1]], axis=1)
    return GRIDS["linear"](at) + GRIDS["nearest"](at) + GRIDS["cubic"](at) + SURFACE.ev(z, z[::-1])


def captured_triple(z):
    return si.splev(z, TCK) + si.splint(0.0, z[0], TCK)


OUTSIDE = [held, captured, captured_lines, captured_grids, captured_triple]


@pytest.mark.parametrize("f", OUTSIDE)
def test_captured(f: Callable):
    check(f, WITHIN)
    found = flow.compile(f, target="python")(EDGES)
    np.testing.assert_allclose(found, f(EDGES), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("f", share([spline, akima, b_spline, captured_lines, captured_grids]))
def test_on_the_cpu(f: Callable):
    args = (WITHIN,) if f in OUTSIDE else (X, Y, WITHIN)
    check(f, *args, target="cpu")


def test_what_is_captured_is_read_at_each_call():
    table = si.CubicSpline(X, Y)

    def f(z):
        return table(z)

    compiled = flow.compile(f, target="python")
    assert compiled(1.3) == pytest.approx(f(1.3), rel=1e-12)
    table.c[3] += 1.0
    assert compiled(1.3) == pytest.approx(f(1.3), rel=1e-12)
    table.extrapolate = False
    assert np.isnan(compiled(5.0))
    table = si.PchipInterpolator(X, Y)
    assert compiled(1.3) == pytest.approx(f(1.3), rel=1e-12)


def test_an_argument():
    def f(table, z):
        return table(z) * 2.0

    compiled = flow.compile(f, target="python")
    for table in (SPLINE, si.PchipInterpolator(X, Y), LINES[0]):
        assert compiled(table, 1.3) == pytest.approx(f(table, 1.3), rel=1e-12)


def test_in_a_loop_and_batched():
    def f(z):
        s = 0.0
        for k in range(len(z)):
            s += SPLINE(z[k] + 0.1 * s)
        return s

    def each(z):
        return flow.vmap(lambda v: SPLINE(v) ** 2)(z)

    check(f, WITHIN)
    found = flow.grad(lambda z: np.sum(each(z)), target="python")(WITHIN)
    np.testing.assert_allclose(found, 2.0 * SPLINE(WITHIN) * SPLINE(WITHIN, 1), rtol=1e-10)


def test_splines_on_a_grid_are_exact():
    """SciPy solves for the coefficients by an iteration that stops at a tolerance."""

    def f(x, y, z):
        return si.RegularGridInterpolator((x, x), np.outer(y, y), method="cubic")((z, z[::-1]))

    line = si.make_interp_spline(X, Y)
    found = flow.compile(f, target="python")(X, Y, WITHIN)
    np.testing.assert_allclose(found, line(WITHIN) * line(WITHIN[::-1]), rtol=1e-12)
    np.testing.assert_allclose(found, f(X, Y, WITHIN), rtol=1e-3)


REFUSED = [
    (lambda x, y: si.CubicSpline(x, y).roots()[0], "roots of a piecewise polynomial"),
    (lambda x, y: si.UnivariateSpline(x, y)(1.0), "s=0 is supported"),
    (lambda x, y: si.splrep(x, y, s=1.0)[1][0], "s=0 is supported"),
    (lambda x, y: si.RegularGridInterpolator((x,), y, "pchip")(x)[0], "the method 'pchip'"),
    (lambda x, y: si.make_interp_spline(x, y, bc_type="periodic")(1.0), "periodic"),
    (lambda x, y: si.BarycentricInterpolator(x, y)(1.0), "BarycentricInterpolator"),
]
RAISED = [
    (lambda x, y: si.CubicSpline(x[::-1], y)(1.0), "strictly increasing"),
    (lambda x, y: si.CubicSpline(x, y * np.nan)(1.0), "finite"),
    (lambda x, y: si.CubicSpline(x[:-1], y)(1.0), "length of `y`"),
    (lambda x, y: si.make_interp_spline(x[:2], y[:2])(1.0), "derivatives at boundaries"),
    (lambda x, y: si.RegularGridInterpolator((x,), y)([9.0])[0], "out of bounds"),
    (lambda x, y: si.splev(9.0, si.splrep(x, y), ext=2), "not in the domain"),
    (lambda x, y: si.interp1d(x, y, fill_value=0.0)(9.0), "above the interpolation"),
    (lambda x, y: si.PPoly(y[None, 1:], x[::-1])(1.0), "decrease"),
]


@pytest.mark.parametrize(("f", "text"), REFUSED)
def test_refused(f: Callable, text: str):
    with pytest.raises(UnsupportedError, match=text):
        flow.compile(f, target="python")(X, Y)


@pytest.mark.parametrize(("f", "text"), RAISED)
def test_raised(f: Callable, text: str):
    with pytest.raises(ValueError, match=text):
        flow.compile(f, target="python")(X, Y)
