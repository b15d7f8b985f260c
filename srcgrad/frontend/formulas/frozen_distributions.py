"""Distributions of scipy.stats whose shapes, location and scale are given before their methods."""

from __future__ import annotations

from typing import Any

from srcgrad.frontend.formulas.several_variables import (
    dirichlet_logpdf,
    dirichlet_pdf,
    multivariate_normal_entropy,
    multivariate_normal_logpdf,
    multivariate_normal_pdf,
    of_mean_and_cov,
)


class Frozen:
    """A distribution with its arguments: `stats.norm(loc, scale)`.

    >>> from scipy import stats
    >>> float(Frozen(stats.norm, (1.0,), {}).cdf(1.0))
    0.5
    """

    def __init__(self, of: Any, args: tuple, named: dict[str, Any]):
        self.of = of
        self.args = args
        self.named = named

    def pdf(self, x: Any) -> Any:
        return self.of.pdf(x, *self.args, **self.named)

    def logpdf(self, x: Any) -> Any:
        return self.of.logpdf(x, *self.args, **self.named)

    def pmf(self, k: Any) -> Any:
        return self.of.pmf(k, *self.args, **self.named)

    def logpmf(self, k: Any) -> Any:
        return self.of.logpmf(k, *self.args, **self.named)

    def cdf(self, x: Any) -> Any:
        return self.of.cdf(x, *self.args, **self.named)

    def logcdf(self, x: Any) -> Any:
        return self.of.logcdf(x, *self.args, **self.named)

    def sf(self, x: Any) -> Any:
        return self.of.sf(x, *self.args, **self.named)

    def logsf(self, x: Any) -> Any:
        return self.of.logsf(x, *self.args, **self.named)

    def ppf(self, q: Any) -> Any:
        return self.of.ppf(q, *self.args, **self.named)

    def isf(self, q: Any) -> Any:
        return self.of.isf(q, *self.args, **self.named)

    def mean(self) -> Any:
        return self.of.mean(*self.args, **self.named)

    def var(self) -> Any:
        return self.of.var(*self.args, **self.named)

    def std(self) -> Any:
        return self.of.std(*self.args, **self.named)

    def median(self) -> Any:
        return self.of.median(*self.args, **self.named)


class FrozenNormal:
    """`stats.multivariate_normal(mean, cov)`.

    >>> round(float(FrozenNormal(None, 4.0).logpdf(0.0)), 6)
    -1.612086
    """

    def __init__(
        self, mean: Any = None, cov: Any = 1, allow_singular: Any = False, seed: Any = None
    ):
        self.mean, self.cov = of_mean_and_cov(mean, cov)
        self.allow_singular = allow_singular

    def logpdf(self, x: Any) -> Any:
        return multivariate_normal_logpdf(x, self.mean, self.cov, self.allow_singular)

    def pdf(self, x: Any) -> Any:
        return multivariate_normal_pdf(x, self.mean, self.cov, self.allow_singular)

    def entropy(self) -> Any:
        return multivariate_normal_entropy(self.mean, self.cov)


class FrozenDirichlet:
    """`stats.dirichlet(alpha)`.

    >>> round(float(FrozenDirichlet([1.0, 1.0]).logpdf([0.5, 0.5])), 6)
    0.0
    """

    def __init__(self, alpha: Any, seed: Any = None):
        self.alpha = alpha

    def logpdf(self, x: Any) -> Any:
        return dirichlet_logpdf(x, self.alpha)

    def pdf(self, x: Any) -> Any:
        return dirichlet_pdf(x, self.alpha)
