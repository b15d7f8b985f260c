"""Tools that check gradients: `check_grads` for a function of yours, `fuzz` for the compiler.

>>> import numpy as np
>>> from srcgrad.testing import check_grads
>>> def f(x):
...     return np.sum(np.sin(x) * x)
>>> check_grads(f, (np.array([0.5, 1.5]),), target="python")
"""

from srcgrad.testing.differences import GradientError, check_grads, slope

__all__ = ["GradientError", "check_grads", "slope"]
