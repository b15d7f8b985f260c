"""Densities and distribution functions of scipy.stats, with location and scale."""

import numpy as np
from scipy import stats

from tests.cases.registry import case, mat, signed, vec

X = vec(4)
UNIT = np.array([0.2, 0.35, 0.6, 0.85])
COUNTS = np.array([0, 1, 2, 5])


@case(signed(4), 0.3, 1.2)
@case(0.7, 0.3, 1.2)
def normal(x, m, s):
    y = stats.norm.logpdf(x, m, s) + stats.norm.pdf(x, loc=m, scale=s) * stats.norm.cdf(x, m, s)
    return y + stats.norm.sf(x, m) * stats.norm.logcdf(-3.0 * x) + stats.norm.logsf(x, m, s)


@case(0.7)
def parameters_in_lists(x):
    return stats.norm.logpdf(x, [0.1, 0.2], [[1.0], [2.0]]) * stats.gamma.pdf([0.5, 0.7], x)


@case(UNIT, 0.3, 1.2)
def normal_quantiles(q, m, s):
    return stats.norm.ppf(q, m, s) * stats.norm.ppf(q)


@case(X, 1.2)
@case(X - 1.0, 1.2)
def exponential(x, s):
    y = stats.expon.pdf(x, scale=s) + stats.expon.cdf(x, 0.0, s)
    return y + stats.expon.sf(x, scale=s) ** 2


@case(X, 1.7, 0.8)
def gamma(x, a, s):
    return stats.gamma.logpdf(x, a, scale=s) + stats.gamma.pdf(x, a) * stats.chi2.logpdf(x, a)


@case(X, 2, 0.8)
def gamma_distribution_functions(x, a, s):
    y = stats.gamma.cdf(x, a, scale=s) * stats.gamma.logsf(x, a)
    return y + stats.gamma.sf(x, a) + stats.chi2.cdf(x, 3) * stats.chi2.sf(x, 3, scale=s)


@case(UNIT)
def inverse_distribution_functions(q):
    y = stats.gamma.ppf(q, 2) * stats.beta.ppf(q, 2, 3) + stats.t.ppf(q, 3) + stats.chi2.ppf(q, 3)
    y = y + stats.logistic.ppf(q) * stats.lognorm.ppf(q, 0.5) + stats.weibull_min.ppf(q, 1.5)
    return (
        y + stats.expon.ppf(q) + stats.cauchy.ppf(q) + stats.gumbel_r.ppf(q) * stats.rayleigh.ppf(q)
    )


@case(UNIT, 0.1, 3.0)
def quantiles_of_halves_and_others(q, a, b):
    y = stats.laplace.ppf(q, a, b) * stats.laplace.isf(q) + stats.halfnorm.ppf(q, scale=b)
    y = y * stats.halfnorm.isf(q) + stats.halfcauchy.ppf(q, a) * stats.halfcauchy.isf(q)
    y = y + stats.f.ppf(q, 3, 4, a, b) * stats.f.isf(q, 3, 4) + stats.invgamma.ppf(q, 2)
    return y * stats.invgamma.isf(q, 2) + stats.loguniform.ppf(q, a, b)


@case(UNIT, 1.7, 2.2)
def beta(x, a, b):
    return stats.beta.logpdf(x, a, b) + stats.beta.pdf(x, a, b, 0.0, 1.5)


@case(UNIT)
def beta_distribution_function(x):
    return stats.beta.cdf(x, 2, 3) * stats.beta.sf(x, 3, 2)


@case(signed(4), 3.3, 0.2, 1.5)
def student(x, df, m, s):
    return stats.t.logpdf(x, df, m, s) + stats.t.pdf(x, df=df)


@case(X)
def student_and_fisher(x):
    return stats.t.cdf(x, 3) * stats.t.sf(x, 4) + stats.f.cdf(x, 3, 4) * stats.f.sf(x, 3, 4)


@case(X, 3.0, 4.0)
def fisher(x, n, d):
    return stats.f.logpdf(x, n, d)


@case(signed(4), 0.05, 1.5)
def heavy_tails(x, m, s):
    y = stats.cauchy.logpdf(x, m, s) * stats.cauchy.cdf(x, m, s)
    y = y + stats.laplace.logpdf(x, m, s) + stats.laplace.cdf(x, m, s) * stats.laplace.sf(x)
    return (
        y + stats.logistic.logpdf(x, m, s) + stats.logistic.cdf(x, m, s) * stats.logistic.logsf(x)
    )


@case(X, 0.5, 1.5)
def lognormal(x, s, c):
    y = stats.lognorm.logpdf(x, s, scale=c) + stats.lognorm.cdf(x, s) * stats.lognorm.logcdf(x, s)
    return y + stats.lognorm.logsf(x, s, 0.0, c)


@case(X - 1.0, 0.7)
def lognormal_outside_its_support(x, s):
    return stats.lognorm.pdf(x, s) + stats.lognorm.cdf(x, s)


@case(X, 0.2, 3.0)
def uniform(x, m, s):
    y = stats.uniform.logpdf(x, m, s) + stats.uniform.cdf(x, m, s)
    return y * stats.uniform.sf(x, m, s) + stats.uniform.pdf(x - 2.0)


@case(X, 1.3, 1.5)
def lifetimes(x, c, s):
    y = stats.weibull_min.logpdf(x, c, scale=s) + stats.weibull_min.cdf(x, c)
    y = y + stats.weibull_min.logsf(x, c) + stats.pareto.logpdf(x + 1.0, c)
    return y + stats.pareto.cdf(x + 1.0, c, 0.0, s) + stats.invgamma.logpdf(x, c, scale=s)


@case(X)
def extremes_and_halves(x):
    y = stats.gumbel_r.logpdf(x) + stats.gumbel_r.cdf(x) * stats.gumbel_r.logcdf(x)
    y = y + stats.gumbel_l.logpdf(x) + stats.gumbel_l.cdf(x) + stats.gumbel_l.logsf(x)
    y = y + stats.halfnorm.logpdf(x) * stats.halfnorm.cdf(x) + stats.halfcauchy.logpdf(x)
    return y + stats.halfcauchy.cdf(x) + stats.rayleigh.logpdf(x) * stats.rayleigh.cdf(x)


@case(signed(4), 1.5)
def skewed(x, a):
    return stats.skewnorm.logpdf(x, a) * stats.skewnorm.cdf(x, a)


@case(X, 0.1, 3.0)
def reciprocal(x, a, b):
    return stats.loguniform.logpdf(x, a, b)


@case(2.3)
@case(vec(4))
def poisson(m):
    y = stats.poisson.logpmf(COUNTS, m) + stats.poisson.pmf(COUNTS, m)
    return y + stats.poisson.cdf(COUNTS, m) * stats.poisson.sf(COUNTS, m)


@case(UNIT)
def trials(p):
    y = stats.binom.logpmf(COUNTS, 6, p) + stats.binom.pmf(COUNTS, 3, p)
    y = y + stats.bernoulli.logpmf(COUNTS % 2, p) + stats.geom.logpmf(COUNTS + 1, p)
    return y + stats.geom.cdf(COUNTS + 1, p) * stats.nbinom.cdf(COUNTS, 3, p)


@case(3.3, 0.4)
def negative_binomial(n, p):
    return stats.nbinom.logpmf(COUNTS, n, p) * stats.nbinom.pmf(COUNTS, n, p)


@case(vec(2), vec(2, 1), mat(2, 2) + 0.3 * np.eye(2))
@case(mat(3, 2), vec(2, 1), mat(2, 2) + 0.3 * np.eye(2))
def multivariate_normal(x, m, root):
    cov = root @ root.T
    logarithm = stats.multivariate_normal.logpdf(x, m, cov)
    density = stats.multivariate_normal.pdf(x, mean=m, cov=cov)
    return np.sum(logarithm * density) + stats.multivariate_normal.entropy(m, cov)


PARTS = np.array([0.2, 0.3, 0.5])


@case(vec(3))
def dirichlet(alpha):
    return stats.dirichlet.logpdf(PARTS, alpha) + stats.dirichlet.pdf(PARTS, alpha)


@case(mat(3, 4), 0)
@case(mat(3, 4), 1)
def standard_scores(x, axis):
    return stats.zscore(x, axis=axis, ddof=1) ** 3


TIES = np.array([[0.5, 1.5, 0.5, 2.0], [0.25, 0.25, -1.0, 0.75]])


@case(signed(5), "average")
@case(vec(6), "ordinal")
def scores_of_ranks(x, method):
    """Blom's: the quantiles that a sample of normal numbers would have."""
    ranks = stats.rankdata(x, method)
    return np.sum(x * stats.norm.ppf((ranks - 0.375) / (x.shape[0] + 0.25)))


@case(TIES, "average", differences=False)
@case(TIES, "min", differences=False)
@case(TIES, "max", differences=False)
@case(TIES, "dense", differences=False)
@case(mat(3, 4), "average")
def ranks_along_axes(x, method):
    rows = stats.rankdata(x, method, axis=1)
    columns = stats.rankdata(x, method=method, axis=0, nan_policy="omit")
    return np.sum(rows * x) + np.sum(columns * x * x) + np.sum(stats.rankdata(-x, method))


@case(signed(6), vec(6, 1))
def rank_correlation_as_weights(x, y):
    a, b = stats.rankdata(x), stats.rankdata(y)
    weights = (a - np.mean(a)) * (b - np.mean(b)) / np.sqrt(np.var(a) * np.var(b))
    return np.sum(weights * x * y) * stats.tiecorrect(a)


@case(vec(5), 0.1, 0.9)
def likelihood(x, m, s):
    return -np.sum(stats.norm.logpdf(x, m, s)) - stats.gamma.logpdf(s, 2.0) + 0.5 * m * m
