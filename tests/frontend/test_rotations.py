"""scipy.spatial.transform.Rotation in compiled code, at the identity and at half turns too."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import srcgrad as flow
from srcgrad.errors import UnsupportedError
from tests.frontend.test_interpolators import check
from tests.tools.memo import shared
from tests.tools.turns import share

ANGLES, POINT = np.array([0.4, -0.7, 1.1]), np.array([0.3, 1.2, -0.5])
MANY, POINTS = np.stack([ANGLES, 2.0 * POINT, -ANGLES]), np.stack([POINT, ANGLES, POINT**2])
SEQUENCES = ("xyz", "ZYX", "zxz", "XYX", "YZX")


def turned(a, v):
    return Rotation.from_rotvec(a).apply(v) + Rotation.from_rotvec(v).apply(a, inverse=True)


def from_quaternion(a, v):
    q = np.concatenate((a, 1.0 + v[..., :1]), axis=-1)
    r = Rotation.from_quat(q)
    return np.concatenate((r.as_matrix()[..., 0], r.as_quat(canonical=True), r.as_rotvec()), -1)


def products(a, v):
    r, s = Rotation.from_euler("xyz", a), Rotation.from_euler("ZX", 40.0 * v[..., :2], degrees=True)
    return (r * s.inv()).as_rotvec(degrees=True) * r.magnitude()[..., None] + s.apply(v)


def single(a, v):
    r = Rotation.from_euler("z", a[0]) * Rotation.identity()
    return r.apply(np.stack([v, a])) * r.magnitude()


@pytest.mark.parametrize("f", [turned, from_quaternion, products, single])
def test_derivatives(f: Callable):
    if f is products:
        check(f, MANY, POINTS, further=True)
    else:
        check(f, ANGLES, POINT, further=True)
        if f is not single:
            check(f, MANY, POINTS)


@pytest.mark.parametrize("seq", share(SEQUENCES))
def test_angles(seq: str):
    def f(a):
        return Rotation.from_rotvec(a).as_euler(seq)

    def back(a):
        return Rotation.from_euler(seq, f(a)).as_rotvec()

    check(f, MANY, further=True)
    np.testing.assert_allclose(flow.compile(back, target="python")(MANY), MANY, rtol=1e-12)
    with pytest.raises(ValueError, match="Gimbal lock"):
        flow.compile(lambda a: Rotation.from_euler(seq, a).as_euler(seq), target="python")(
            np.array([0.3, 0.0 if seq[0] == seq[2] else np.pi / 2, 0.2])
        )


@shared
def test_at_the_identity():
    def there(a):
        return Rotation.from_rotvec(a).apply(POINT)

    def back(a):
        return Rotation.from_rotvec(a).as_rotvec() ** 2

    curvature = flow.hessian(flow.compile(lambda a: np.sum(back(a)), target="python"))
    for size in (0.0, 1e-9, 1e-4, 0.999e-3, 1.001e-3):
        check(there, size * ANGLES, further=True)
        check(back, size * ANGLES)
        np.testing.assert_allclose(curvature(size * ANGLES), 2.0 * np.eye(3), atol=1e-6)


QUARTER, SEVERAL = Rotation.from_euler("z", 90, degrees=True), Rotation.from_rotvec(MANY)


def test_captured():
    def f(a):
        return (QUARTER * Rotation.from_rotvec(a)).apply(a) + SEVERAL.apply(a)[1] + len(SEVERAL)

    def one(a):
        return SEVERAL[1].apply(a) + SEVERAL.inv().as_quat()[0, :3]

    if hasattr(QUARTER, "_quat"):
        check(f, ANGLES, further=True)
        check(one, ANGLES)
    else:  # SciPy 1.16 does not show what a rotation holds
        with pytest.raises(UnsupportedError):
            flow.compile(one, target="python")(ANGLES)


WEIGHTS = np.array([0.3, -1.2, 0.7, 0.9])
TURN = Rotation.from_rotvec(ANGLES).as_matrix()
MATRICES = [
    np.eye(3), TURN, np.diag([1.0, -1.0, -1.0]), np.diag([-1.0, 1.0, -1.0]),
    TURN @ np.diag([1.0, 2.0, 3.0]) @ TURN, np.stack([np.eye(3), TURN, TURN @ TURN]),
]  # fmt: skip


def of_matrix(m):
    r = Rotation.from_matrix(m)
    return np.sum(r.as_quat() * WEIGHTS) + np.sum((r * Rotation.from_rotvec(ANGLES)).as_rotvec())


def of_valid_matrix(m):
    return np.sum(Rotation.from_matrix(m, assume_valid=True).as_quat() * WEIGHTS)


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("f", [of_matrix, of_valid_matrix])
@shared
def test_matrices(f: Callable, target: str):
    """SciPy takes the rotation that is nearest, and so does its derivative, where values repeat."""
    compiled = flow.compile(f, target=target)
    gradient = flow.grad(compiled)
    for m in MATRICES:
        if f is of_valid_matrix and m is MATRICES[4]:
            continue
        assert compiled(m) == pytest.approx(f(m), rel=1e-12)
        want = np.zeros_like(m)
        for at in np.ndindex(m.shape):
            e = np.zeros_like(m)
            e[at] = 1e-6
            want[at] = (f(m + e) - f(m - e)) / 2e-6
        np.testing.assert_allclose(gradient(m), want, atol=1e-8)
        if target == "python":
            t = np.cos(np.arange(m.size)).reshape(m.shape)
            second = flow.jvp(gradient, (m,), (t,))[1]
            slope = (gradient(m + 1e-6 * t) - gradient(m - 1e-6 * t)) / 2e-6
            np.testing.assert_allclose(second, slope, atol=1e-8)


def parameters(a, v):
    r = Rotation.concatenate([Rotation.from_mrp(a), Rotation.from_rotvec(v) ** a[0]])
    return r.as_mrp() + (r[0] ** 2).as_rotvec()


def test_other_representations():
    check(parameters, ANGLES, POINT, further=True)


def test_on_the_cpu():
    check(turned, ANGLES, POINT, target="cpu")


def test_refused():
    with pytest.raises(ValueError, match="Non-positive determinant"):
        flow.compile(lambda m: Rotation.from_matrix(m).as_quat(), target="python")(-np.eye(3))
    with pytest.raises(ValueError, match="zero norm"):
        flow.compile(lambda q: Rotation.from_quat(q).as_quat(), target="python")(np.zeros(4))
    with pytest.raises(ValueError, match="consecutive axes"):
        flow.compile(lambda a: Rotation.from_euler("xxz", a).as_quat(), target="python")(ANGLES)
