"""Jacobians on the tape: one backward pass for each element of an output; Hessians likewise.

Used where the compiler refuses a function, for `jacfwd` too: the tape has no forward mode.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from srcgrad import hooks
from srcgrad.eager import engine
from srcgrad.eager.functions import TABLE
from srcgrad.eager.tensor import Tensor, make
from srcgrad.errors import ArgumentValueError
from srcgrad.frontend.values import contrasted
from srcgrad.tree import matched, paths, spelled

_stack, _reshape = TABLE["stack"].function, TABLE["reshape"].function


def rows(out: Any, by: dict[tuple, Tensor], recorded: bool) -> dict[tuple, Tensor]:
    """The Jacobian of one output with respect to each tensor; zero if it has no history."""
    a = np.asarray(getattr(out, "_a", out))
    lines = [_row(out, a, k, by, recorded) for k in range(a.size)]
    made = {}
    for path, x in by.items():
        shape = (*a.shape, *x.shape)
        row = [line[path] for line in lines]
        made[path] = _reshape(_stack(row), shape) if row else make(np.zeros(shape, x._a.dtype))
    return made


def _row(
    out: Any, a: np.ndarray, k: int, by: dict[tuple, Tensor], recorded: bool
) -> dict[tuple, Tensor]:
    found: Any = [None] * len(by)
    if getattr(out, "_node", None) is not None:
        seed = np.zeros(a.size, a.dtype)
        seed[k] = 1
        found = engine.grad(
            [out], [*by.values()], [make(seed.reshape(a.shape))], retain_graph=True,
            create_graph=recorded, allow_unused=True,
        )  # fmt: skip
    return _filled(by, found)


# ---- products with the Hessian, and its diagonal ----
def product(
    spec: Any, slots: list, main: Any, v: Any, by: dict[tuple, Tensor], recorded: bool
) -> dict[tuple, Tensor]:
    """The product of the Hessian with a direction, by path; `main` holds the gradients."""
    directions: dict[tuple, Any] = {}
    parts = [None] * len(slots) if v is None else (v,) if spec.alone(slots) else v
    for (at, value), part in zip(slots, parts, strict=True):
        directions |= {path: d for path, _, d in matched(value, part, _refuse, at)}
    roots, seeds = [], []
    for path, g in _gradients(spec, slots, main):
        d = directions[path]
        if path in by and d is not None:
            what = f"the direction of {spelled(path)}"
            seed = hooks.tensor_calls().fitted(d, by[path], what, spelled(path))
            if getattr(g, "_node", None) is not None:
                roots.append(g)
                seeds.append(seed if isinstance(seed, Tensor) else make(seed))
    return _filled(by, _pulled(roots, seeds, by, recorded))


def diagonal(
    spec: Any, slots: list, main: Any, by: dict[tuple, Tensor], recorded: bool
) -> dict[tuple, Tensor]:
    """The diagonal of the Hessian by path, one element after the other."""
    made = {}
    for path, g in _gradients(spec, slots, main):
        x = by.get(path)
        if x is None:
            continue
        entries = []
        for k in range(x._a.size) if getattr(g, "_node", None) is not None else ():
            row = _row(g, x._a, k, {path: x}, recorded)[path]
            entries.append(_reshape(row, (x._a.size,))[k])
        zero = make(np.zeros_like(x._a))
        made[path] = _reshape(_stack(entries), x.shape) if entries else zero
    return made


def total(found: dict[tuple, Tensor]) -> Tensor:
    """The sum of all elements."""
    return functools.reduce(operator.add, [d.sum() for d in found.values()])


def _gradients(spec: Any, slots: list, main: Any) -> Iterator[tuple[tuple, Any]]:
    """The gradients with the paths of their arguments."""
    parts = (main,) if spec.alone(slots) else main
    for (at, _), g in zip(slots, parts, strict=True):
        yield from paths(g, at)


def _pulled(roots: list, seeds: list, by: dict[tuple, Tensor], recorded: bool) -> Sequence[Any]:
    if not roots:
        return [None] * len(by)
    return engine.grad(roots, [*by.values()], seeds, create_graph=recorded, allow_unused=True)


def _filled(by: dict[tuple, Tensor], found: Any) -> dict[tuple, Tensor]:
    pairs = zip(by.items(), found, strict=True)
    return {p: make(np.zeros_like(x._a)) if g is None else g for (p, x), g in pairs}


def _refuse(path: tuple, given: Any, like: Any) -> None:
    is_, wanted = contrasted(given, like)
    raise ArgumentValueError(f"the direction of {spelled(path)} is {is_}, not {wanted}")
