"""The splines of FITPACK in scipy.interpolate: those that interpolate, and what a spline gives.

A spline is a triple of knots, coefficients and degree; FITPACK's coefficients are as many as the
knots, the last ones zero.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import interpolate

from srcgrad.frontend.formulas.bsplines import (
    Spline,
    derived,
    evaluated,
    integrated,
    interpolating,
    make_interp_spline,
    not_a_knot,
)
from srcgrad.frontend.formulas.interpolators import tensor_value
from srcgrad.frontend.formulas.registry import is_static, known, stands_for, unsupported

MODES = {"extrapolate": 0, "zeros": 1, "raise": 2, "const": 3}
SMOOTHED = "splines that do not interpolate are made by an iteration: s=0 is supported"
MADE = "make it outside, from data that are not differentiated"


def mode_of(ext: Any) -> int:
    ext = known(ext)
    ext = MODES[ext] if isinstance(ext, str) and ext in MODES else ext
    if ext not in (0, 1, 2, 3):
        raise ValueError(f"Unknown extrapolation mode {ext}.")
    return ext


def parts_of(tck: Any) -> tuple[Any, Any, int]:
    """Knots, coefficients and degree."""
    t, c, k = tck.tck if isinstance(tck, Spline) else tck
    if isinstance(c, list | tuple):
        return unsupported("a spline of several components", "take one component after the other")
    return np.asarray(t, dtype=np.float64), np.asarray(c, dtype=np.float64), known(k)


def padded(t: Any, c: Any) -> Any:
    """Coefficients with zeros at their end, as many as there are knots."""
    return np.concatenate((c, np.zeros((len(t) - len(c), *c.shape[1:]))))


def on_line(t: Any, c: Any, k: int, x: Any, nu: int, ext: int) -> Any:
    """A spline or a derivative at points; `ext` says what it is outside of the inner knots."""
    if not 0 <= nu <= k:
        raise ValueError(f"0<=der={nu}<=k={k} must hold")
    x = np.asarray(x, dtype=np.float64)
    first, last = t[k], t[len(t) - k - 1]
    if ext == 2 and np.any((x < first) | (x > last)):
        raise ValueError("Found x value not in the domain")
    if ext == 3 and nu == 0:  # FITPACK continues derivatives
        x = np.clip(x, first, last)
    value = evaluated(t, c, k, x, nu, True)
    return np.where((x < first) | (x > last), 0.0, value) if ext == 1 else value


@stands_for(interpolate.splev)
def splev(x: Any, tck: Any, der: Any = 0, ext: Any = 0) -> Any:
    """A spline or a derivative of it at points.

    >>> float(splev(0.5, (np.array([0.0, 0.0, 1.0, 1.0]), np.array([2.0, 4.0]), 1)))
    3.0
    """
    return on_line(*parts_of(tck), x, known(der), mode_of(ext))


@stands_for(interpolate.splint)
def splint(a: Any, b: Any, tck: Any, full_output: Any = 0) -> Any:
    """The integral between two points of a spline, which is zero outside of its knots.

    >>> float(splint(0.0, 1.0, (np.array([0.0, 0.0, 1.0, 1.0]), np.array([2.0, 4.0]), 1)))
    3.0
    """
    if known(full_output):
        return unsupported("splint with full_output")
    return Spline(*parts_of(tck), False, 0).integrate(a, b)


@stands_for(interpolate.splder)
def splder(tck: Any, n: Any = 1) -> tuple:
    """A derivative of a spline, as one.

    >>> splder((np.array([0.0, 0.0, 1.0, 1.0]), np.array([2.0, 4.0]), 1))[1].tolist()
    [2.0, 0.0]
    """
    n = known(n)
    t, c, k = derived(*parts_of(tck), n) if n >= 0 else integrated(*parts_of(tck), -n)
    return t, padded(t, c), k


@stands_for(interpolate.splantider)
def splantider(tck: Any, n: Any = 1) -> tuple:
    """An integral of a spline, as one.

    >>> splantider((np.array([0.0, 1.0]), np.array([2.0, 0.0]), 0))[2]
    1
    """
    return splder(tck, -known(n))


@stands_for(interpolate.splrep)
def splrep(
    x: Any, y: Any, w: Any = None, xb: Any = None, xe: Any = None, k: Any = 3, task: Any = 0,
    s: Any = None, t: Any = None, full_output: Any = 0, per: Any = 0, quiet: Any = 1,
) -> Any:  # fmt: skip
    """The interpolating spline.

    >>> x = np.arange(4.0)
    >>> splrep(x, x)[1].round(12).tolist()
    [0.0, 1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 0.0]
    """
    s = known(s)
    if (s is None and w is not None) or (s is not None and s != 0) or task != 0 or t is not None:
        return unsupported(SMOOTHED, MADE)
    if xb is not None or xe is not None or per or full_output:
        return unsupported("splrep with other ends, periods or full_output", MADE)
    made = make_interp_spline(x, y, k)
    return made.t, padded(made.t, made.c), made.k


# ---- objects ----
class FittedSpline:
    """A spline with what it is outside of its knots."""

    def __init__(self, tck: tuple, ext: int):
        self.tck = tck
        self.ext = ext

    def __call__(self, x: Any, nu: Any = 0, ext: Any = None) -> Any:
        return on_line(*parts_of(self.tck), x, known(nu), mode_of(self.ext if ext is None else ext))

    def get_knots(self) -> Any:
        t, _, k = parts_of(self.tck)
        return t[k : len(t) - k]

    def get_coeffs(self) -> Any:
        t, c, k = parts_of(self.tck)
        return c[: len(t) - k - 1]

    def integral(self, a: Any, b: Any) -> Any:
        return splint(a, b, self.tck)

    def derivatives(self, x: Any) -> Any:
        t, c, k = parts_of(self.tck)
        return np.stack([evaluated(t, c, k, np.asarray(x), nu, True) for nu in range(k + 1)])

    def derivative(self, n: Any = 1) -> FittedSpline:
        ext = mode_of(self.ext)
        return FittedSpline(splder(self.tck, n), 1 if ext == 3 else ext)

    def antiderivative(self, n: Any = 1) -> FittedSpline:
        return FittedSpline(splantider(self.tck, n), self.ext)

    def roots(self) -> Any:
        return unsupported("the roots of a spline are not supported", ROOTS)


ROOTS = "find one with flow.implicit_root or scipy.optimize.brentq"


@stands_for(interpolate.InterpolatedUnivariateSpline)
class InterpolatedUnivariateSpline(FittedSpline):
    """The interpolating spline.

    >>> x = np.arange(4.0)
    >>> round(float(InterpolatedUnivariateSpline(x, x**3)(1.5)), 12)
    3.375
    """

    def __init__(
        self, x: Any, y: Any, w: Any = None, bbox: Any = (None, None), k: Any = 3, ext: Any = 0,
        check_finite: Any = False,
    ):  # fmt: skip
        if bbox[0] is not None or bbox[1] is not None:
            unsupported("a spline with a bbox", MADE)
        if not 1 <= known(k) <= 5:
            raise ValueError("k should be 1 <= k <= 5")
        made = make_interp_spline(x, y, k)
        super().__init__((made.t, made.c, made.k), mode_of(ext))


@stands_for(interpolate.UnivariateSpline)
class UnivariateSpline(InterpolatedUnivariateSpline):
    """The spline that interpolates where `s` is 0.

    >>> x = np.arange(4.0)
    >>> round(float(UnivariateSpline(x, x**3, s=0)(1.5)), 12)
    3.375
    """

    def __init__(
        self, x: Any, y: Any, w: Any = None, bbox: Any = (None, None), k: Any = 3, s: Any = None,
        ext: Any = 0, check_finite: Any = False,
    ):  # fmt: skip
        if known(s) is None or s != 0:
            unsupported(SMOOTHED, MADE)
        super().__init__(x, y, None, bbox, k, ext)


class BivariateSpline:
    """A spline of two variables, which outside of its knots is what it is at their ends."""

    def __init__(self, tck: tuple, degrees: tuple):
        self.tck = tck
        self.degrees = degrees

    def __call__(self, x: Any, y: Any, dx: Any = 0, dy: Any = 0, grid: Any = True) -> Any:
        x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
        if not known(grid):
            return self.ev(x, y, dx, dy)
        x, y = np.ravel(x), np.ravel(y)
        if not (np.all(np.diff(x) >= 0.0) and np.all(np.diff(y) >= 0.0)):
            raise ValueError("x and y must be increasing when `grid` is True")
        return self.ev(x[:, None], y[None, :], dx, dy)

    def ev(self, xi: Any, yi: Any, dx: Any = 0, dy: Any = 0) -> Any:
        knots = self.tck[:2]
        degrees = [known(k) for k in self.degrees]
        sizes = [len(t) - k - 1 for t, k in zip(knots, degrees, strict=True)]
        c = np.reshape(self.tck[2], (sizes[0], sizes[1]))
        at = np.broadcast_arrays(np.asarray(xi, dtype=np.float64), np.asarray(yi, dtype=np.float64))
        inside = [
            np.clip(v, t[k], t[n]) for v, t, k, n in zip(at, knots, degrees, sizes, strict=True)
        ]
        return tensor_value([*knots], c, degrees, inside, [known(dx), known(dy)])

    def get_knots(self) -> tuple:
        return self.tck[:2]

    def get_coeffs(self) -> Any:
        return self.tck[2]


@stands_for(interpolate.RectBivariateSpline)
class RectBivariateSpline(BivariateSpline):
    """The interpolating spline of values on a grid.

    >>> x = np.arange(4.0)
    >>> round(float(RectBivariateSpline(x, x, np.outer(x, x)).ev(1.5, 2.5)), 12)
    3.75
    """

    def __init__(
        self, x: Any, y: Any, z: Any, bbox: Any = (None, None, None, None), kx: Any = 3,
        ky: Any = 3, s: Any = 0, maxit: Any = 20,
    ):  # fmt: skip
        if known(s) != 0:
            unsupported(SMOOTHED, MADE)
        if any(b is not None for b in bbox):
            unsupported("a spline with a bbox", MADE)
        x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
        c, kx, ky = np.asarray(z, dtype=np.float64), known(kx), known(ky)
        if not (np.all(np.diff(x) > 0.0) and np.all(np.diff(y) > 0.0)):
            raise ValueError("x and y must be strictly increasing")
        if len(x) != c.shape[0] or len(y) != c.shape[1]:
            raise ValueError("the dimensions of z must have as many elements as x and y")
        tx, ty = not_a_knot(x, kx), not_a_knot(y, ky)
        c = interpolating(x, c, tx, kx, [], [])
        c = interpolating(y, c.T, ty, ky, [], []).T
        super().__init__((tx, ty, np.ravel(c)), (kx, ky))


@stands_for(interpolate.bisplev)
def bisplev(x: Any, y: Any, tck: Any, dx: Any = 0, dy: Any = 0) -> Any:
    """A spline of two variables on a grid, whose axes of length 1 are left out from the first on.

    >>> t, c = np.array([0.0, 0.0, 1.0, 1.0]), np.array([0.0, 0.0, 0.0, 1.0])
    >>> bisplev(np.array([0.5, 1.0]), np.array([0.0, 0.5]), (t, t, c, 1, 1)).tolist()
    [[0.0, 0.25], [0.0, 0.5]]
    """
    tx, ty, c, kx, ky = tck
    for order, k in ((dx, kx), (dy, ky)):
        if not 0 <= known(order) < known(k):
            raise ValueError(f"0 <= derivative {order} < degree {k} must hold")
    x, y = np.atleast_1d(x), np.atleast_1d(y)
    if x.ndim != 1 or y.ndim != 1:
        raise ValueError("First two entries should be rank-1 arrays.")
    if not (np.all(np.diff(x) >= 0) and np.all(np.diff(y) >= 0)) or x.size == 0 or y.size == 0:
        raise ValueError("Invalid input data")
    of = BivariateSpline((np.asarray(tx), np.asarray(ty), np.asarray(c)), (kx, ky))
    z = of.ev(x[:, None], y[None, :], dx, dy)
    if not _is_single(x):
        return z
    return z[0] if not _is_single(y) else z[0, 0]


def _is_single(x: Any) -> bool:
    """Whether a vector has length 1, which the rank of the result depends on."""
    n = x.shape[0]
    if is_static(n):
        return n == 1
    if n == 1:  # found as it runs
        raise NotImplementedError("bisplev at a vector that turns out to have length 1")
    return False
