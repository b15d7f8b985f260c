"""`vmap`: a function of items as one of batches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from srcgrad.protocols import is_compiled
from srcgrad.transforms.batched import Batched
from srcgrad.transforms.callables import as_function
from srcgrad.transforms.compiled import Compiled
from srcgrad.transforms.specs import Primal
from srcgrad.transforms.stacking import taken_apart


def vmap(fn: Callable[..., Any], in_axes: Any = 0, out_axes: Any = 0) -> Compiled[..., Any]:
    """The function of batches that calls `fn` for each item, in one compiled loop.

    `in_axes` names the axis of the arguments along which the items lie, None for one that all calls
    share: one entry for all positional arguments, or a tuple with one for each, which may follow
    the structure of its argument. Keyword arguments are mapped along axis 0. `out_axes` places the
    new axis in the results in the same way; None returns one that is the same for all items. Items
    are views, and the loop runs in order: each item takes its own trips of a `while`, and stores
    into one reach the caller's array as those of `fn(xs[i])` do. ValueError if sizes differ, or
    the shapes of results. The interface is JAX's.

    >>> import numpy as np, srcgrad as flow
    >>> def loss(w, x, y):
    ...     return (np.tanh(w @ x) - y) ** 2
    >>> w, xs, ys = np.array([1.0, 2.0]), np.eye(2), np.zeros(2)
    >>> flow.vmap(loss, in_axes=(None, 0, 0))(w, xs, ys).round(3)
    array([0.58 , 0.929])
    >>> flow.vmap(flow.grad(loss), in_axes=(None, 0, 0))(w, xs, ys).round(3)  # of each sample
    array([[0.64 , 0.   ],
           [0.   , 0.136]])
    """
    _, _, options = taken_apart(fn)
    if not is_compiled(fn):
        options = replace(options, tape="tensors")
    function = as_function(Batched(fn, in_axes, out_axes))
    return Compiled(function, Primal(function), options)
