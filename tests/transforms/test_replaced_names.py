"""A name of a library that is bound anew: noticed when something is built or made anew."""

import math

import numpy as np
import pytest

import srcgrad as flow

X = np.array([0.3, 0.7])


@pytest.fixture(autouse=True)
def restored(monkeypatch):
    """Names of libraries are put back."""
    monkeypatch.setattr(np, "sin", np.sin)
    monkeypatch.setattr(math, "exp", math.exp)


def loss(x):
    return np.sum(np.sin(x)) * 2.0


def of_numbers(x):
    return math.exp(x) * 2.0


@pytest.mark.parametrize("target", ["python", "cpu"])
def test_a_transform_made_anew(target):
    assert np.allclose(flow.grad(loss, target=target)(X), 2.0 * np.cos(X))
    plain, np.sin = np.sin, np.cos
    assert np.allclose(flow.grad(loss, target=target)(X), -2.0 * plain(X))
    np.sin = plain
    assert np.allclose(flow.grad(loss, target=target)(X), 2.0 * np.cos(X))


def test_a_held_transform_at_its_next_build():
    held = flow.grad(flow.compile(loss, target="python"))
    assert np.allclose(held(X), 2.0 * np.cos(X))
    np.sin = np.cos
    matrix = np.ones((2, 2)) * 0.3
    assert np.allclose(held(matrix), -2.0 * np.sqrt(1.0 - np.cos(matrix) ** 2))
    assert np.allclose(held(X), -2.0 * np.sqrt(1.0 - np.cos(X) ** 2))


def test_by_a_function_of_the_users():
    held = flow.value_and_grad(flow.compile(of_numbers, target="python"))
    assert held(0.5) == pytest.approx((2 * np.exp(0.5), 2 * np.exp(0.5)))
    math.exp = lambda x: x * x * x
    assert flow.value_and_grad(flow.compile(of_numbers, target="python"))(0.5) == (0.25, 1.5)
    assert held(np.float64(0.5)) == (0.25, 1.5)
    assert held(0.5) == (0.25, 1.5)


def test_what_is_not_replaced_is_built_once():
    held = flow.grad(flow.compile(loss, target="python"))
    held(X)
    entries = held._entries
    np.cosh = np.cosh
    flow.grad(loss)(X)
    held(np.ones((2, 2)))
    assert held._entries is entries and len(entries) == 2
