"""Find the initial state of a viscous flow from its final state.

The solver is a plain loop that overwrites the velocity in place, upwind in the convection term;
its gradient feeds SciPy's L-BFGS-B. Run it: python examples/burgers_inversion.py
"""

import numpy as np
from scipy.optimize import minimize

import srcgrad as flow

POINTS, STEPS = 41, 20
DX, DT, VISCOSITY = 2.0 / (POINTS - 1), 0.005, 0.02


def evolve(u, steps):
    """Advance the velocities `u` (n,) in place by `steps` steps of Burgers' equation."""
    for _ in range(steps):
        left = u[0]
        for i in range(1, len(u) - 1):
            here = u[i]
            slope = here - left if here > 0.0 else u[i + 1] - here  # upwind
            bend = u[i + 1] - 2.0 * here + left
            u[i] = here - DT / DX * here * slope + VISCOSITY * DT / DX**2 * bend
            left = here


def misfit(start, observed, steps):
    """Return half the squared distance of the final state from the observed one."""
    u = start.copy()
    evolve(u, steps)
    return 0.5 * np.sum((u - observed) ** 2)


def inversion():
    """Return the points, the true initial state, the observed final one, and SciPy's fit."""
    x = np.linspace(0.0, 2.0, POINTS)
    truth = 1.0 + 0.5 * np.sin(np.pi * x)
    observed = truth.copy()
    evolve(observed, STEPS)
    fit = minimize(
        flow.value_and_grad(misfit), np.ones(POINTS), args=(observed, STEPS), jac=True,
        method="L-BFGS-B", options={"maxiter": 500, "ftol": 1e-15, "gtol": 1e-10},
    )  # fmt: skip
    return x, truth, observed, fit


def main():
    _, truth, _, fit = inversion()
    error = np.max(np.abs(fit.x - truth))
    print(f"{fit.nit} iterations, {fit.nfev} gradients by {POINTS} unknowns")
    print(f"misfit {fit.fun:.1e}, greatest error of the initial state {error:.1e}")
    return 0 if error < 1e-2 else 1


if __name__ == "__main__":
    raise SystemExit(main())
