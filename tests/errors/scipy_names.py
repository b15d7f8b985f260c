"""Functions of SciPy that are refused, and arguments of the others that have no derivative."""

import numpy as np
import scipy.special
import scipy.stats

from tests.cases.registry import vec
from tests.errors.programs import program


@program(2.5)
def order_of_bessel_function(v):
    return scipy.special.jv(v, 0.7)  # error: UnsupportedError: jv ... by its first argument


@program(1.5)
def order_that_is_no_whole_number(v):
    return scipy.special.spherical_jn(v, 0.7)  # error: UnsupportedError: whole number ... astype


@program(vec(3))
def exact_factorials(x):
    c = scipy.special.factorial(np.arange(3), exact=True)  # error: UnsupportedError: exact=True
    return np.sum(x * c)


@program(vec(3))
def special_function_of_booleans(x):
    return np.sum(scipy.special.gammaln(x > 0.0))  # error: UnsupportedError: booleans


@program(vec(3))
def wrong_keyword_of_formula(x):
    return scipy.special.logsumexp(x, axes=0)  # error: TypeError: axes


@program(vec(3))
def domain_of_formula(x):
    s = np.sum(x)
    return scipy.special.multigammaln(s - 9.0, 2)  # error: ValueError: condition


@program(vec(3))
def negative_order(x):
    return np.sum(scipy.special.polygamma(-1, x))  # error: UnsupportedError: order of polygamma


@program(vec(3))
def broken_order(x):
    return scipy.special.spherical_jn(x, 1.0)[0]  # error: UnsupportedError: is a whole number


@program(vec(3))
def several_orders(x):
    return np.sum(scipy.special.polygamma([[1]], x))  # error: UnsupportedError: one whole number


@program(vec(3))
def too_many_arguments(x):
    return np.sum(scipy.special.erf(x, x, x))  # error: TypeError: takes 1 operands


@program(vec(3))
def unknown_argument_of_a_density(x):
    y = scipy.stats.norm.pdf(x, mean=1.0)  # error: UnsupportedError: after the first are loc, scale
    return np.sum(y)


@program(vec(3))
def density_without_its_shape(x):
    return np.sum(scipy.stats.gamma.pdf(x))  # error: UnsupportedError: the argument 'a' is missing


@program(vec(3))
def method_of_ranks(x):
    ranks = scipy.stats.rankdata(x, "mean")  # error: ValueError: unknown method "mean"
    return np.sum(ranks * x)


@program(vec(3))
def policy_of_ranks(x):
    r = scipy.stats.rankdata(x, nan_policy="skip")  # error: ValueError: propagate, omit, raise
    return np.sum(r * x)


@program(vec(3))
def ranks_without_order(x):
    r = scipy.stats.rankdata(x + 1j)  # error: UnsupportedError: of complex ... of a part
    return np.sum(r * x)


@program(np.array([1.0, np.nan]))
def ranks_of_what_is_no_number(x):
    r = scipy.stats.rankdata(x, nan_policy="raise")  # error: ValueError: contains nan values
    return np.sum(r * x)


LEVY = scipy.stats.levy(1.0)


@program(2.5)
def density_of_another_distribution(x):
    return LEVY.logpdf(x)  # error: UnsupportedError: logpdf() of levy is not supported
