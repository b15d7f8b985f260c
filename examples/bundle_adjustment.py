"""Bundle adjustment: cameras and points from where the cameras have seen the points.

Each of the residuals depends on one camera (nine numbers: rotation vector, translation, focal
length, two coefficients of distortion) and one point, so 12 of thousands of columns of the Jacobian
are not zero. `flow.sparse_jacobian` finds that from the program, and `least_squares` uses it.
"""

import time
from typing import Any

import numpy as np
from scipy.optimize import least_squares

import srcgrad as flow

CAMERA, POINT = 9, 3


def residuals(unknowns, cameras, seen_by, seen, pixels):
    """The differences between projections and pixels, two for each observation."""
    r = np.empty(2 * len(seen))
    for k in range(len(seen)):
        c, p = CAMERA * seen_by[k], CAMERA * cameras + POINT * seen[k]
        wx, wy, wz = unknowns[c], unknowns[c + 1], unknowns[c + 2]
        x, y, z = unknowns[p], unknowns[p + 1], unknowns[p + 2]
        angle = np.sqrt(wx * wx + wy * wy + wz * wz + 1e-30)
        kx, ky, kz = wx / angle, wy / angle, wz / angle
        cos, sin = np.cos(angle), np.sin(angle)
        along = (kx * x + ky * y + kz * z) * (1.0 - cos)
        rx = x * cos + (ky * z - kz * y) * sin + kx * along + unknowns[c + 3]
        ry = y * cos + (kz * x - kx * z) * sin + ky * along + unknowns[c + 4]
        rz = z * cos + (kx * y - ky * x) * sin + kz * along + unknowns[c + 5]
        u, v = -rx / rz, -ry / rz
        square = u * u + v * v
        scale = unknowns[c + 6] * (1.0 + square * (unknowns[c + 7] + square * unknowns[c + 8]))
        r[2 * k] = scale * u - pixels[k, 0]
        r[2 * k + 1] = scale * v - pixels[k, 1]
    return r


def scene(cameras, points, views, seed=0):
    """True unknowns, and the observations: `views` of each camera, in pixels without noise."""
    rng = np.random.default_rng(seed)
    of_cameras = np.column_stack((
        0.1 * rng.normal(size=(cameras, 3)), 0.2 * rng.normal(size=(cameras, 2)),
        -6.0 + 0.1 * rng.normal(size=cameras), np.full(cameras, 500.0),
        0.02 * rng.normal(size=cameras), np.zeros(cameras),
    ))  # fmt: skip
    truth = np.concatenate((of_cameras.ravel(), rng.uniform(-1.0, 1.0, 3 * points)))
    seen_by = np.repeat(np.arange(cameras), views)
    seen = np.concatenate([rng.permutation(points)[:views] for _ in range(cameras)])
    pixels = np.zeros((len(seen), 2))
    pixels[:] = residuals(truth, cameras, seen_by, seen, pixels).reshape(-1, 2)
    return truth, (cameras, seen_by, seen, pixels)


def main(cameras=6, points=80, views=60):
    truth, observed = scene(cameras, points, views)
    jac: Any = flow.sparse_jacobian(residuals)
    start = truth + 0.01 * np.random.default_rng(1).normal(size=truth.size)
    matrix = jac(start, *observed)
    share = matrix.nnz / np.prod(matrix.shape)
    print(f"{matrix.shape[0]} residuals, {matrix.shape[1]} unknowns, {share:.1%} of the Jacobian")

    begin = time.perf_counter()
    found = least_squares(
        flow.compile(residuals), start, jac=jac, args=observed, x_scale="jac", tr_solver="lsmr"
    )
    seconds = time.perf_counter() - begin
    print(f"{found.nfev} evaluations, {found.njev} Jacobians, {seconds:.2f} s")
    print(f"root mean square of the residuals: {np.sqrt(np.mean(found.fun**2)):.1e} pixels")
    return 0 if np.sqrt(np.mean(found.fun**2)) < 1e-3 else 1


if __name__ == "__main__":
    raise SystemExit(main())
