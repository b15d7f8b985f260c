"""Correlation, lines and tests of means of scipy.stats as NumPy programs."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special, stats

from srcgrad.frontend.formulas.descriptive import propagated, samples_of
from srcgrad.frontend.formulas.registry import floating, known, made_inside, stands_for, unsupported
from srcgrad.frontend.versions import raised

TINY = 1e-20
RAISES_OF_ONE_PLACE = raised(stats.linregress, [1.0, 1.0, 1.0], [0.0, 1.0, 2.0]) is not None
# the correlation with what is constant: NaN since SciPy 1.17
OF_FLAT = float(stats.linregress([0.0, 1.0, 2.0], [1.0, 1.0, 1.0]).rvalue)


def pvalue_of_t(t: Any, df: Any, alternative: Any) -> Any:
    """The probability of a value of Student's t as far out.

    >>> round(float(pvalue_of_t(0.0, 3.0, "two-sided")), 12)
    1.0
    """
    alternative = known(alternative)
    if alternative == "less":
        return special.stdtr(df, t)
    if alternative == "greater":
        return special.stdtr(df, -t)
    if alternative != "two-sided":
        return unsupported(
            "`alternative` must be 'less', 'greater', or 'two-sided'.", like=ValueError
        )
    return 2.0 * special.stdtr(df, -np.abs(t))


@made_inside("numbers: tuple(...)")
class Pair:
    """The statistic of a test and its probability, a tuple of two that has more attributes."""

    def __init__(self, statistic: Any, pvalue: Any):
        self.statistic = statistic
        self.pvalue = pvalue

    @property
    def correlation(self) -> Any:
        return self.statistic

    def __getitem__(self, k: Any) -> Any:
        return (self.statistic, self.pvalue)[k]

    def __iter__(self) -> Any:
        return iter((self.statistic, self.pvalue))

    def __len__(self) -> int:
        return 2


def of_one_rank(x: Any, y: Any) -> None:
    """Refuses samples that SciPy would broadcast."""
    if x.ndim != y.ndim:
        unsupported("two samples of different ranks are not supported", "give both one shape")


def paired(x: Any, y: Any, axis: Any, nan_policy: Any = "propagate") -> tuple[Any, Any]:
    """Two samples of one length, as floats along the last axis."""
    _, x = samples_of(x, axis, nan_policy)
    _, y = samples_of(y, axis, nan_policy)
    of_one_rank(x, y)
    if x.shape[-1] != y.shape[-1]:
        if 1 in (x.shape[-1], y.shape[-1]):
            # linregress of SciPy broadcasts the item, to a line without a slope
            raise NotImplementedError("two samples of which one has one item")
        raise ValueError("two samples of different lengths")
    return floating(x), floating(y)


def beside_mean(x: Any) -> Any:
    return x - np.mean(x, axis=-1, keepdims=True)


@stands_for(stats.pearsonr)
def pearsonr(
    x: Any, y: Any, *, alternative: Any = "two-sided", method: Any = None, axis: Any = 0
) -> Any:
    """The correlation of two samples, and the probability of one as large.

    >>> round(float(pearsonr([1.0, 2.0, 4.0], [1.0, 2.0, 4.0])[0]), 12)
    1.0
    """
    if method is not None:
        return unsupported("pearsonr with a method is not supported", "leave it out")
    if isinstance(axis, tuple):
        return unsupported("the axis of pearsonr is an integer or None", like=TypeError)
    x, y = paired(x, y, axis)
    n = x.shape[-1]
    if n < 2:
        raise ValueError("`x` and `y` must have length at least 2.")
    mx, my = beside_mean(x), beside_mean(y)
    of_x, of_y = (np.linalg.norm(v, axis=-1, keepdims=True) for v in (mx, my))
    constant = np.all(x == x[..., :1], axis=-1) | np.all(y == y[..., :1], axis=-1)
    r = np.clip(np.sum(mx / of_x * (my / of_y), axis=-1), -1.0, 1.0)
    r = np.where(constant, np.nan, r)
    half = np.maximum(n / 2.0 - 1.0, 0.5)
    alternative = known(alternative)
    if alternative == "two-sided":
        p = 2.0 * special.betainc(half, half, (1.0 - np.abs(r)) / 2.0)
    elif alternative in ("less", "greater"):
        away = r if alternative == "greater" else -r
        p = special.betainc(half, half, (1.0 - away) / 2.0)
    else:
        return unsupported(
            "`alternative` must be 'less', 'greater', or 'two-sided'.", like=ValueError
        )
    if n == 2:
        r, p = np.round(r), np.where(np.isnan(r), np.nan, 1.0)
    return Pair(r, p.astype(x.dtype))


@made_inside("numbers: tuple(...)")
class OfTwoSamples(Pair):
    """Student's t of two samples, with its degrees of freedom."""

    def __init__(self, statistic: Any, pvalue: Any, df: Any):
        super().__init__(statistic, pvalue)
        self.df = df


@made_inside("numbers: tuple(...)")
class Line:
    """A line of least squares, a tuple of five that has an attribute more."""

    def __init__(
        self, slope: Any, intercept: Any, rvalue: Any, pvalue: Any, stderr: Any,
        intercept_stderr: Any,
    ):  # fmt: skip
        self.slope = slope
        self.intercept = intercept
        self.rvalue = rvalue
        self.pvalue = pvalue
        self.stderr = stderr
        self.intercept_stderr = intercept_stderr

    def items(self) -> tuple:
        return self.slope, self.intercept, self.rvalue, self.pvalue, self.stderr

    def __getitem__(self, k: Any) -> Any:
        return self.items()[k]

    def __iter__(self) -> Any:
        return iter(self.items())

    def __len__(self) -> int:
        return 5


@stands_for(stats.linregress)
def linregress(
    x: Any, y: Any, alternative: Any = "two-sided", *, axis: Any = 0,
    nan_policy: Any = "propagate",
) -> Any:  # fmt: skip
    """The line of least squares through points, and the probability of a slope as steep.

    >>> [round(float(v), 12) for v in linregress([0.0, 1.0, 2.0], [1.0, 3.0, 5.0])[:2]]
    [2.0, 1.0]
    """
    x, y = paired(x, y, axis, nan_policy)
    n = x.shape[-1]
    if n < 3:
        # SciPy gives NaN for the probability of two points, and for all of one
        raise NotImplementedError("linregress of less than three points")
    mx, my = beside_mean(x), beside_mean(y)
    at_x, at_y = np.mean(x, axis=-1), np.mean(y, axis=-1)
    xx, yy, xy = np.mean(mx * mx, axis=-1), np.mean(my * my, axis=-1), np.mean(mx * my, axis=-1)
    if RAISES_OF_ONE_PLACE and np.any(xx == 0.0):
        raise ValueError("Cannot calculate a linear regression if all x values are identical")
    flat = (yy == 0.0) | (xx == 0.0)
    r = np.where(flat, OF_FLAT, np.clip(xy / np.sqrt(np.where(flat, 1.0, xx * yy)), -1.0, 1.0))
    slope = xy / xx
    df = n - 2
    t = r * np.sqrt(df / ((1.0 - r + TINY) * (1.0 + r + TINY)))
    error = np.sqrt((1.0 - r * r) * yy / xx / df)
    of_intercept = error * np.sqrt(xx + at_x * at_x)
    p = pvalue_of_t(t, df * 1.0, alternative)
    return Line(slope, at_y - slope * at_x, r, p, error, of_intercept)


# ---- tests of means ----
def spread(lanes: Any) -> tuple[Any, Any, Any]:
    """The number of values, their mean and their variance."""
    n = lanes.shape[-1]
    return n, np.mean(lanes, axis=-1), np.var(lanes, axis=-1, ddof=1)


@stands_for(stats.ttest_1samp)
def ttest_1samp(
    a: Any, popmean: Any, axis: Any = 0, nan_policy: Any = "propagate",
    alternative: Any = "two-sided",
) -> Any:  # fmt: skip
    """Student's t of a mean that is not `popmean`, and its probability.

    >>> float(ttest_1samp([1.0, 3.0], 1.0).statistic)
    1.0
    """
    _, lanes = samples_of(a, axis, nan_policy)
    n, mean, variance = spread(floating(lanes))
    if np.ndim(popmean) > 0:
        return unsupported("ttest_1samp with an array of means is not supported", "pass a number")
    t = (mean - popmean) / np.sqrt(variance / n)
    return Pair(t, pvalue_of_t(t, n - 1.0, alternative))


@stands_for(stats.ttest_rel)
def ttest_rel(
    a: Any, b: Any, axis: Any = 0, nan_policy: Any = "propagate", alternative: Any = "two-sided"
) -> Any:
    """Student's t of two samples in pairs, and its probability.

    >>> float(ttest_rel([1.0, 3.0], [0.0, 0.0]).statistic)
    2.0
    """
    x, y = paired(a, b, axis, nan_policy)
    return ttest_1samp(x - y, 0.0, -1, nan_policy, alternative)


@stands_for(stats.ttest_ind)
def ttest_ind(
    a: Any, b: Any, *, axis: Any = 0, equal_var: Any = True, nan_policy: Any = "propagate",
    alternative: Any = "two-sided", trim: Any = 0, method: Any = None,
) -> Any:  # fmt: skip
    """Student's t of two samples, or Welch's, and its probability.

    >>> round(float(ttest_ind([1.0, 3.0], [0.0, 0.0]).statistic), 12)
    2.0
    """
    if method is not None or trim != 0:
        return unsupported("ttest_ind with trim or method is not supported", "leave it out")
    _, x = samples_of(a, axis, nan_policy)
    _, y = samples_of(b, axis, nan_policy)
    of_one_rank(x, y)
    (n, mean, v), (m, other, w) = spread(floating(x)), spread(floating(y))
    if equal_var:
        v, w = np.where(n == 1, 0.0, v), np.where(m == 1, 0.0, w)
        df = n + m - 2.0
        size = np.sqrt(((n - 1) * v + (m - 1) * w) / df * (1.0 / n + 1.0 / m))
    else:
        v, w = v / n, w / m
        df = (v + w) ** 2 / (v**2 / (n - 1) + w**2 / (m - 1))
        df = np.where(np.isnan(df), 1.0, df)
        size = np.sqrt(v + w)
    t = (mean - other) / size
    df = np.where(n * m > 0, np.zeros_like(t) + df, np.nan)
    df = propagated(y, propagated(x, df)).astype(t.dtype)
    return OfTwoSamples(t, pvalue_of_t(t, df, alternative), df)
