"""Every ufunc of scipy.special that is supported, on one grid: edges, infinities and NaN among it.

Values are SciPy's. Derivatives by each argument agree with differences of SciPy's values wherever
two steps of these agree, or are refused. Polynomials have tests of their own.
"""

import itertools
import math
import warnings
from collections.abc import Iterator
from typing import Any

import mpmath
import numpy as np
import pytest
from scipy import special as sp

import srcgrad as flow
from srcgrad.errors import UnsupportedError
from srcgrad.frontend.handlers.registration import FUNCTIONS
from srcgrad.frontend.handlers.registry import know_all
from tests.tools.turns import share

know_all()
UFUNCS: list[Any] = sorted(
    {
        f
        for f in FUNCTIONS
        if isinstance(f, np.ufunc)
        and getattr(sp, f.__name__, None) is f
        and not f.__name__.startswith("eval_")
    },
    key=lambda f: f.__name__,
)
VALUES = {
    1: (0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, 3.0, 1e-300, 1e-9, 0.999, 5.5, -3.7, 12.3, -20.5,
        40.0, 200.0, 1e5, -1e5, 1e300, math.inf, -math.inf, math.nan),
    2: (0.0, 1.0, -1.0, 0.5, 2.0, -2.5, 7.7, -7.7, 30.0, 1e-8, math.inf, -math.inf, math.nan),
    3: (0.0, 1.0, 0.4, 2.5, -1.5, math.inf, math.nan),
    4: (0.0, 1.0, -1.0, 0.4, 2.5),
}  # fmt: skip
PLACES = {
    1: (0.0, 1.0, -1.0, 0.5, 2.0, -2.0, 1e-3, 0.93, 1.001, 1.7, -1.3, 3.3, 5.5, -3.7, 12.3, -20.5,
        40.0),
    2: (0.0, 1.0, -1.0, 0.5, 2.0, -2.5, 0.85, 5.7, -3.7, 30.0),
    3: (0.0, 1.0, -1.0, 0.4, 2.5, 9.0), 4: (0.4, 1.0, -1.5, 2.5),
}  # fmt: skip
# for orders or parameters that are infinite SciPy's loops do not end, or ask for all memory
FINITE = {"hyp1f1", "hyp2f1", "hyperu", "pbdv", "pbvv"}
COMPLEX = {"wofz"}


def grid(f: Any, values: dict[int, tuple]) -> list[np.ndarray]:
    points = values[f.nin]
    if f.__name__ in FINITE:
        points = tuple(v for v in points if math.isfinite(v))
    columns = np.array([*itertools.product(points, repeat=f.nin)]).T
    return [c + (0j if f.__name__ in COMPLEX else 0.0) for c in columns]


# ---- where results differ on purpose, as a condition on the arguments ----
DIFFERENT = {
    "cosm1": lambda x: np.abs(x) > 100.0,  # SciPy loses digits near multiples of 2 pi
    "yve": lambda v, x: v > 1e3,  # an overflow with the other sign
    # widths that are negative
    "voigt_profile": lambda x, s, g: (s < 0.0) | (g < 0.0),
}
# removable singularities where derivatives are NaN; else NaN is wrong where differences are finite
NAN = {
    "beta", "betaln", "binom", "elliprd", "hyperu", "lpmv", "modstruve", "poch",
    "struve",
}  # fmt: skip


def program(f: Any, result: int | None) -> Any:
    """A function of the arrays, whose source is read."""

    def of_one(x: Any) -> Any:
        return f(x) if result is None else f(x)[result]

    def of_two(x: Any, y: Any) -> Any:
        return f(x, y) if result is None else f(x, y)[result]

    def of_three(x: Any, y: Any, z: Any) -> Any:
        return f(x, y, z) if result is None else f(x, y, z)[result]

    def of_four(x: Any, y: Any, z: Any, w: Any) -> Any:
        return f(x, y, z, w) if result is None else f(x, y, z, w)[result]

    return (of_one, of_two, of_three, of_four)[f.nin - 1]


def results(f: Any) -> Iterator[tuple[Any, Any]]:
    """The function of each result, compiled and SciPy's."""
    for k in range(f.nout):
        yield (
            program(f, k if f.nout > 1 else None),
            ((lambda *args, k=k: f(*args)[k]) if f.nout > 1 else f),
        )


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def close(a: Any, b: Any) -> Any:
    return np.isclose(a, b, rtol=1e-9, atol=1e-300, equal_nan=True)


@pytest.mark.parametrize("f", share(UFUNCS), ids=lambda f: f.__name__)
def test_values(f: Any):
    args = grid(f, VALUES)
    for ours, scipys in results(f):
        want = scipys(*args)
        try:
            got = flow.compile(ours, target="python")(*args)
        except UnsupportedError:
            continue  # degrees that are whole numbers, or known
        same = close(got.real, want.real) & close(got.imag, want.imag)
        same |= np.isnan(want) & np.isnan(got)
        if f.__name__ in DIFFERENT:
            same |= DIFFERENT[f.__name__](*args)
        where = [tuple(a[k].item() for a in args) for k in np.flatnonzero(~same)[:5]]
        assert same.all(), f"at {where}: {got[~same][:5]}, SciPy has {want[~same][:5]}"


@pytest.mark.parametrize("f", share([f for f in UFUNCS if f.__name__ not in COMPLEX]),
                         ids=lambda f: f.__name__)  # fmt: skip
def test_derivatives(f: Any):
    args = grid(f, PLACES)
    for (ours, scipys), k in itertools.product(results(f), range(f.nin)):

        def total(*xs: Any, ours: Any = ours) -> Any:
            return np.sum(ours(*xs))

        value = scipys(*args)
        if np.iscomplexobj(value):
            continue
        try:
            got = flow.compile(flow.grad(total, k), target="python")(*args)
        except UnsupportedError:
            continue  # an order has no derivative
        coarse, fine = (slope(scipys, args, k, h) for h in (1e-3, 4e-4))
        # where the two are near each other, and not small beside the value's rounding
        known = np.isfinite(value) & np.isfinite(coarse) & np.isfinite(fine)
        known &= np.abs(coarse - fine) <= 1e-7 * (np.abs(fine) + 1e-3 * np.abs(value))
        if f.__name__ in NAN:
            known &= np.isfinite(got)
        if f.__name__ in ("pbdv", "pbvv"):
            known &= args[1] > -5.0  # SciPy's digits are gone
        wrong = known & ~(
            np.abs(got - fine) <= 2e-6 * (np.abs(fine) + 1e-3 * np.abs(value)) + 1e-12
        )
        where = [tuple(a[j].item() for a in args) for j in np.flatnonzero(wrong)[:5]]
        assert not wrong.any(), f"by {k} at {where}: {got[wrong][:5]}, not {fine[wrong][:5]}"


def slope(f: Any, args: list[np.ndarray], k: int, h: float) -> Any:
    """Differences of fourth order by one argument."""
    step = h * np.maximum(np.abs(args[k]), 0.1)

    def at(t: float) -> Any:
        return f(*[a + t * step if j == k else a for j, a in enumerate(args)])

    return (8.0 * (at(1.0) - at(-1.0)) - (at(2.0) - at(-2.0))) / (12.0 * step)


def test_all_are_there():
    assert len(UFUNCS) > 100


@pytest.mark.parametrize(("y", "z"), [(0.4, 1.0), (2.5, 0.3), (9.0, 4.0)])
def test_complete_integrals_by_the_last_argument(y: float, z: float):
    def f(z: float) -> Any:
        return sp.elliprd(0.0, y, z)

    slope = flow.compile(flow.grad(f), target="python")
    exact = mpmath.diff(lambda t: mpmath.elliprj(0, y, t, t), z)
    assert slope(z) == pytest.approx(float(exact), rel=1e-12)
    second = mpmath.diff(lambda t: mpmath.elliprj(0, y, t, t), z, 2)
    assert flow.grad(slope)(z) == pytest.approx(float(second), rel=1e-11)
