"""Universal functions over more axes than their signature has: a loop over the others."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np


def over_other_axes(
    function: Callable[..., None],
    given: Sequence[Any],
    inputs: Sequence[Sequence[str]],
    outputs: Sequence[Sequence[str]],
    kinds: Sequence[Any],
    arrays: Sequence[bool],
) -> tuple[Any, ...]:
    """The results of a function that stores to its last arguments, for each place of other axes.

    `inputs` and `outputs` name the axes of one call, which are the last ones; the axes before are
    broadcast. An operand without axes is a number, or an array of one where `arrays` says so.

    >>> def scaled(x, k, out):
    ...     out[:] = x * k
    >>> operands = [np.arange(4.0).reshape(2, 2), np.array([1.0, 10.0])]
    >>> over_other_axes(scaled, operands, [["n"], []], [["n"]], [float], [False, False])[0]
    array([[ 0.,  1.],
           [20., 30.]])
    """
    sizes = {}
    others, own = [], []
    for v, core in zip(given, inputs, strict=True):
        shape = np.shape(v)
        before = len(shape) - len(core)
        others.append(shape[:before])
        own.append(shape[before:])
        for name, size in zip(core, shape[before:], strict=True):
            sizes[name] = size
    outer = np.broadcast_shapes(*others)
    count = math.prod(outer)
    rows = []
    for v, core, alone in zip(given, own, arrays, strict=True):
        spread = np.broadcast_to(v, (*outer, *core))
        rows.append(np.reshape(spread, (count, 1) if alone and not core else (count, *core)))
    results = []
    for core, kind in zip(outputs, kinds, strict=True):
        results.append(np.zeros((count, *([sizes[name] for name in core] or [1])), kind))
    for k in range(count):
        function(*[row[k] for row in rows], *[result[k] for result in results])
    made = []
    for core, result in zip(outputs, results, strict=True):
        made.append(np.reshape(result, (*outer, *[sizes[name] for name in core])))
    return tuple(made)
