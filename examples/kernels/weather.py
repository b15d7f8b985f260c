"""Stencils of the weather model COSMO, as in its dynamical core (Gysi et al., SC 2015)."""

import numpy as np

from examples.kernels.table import Kernel, positive, signed


def horizontal_diffusion(field, out, coefficient):
    """Fourth-order diffusion with flux limiter: the Laplacian of a Laplacian, in fluxes."""
    laplace = 4.0 * field[1:-1, 1:-1, :] - (
        field[2:, 1:-1, :] + field[:-2, 1:-1, :] + field[1:-1, 2:, :] + field[1:-1, :-2, :]
    )
    res = laplace[1:, 1:-1, :] - laplace[:-1, 1:-1, :]
    flux_x = np.where(res * (field[2:-1, 2:-2, :] - field[1:-2, 2:-2, :]) > 0, 0, res)
    res = laplace[1:-1, 1:, :] - laplace[1:-1, :-1, :]
    flux_y = np.where(res * (field[2:-2, 2:-1, :] - field[2:-2, 1:-2, :]) > 0, 0, res)
    out[:] = field[2:-2, 2:-2, :] - coefficient * (
        flux_x[1:, :, :] - flux_x[:-1, :, :] + flux_y[:, 1:, :] - flux_y[:, :-1, :]
    )


BET_M = 0.5 * (1.0 - 0.2)  # weights of the old and the new state
BET_P = 0.5 * (1.0 + 0.2)


def vertical_advection(tendency, u, w, u_pos, tendency_old, dtr):
    """Advection in the vertical, implicit: Thomas' algorithm in all columns at once."""
    ni, nj, nk = u.shape
    ccol = np.ndarray((ni, nj, nk), dtype=u.dtype)
    dcol = np.ndarray((ni, nj, nk), dtype=u.dtype)
    x = np.ndarray((ni, nj), dtype=u.dtype)
    for k in range(nk):
        centre = dtr * u_pos[:, :, k] + tendency[:, :, k] + tendency_old[:, :, k]
        diagonal = np.zeros((ni, nj)) + dtr
        if k > 0:
            gav = -0.25 * (w[1:, :, k] + w[:-1, :, k])
            lower = gav * BET_P
            centre = centre - gav * BET_M * (u[:, :, k - 1] - u[:, :, k])
            diagonal = diagonal - lower
        if k < nk - 1:
            gcv = 0.25 * (w[1:, :, k + 1] + w[:-1, :, k + 1])
            ccol[:, :, k] = gcv * BET_P
            centre = centre - gcv * BET_M * (u[:, :, k + 1] - u[:, :, k])
            diagonal = diagonal - ccol[:, :, k]
        if k > 0:
            divided = 1.0 / (diagonal - ccol[:, :, k - 1] * lower)
            dcol[:, :, k] = (centre - dcol[:, :, k - 1] * lower) * divided
        else:
            divided = 1.0 / diagonal
            dcol[:, :, k] = centre * divided
        if k < nk - 1:
            ccol[:, :, k] *= divided
    for k in range(nk - 1, -1, -1):
        if k == nk - 1:
            x[:] = dcol[:, :, k]
        else:
            x[:] = dcol[:, :, k] - ccol[:, :, k] * x
        tendency[:, :, k] = dtr * (x - u_pos[:, :, k])


def columns(ni, nj, nk):
    fields = [signed(ni, nj, nk, seed=s) for s in range(4)]
    return fields[0], fields[1], 0.2 * signed(ni + 1, nj, nk, seed=4), fields[2], fields[3], 3.0


KERNELS = [
    Kernel(
        horizontal_diffusion,
        lambda n, m, k: (signed(n, m, k), np.zeros((n - 4, m - 4, k)), positive(n - 4, m - 4, k)),
        (6, 5, 2),
        (100, 100, 60),
        (1,),
        (0, 2),
    ),
    Kernel(vertical_advection, columns, (2, 2, 4), (80, 80, 50), (0,)),
]
