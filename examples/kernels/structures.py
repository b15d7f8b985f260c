"""Meshes, trusses and grids of several levels."""

import numpy as np

from examples.kernels.table import Kernel, positive, signed


def truss(nodes, bars, stiffness, load, fixed):
    """Displacements of a plane truss: elements assembled into blocks, supports eliminated."""
    n = 2 * len(nodes)
    k = np.zeros((n, n))
    for e, (i, j) in enumerate(bars):
        d = nodes[j] - nodes[i]
        length = np.sqrt(d @ d)
        c, s = d / length
        t = np.array([-c, -s, c, s])
        dofs = np.array([2 * i, 2 * i + 1, 2 * j, 2 * j + 1])
        k[np.ix_(dofs, dofs)] += stiffness[e] / length * np.outer(t, t)
    free = np.setdiff1d(np.arange(n), fixed)
    u = np.zeros(n)
    u[free] = np.linalg.solve(k[np.ix_(free, free)], load[free])
    return u


def triangles(nodes, elements, conductivity, source):
    """Linear elements on a triangular mesh, penalised at the first node (Strang & Fix)."""
    n = len(nodes)
    k = np.zeros((n, n))
    f = np.zeros(n)
    for element, kappa in zip(elements, conductivity):
        x, y = nodes[element].T
        b = np.array([y[1] - y[2], y[2] - y[0], y[0] - y[1]])
        c = np.array([x[2] - x[1], x[0] - x[2], x[1] - x[0]])
        area = 0.5 * abs(x[0] * b[0] + x[1] * b[1] + x[2] * b[2])
        local = kappa * (np.outer(b, b) + np.outer(c, c)) / (4 * area)
        for i in range(3):
            f[element[i]] += source * area / 3
            for j in range(3):
                k[element[i], element[j]] += local[i, j]
    k[0, 0] += 1e3
    return np.linalg.solve(k, f)


def smooth(u, f, h, sweeps):
    for _ in range(sweeps):
        u[1:-1, 1:-1] = 0.2 * u[1:-1, 1:-1] + 0.8 * 0.25 * (
            u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] + h**2 * f[1:-1, 1:-1]
        )


def v_cycle(u, f, h, levels):
    """Smoothing, and a correction from the next coarser grid (Briggs et al., 3)."""
    smooth(u, f, h, 2)
    if levels > 1:
        r = np.zeros_like(u)
        r[1:-1, 1:-1] = (
            f[1:-1, 1:-1]
            - (4 * u[1:-1, 1:-1] - u[2:, 1:-1] - u[:-2, 1:-1] - u[1:-1, 2:] - u[1:-1, :-2]) / h**2
        )
        coarse = r[::2, ::2].copy()
        e = np.zeros_like(coarse)
        v_cycle(e, coarse, 2 * h, levels - 1)
        fine = np.zeros_like(u)
        fine[::2, ::2] = e
        fine[1::2, ::2] = 0.5 * (e[:-1] + e[1:])
        fine[:, 1::2] = 0.5 * (fine[:, :-1:2] + fine[:, 2::2])
        u += fine
    smooth(u, f, h, 2)


def multigrid(f, levels, cycles):
    """Poisson's equation by V-cycles from zero."""
    u = np.zeros_like(f)
    for _ in range(cycles):
        v_cycle(u, f, 1 / (f.shape[0] - 1), levels)
    return u


def topology_compliance(x, ke, edofs, load, free, penalty):
    """The compliance of a material layout (Sigmund 2001): stiffness to a power of the density."""
    ndof = len(load)
    k = np.zeros((ndof, ndof))
    for density, dofs in zip(x.ravel(), edofs):
        k[dofs[:, np.newaxis], dofs] += (1e-3 + density**penalty) * ke
    u = np.zeros(ndof)
    u[free] = np.linalg.solve(k[free][:, free], load[free])
    compliance = 0.0
    for density, dofs in zip(x.flat, edofs):
        compliance += (1e-3 + density**penalty) * u[dofs] @ ke @ u[dofs]
    return compliance


def density_filter(x, radius):
    """Weighted means over a disk of cells, run-time windows (Bruns & Tortorelli 2001)."""
    n, m = x.shape
    out = np.zeros((n, m))
    for i in range(n):
        for j in range(m):
            total = 0.0
            for k in range(max(i - radius, 0), min(i + radius + 1, n)):
                for h in range(max(j - radius, 0), min(j + radius + 1, m)):
                    w = max(0.0, radius + 0.5 - np.hypot(i - k, j - h))
                    total += w
                    out[i, j] += w * x[k, h]
            out[i, j] /= total
    return out


def laplacian_smoothing(vertices, faces, rate, steps):
    """Vertices moved to the mean of their neighbours; the area of the mesh afterwards."""
    for _ in range(steps):
        total = np.zeros_like(vertices)
        degree = np.zeros(len(vertices))
        for a, b in ((0, 1), (1, 2), (2, 0)):
            np.add.at(total, faces[:, a], vertices[faces[:, b]])
            np.add.at(degree, faces[:, a], 1)
        vertices += rate * (total / degree[:, None] - vertices)
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    return 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1).sum()


def bridge(n):
    top = [(i, 1.0) for i in range(n)]
    bottom = [(i, 0.0) for i in range(n)]
    bars = [(i, i + 1) for i in range(n - 1)] + [(n + i, n + i + 1) for i in range(n - 1)]
    bars += [(i, n + i) for i in range(n)] + [(i, n + i + 1) for i in range(n - 1)]
    load = np.zeros(4 * n)
    load[1 : 2 * n : 2] = -1.0
    nodes = np.array(bottom + top) + 0.05 * signed(2 * n, 2)
    return nodes, np.array(bars), positive(len(bars)), load, np.array([0, 1, 2 * n - 1])


def mesh(n):
    x, y = np.meshgrid(np.arange(n), np.arange(n), indexing="ij")
    nodes = np.stack((x.ravel(), y.ravel()), axis=1) + 0.1 * positive(n * n, 2)
    corner = (np.arange(n - 1)[:, None] * n + np.arange(n - 1)).ravel()
    lower = np.stack((corner, corner + n, corner + 1), axis=1)
    upper = np.stack((corner + n, corner + n + 1, corner + 1), axis=1)
    return nodes, np.concatenate((lower, upper))


def surface(n):
    nodes, faces = mesh(n)
    return np.pad(nodes, ((0, 0), (0, 1))) + 0.1 * signed(n * n, 3), faces


def cantilever(n, m):
    edofs = []
    for i in range(n):
        for j in range(m):
            a, b = i * (m + 1) + j, (i + 1) * (m + 1) + j
            edofs.append([2 * a + k for k in range(4)] + [2 * b + k for k in range(4)])
    ndof = 2 * (n + 1) * (m + 1)
    load = np.zeros(ndof)
    load[-1] = -1.0
    half = signed(8, 8, seed=3)
    return positive(n, m), half @ half.T + np.eye(8), np.array(edofs), load, np.arange(3, ndof)


KERNELS = [
    Kernel(truss, bridge, (2,), (40,), wrt=(0, 2, 3)),
    Kernel(
        triangles,
        lambda n: (*mesh(n), positive(2 * (n - 1) ** 2), 0.7),
        (3,),
        (14,),
        wrt=(0, 2, 3),
    ),
    Kernel(multigrid, lambda n, k, c: (signed(n, n), k, c), (5, 2, 1), (129, 5, 4)),
    Kernel(
        topology_compliance, lambda n, m: (*cantilever(n, m), 3), (2, 2), (8, 12), wrt=(0, 1, 3)
    ),
    Kernel(density_filter, lambda n, m: (positive(n, m), 1), (4, 3), (150, 150)),
    Kernel(
        laplacian_smoothing,
        lambda n, t: (
            np.pad(mesh(n)[0], ((0, 0), (0, 1))) + 0.1 * signed(n * n, 3),
            mesh(n)[1],
            0.4,
            t,
        ),
        (3, 2),
        (60, 20),
    ),
]
