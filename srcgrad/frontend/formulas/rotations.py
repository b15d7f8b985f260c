"""Rotations of scipy.spatial.transform as unit quaternions (x, y, z, w), smooth at the identity.

Euler angles of a quaternion: E. Bernardes, S. Viollet, "Quaternion to Euler angles conversion"
(2022).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from srcgrad.frontend.formulas.registry import known, stands_for

SMALL = 1e-6  # squares of angles below which functions of them are series
LOCKED = 1e-7
AXES = {"x": 0, "y": 1, "z": 2}


def radians(angles: Any, degrees: Any) -> Any:
    angles = np.asarray(angles, dtype=np.float64)
    return angles * (math.pi / 180.0) if known(degrees) else angles


def in_unit(angles: Any, degrees: Any) -> Any:
    return angles * (180.0 / math.pi) if known(degrees) else angles


def composed(p: Any, q: Any) -> Any:
    """The product of quaternions.

    >>> composed(np.array([0.0, 0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0, 0.0])).tolist()
    [1.0, 0.0, 0.0, 0.0]
    """
    px, py, pz, pw = p[..., 0], p[..., 1], p[..., 2], p[..., 3]
    qx, qy, qz, qw = q[..., 0], q[..., 1], q[..., 2], q[..., 3]
    x = pw * qx + qw * px + py * qz - pz * qy
    y = pw * qy + qw * py + pz * qx - px * qz
    z = pw * qz + qw * pz + px * qy - py * qx
    return np.stack([x, y, z, pw * qw - px * qx - py * qy - pz * qz], axis=-1)


class Turns:
    """A rotation, or several along an axis.

    >>> quarter = Turns(np.array([0.0, 0.0, math.sqrt(0.5), math.sqrt(0.5)]))
    >>> quarter.apply([1.0, 0.0, 0.0]).round(12).tolist()
    [0.0, 1.0, 0.0]
    """

    def __init__(self, quat: Any):
        self.made = quat

    @property
    def quat(self) -> Any:
        return self.made

    def as_quat(self, canonical: Any = False, *, scalar_first: Any = False) -> Any:
        q = oriented(self.quat) if known(canonical) else self.quat
        return np.roll(q, 1, axis=-1) if known(scalar_first) else q.copy()

    def as_matrix(self) -> Any:
        q = self.quat
        x, y, z, w = q[..., 0], q[..., 1], q[..., 2], q[..., 3]
        x2, y2, z2, w2 = x * x, y * y, z * z, w * w
        first = [x2 - y2 - z2 + w2, 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)]
        second = [2.0 * (x * y + z * w), y2 - x2 - z2 + w2, 2.0 * (y * z - x * w)]
        third = [2.0 * (x * z - y * w), 2.0 * (y * z + x * w), z2 - x2 - y2 + w2]
        rows = [np.stack(row, axis=-1) for row in (first, second, third)]
        return np.stack(rows, axis=-2)

    def as_rotvec(self, degrees: Any = False) -> Any:
        q = oriented(self.quat)
        v, w = q[..., :3], q[..., 3:]
        square = np.sum(v * v, axis=-1, keepdims=True)
        small = square <= 0.25 * SMALL
        ratio = np.where(small, square, 0.0) / np.where(small, w * w, 1.0)
        series = 1.0 - ratio * (1.0 / 3.0 - ratio * (0.2 - ratio / 7.0))
        size = np.sqrt(np.where(small, 1.0, square))
        scale = np.where(small, 2.0 * series / np.where(small, w, 1.0),
                         2.0 * np.arctan2(size, w) / size)  # fmt: skip
        return in_unit(scale * v, degrees)

    def as_mrp(self) -> Any:
        q = oriented(self.quat)
        return q[..., :3] / (1.0 + q[..., 3:])

    def as_euler(self, seq: Any, degrees: Any = False, *, suppress_warnings: Any = False) -> Any:
        return in_unit(euler_angles(self.quat, known(seq)), degrees)

    def apply(self, vectors: Any, inverse: Any = False) -> Any:
        v = np.asarray(vectors, dtype=np.float64)
        if v.shape[-1] != 3:
            raise ValueError("Expected input of shape (3,) or (P, 3)")
        matrix = self.as_matrix()
        if known(inverse):
            matrix = np.swapaxes(matrix, -1, -2)
        return np.sum(matrix * v[..., None, :], axis=-1)

    def inv(self) -> Turns:
        return Turns(np.concatenate((-self.quat[..., :3], self.quat[..., 3:]), axis=-1))

    def magnitude(self) -> Any:
        size = np.linalg.norm(self.quat[..., :3], axis=-1)
        return 2.0 * np.arctan2(size, np.abs(self.quat[..., 3]))

    def __mul__(self, other: Turns) -> Turns:
        return Turns(composed(self.quat, other.quat))

    def __pow__(self, n: Any) -> Turns:
        return from_rotvec(n * self.as_rotvec())

    def __getitem__(self, k: Any) -> Turns:
        if self.quat.ndim == 1:
            raise TypeError("Single rotation is not subscriptable.")
        return Turns(self.quat[k])

    def __len__(self) -> int:
        if self.quat.ndim == 1:
            raise TypeError("Single rotation has no len().")
        return len(self.quat)

    @property
    def single(self) -> bool:
        return self.quat.ndim == 1


class HeldTurns(Turns):
    """A rotation that was made outside."""

    held: Any  # several quaternions
    alone: Any  # whether it is the first of them

    @property
    def quat(self) -> Any:
        return self.held[0] if self.alone else self.held


def oriented(q: Any) -> Any:
    """The quaternion of the same rotation whose last part that is not zero is positive.

    >>> oriented(np.array([1.0, 0.0, 0.0, -1.0])).tolist()
    [-1.0, -0.0, -0.0, 1.0]
    """
    x, y, z, w = q[..., 0], q[..., 1], q[..., 2], q[..., 3]
    by_z = (z < 0.0) & (y == 0.0)
    by_y = ((y < 0.0) | by_z) & (x == 0.0)
    turned = (w < 0.0) | ((w == 0.0) & ((x < 0.0) | by_y))
    return np.where(turned[..., None] if q.ndim > 1 else turned, -q, q)


@stands_for(Rotation.from_quat)
def from_quat(quat: Any, *, scalar_first: Any = False) -> Turns:
    """A rotation by a quaternion of any length.

    >>> from_quat([0.0, 0.0, 0.0, 2.0]).as_quat().tolist()
    [0.0, 0.0, 0.0, 1.0]
    """
    q = np.asarray(quat, dtype=np.float64)
    if q.shape[-1] != 4:
        raise ValueError("Expected `quat` to have shape (4,) or (N, 4)")
    if known(scalar_first):
        q = np.roll(q, -1, axis=-1)
    size = np.sqrt(np.sum(q * q, axis=-1, keepdims=True))
    if np.any(size == 0.0):
        raise ValueError("Found zero norm quaternions in `quat`.")
    return Turns(q / size)


@stands_for(Rotation.from_rotvec)
def from_rotvec(rotvec: Any, degrees: Any = False) -> Turns:
    """A rotation by the product of its axis and its angle.

    >>> from_rotvec([0.0, 0.0, 0.0]).as_quat().tolist()
    [0.0, 0.0, 0.0, 1.0]
    """
    v = radians(rotvec, degrees)
    if v.shape[-1] != 3:
        raise ValueError("Expected `rot_vec` to have shape (3,) or (N, 3)")
    square = np.sum(v * v, axis=-1, keepdims=True)
    small = square <= SMALL
    near, angle = np.where(small, square, 0.0), np.sqrt(np.where(small, 1.0, square))
    scale = np.where(small, 0.5 - near / 48.0 + near**2 / 3840.0, np.sin(0.5 * angle) / angle)
    w = np.where(small, 1.0 - near / 8.0 + near**2 / 384.0, np.cos(0.5 * angle))
    return Turns(np.concatenate((v * scale, w), axis=-1))


@stands_for(Rotation.from_mrp)
def from_mrp(mrp: Any) -> Turns:
    """A rotation by modified Rodrigues parameters, tan(angle / 4) times the axis.

    >>> from_mrp([0.0, 0.0, 1.0]).as_quat().tolist()
    [0.0, 0.0, 1.0, 0.0]
    """
    v = np.asarray(mrp, dtype=np.float64)
    if v.shape[-1] != 3:
        raise ValueError("Expected `mrp` to have shape (3,) or (N, 3)")
    square = np.sum(v * v, axis=-1, keepdims=True)
    return Turns(np.concatenate((2.0 * v, 1.0 - square), axis=-1) / (1.0 + square))


@stands_for(Rotation.from_matrix)
def from_matrix(matrix: Any, *, assume_valid: Any = False) -> Turns:
    """The rotation that is nearest to a matrix: its orthogonal factor, of a positive determinant.

    >>> from_matrix(np.diag([1.0, -1.0, -1.0])).as_quat().tolist()
    [1.0, 0.0, 0.0, 0.0]
    """
    a = np.asarray(matrix, dtype=np.float64)
    if a.ndim not in (2, 3) or a.shape[-1] != 3 or a.shape[-2] != 3:
        raise ValueError("Expected `matrix` to have shape (3, 3) or (N, 3, 3)")
    if not known(assume_valid):
        if np.any(np.linalg.det(a) <= 0.0):
            raise ValueError("Non-positive determinant (left-handed or null coordinate frame)")
        u, _, vh = np.linalg.svd(a, full_matrices=False)
        a = u @ vh
    return Turns(quaternion(a))


def quaternion(a: Any) -> Any:
    """The quaternion of a rotation matrix, by its part that is largest (Shepperd 1978).

    >>> quaternion(np.eye(3)).tolist()
    [0.0, 0.0, 0.0, 1.0]
    """
    xx, yy, zz = a[..., 0, 0], a[..., 1, 1], a[..., 2, 2]
    trace = xx + yy + zz
    xy, xz, yz = (a[..., i, k] + a[..., k, i] for i, k in ((0, 1), (0, 2), (1, 2)))
    x, y, z = (a[..., k, i] - a[..., i, k] for i, k in ((1, 2), (2, 0), (0, 1)))
    by_x, by_y = [1.0 - trace + 2.0 * xx, xy, xz, x], [xy, 1.0 - trace + 2.0 * yy, yz, y]
    by_z, by_w = [xz, yz, 1.0 - trace + 2.0 * zz, z], [x, y, z, 1.0 + trace]
    largest = np.maximum(np.maximum(xx, yy), np.maximum(zz, trace))
    parts = [
        np.where(xx == largest, p, np.where(yy == largest, q, np.where(zz == largest, r, s)))
        for p, q, r, s in zip(by_x, by_y, by_z, by_w, strict=True)
    ]
    q = np.stack(parts, axis=-1)
    return q / np.sqrt(np.sum(q * q, axis=-1, keepdims=True))


@stands_for(Rotation.concatenate)
def concatenate(rotations: Any) -> Turns:
    """Several rotations one after the other along an axis.

    >>> len(concatenate([identity(), identity(2)]))
    3
    """
    return Turns(np.concatenate([np.atleast_2d(r.quat) for r in rotations]))


@stands_for(Rotation.from_euler)
def from_euler(seq: Any, angles: Any, degrees: Any = False) -> Turns:
    """Rotations about axes of space ("xyz") or of the body ("XYZ"), one after the other.

    >>> from_euler("z", 180.0, degrees=True).apply([1.0, 0.0, 0.0]).round(12).tolist()
    [-1.0, 0.0, 0.0]
    """
    seq = known(seq)
    intrinsic = checked_axes(seq)
    a = radians(angles, degrees)
    if a.ndim == 0:
        a = a[None]
    elif len(seq) == 1 and a.ndim == 1 and a.shape[0] != 1:
        a = a[:, None]
    if a.shape[-1] != len(seq):
        raise ValueError("Expected `angles` to have as many columns as there are axes")
    q = about(seq[0], a[..., 0])
    for k in range(1, len(seq)):
        new = about(seq[k], a[..., k])
        q = composed(q, new) if intrinsic else composed(new, q)
    return Turns(q)


def checked_axes(seq: str) -> bool:
    """Whether the axes are those of the body."""
    if not 1 <= len(seq) <= 3 or (seq.lower() != seq and seq.upper() != seq):
        raise ValueError(f"Expected axes from 'xyz' or 'XYZ', got {seq}")
    if any(letter not in "xyz" for letter in seq.lower()):
        raise ValueError(f"Expected axes from 'xyz' or 'XYZ', got {seq}")
    if any(seq[k] == seq[k + 1] for k in range(len(seq) - 1)):
        raise ValueError(f"Expected consecutive axes to be different, got {seq}")
    return seq.upper() == seq


def about(letter: str, angle: Any) -> Any:
    """The quaternion of a rotation about an axis."""
    half = 0.5 * angle
    s, zero = np.sin(half), 0.0 * half
    axis = AXES[letter.lower()]
    return np.stack([s if k == axis else zero for k in range(3)] + [np.cos(half)], axis=-1)


def euler_angles(q: Any, seq: str) -> Any:
    """The three angles, where these are determined.

    >>> euler_angles(from_euler("xyz", [0.1, 0.2, 0.3]).quat, "xyz").round(12).tolist()
    [0.1, 0.2, 0.3]
    """
    intrinsic = checked_axes(seq)
    if len(seq) != 3:
        raise ValueError("Expected `seq` to be a string of 3 characters")
    axes = [AXES[letter] for letter in seq.lower()]
    i, j, k = axes[::-1] if intrinsic else axes
    symmetric = i == k
    k = 3 - i - j if symmetric else k
    sign = float((i - j) * (j - k) * (k - i) // 2)
    a, b, c, d = q[..., 3], q[..., i], q[..., j], q[..., k] * sign
    if not symmetric:
        a, b, c, d = a - c, b + d, c + a, d - b
    middle = 2.0 * np.arctan2(np.hypot(c, d), np.hypot(a, b))
    total, gap = np.arctan2(b, a), np.arctan2(d, c)
    low, high = np.abs(middle) <= LOCKED, np.abs(middle - math.pi) <= LOCKED
    if np.any(low | high):
        raise ValueError("Gimbal lock: two of the three angles are not determined")
    first, third = (total + gap, total - gap) if intrinsic else (total - gap, total + gap)
    if not symmetric:
        middle = middle - 0.5 * math.pi
        first, third = (first * sign, third) if intrinsic else (first, third * sign)
    return np.stack([wrapped(first), middle, wrapped(third)], axis=-1)


def wrapped(angle: Any) -> Any:
    """An angle within a half turn to either side.

    >>> round(float(wrapped(4.0)), 6)
    -2.283185
    """
    down = np.where(angle > math.pi, angle - 2.0 * math.pi, angle)
    return np.where(angle < -math.pi, angle + 2.0 * math.pi, down)


@stands_for(Rotation.identity)
def identity(num: Any = None) -> Turns:
    """No rotation.

    >>> identity().as_rotvec().tolist()
    [0.0, 0.0, 0.0]
    """
    one = np.array([0.0, 0.0, 0.0, 1.0])
    return Turns(one if num is None else np.repeat(one[None], num, axis=0))
