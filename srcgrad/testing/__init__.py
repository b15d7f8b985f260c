"""Tools that check the gradients of functions: `gradcheck`, `check_jvp_vjp`, `check_grads`.

`plugin` is the fixture for pytest. The classes of errors are those of `srcgrad.errors`.

>>> import numpy as np
>>> from srcgrad.testing import check_grads
>>> def f(x):
...     return np.sum(np.sin(x) * x)
>>> check_grads(f, (np.array([0.5, 1.5]),), target="python")
"""

from typing import TYPE_CHECKING, Any

from srcgrad.errors import GradientError, GradientWarning
from srcgrad.namespace import publish
from srcgrad.testing.differences import check_grads
from srcgrad.testing.gradcheck import check_jvp_vjp, gradcheck
from srcgrad.tracebacks import entrance

if TYPE_CHECKING:
    from srcgrad.numeric import slope

__all__ = ["GradientError", "GradientWarning", "check_grads", "check_jvp_vjp", "gradcheck", "slope"]


def __getattr__(name: str) -> Any:
    if name == "slope":
        from srcgrad.numeric import slope

        return entrance(slope, __name__)
    raise AttributeError(name)


publish(globals())
