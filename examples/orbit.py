"""An orbit from the velocities of a star, with Kepler's equation solved inside the residuals.

At each time `scipy.optimize.brentq` finds the eccentric anomaly; it is compiled with the loop
around it, and its derivative is the implicit function theorem's. The data are made from a known
orbit and noise, so the fit has to find that within its standard errors.
Run it: python examples/orbit.py
"""

import math
from typing import Any

import numpy as np
from scipy.optimize import brentq

import srcgrad as flow

TIMES = np.sort(np.random.default_rng(0).uniform(0.0, 40.0, 60))
NOISE = 2.0
TRUTH = {"period": 11.0, "eccentricity": 0.45, "argument": 0.8, "phase": 1.2, "speed": 50.0}


def velocities(p):
    """The radial velocities at all times."""
    e, out = p["eccentricity"], np.empty(len(TIMES))
    for i in range(len(TIMES)):
        mean = 2.0 * math.pi * TIMES[i] / p["period"] + p["phase"]
        anomaly: Any = brentq(
            lambda x, m: x - e * math.sin(x) - m, mean - 1.0, mean + 1.0, args=(mean,)
        )
        true = 2.0 * math.atan2(
            math.sqrt(1.0 + e) * math.sin(anomaly / 2.0),
            math.sqrt(1.0 - e) * math.cos(anomaly / 2.0),
        )
        out[i] = p["speed"] * (math.cos(true + p["argument"]) + e * math.cos(p["argument"]))
    return out


DATA = velocities(TRUTH) + NOISE * np.random.default_rng(1).normal(size=len(TIMES))


def residuals(p):
    return (velocities(p) - DATA) / NOISE


def loss(p):
    """The negative log-likelihood, but for a constant."""
    return 0.5 * np.sum(residuals(p) ** 2)


def main():
    guess = {"period": 10.9, "eccentricity": 0.3, "argument": 0.6, "phase": 1.0, "speed": 40.0}
    fit = flow.scipy.least_squares(residuals, guess, x_scale="jac")
    spread = np.sqrt(np.diag(flow.scipy.covariance(loss, fit.x)))
    print(f"{fit.nfev} evaluations, chi^2 / n {2.0 * fit.cost / len(TIMES):.2f}")
    good = fit.success
    for (name, want), s in zip(TRUTH.items(), spread, strict=True):
        print(f"{name:12s} {fit.x[name]:8.4f} +- {s:.4f}   (made with {want})")
        good &= abs(fit.x[name] - want) < 4.0 * s

    slope, step = flow.grad(loss)(guess), 1e-6
    up, down = ({**guess, "eccentricity": 0.3 + h} for h in (step, -step))
    difference = (loss(up) - loss(down)) / (2.0 * step)
    print(f"slope by the eccentricity {slope['eccentricity']:.6f}, differences {difference:.6f}")
    return 0 if good and abs(slope["eccentricity"] / difference - 1.0) < 1e-6 else 1


if __name__ == "__main__":
    raise SystemExit(main())
