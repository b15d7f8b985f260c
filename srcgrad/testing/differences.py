"""Gradients against differences of the plain function, and against forward mode.

The plain function is run by Python itself, on copies; what is compared are derivatives along a few
directions, so that one check costs a few dozen calls whatever the number of inputs.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np


class GradientError(AssertionError):
    """A derivative disagrees; the text says which, where, and by how much."""


def check_grads(
    fn: Callable,
    args: tuple,
    grad_position: int | tuple[int, ...] = 0,
    *,
    directions: int = 3,
    tolerance: float = 1e-6,
    seed: int = 0,
    target: str = "cpu",
) -> None:
    """Raise GradientError unless reverse mode, forward mode and differences agree at `args`.

    They agree if they differ by less than `tolerance` of the largest of them, plus what the
    differences themselves are uncertain by. At a kink differences have no meaning. Results that are
    not scalars are summed. The arguments stay as they are.

    >>> from srcgrad.testing import check_grads
    >>> check_grads(lambda x, y: x * x * y, (3.0, 2.0), (0, 1), target="python")
    """
    import srcgrad as flow

    plain = fn.function if isinstance(fn, flow.Compiled) else getattr(fn, "py_func", fn)
    compiled = fn if isinstance(fn, flow.Compiled) else flow.compile(fn, target=target)
    positions = grad_position if isinstance(grad_position, tuple) else (grad_position,)
    gradients = flow.grad(compiled, positions)(*copy.deepcopy(args))
    gradients = gradients if len(positions) > 1 else (gradients,)
    rng = np.random.default_rng(seed)
    for k in range(directions):
        moves = [_direction(args[p], rng) for p in positions]
        reverse = sum(_dot(g, m) for g, m in zip(gradients, moves, strict=True))
        tangents: list[Any] = [None] * len(args)
        for p, m in zip(positions, moves, strict=True):
            tangents[p] = m
        forward = _total(flow.jvp(compiled, copy.deepcopy(args), tuple(tangents))[1])
        expected, uncertain = slope(
            lambda h, m=moves: _total(plain(*_moved(args, positions, m, h)))
        )
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


def slope(f: Callable[[float], float], start: float = 4e-3, rows: int = 9) -> tuple[float, float]:
    """f'(0) and an estimate of its error, by extrapolated central differences.

    C. Ridders, "Accurate computation of F'(x) and F'(x)F''(x)", Adv. Eng. Software 4 (1982).

    >>> from srcgrad.testing import slope
    >>> value, error = slope(lambda h: (2.0 + h) ** 3)
    >>> abs(value - 12.0) < 1e-9 and error < 1e-6
    True
    """
    best, error, above = np.nan, np.inf, []
    for k in range(rows):
        h = start / 2**k
        row = [(f(h) - f(-h)) / (2 * h)]
        for j, previous in enumerate(above):
            row.append(row[j] + (row[j] - previous) / (4.0 ** (j + 1) - 1))
            moved = max(abs(row[j + 1] - row[j]), abs(row[j + 1] - previous))
            if moved < error:
                best, error = row[j + 1], moved
        above = row
    return float(best), float(error)


# ---- structures ----
def _is_float(v: Any) -> bool:
    dtype = getattr(v, "dtype", None)
    return isinstance(v, float | complex) if dtype is None else dtype.kind in "fc"


def _direction(value: Any, rng: np.random.Generator) -> Any:
    """Numbers of about 1 in place of the floats of a structure; None for the rest.

    A complex number moves in both its parts.
    """
    from srcgrad.api.structure import mapped

    def drawn(v: Any) -> Any:
        if not _is_float(v):
            return None
        steps = [-1.0, -0.5, 0.5, 1.0]
        t = rng.choice(steps, np.shape(v))
        if np.iscomplexobj(v):
            t = t + 1j * rng.choice(steps, np.shape(v))
        return t.astype(v.dtype) if isinstance(v, np.ndarray) else type(v)(t)

    return mapped(value, drawn)


def _floats(value: Any) -> list[Any]:
    from srcgrad.api.structure import leaves

    return [v for _, v in leaves(value, ()) if _is_float(v)]


def _dot(a: Any, b: Any) -> float:
    pairs = zip(_floats(a), _floats(b), strict=True)
    return float(sum(np.real(np.vdot(_wide(x), _wide(y))) for x, y in pairs))


def _wide(x: Any) -> np.ndarray:
    return np.asarray(x, complex if np.iscomplexobj(x) else float)


def _total(value: Any) -> float:
    return float(sum(np.sum(v, dtype=np.float64) for v in _floats(value)))


def _moved(args: tuple, positions: tuple[int, ...], moves: list, h: float) -> tuple:
    """Copies of the arguments with `h` times the moves added."""
    from srcgrad.api.structure import mapped

    new = list(copy.deepcopy(args))
    for p, m in zip(positions, moves, strict=True):
        steps = iter(_floats(m))

        def step(v: Any, steps: Any = steps) -> Any:
            if not _is_float(v):
                return v
            return (
                type(v)(v + h * next(steps))
                if not isinstance(v, np.ndarray)
                else v + h * next(steps)
            )

        new[p] = mapped(new[p], step)
    return tuple(new)
