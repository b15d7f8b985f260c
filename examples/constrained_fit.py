"""A logistic fit with constraints, by SciPy, whose unknowns are a structure.

`flow.scipy.minimize` fills in the gradient and the constraints' Jacobian. At the minimum the
gradient of the loss is a combination of those of the active constraints (Kuhn and Tucker, 1951);
without constraints `flow.scipy.covariance` gives the standard errors of the fit.
Run it: python examples/constrained_fit.py
"""

from typing import Any

import numpy as np
from scipy.optimize import NonlinearConstraint

import srcgrad as flow

RNG = np.random.default_rng(0)
DATA = RNG.normal(size=(600, 4))
TRUTH: dict[str, Any] = {"weights": np.array([1.0, -0.5, 0.8, 0.3]), "bias": -0.4}
CHANCE = 1.0 / (1.0 + np.exp(-(DATA @ TRUTH["weights"] + TRUTH["bias"])))
LABELS = np.where(RNG.random(600) < CHANCE, 1.0, -1.0)


def loss(p):
    """The negative log-likelihood of a logistic regression."""
    return np.sum(np.logaddexp(0.0, -LABELS * (DATA @ p["weights"] + p["bias"])))


def length(p):
    """The squared length of the weights."""
    return np.sum(p["weights"] ** 2)


def main():
    start = {"weights": np.zeros(4), "bias": 0}
    free = flow.scipy.minimize(loss, start, method="trust-ncg", options={"gtol": 1e-8}).x
    spread = np.sqrt(np.diag(flow.scipy.covariance(loss, free)))
    errors = np.append(free["weights"] - TRUTH["weights"], free["bias"] - TRUTH["bias"])
    print(f"free         length {length(free):.3f}, within "
          f"{np.max(np.abs(errors) / spread):.1f} standard errors of the truth")  # fmt: skip

    short = NonlinearConstraint(length, -np.inf, 0.5)
    fits = [
        flow.scipy.minimize(loss, start, method=method, constraints=short, tol=1e-10)
        for method in ("SLSQP", "trust-constr")
    ]
    good = np.all(np.abs(errors) < 4.0 * spread)
    for name, fit in zip(("SLSQP", "trust-constr"), fits, strict=True):
        slope, normal = flow.grad(loss)(fit.x), flow.grad(length)(fit.x)
        force = -(slope["weights"] @ normal["weights"]) / (normal["weights"] @ normal["weights"])
        rest = np.abs(slope["weights"] + force * normal["weights"])
        print(f"{name:12s} length {length(fit.x):.6f}, multiplier {force:.4f}, "
              f"what is left of the slope {np.max(rest):.0e}")  # fmt: skip
        good &= abs(length(fit.x) - 0.5) < 1e-6 and force > 0.0
        good &= max(np.max(rest), abs(slope["bias"])) < 1e-2
    return 0 if good else 1


if __name__ == "__main__":
    raise SystemExit(main())
