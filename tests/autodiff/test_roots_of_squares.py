"""A root of a sum of squares is a norm in any spelling: where the sum is 0 its derivative is 0.

The points have distances that are 0 whatever they are, so that differences are smooth. Both orders
of differentiation at second order, on programs that sum in arrays, loops and containers.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

import srcgrad as flow

POINTS = np.random.default_rng(3).normal(size=(3, 2))


def by_axis(x):
    d = x[:, None] - x[None]
    return np.sum(np.exp(-np.sqrt(np.sum(d**2, axis=-1))))


def by_coordinate(x):
    d = x[:, None] - x[None]
    return np.sum(np.cos(((d[..., 0] / 2.0) ** 2 + d[..., 1] ** 2) ** 0.5))


def by_einsum(x):
    d = x[:, None] - x[None]
    return np.sum(np.sqrt(np.einsum("ijk,ijk->ij", d, d)) ** 1.5)


def by_dot(x):
    return sum(np.sqrt((a - b).dot(a - b)) * a[0] for a in x for b in x)


def by_loops(x):
    total = 0.0
    for i in range(x.shape[0]):
        for j in range(x.shape[0]):
            square = 0.0
            for k in range(x.shape[1]):
                square += (x[i, k] - x[j, k]) ** 2
            total += np.sqrt(square) * np.cos(i + 2.0 * j)
    return total


def in_an_array(x):
    table = np.zeros((3, 3))
    for i in range(3):
        for j in range(3):
            if i != 2:
                table[i, j] = np.sum((x[i] - x[j]) ** 2) * np.exp(x[0, 0])
    return np.sum(np.exp(-np.power(table, 0.75)))


def of_complex_numbers(x):
    z = x[:, 0] + 1j * x[:, 1]
    d = z[:, None] - z
    return np.sum(np.sqrt((d * np.conj(d)).real) + np.sqrt(np.abs(d) ** 2 + d.real**2))


def of_a_grid(x):
    """A rotated grid with the origin among its points."""
    gx, gy = np.meshgrid(np.arange(-1.0, 2.0), np.arange(-1.0, 2.0))
    turned = np.cos(x[0, 0]) * gx + np.sin(x[0, 0]) * gy
    return np.sum(np.exp(-np.sqrt((turned / x[1, 0]) ** 2 + (gy / x[1, 1]) ** 2)))


def solved(x):
    """Among values that are neither numbers nor arrays."""
    rows = []
    for k in range(x.shape[0]):
        if x[k, 0] < 9.0:
            rows.append(x[k] - x[0])
    root: Any = brentq(lambda v: v**3 + v - x[0, 0], -9.0, 9.0, xtol=1e-14)
    return sum(np.sqrt(np.sum(d**2)) for d in rows) * root


PROGRAMS = (
    by_axis, by_coordinate, by_einsum, by_dot, by_loops, in_an_array, of_complex_numbers, of_a_grid,
    solved,
)  # fmt: skip


def differences(f: Callable, x: np.ndarray, t: np.ndarray, h: float = 1e-5):
    return (f(x + h * t) - f(x - h * t)) / (2.0 * h)


@pytest.mark.parametrize("f", PROGRAMS)
def test_gradients(f: Callable):
    compiled = flow.compile(f, target="cpu" if f in (by_axis, by_loops) else "python")
    gradient, t = flow.grad(compiled), np.random.default_rng(4).normal(size=POINTS.shape)
    slope = np.sum(gradient(POINTS) * t)
    assert slope == pytest.approx(differences(f, POINTS, t), rel=1e-7)
    assert flow.jvp(compiled, (POINTS,), (t,))[1] == pytest.approx(slope, rel=1e-12)
    bend = differences(gradient, POINTS, t)
    np.testing.assert_allclose(flow.jvp(gradient, (POINTS,), (t,))[1], bend, rtol=1e-5, atol=1e-7)

    def along(x):
        return flow.jvp(compiled, (x,), (t,))[1]

    np.testing.assert_allclose(flow.grad(along)(POINTS), bend, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_a_norm_at_zero(target: str):
    for norm in (lambda x: np.sqrt(x @ x), lambda x: (x[0] ** 2 + x[1] ** 2) ** 0.5):
        gradient = flow.grad(flow.compile(norm, target=target))
        np.testing.assert_array_equal(gradient(np.zeros(2)), np.zeros(2))
        np.testing.assert_allclose(gradient(np.array([3.0, 4.0])), [0.6, 0.8])


def of_a_value(x):
    return np.sqrt(x[0])


def of_a_product(x):
    return np.sqrt(x[0] * x[1])


def of_a_difference(x):
    return np.sqrt(x[0] ** 2 - x[1])


def of_a_cusp(x):
    return (x[0] ** 2) ** 0.25


def of_stored_values(x):
    y = np.zeros(2)
    y[0] = x[0] ** 2
    y[1] = x[1]
    return np.sqrt(y[1])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "f", [of_a_value, of_a_product, of_a_difference, of_a_cusp, of_stored_values]
)
def test_other_roots_have_no_slope_at_zero(f: Callable):
    assert not np.isfinite(flow.grad(flow.compile(f, target="python"))(np.zeros(2))).all()
