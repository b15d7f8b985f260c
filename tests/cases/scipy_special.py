"""Functions of scipy.special: values, and derivatives in every argument that has one."""

import numpy as np
from scipy import special

from tests.cases.registry import case, mat, signed, vec

UNIT = np.array([0.2, 0.35, 0.6, 0.85])
INSIDE = signed(4) * 0.6


@case(vec(4))
@case(1.3)
def gamma_functions(x):
    return special.gammaln(x) * special.digamma(x) + special.gamma(x) - special.psi(2.0 * x)


@case(-vec(4) * 0.6)
def gamma_functions_of_negative_numbers(x):
    return special.gammaln(x) + special.gamma(x) * special.digamma(x)


@case(vec(4), 1)
@case(vec(4), 3)
@case(0.8, 0)
def polygammas(x, n):
    return special.polygamma(n, x) + special.polygamma(n + 1, 2.0 * x)


@case(vec(3), vec(3, 1))
@case(mat(2, 3), 0.7)
def beta_functions(a, b):
    s = special.beta(a, b) * special.betaln(a, b)
    return s + special.binom(3.0 + a, b) + special.poch(a, b)


@case(70.0 * signed(4))
@case(130.0)
def angles_in_degrees(x):
    return special.sindg(x) * special.cosdg(0.3 * x) + special.cosdg(x) ** 2


@case(vec(4), 2)
@case(1.1, 1)
def incomplete_gamma(x, a):
    half = special.gammainc(a, x)
    return half * x + special.gammaincc(a, x) ** 2 + special.gammaincinv(a, half * 0.5)


@case(vec(4), 0.5 + vec(4))
@case(0.4, 2.6)
@case(1.4, 0.6)
def shapes_of_incomplete_gamma(a, x):
    q = special.gammaincinv(a, 0.3) + special.gammainccinv(a, 0.9 * special.gammainc(a, x))
    return special.gammaincc(a, x) * q + special.chdtr(a, x)


@case(0.5 + vec(4), vec(4), UNIT, second_order=False)
@case(3.5, 0.6, 0.7, second_order=False)
def shapes_of_incomplete_beta(a, b, x):
    return special.betainc(a, b, x) * special.betaincinv(a, b, 0.4)


@case(UNIT)
@case(0.4)
def incomplete_beta(x):
    y = special.betainc(2.0, 3.5, x)
    return y * x + special.betaincinv(1.5, 2.0, x) + special.gammainccinv(2.0, x)


@case(INSIDE)
@case(0.3)
def error_functions(x):
    s = special.erf(x) * special.erfc(x) + special.erfcx(x) + special.erfi(x)
    return s + special.dawsn(x) * special.erfinv(x) + special.erfcinv(1.0 + x)


@case(INSIDE)
@case(mat(2, 2) - 0.9)
def normal_distribution(x):
    return special.ndtr(x) * special.log_ndtr(-3.0 * x) + special.ndtri(0.5 + 0.3 * x)


@case(signed(3), vec(3, 1))
def owens_function(h, a):
    return special.owens_t(h, a) * h


@case(signed(3))
def students_distribution(t):
    return special.stdtr(3.0, t) + special.stdtrit(4.0, 0.5 + 0.2 * t)


@case(vec(3), vec(3, 1))
@case(np.array([0.0, 0.5]), np.array([0.7, 1.2]), wrt=(1,))
def products_with_logarithms(a, b):
    return special.xlogy(a, b) * 2.0 + special.xlog1py(a, b)


@case(np.array([0.0, 0.5]), expected=(np.array([np.log(2.0), np.log(2.0)]),))
def product_with_logarithm_at_zero(a):
    return np.sum(special.xlogy(a, 2.0))


@case(vec(4))
def exponential_integrals(x):
    return special.expi(x) * special.exp1(x) + special.expn(3, x)


@case(vec(4))
@case(2.2)
def bessel_functions(x):
    s = special.j0(x) * special.j1(x) + special.y0(x) * special.y1(x)
    return s + special.jv(2.5, x) + special.jn(2, x) * special.yv(1.5, x) + special.yn(1, x)


@case(vec(4))
@case(2.2)
def modified_bessel_functions(x):
    s = special.i0(x) * special.k0(x) + special.i1(x) * special.k1(x)
    s = s + special.i0e(x) * special.k0e(x) + special.i1e(-x) * special.k1e(x)
    s = s + special.iv(1.5, x) * special.kv(0.5, x)
    return s + special.ive(2.0, x) * special.kve(1.0, x) + special.kn(2, x)


@case(signed(4))
def bessel_functions_at_both_signs(x):
    return special.i0e(x) * special.i0(x) + special.ive(1, x) + special.j1(x)


@case(signed(4))
def hypergeometric_functions(x):
    return special.hyp1f1(1.5, 2.5, x) + special.hyp0f1(1.5, x)


@case(mat(2, 3), None)
@case(mat(2, 3), 0)
@case(mat(2, 3), -1)
@case(vec(3) * 600.0, 0)
def sums_of_exponentials(x, axis):
    s = special.logsumexp(x, axis=axis) * 2.0
    return s + np.sum(special.logsumexp(x, axis=axis, keepdims=True))


@case(mat(2, 3), mat(2, 3, 1))
def weighted_sums_of_exponentials(x, w):
    logarithm, sign = special.logsumexp(x, axis=1, b=w - 1.0, return_sign=True)
    return np.sum(special.logsumexp(x, 0, w)) + np.sum(logarithm * sign)


@case(mat(2, 3), None)
@case(mat(2, 3), 0)
@case(vec(4), -1)
def shares(x, axis):
    return special.softmax(x, axis=axis) * x + special.log_softmax(x, axis) * 0.5


@case(UNIT)
@case(0.4)
def logistic_functions(p):
    return special.logit(p) * special.expit(p) + special.log_expit(p) - special.log_expit(-p)


@case(vec(3), vec(3, 1))
@case(np.array([0.0, 0.5]), np.array([0.7, 1.2]), wrt=(1,))
def entropies(p, q):
    return special.entr(p) * 0.5 + special.rel_entr(p, q) + special.kl_div(q, p + 1.0)


@case(0.8, signed(5))
@case(vec(3), signed(3, 1))
def huber_losses(delta, r):
    return special.huber(delta, r) + special.pseudo_huber(delta, r)


@case(vec(4), 0.7)
@case(vec(4), 0.0)
@case(vec(4), -1.5)
def transformations(x, power):
    return special.boxcox(x, power) + special.boxcox1p(x, power) * special.exprel(power)


@case(vec(4))
def other_elementary_functions(x):
    s = special.expm1(x) * special.log1p(x) + special.exp2(x) * special.cbrt(x)
    return s + special.exp10(0.3 * x) + special.cosm1(x)


@case(vec(3))
def counts_of_choices(x):
    return special.comb(4.0 + x, 2.0) + special.factorial(x) + special.comb(5, 2) * x


@case(vec(3))
def further_gamma_functions(x):
    s = special.multigammaln(x + 2.0, 3) * special.chdtr(3.0, x)
    return special.loggamma(x) + s + special.chdtrc(2.0, x)


@case(np.array([-3.4, -2.0, -0.5, 0.0, 0.5, 2.3]))
def one_over_gamma(x):
    return special.rgamma(x) * special.gammasgn(x + 0.1)


@case(vec(4))
def number_functions(x):
    n = np.arange(1, 5)
    return (
        np.sum(special.gammaln(n) * x)
        + special.gammaln(x[0]) * special.j0(2.0)
        + special.gammaln(4)
    )


@case(vec(3))
def degrees_that_are_fractions(x):
    """Laguerre's functions of half a degree are the means of Rician noise."""
    s = special.eval_laguerre(0.5, -(x**2)) + special.eval_genlaguerre(1.5, 0.3, x)
    return s * special.eval_legendre(0.5, 0.5 * x)


@case(np.array([-0.7, 0.2, 0.9]))
def polynomials_as_objects(x):
    """SciPy makes them when the function is compiled; a degree of 2.0 is whole."""
    s = special.legendre(3)(x) + special.jacobi(2.0, 0.5, 1, monic=True)(x)
    s = s * special.chebyc(3)(x) + special.hermite(0)(x) * special.sh_jacobi(2, 2.5, 1.5)(x)
    return s + special.genlaguerre(2, 0.4).deriv()(x) - special.legendre(2).coeffs[0] * x


QUARTIC = special.gegenbauer(4, 0.7)


@case(np.array([-0.7, 0.2, 0.9]))
def polynomials_made_outside(x):
    nodes, weights = QUARTIC.weights[:, 0], QUARTIC.weights[:, 1]
    s = QUARTIC(x) * QUARTIC.normcoef + np.sum(weights * nodes**2) * np.polyval(QUARTIC, x)
    return s + QUARTIC[4] * x**2 + len(QUARTIC)
