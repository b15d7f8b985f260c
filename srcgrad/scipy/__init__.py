"""`flow.scipy`: SciPy's optimizers with derivatives filled in, and derivatives as its operators.

`minimize`, `least_squares`, `curve_fit` and `root` are SciPy's, with its arguments and results;
unknowns may be structures. Loads SciPy.
"""

from srcgrad.namespace import publish
from srcgrad.scipy.operators import covariance, hessian_operator, jacobian_operator
from srcgrad.scipy.problems import curve_fit, least_squares, minimize, root

__all__ = [
    "covariance", "curve_fit", "hessian_operator", "jacobian_operator", "least_squares",
    "minimize", "root",
]  # fmt: skip
publish(globals())
