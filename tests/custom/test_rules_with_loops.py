"""Rules that loop, called in loops: derivatives of any order are those of the function itself."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import srcgrad as flow

U, V = np.array([0.3, -0.6, 1.1, 0.2]), np.array([1.0, -2.0, 0.5, 3.0])


def step(u, k):
    for _ in range(3):
        u = u + 0.1 * np.exp(-k * u * u)
    return u


@flow.custom_jvp
def by_tangents(u, k):
    return step(u, k)


@by_tangents.defjvp
def tangents(primals, dots):
    (u, k), (du, dk) = primals, dots
    for _ in range(3):
        e = 0.1 * np.exp(-k * u * u)
        du = du - e * (2.0 * k * u * du + u * u * dk)
        u = u + e
    return u, du


@flow.custom_vjp
def by_adjoints(u, k):
    return step(u, k)


def backward(residuals, g):
    """Runs the steps again: nothing of them is kept but where they begin."""
    return flow.grad(lambda u, k: np.sum(step(u, k) * g), (0, 1))(*residuals)


by_adjoints.defvjp(lambda u, k: (step(u, k), (u, k)), backward)


@flow.custom_vjp
def by_branches(u, k):
    return step(u, k)


def chosen(residuals, g):
    u, k = residuals
    gk = 0.0
    if k > 0.0:
        v = u
    else:
        v = -u
    states = np.zeros((3, len(u)))
    for i in range(3):
        states[i] = v
        v = v + 0.1 * np.exp(-k * v * v)
    for i in range(2, -1, -1):
        e = 0.1 * np.exp(-k * states[i] * states[i])
        gk = gk - np.sum(g * e * states[i] * states[i])
        g = g - g * e * 2.0 * k * states[i]
    return g, gk


by_branches.defvjp(lambda u, k: (step(u, k), (u, k)), chosen)

RULES = [by_tangents, by_adjoints, by_branches]


def steps(one, target):
    def repeated(u, k):
        for _ in range(2):
            u = one(u, k)
        return np.sum(u**3)

    return flow.compile(repeated, target=target)


@pytest.mark.parametrize("target", ["python", "cpu"])
@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.__name__)
def test_every_order(rule, target):
    f, plain = steps(rule, target), steps(step, "python")
    value, grads = flow.value_and_grad(f, (0, 1))(U, 0.7)
    want_value, want = flow.value_and_grad(plain, (0, 1))(U, 0.7)
    assert_allclose(value, want_value, rtol=1e-13)
    for got, w in zip(grads, want, strict=True):
        assert_allclose(got, w, rtol=1e-12)
    assert_allclose(
        flow.jvp(f, (U, 0.7), (V, 0.4))[1], flow.jvp(plain, (U, 0.7), (V, 0.4))[1], rtol=1e-12
    )
    hessian = flow.hessian(plain)(U, 0.7)
    for jacobian in (flow.jacfwd, flow.jacrev):
        assert_allclose(jacobian(flow.grad(f))(U, 0.7), hessian, rtol=1e-11, atol=1e-13)
    _, pull = flow.vjp(flow.grad(f), U, 0.7)
    assert_allclose(pull(V)[0], hessian @ V, rtol=1e-11)


@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.__name__)
def test_third_order(rule):
    def along(one):
        slope = flow.grad(steps(one, "python"))
        return flow.compile(lambda u: np.sum(flow.grad(lambda w: np.sum(slope(w, 0.7) * V))(u) * V))

    got = flow.grad(flow.compile(along(rule), target="python"))(U)
    assert_allclose(got, flow.grad(flow.compile(along(step), target="python"))(U), rtol=1e-10)


def test_a_tangent_divided_by_a_sum_of_a_loop_is_linear():
    @flow.custom_jvp
    def tripled(x):
        return 3.0 * x

    @tripled.defjvp
    def rule(primals, tangents):
        total = 0.0
        for i in range(3):
            total += primals[0] * i
        return tripled(primals[0]), tangents[0] / total

    compiled = flow.compile(lambda x: tripled(x), target="python")
    assert flow.grad(compiled)(2.0) == flow.jvp(compiled, (2.0,), (1.0,))[1] == 1 / 6


def test_a_tangent_divided_by_itself_is_not_linear():
    @flow.custom_jvp
    def tripled(x):
        return 3.0 * x

    @tripled.defjvp
    def rule(primals, tangents):
        return tripled(primals[0]), tangents[0] / (2.0 * tangents[0])

    with pytest.raises(flow.errors.UnsupportedError, match="not linear in the tangents"):
        flow.grad(flow.compile(lambda x: tripled(x), target="python"))(2.0)
