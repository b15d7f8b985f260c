"""The initial temperature of a plate from later measurements: heat flow in slices, on a GPU.

    python examples/gpu_stencil.py

Each time step is a few kernels, the loop over time runs on the host, and so does the reverse sweep.
Heat flow is linear, so that the misfit along the gradient is a parabola: the example compares its
slope with the gradient, and descends by steps of the exact length.
"""

import time

import numpy as np

import srcgrad as flow


def later(u, steps, r):
    u = u.copy()
    for _ in range(steps):
        around = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
        u[1:-1, 1:-1] = (1.0 - 4.0 * r) * u[1:-1, 1:-1] + r * around
    return u


def misfit(u, measured, steps, r):
    return 0.5 * np.sum((later(u, steps, r) - measured) ** 2)


def main(n=None, steps=50, r=0.2, descents=20):
    on_gpu = flow.cuda.is_available()
    n = n or (2000 if on_gpu else 200)
    target = "cuda" if on_gpu else "cpu"
    at = np.linspace(-1.0, 1.0, n)
    truth = np.exp(-30.0 * ((at[:, None] - 0.3) ** 2 + (at[None, :] + 0.2) ** 2))
    measured = later(truth, steps, r)

    slope = flow.value_and_grad(misfit, 0, target=target)
    forward = flow.compile(later, target=target)
    u = np.zeros((n, n))
    value, g = slope(u, measured, steps, r)
    start = time.perf_counter()
    first, g = slope(u, measured, steps, r)
    print(f"{n} x {n}, {steps} steps on {target}: {1e3 * (time.perf_counter() - start):.1f} ms")
    h = 1e-3 / np.sqrt(np.sum(g * g))
    along = (misfit(u + h * g, measured, steps, r) - misfit(u - h * g, measured, steps, r)) / (
        2 * h
    )
    right = np.isclose(along, np.sum(g * g), rtol=1e-6)

    for _ in range(descents):
        value, g = slope(u, measured, steps, r)
        changed = forward(g, steps, r)
        u -= np.sum(g * g) / np.sum(changed * changed) * g
    print(f"misfit {first:.4f} -> {value:.2e}, error of u {np.max(np.abs(u - truth)):.3f}")
    return int(not (right and value < 1e-3 * first))


if __name__ == "__main__":
    raise SystemExit(main())
