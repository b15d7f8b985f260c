"""Second derivatives for SciPy's optimizers: Rosenbrock's function, and one with other arguments.

`trust-ncg` and `Newton-CG` take products with the Hessian, `hessp=flow.hvp(f)`, and never the
Hessian itself; `trust-exact` takes it, `hess=flow.hessian(f)`. What follows x in `args` follows the
direction in a product, which is how SciPy passes it.
Run it: python examples/rosenbrock.py
"""

import numpy as np
from scipy.optimize import minimize

import srcgrad as flow


def rosenbrock(x):
    """Rosenbrock's function of several variables (1960): a bent valley with its minimum at ones."""
    total = 0.0
    for i in range(len(x) - 1):
        total += 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
    return total


def logistic(w, data, labels, decay):
    """The loss of a logistic regression."""
    return np.sum(np.log1p(np.exp(-labels * (data @ w)))) + 0.5 * decay * np.sum(w * w)


def main():
    start = np.linspace(-1.0, 1.5, 20)
    loss = flow.value_and_grad(rosenbrock)
    product, matrix = flow.hvp(rosenbrock), flow.hessian(rosenbrock)
    found = [
        minimize(loss, start, jac=True, hessp=product, method="trust-ncg"),
        minimize(loss, start, jac=True, hessp=product, method="Newton-CG"),
        minimize(loss, start, jac=True, hess=matrix, method="trust-exact"),
    ]
    for name, result in zip(("trust-ncg", "Newton-CG", "trust-exact"), found, strict=True):
        print(f"{name:12s} {result.nit:3d} iterations, f = {result.fun:.1e}")

    rng = np.random.default_rng(0)
    data, truth = rng.normal(size=(400, 10)), rng.normal(size=10)
    labels = np.where(rng.random(400) < 1.0 / (1.0 + np.exp(-(data @ truth))), 1.0, -1.0)
    given = (data, labels, 1e-3)
    fit = minimize(
        flow.value_and_grad(logistic), np.zeros(10), given, jac=True, hessp=flow.hvp(logistic),
        method="trust-ncg", options={"gtol": 1e-10},
    )  # fmt: skip
    _, slope, curvature = flow.value_grad_hess(logistic)(fit.x, *given)
    spread = np.sqrt(np.diag(np.linalg.inv(curvature)))
    print(f"logistic     {fit.nit:3d} iterations, slope {np.max(np.abs(slope)):.0e}")
    print(
        f"weights within {np.max(np.abs(fit.x - truth) / spread):.1f} standard errors of the truth"
    )

    at_ones = all(r.success and np.allclose(r.x, 1.0, atol=1e-4) for r in found)
    as_expected = np.max(np.abs(slope)) < 1e-6 and np.all(np.abs(fit.x - truth) < 4.0 * spread)
    return 0 if at_ones and as_expected else 1


if __name__ == "__main__":
    raise SystemExit(main())
