"""Distributions of scipy.stats whose shapes, location and scale are given before their methods."""

from __future__ import annotations

from typing import Any


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
