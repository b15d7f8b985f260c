"""Products of matrices and vectors, whole and by triangles (PolyBench/C 4.2, BLAS)."""

import numpy as np

from examples.kernels.table import Kernel, positive, signed


def gemm(alpha, beta, c, a, b):
    """C = alpha A B + beta C in place."""
    c[:] = alpha * a @ b + beta * c


def two_products(alpha, beta, a, b, c, d):
    """D = alpha A B C + beta D (PolyBench 2mm)."""
    d[:] = alpha * a @ b @ c + beta * d


def three_products(a, b, c, d):
    """(A B) (C D) (PolyBench 3mm)."""
    return a @ b @ (c @ d)


def atax(a, x):
    """A' (A x)."""
    return (a @ x) @ a


def bicg(a, p, r):
    """The two products of one step of biconjugate gradients."""
    return r @ a, a @ p


def mvt(x1, x2, y1, y2, a):
    """A product with a matrix and one with its transpose, added in place."""
    x1 += a @ y1
    x2 += y2 @ a


def gesummv(alpha, beta, a, b, x):
    """alpha A x + beta B x."""
    return alpha * a @ x + beta * b @ x


def gemver(alpha, beta, a, u1, v1, u2, v2, w, x, y, z):
    """Two updates of rank one and two products, each added in place (BLAS 2.5)."""
    a += np.outer(u1, v1) + np.outer(u2, v2)
    x += beta * y @ a + z
    w += alpha * a @ x


def symm(alpha, beta, c, a, b):
    """C = alpha A B + beta C where only the lower triangle of A counts."""
    temp2 = np.empty((c.shape[1],), dtype=c.dtype)
    c *= beta
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            c[:i, j] += alpha * b[i, j] * a[i, :i]
            temp2[j] = b[:i, j] @ a[i, :i]
        c[i, :] += alpha * b[i, :] * a[i, i] + alpha * temp2


def syrk(alpha, beta, c, a):
    """The lower triangle of C = alpha A A' + beta C."""
    for i in range(a.shape[0]):
        c[i, : i + 1] *= beta
        for k in range(a.shape[1]):
            c[i, : i + 1] += alpha * a[i, k] * a[: i + 1, k]


def syr2k(alpha, beta, c, a, b):
    """The lower triangle of C = alpha (A B' + B A') + beta C."""
    for i in range(a.shape[0]):
        c[i, : i + 1] *= beta
        for k in range(a.shape[1]):
            c[i, : i + 1] += a[: i + 1, k] * alpha * b[i, k] + b[: i + 1, k] * alpha * a[i, k]


def trmm(alpha, a, b):
    """B = alpha A' B in place where A is a lower triangle with ones on its diagonal."""
    for i in range(b.shape[0]):
        for j in range(b.shape[1]):
            b[i, j] += np.dot(a[i + 1 :, i], b[i + 1 :, j])
    b *= alpha


def doitgen(a, c4):
    """The last axis of a tensor transformed in place, a row at a time (PolyBench doitgen)."""
    nr, nq, np_ = a.shape
    total = np.empty(np_)
    for r in range(nr):
        for q in range(nq):
            total[:] = a[r, q, :] @ c4
            a[r, q, :] = total


def doitgen_reshaped(a, c4):
    """The same as one product of stacked matrices."""
    nr, nq, np_ = a.shape
    a[:] = np.reshape(np.reshape(a, (nr, nq, 1, np_)) @ c4, (nr, nq, np_))


def spmv(row, col, val, x):
    """A sparse matrix in compressed rows by a vector."""
    y = np.empty(row.size - 1, val.dtype)
    for i in range(row.size - 1):
        cols = col[row[i] : row[i + 1]]
        vals = val[row[i] : row[i + 1]]
        y[i] = vals @ x[cols]
    return y


def sparse(n, fill):
    """Rows of `fill` entries more or less, one of them empty, in 32-bit indices as SciPy's."""
    rng = np.random.default_rng(0)
    counts = np.minimum(fill - 1 + np.arange(n) % 3, n)
    counts[1] = 0
    row = np.concatenate(([0], np.cumsum(counts))).astype(np.int32)
    col = np.concatenate([np.sort(rng.choice(n, k, replace=False)) for k in counts])
    return row, col.astype(np.int32), signed(row[-1]), signed(n, seed=1)


def vectors(n, count):
    return tuple(signed(n, seed=10 + k) for k in range(count))


SCALES = (1.5, 1.2)
KERNELS = [
    Kernel(
        gemm,
        lambda n, m, k: (*SCALES, signed(n, m), signed(n, k, seed=1), signed(k, m, seed=2)),
        (3, 4, 2),
        (300, 310, 320),
        (2,),
    ),
    Kernel(
        two_products,
        lambda n: (*SCALES, *(signed(n, n, seed=k) / n for k in range(4))),
        (3,),
        (200,),
        (5,),
    ),
    Kernel(
        three_products, lambda n: tuple(signed(n, n, seed=k) / n for k in range(4)), (3,), (200,)
    ),
    Kernel(atax, lambda m, n: (signed(m, n), signed(n, seed=1)), (4, 3), (1900, 2100)),
    Kernel(bicg, lambda m, n: (signed(m, n), *vectors(n, 1), *vectors(m, 1)), (4, 3), (1900, 2100)),
    Kernel(mvt, lambda n: (*vectors(n, 4), signed(n, n)), (4,), (2000,), (0, 1)),
    Kernel(
        gesummv,
        lambda n: (*SCALES, signed(n, n), signed(n, n, seed=1), *vectors(n, 1)),
        (4,),
        (1300,),
    ),
    Kernel(gemver, lambda n: (*SCALES, signed(n, n), *vectors(n, 8)), (4,), (1000,), (2, 7, 8)),
    Kernel(
        symm,
        lambda m, n: (*SCALES, signed(m, n), signed(m, m, seed=1), signed(m, n, seed=2)),
        (4, 3),
        (120, 150),
        (2,),
    ),
    Kernel(
        syrk, lambda n, m: (*SCALES, signed(n, n), signed(n, m, seed=1)), (4, 3), (150, 120), (2,)
    ),
    Kernel(
        syr2k,
        lambda n, m: (*SCALES, signed(n, n), signed(n, m, seed=1), signed(n, m, seed=2)),
        (4, 3),
        (150, 120),
        (2,),
    ),
    Kernel(trmm, lambda m, n: (1.5, signed(m, m), signed(m, n, seed=1)), (4, 3), (150, 180), (2,)),
    Kernel(
        doitgen, lambda r, q, p: (signed(r, q, p), positive(p, p)), (2, 3, 4), (30, 40, 60), (0,)
    ),
    Kernel(
        doitgen_reshaped,
        lambda r, q, p: (signed(r, q, p), positive(p, p)),
        (2, 3, 4),
        (30, 40, 60),
        (0,),
    ),
    Kernel(spmv, sparse, (5, 3), (20000, 30)),
]
