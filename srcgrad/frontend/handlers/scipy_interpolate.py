"""Interpolators of scipy.interpolate: formulas, and those that were made outside, by their parts.

Imported when a function of SciPy is met in a program that has imported scipy.interpolate.
"""

from __future__ import annotations

import numpy as np
from scipy import interpolate

from srcgrad.frontend.formulas import cubic_splines  # noqa: F401 (registers them)
from srcgrad.frontend.formulas.bsplines import Spline
from srcgrad.frontend.formulas.fitpack import BivariateSpline, FittedSpline
from srcgrad.frontend.formulas.interpolators import GridInterpolator, Interp1d, PaddedSpline
from srcgrad.frontend.formulas.piecewise import Pieces
from srcgrad.frontend.handlers.registry import follows_as

follows_as(interpolate.PPoly, Pieces, c="c", x="x", extrapolate="extrapolate", axis="axis")
follows_as(interpolate.BSpline, Spline, t="t", c="c", k="k", extrapolate="extrapolate", axis="axis")
follows_as(
    interpolate.interp1d, Interp1d, x="x", y="y", axis="axis", kind="_kind", spline="_spline",
    extrapolate="_extrapolate", bounds_error="bounds_error", below="_fill_value_below",
    above="_fill_value_above",
)  # fmt: skip


def _private(made: object, name: str) -> str:
    """The name of what an object holds; from SciPy 1.17 on a property makes it anew."""
    return f"_{name}" if hasattr(made, f"_{name}") else name


_GRID = interpolate.RegularGridInterpolator([np.arange(2.0)], np.arange(2.0), method="slinear")
follows_as(
    interpolate.NdBSpline, PaddedSpline, t="_t", lengths="_len_t", c=_private(_GRID._spline, "c")
)
follows_as(
    interpolate.RegularGridInterpolator, GridInterpolator, method="method", spline="_spline",
    grid=_private(_GRID, "grid"), values=_private(_GRID, "values"), fill_value="fill_value",
    bounds_error="bounds_error",
)  # fmt: skip
follows_as(interpolate.UnivariateSpline, FittedSpline, tck="_eval_args", ext="ext")
follows_as(interpolate.RectBivariateSpline, BivariateSpline, tck="tck", degrees="degrees")
