"""A stiff reaction-diffusion system, solved implicitly with its sparse Jacobian.

The Brusselator in one dimension: 2 n equations, each of which depends on four of the unknowns. BDF
of SciPy needs the Jacobian of the right-hand side; by differences it would evaluate this 2 n times.
"""

import time
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

import srcgrad as flow

N, A, B = 200, 1.0, 3.0
DIFFUSION = (N + 1) ** 2 / 50


def rhs(y):
    """d/dt of u and v, side by side at each point; u = A and v = B / A at both ends."""
    r = np.empty_like(y)
    for i in range(N):
        u, v = y[2 * i], y[2 * i + 1]
        left_u, left_v, right_u, right_v = A, B / A, A, B / A
        if i > 0:
            left_u, left_v = y[2 * i - 2], y[2 * i - 1]
        if i < N - 1:
            right_u, right_v = y[2 * i + 2], y[2 * i + 3]
        r[2 * i] = A + u * u * v - (B + 1.0) * u + DIFFUSION * (left_u - 2.0 * u + right_u)
        r[2 * i + 1] = B * u - u * u * v + DIFFUSION * (left_v - 2.0 * v + right_v)
    return r


def main():
    x = np.linspace(0.0, 1.0, N + 2)[1:-1]
    start = np.column_stack((A + np.sin(2 * np.pi * x), np.full(N, B))).ravel()
    compiled, jac = flow.compile(rhs), flow.sparse_jacobian(rhs)
    matrix: Any = jac(start)
    print(f"{matrix.nnz} of {matrix.shape[0] ** 2} elements, in {jac.plan.products} products")

    begin = time.perf_counter()
    solution = solve_ivp(
        lambda t, y: compiled(y), (0.0, 5.0), start, method="BDF", rtol=1e-6, atol=1e-8,
        jac=lambda t, y: jac(y),
    )  # fmt: skip
    print(
        f"{solution.t.size} steps, {solution.njev} Jacobians, {time.perf_counter() - begin:.2f} s"
    )
    if not solution.success:
        return 1

    by_differences = solve_ivp(
        lambda t, y: compiled(y), (0.0, 5.0), start, method="BDF", rtol=1e-6, atol=1e-8
    )
    apart = np.max(np.abs(solution.y[:, -1] - by_differences.y[:, -1]))
    print(f"apart from the solution with a dense Jacobian by differences: {apart:.1e}")
    return 0 if apart < 1e-4 and matrix.nnz == 8 * N - 4 else 1


if __name__ == "__main__":
    raise SystemExit(main())
