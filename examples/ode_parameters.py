"""The parameters of a differential equation from data, by SciPy's solvers on both levels.

`scipy.integrate.solve_ivp` runs inside the residuals, `flow.scipy.least_squares` around them. Their
Jacobian comes from sensitivities, which the same method solves to the same tolerances. The data are
made from known parameters and noise, so the fit has to find these within its standard errors.
Run it: python examples/ode_parameters.py
"""

import numpy as np
from scipy.integrate import solve_ivp

import srcgrad as flow

TIMES = np.linspace(0.5, 15.0, 30)
TRUTH = {"rates": np.array([1.0, 0.4, 0.8, 0.3]), "start": np.array([3.0, 1.5])}
NOISE = 0.03


def populations(p):
    """Prey and predators (Lotka 1920, Volterra 1926), as logarithms."""
    a, b, c, d = p["rates"]

    def rhs(t, y):
        prey, hunters = np.exp(y[0]), np.exp(y[1])
        return [a - b * hunters, d * prey - c]

    start = np.log(p["start"])
    return solve_ivp(rhs, (0.0, 15.0), start, t_eval=TIMES, rtol=1e-8, atol=1e-8).y


RNG = np.random.default_rng(1)
DATA = populations(TRUTH) + NOISE * RNG.normal(size=(2, len(TIMES)))


def residuals(p):
    return (populations(p) - DATA) / NOISE


def main():
    guess = {"rates": np.array([0.9, 0.5, 0.9, 0.4]), "start": np.array([2.0, 1.0])}
    fit = flow.scipy.least_squares(residuals, guess)
    spread = np.sqrt(np.diag(np.linalg.inv(fit.jac.T @ fit.jac)))
    found, truth = (np.concatenate([p["rates"], p["start"]]) for p in (fit.x, TRUTH))
    print(
        f"{fit.nfev} evaluations, {fit.njev} Jacobians, chi^2 / n {2.0 * fit.cost / DATA.size:.2f}"
    )
    for name, x, s, want in zip("abcd12", found, spread, truth, strict=True):
        print(f"{name}  {x:.4f} +- {s:.4f}   (made with {want})")

    step = 1e-5 * np.eye(4)[1]
    up, down = ({**fit.x, "rates": fit.x["rates"] + h} for h in (step, -step))
    difference = np.ravel(residuals(up) - residuals(down)) / 2e-5
    off = np.max(np.abs(fit.jac[:, 1] - difference)) / np.max(np.abs(difference))
    print(f"the Jacobian is within {off:.0e} of differences")
    return 0 if np.all(np.abs(found - truth) < 4.0 * spread) and off < 1e-4 else 1


if __name__ == "__main__":
    raise SystemExit(main())
