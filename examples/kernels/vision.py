"""Residuals of computer vision (ADBench, Srajer, Kukelova & Fitzgibbon 2018)."""

import numpy as np

from examples.kernels.table import Kernel, positive, signed


def rodrigues(rotation, point):
    """A point turned about an axis, the angle being the vector's length."""
    sqtheta = np.sum(rotation**2)
    if sqtheta != 0:
        theta = np.sqrt(sqtheta)
        axis = rotation / theta
        cross = np.cross(axis, point)
        return (
            point * np.cos(theta)
            + cross * np.sin(theta)
            + axis * np.dot(axis, point) * (1 - np.cos(theta))
        )
    return point + np.cross(rotation, point)


def project(camera, point):
    """A point seen by a camera: turned, divided by depth, distorted, scaled, shifted."""
    seen = rodrigues(camera[:3], point - camera[3:6])
    plane = seen[:2] / seen[2]
    r2 = np.sum(plane**2)
    plane = plane * (1 + camera[9] * r2 + camera[10] * r2**2)
    return plane * camera[6] + camera[7:9]


def bundle_adjustment(cameras, points, weights, observed_by, observations):
    """Reprojection errors and weight errors of all observations."""
    p = len(observations)
    errors = np.empty(2 * p)
    for i in range(p):
        camera, point = observed_by[i]
        errors[2 * i : 2 * i + 2] = weights[i] * (
            project(cameras[camera], points[point]) - observations[i]
        )
    return errors, 1 - weights**2


def euler_rotation(angles):
    """A rotation matrix from three angles about the axes."""
    tx, ty, tz = angles
    rx = np.eye(3)
    rx[1, 1] = rx[2, 2] = np.cos(tx)
    rx[2, 1] = np.sin(tx)
    rx[1, 2] = -rx[2, 1]
    ry = np.eye(3)
    ry[0, 0] = ry[2, 2] = np.cos(ty)
    ry[0, 2] = np.sin(ty)
    ry[2, 0] = -ry[0, 2]
    rz = np.eye(3)
    rz[0, 0] = rz[1, 1] = np.cos(tz)
    rz[1, 0] = np.sin(tz)
    rz[0, 1] = -rz[1, 0]
    return rz @ ry @ rx


def hand_tracking(theta, shift, parents, relatives, inverse_base, base, weights, found, points):
    """A mesh posed by a skeleton against measured points: residuals (3 points).

    Each bone has a parent, a transform relative to it, and three angles; a vertex follows the bones
    by its weights.
    """
    bones = len(parents)
    absolutes = np.zeros((bones, 4, 4))
    for i in range(bones):
        turn = np.eye(4)
        turn[:3, :3] = euler_rotation(theta[3 * i : 3 * i + 3])
        local = relatives[i] @ turn
        if parents[i] == -1:
            absolutes[i] = local
        else:
            absolutes[i] = absolutes[parents[i]] @ local
    positions = np.zeros((3, base.shape[1]))
    for i in range(bones):
        moved = (absolutes[i] @ inverse_base[i]) @ base
        positions += moved[:3] * weights[i]
    residuals = np.empty((len(found), 3))
    for k, vertex in enumerate(found):
        residuals[k] = points[k] - (positions[:, vertex] + shift)
    return residuals.ravel()


def pose_graph(poses, edges, measured):
    """The squared misfit of relative poses (x, y, heading) in a plane, angles wrapped."""
    total = 0.0
    for (i, j), z in zip(edges, measured):
        c, s = np.cos(poses[i, 2]), np.sin(poses[i, 2])
        d = poses[j, :2] - poses[i, :2]
        error = np.empty(3)
        error[:2] = np.array([[c, s], [-s, c]]) @ d - z[:2]
        error[2] = (poses[j, 2] - poses[i, 2] - z[2] + np.pi) % (2 * np.pi) - np.pi
        total += error @ error
    return total


def scene(cameras, points, observations):
    rng = np.random.default_rng(0)
    camera = 0.1 * signed(cameras, 11)
    camera[:, 5] -= 4.0
    camera[:, 6] += 1.0
    pairs = np.stack(
        (rng.integers(0, cameras, observations), rng.integers(0, points, observations)), axis=1
    )
    return (
        camera,
        signed(points, 3, seed=1),
        positive(observations, seed=2),
        pairs,
        signed(observations, 2, seed=3),
    )


def hand(bones, vertices, count):
    parents = np.arange(bones) // 2 - 1
    parents[0] = -1
    parents[1:] = np.maximum(parents[1:], 0)
    relatives = np.tile(np.eye(4), (bones, 1, 1))
    relatives[:, :3, 3] = signed(bones, 3, seed=1)
    inverse = np.tile(np.eye(4), (bones, 1, 1))
    inverse[:, :3, 3] = signed(bones, 3, seed=2)
    base = np.vstack((signed(3, vertices, seed=3), np.ones(vertices)))
    weights = positive(bones, vertices, seed=4)
    found = np.random.default_rng(5).integers(0, vertices, count)
    theta = 0.4 * signed(3 * bones)
    return (
        theta, signed(3, seed=6), parents, relatives, inverse, base,
        weights / weights.sum(axis=0), found, signed(count, 3, seed=7),
    )  # fmt: skip


def tour(n):
    edges = np.array([(i, (i + 1) % n) for i in range(n)] + [(0, n // 2)])
    return signed(n, 3), edges, signed(len(edges), 3, seed=1)


KERNELS = [
    Kernel(bundle_adjustment, scene, (2, 3, 4), (20, 500, 3000), wrt=(0, 1, 2)),
    Kernel(hand_tracking, hand, (3, 4, 3), (20, 500, 300), wrt=(0, 1)),
    Kernel(pose_graph, tour, (4,), (2000,), wrt=(0, 2)),
]
