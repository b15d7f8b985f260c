"""scipy.integrate: integrals of samples by trapezoids and parabolas."""

import numpy as np
from scipy.integrate import cumulative_trapezoid, simpson, trapezoid

from tests.cases.registry import case, mat, vec


@case(vec(5), vec(5, 1))
def by_trapezoids(y, steps):
    x = np.cumsum(steps)
    s = trapezoid(y**2, x) + trapezoid(y, dx=0.3)
    running = cumulative_trapezoid(y, x, initial=0) * y + cumulative_trapezoid(y, dx=0.5)[0]
    return s + running**2


@case(mat(3, 4))
def by_trapezoids_along_axes(y):
    rows = trapezoid(y**2, np.array([0.0, 0.5, 2.0]), axis=0)
    places = np.cumsum(y, axis=1)
    return cumulative_trapezoid(y * y, places, axis=1)[:, 0] * np.sum(rows)


# single precision is refused
@case(vec(1), vec(1, 1), float32=False)
@case(vec(2), vec(2, 1), float32=False)
@case(vec(5), vec(5, 1), float32=False)
@case(vec(6), vec(6, 1), float32=False)
def by_parabolas(y, steps):
    return simpson(y**2, x=np.cumsum(steps)) * simpson(y, dx=0.3)


@case(mat(4, 3), float32=False)
def by_parabolas_along_axes(y):
    columns = simpson(y**2, x=np.cumsum(y, axis=0), axis=0)
    return columns * np.sum(simpson(y, x=[0.0, 0.5, 2.0]) ** 2)
