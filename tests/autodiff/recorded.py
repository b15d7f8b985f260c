"""Programs in loops for which reverse mode has little to keep, and what it keeps.

`kept` lists the tapes of a gradient by the user's variable, with their lengths.
"""

from typing import Any

import numpy as np

import srcgrad as flow
from srcgrad.ir.nodes import Function
from srcgrad.ir.parse import parse
from srcgrad.primitives import REGISTRY
from srcgrad.transforms.saved_tapes import Saved, saved_values


def mixture(alphas, means, icf, x, gamma, order):
    """The log-likelihood of a Gaussian mixture, inverse covariances as triangles (GradBench)."""
    n, d = x.shape
    clusters = len(alphas)
    scales = np.zeros((clusters, d))
    logs = np.zeros(clusters)
    for k in range(clusters):
        for j in range(d):
            scales[k, j] = np.exp(icf[k, j])
            logs[k] += icf[k, j]
    total = 0.0
    for i in range(n):
        terms = np.zeros(clusters)
        for k in range(clusters):
            centred = np.zeros(d)
            for j in range(d):
                centred[j] = x[i, j] - means[k, j]
            turned = np.zeros(d)
            for j in range(d):
                turned[j] = scales[k, j] * centred[j]
            at = d
            for c in range(d):
                for r in range(c + 1, d):
                    turned[r] += icf[k, at] * centred[c]
                    at += 1
            square = 0.0
            for j in range(d):
                square += turned[j] * turned[j]
            terms[k] = alphas[k] + logs[k] - 0.5 * square
        highest = np.max(terms)
        weights = 0.0
        for k in range(clusters):
            weights += np.exp(terms[k] - highest)
        total += highest + np.log(weights)
    weights = 0.0
    for k in range(clusters):
        weights += np.exp(alphas[k])
    total -= n * np.log(weights)
    prior = 0.0
    for k in range(clusters):
        for j in range(d):
            prior += 0.5 * gamma * gamma * scales[k, j] * scales[k, j] - order * icf[k, j]
        for j in range(d, icf.shape[1]):
            prior += 0.5 * gamma * gamma * icf[k, j] * icf[k, j]
    return total + prior


def triangle(low, x):
    """Products of points with a packed lower triangle, an increment at a time."""
    n, d = x.shape
    total = 0.0
    for i in range(n):
        z = np.zeros(d)
        at = 0
        for c in range(d):
            for r in range(c, d):
                z[r] += low[at] * x[i, c]
                at += 1
        for r in range(d):
            total += z[r] * z[r]
    return total


def arguments(fn: Any) -> tuple[Any, ...]:
    """Small arguments of one of the programs."""
    rng = np.random.default_rng(0)
    d, size = 4, 10
    if fn is triangle:
        return rng.normal(size=size), rng.normal(size=(3, d))
    k = 2
    return (
        rng.normal(size=k), rng.normal(size=(k, d)), 0.3 * rng.normal(size=(k, size)),
        rng.normal(size=(5, d)), 0.7, 2,
    )  # fmt: skip


def adjoint(fn: Any, args: tuple[Any, ...], positions: Any = 0) -> Function:
    """The joint function of a gradient."""
    return parse(
        flow.grad(flow.compile(fn, target="python"), positions).ir("adjoint", *args), REGISTRY
    )


def kept(fn: Any, args: tuple[Any, ...], positions: Any = 0) -> list[Saved]:
    """The tapes of a gradient, with their lengths for these arguments."""
    function = adjoint(fn, args, positions)
    return saved_values(function, dict(zip(function.params, args, strict=False)))
