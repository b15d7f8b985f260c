"""Compares gradients with differences of the plain function, and with forward mode.

The plain function is run by Python itself, on copies; derivatives along a few directions
are compared, so that one check costs a few dozen calls whatever the number of inputs.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.errors import GradientError
from srcgrad.protocols import of_numba


def check_grads(
    fn: Callable[..., Any],
    args: tuple[Any, ...],
    grad_position: int | tuple[int, ...] = 0,
    *,
    directions: int = 3,
    tolerance: float = 1e-6,
    seed: int = 0,
    target: str = "cpu",
) -> None:
    """Raises GradientError unless reverse mode, forward mode and differences agree at `args`.

    They agree if they differ by less than `tolerance` of the largest of them, plus the uncertainty
    of the differences. At a kink differences have no meaning. Results that are not scalars are
    summed. The arguments are not changed.

    >>> from srcgrad.testing import check_grads
    >>> check_grads(lambda x, y: x * x * y, (3.0, 2.0), (0, 1), target="python")
    """
    from srcgrad import api as flow
    from srcgrad.numeric import floats, perturbed, product, random_tangent, rounding, slope, total

    plain = fn.function if isinstance(fn, flow.Compiled) else (of_numba(fn) or fn)
    compiled = fn if isinstance(fn, flow.Compiled) else flow.compile(fn, target=target)
    positions = grad_position if isinstance(grad_position, tuple) else (grad_position,)
    gradients = flow.grad(compiled, positions)(*copy.deepcopy(args))
    gradients = gradients if len(positions) > 1 else (gradients,)
    rng = np.random.default_rng(seed)
    for k in range(directions):
        moves = [random_tangent(args[p], rng) for p in positions]
        reverse = sum(product(g, m)[0] for g, m in zip(gradients, moves, strict=True))
        tangents: list[Any] = [None] * len(args)
        for p, m in zip(positions, moves, strict=True):
            tangents[p] = m
        forward = total(flow.jvp(compiled, copy.deepcopy(args), tuple(tangents))[1])

        def along(h: float, moves: list[Any] = moves) -> float:
            new = list(copy.deepcopy(args))
            for p, m in zip(positions, moves, strict=True):
                new[p] = perturbed(new[p], m, h)
            return total(plain(*new))

        size = sum(float(np.sum(np.abs(v))) for v in floats(plain(*copy.deepcopy(args))))
        expected, uncertain = slope(along, noise=rounding(args) * size)
        _compare(k, {"reverse": reverse, "forward": forward}, expected, uncertain, tolerance)


def _compare(
    k: int, got: dict[str, float], expected: float, uncertain: float, tolerance: float
) -> None:
    largest = max(abs(expected), *(abs(v) for v in got.values()))
    for mode, value in got.items():
        # written so that NaN fails
        if not abs(value - expected) <= tolerance * largest + 10 * uncertain + 1e-12:
            raise GradientError(
                f"along direction {k} {mode} mode gives {value:.10g}, differences {expected:.10g} "
                f"(uncertain by {uncertain:.1g})"
            )
