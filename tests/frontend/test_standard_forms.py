"""Functions of the standard form that classes of distributions define, called by themselves."""

import numpy as np
import pytest
from scipy import stats

import srcgrad as flow
from srcgrad.errors import UnsupportedError

X = np.array([0.15, 0.4, 0.8])
NAMES = ("_pdf", "_logpdf", "_cdf", "_logcdf", "_sf", "_logsf", "_ppf", "_isf")
FORMS = [
    (of, n, shapes)
    for of, *shapes in (
        (stats.norm,), (stats.logistic,), (stats.expon,), (stats.gumbel_r,), (stats.gamma, 1.3),
        (stats.weibull_min, 1.7), (stats.beta, 1.3, 1.7), (stats.t, 2.5), (stats.uniform,),
    )
    for n in NAMES
    if n in vars(type(of))
]  # fmt: skip
REFUSED = {  # what their source calls is not supported
    "beta_pdf", "beta_sf", "beta_ppf", "beta_isf", "t_pdf", "t_logpdf",
}  # fmt: skip


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_what_they_give(target):
    for of, name, shapes in FORMS:
        known = of.name + name
        f = lambda x, of=of, name=name, shapes=shapes: getattr(of, name)(x, *shapes)
        if known in REFUSED:
            with pytest.raises(UnsupportedError, match="is not supported here"):
                flow.compile(f, target="python")(X)
            continue
        for dtype in (np.float64, np.float32):
            x = X.astype(dtype)
            got, want = flow.compile(f, target=target)(x), f(x)
            assert got.dtype == want.dtype, known
            single = np.float32 in (dtype, want.dtype)
            np.testing.assert_allclose(got, want, rtol=1e-5 if single else 1e-12, err_msg=known)


def test_their_derivatives():
    weights, h = np.array([1.0, -2.0, 0.5]), 1e-6
    for of, name, shapes in FORMS:
        if of.name + name in REFUSED:
            continue
        f = lambda x, of=of, name=name, shapes=shapes: np.sum(getattr(of, name)(x, *shapes))
        step = (f(X + h * weights) - f(X - h * weights)) / (2 * h)
        slope = flow.grad(f, target="python")(X)
        np.testing.assert_allclose(np.sum(slope * weights), step, rtol=1e-6, atol=1e-8)


def test_outside_of_what_they_check_nothing():
    """Unlike `cdf` and its kin they take any number for one of the standard form."""
    f = lambda x: stats.expon._cdf(x)
    x = np.array([-1.0, np.nan, np.inf])
    np.testing.assert_allclose(flow.compile(f, target="python")(x), f(x), rtol=1e-15)


def test_one_that_its_class_does_not_define_is_refused():
    with pytest.raises(UnsupportedError, match="_logpdf"):
        flow.compile(lambda x: stats.uniform._logpdf(x), target="python")(X)
