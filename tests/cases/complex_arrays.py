"""Complex arrays: products, reductions, selections, shapes, stores."""

import numpy as np

from tests.cases.complex_numbers import zmat, zvec
from tests.cases.registry import case, mat, vec


# ---- products and reductions ----
@case(zmat(3, 4), zmat(4, 2, 1))
def matrix_product(a, b):
    return np.sum(np.abs(a @ b) ** 2) + np.sum((np.dot(a, b) ** 2).imag)


@case(zmat(3, 4), zvec(4, 1))
def matrix_times_vector(a, z):
    return np.sum(np.abs(a @ z) ** 2) + np.sum((z @ a.T).imag)


@case(mat(3, 4), zvec(4, 1))
def real_matrix_times_complex_vector(a, z):
    return np.sum(np.abs(a @ z) ** 2)


@case(zvec(4), zvec(4, 1))
def products_of_vectors(z, w):
    y = np.vdot(z, w) * np.dot(z, w) + np.inner(w, z)
    return y.real + np.sum(np.outer(z, w).imag ** 2) + (z @ w).imag + np.vdot(z, z).real


@case(zmat(2, 3), zmat(3, 4, 1))
def einsum(a, b):
    c = np.einsum("ij,jk->ik", a, b)
    return np.einsum("ij,ij->", c, np.conj(c)).real + np.einsum("ij,ij->i", a, a)[0].imag


@case(zmat(3, 4))
def reductions(z):
    s = z.sum(axis=0) * z.mean(axis=1)[0] + np.prod(z, axis=0) + np.cumsum(z, axis=1)[2]
    return np.sum(s.real * s.imag)


@case(zmat(3, 4))
def spread(z):
    return np.var(z) + np.sum(np.std(z, axis=0)) + np.linalg.norm(z) * np.trace(z[:, :3]).imag


@case(zvec(6))
def cumulative_product(z):
    return np.sum(np.cumprod(z).imag)


@case(zvec(5), zvec(3, 1))
def convolutions(z, w):
    return np.sum(np.abs(np.convolve(z, w)) ** 2) + np.correlate(z, w)[1].imag


@case(zmat(3, 3) + 3.0 * np.eye(3), zvec(3, 1))
def solve(a, z):
    return np.sum(np.abs(np.linalg.solve(a, z)) ** 2) + np.linalg.solve(a, a.T)[0, 1].imag


@case(zmat(3, 3) + 2.0 * np.eye(3))
def inverse_and_determinant(a):
    sign, size = np.linalg.slogdet(a)
    d = np.linalg.det(a)
    return np.sum(np.linalg.inv(a).imag) + d.real * d.imag + size * sign.imag


@case(zmat(3, 3))
def matrix_power(a):
    return np.sum(np.linalg.matrix_power(a, 3).real) + np.kron(a, a[:2])[3, 4].imag


# ---- selections, shapes, stores ----
@case(zvec(5))
def selections(z):
    y = np.where(z.real > 0.0, z * z, np.conj(z))
    return np.sum(y.real * y.imag) + np.sum(np.abs(y[z.imag > 0.0]))


@case(zmat(3, 4))
def shapes(z):
    y = np.concatenate([z.T.reshape(-1)[::2], z[1, ::-1], np.zeros(2)])
    return np.sum((y * np.roll(y, 1)).imag) + np.sum(np.stack([y, y.conj()])[1].real * y.imag)


@case(zvec(4), vec(4))
def stores(z, x):
    out = np.zeros((2, 4), dtype=complex)
    out[0] = z * z
    out[1] = x
    out[1, 2] = z[0] * 1j
    out[0, 1:3] += x[:2]
    out[0] *= 2.0 - 1j
    return np.sum(np.abs(out) ** 2)


@case(zvec(5))
def stores_in_a_loop(z):
    y = np.empty_like(z)
    for i in range(len(z)):
        y[i] = z[i] * z[i - 1]
        if i > 0:
            y[i] += 0.5 * y[i - 1].conjugate()
    return np.sum(y.real - y.imag**2)


@case(zvec(4))
def overwrites_its_argument(z):
    z *= 1j
    z[0] = z[1] * z[2]
    return np.sum((z * z).real)


@case(zvec(4), vec(4))
def stores_to_parts(z, x):
    w = z.copy()
    w.real = x * x
    w.imag += x
    w.imag *= 2.0
    w.real[1] = x[0]
    w.imag[2:] -= x[2:] * 3.0
    w.imag[0] += w.real[2]
    return np.sum((w**3).imag)
