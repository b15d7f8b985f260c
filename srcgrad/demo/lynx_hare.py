"""The lynx and the hare of Hudson Bay: data, model and loss, as a scientist would write them.

Plain NumPy and loops: nested time stepping, a state array updated in place, helpers that write into
the arrays they are given. This file never imports srcgrad: the demo differentiates the program as
it is, and the same functions run unmodified under plain Python.

The model is Lotka and Volterra's: hares breed at rate ``alpha`` and are eaten at ``beta`` per lynx;
lynx die at rate ``gamma`` and thrive at ``delta`` per hare. Time is in years, populations are in
thousands of pelts a year. ``theta`` holds (alpha, beta, gamma, delta, first hare, first lynx).
"""

from importlib import resources

import numpy as np

NAMES = ("alpha", "beta", "gamma", "delta", "hare 1900", "lynx 1900")
UNITS = ("1/year", "1/(year lynx)", "1/year", "1/(year hare)", "thousand", "thousand")
START = (0.5, 0.025, 0.8, 0.025, 30.0, 4.0)

# The least-squares answer from START, found once with SciPy's BFGS on central differences alone.
KNOWN = (0.540, 0.0272, 0.796, 0.0237, 34.6, 5.84)
KNOWN_LOSSES = (11.036, 2.0187)

# Runge-Kutta steps a year. From 4 upwards the fitted parameters agree to four digits.
SUBSTEPS = 10


def record():
    """Returns the years (21,) and the pelts (21, 2), hare first, in thousands a year."""
    table = resources.files("srcgrad.demo").joinpath("hudson_bay_lynx_hare.csv")
    with table.open(encoding="utf-8") as lines:
        year, lynx, hare = np.loadtxt(lines, delimiter=",", skiprows=2, unpack=True)
    return year.astype(int), np.column_stack([hare, lynx])


def rates(state, theta, out):
    """Writes the rates of change of (hare, lynx) into ``out``."""
    hare = state[0]
    lynx = state[1]
    out[0] = (theta[0] - theta[1] * lynx) * hare
    out[1] = (theta[3] * hare - theta[2]) * lynx


def move(start, dt, slope, out):
    """Writes ``start`` moved along ``slope`` for ``dt`` years into ``out``."""
    for i in range(2):
        out[i] = start[i] + dt * slope[i]


def step(state, theta, dt, slopes, trial):
    """Advances ``state`` by ``dt`` years in place, by the classical Runge-Kutta rule.

    ``slopes`` (4, 2) and ``trial`` (2,) are scratch, overwritten at every step.
    """
    rates(state, theta, slopes[0])
    move(state, 0.5 * dt, slopes[0], trial)
    rates(trial, theta, slopes[1])
    move(state, 0.5 * dt, slopes[1], trial)
    rates(trial, theta, slopes[2])
    move(state, dt, slopes[2], trial)
    rates(trial, theta, slopes[3])
    for i in range(2):
        middle = slopes[1, i] + slopes[2, i]
        state[i] += dt / 6 * (slopes[0, i] + 2 * middle + slopes[3, i])


def loss(log_theta, pelts, substeps):
    """Returns the sum of squared log residuals over every year, the first included, and species.

    ``log_theta`` (6,) is the logarithm of the unknowns, so that BFGS never meets a negative rate.
    """
    theta = np.exp(log_theta)
    state = theta[4:].copy()
    slopes = np.zeros((4, 2))
    trial = np.zeros(2)
    total = 0.0
    for year in range(pelts.shape[0]):
        if year > 0:
            for _ in range(substeps):
                step(state, theta, 1.0 / substeps, slopes, trial)
        for i in range(2):
            residual = np.log(state[i]) - np.log(pelts[year, i])
            total += residual * residual
    return total


def trajectory(theta, years, substeps):
    """Returns times (years * substeps + 1,) from 0 on and the (hare, lynx) populations at them."""
    state = np.array(theta[4:], dtype=float)
    slopes, trial = np.zeros((4, 2)), np.zeros(2)
    path = np.empty((years * substeps + 1, 2))
    for k in range(len(path)):
        path[k] = state
        step(state, theta, 1.0 / substeps, slopes, trial)
    return np.arange(len(path)) / substeps, path
