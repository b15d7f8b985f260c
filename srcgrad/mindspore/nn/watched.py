"""Calls of cells that have a hand-written backward, `bprop`. Never compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcgrad.eager import Function, Tensor
from srcgrad.errors import AutogradError


def run(cell: Any) -> Callable[..., Any]:
    """The function that a call of a cell runs between its hooks."""
    if not hasattr(type(cell), "bprop"):
        return cell.construct
    return lambda *args: _Own.apply(cell, *args)


class _Own(Function):
    """Custom function: forward is `construct` on detached inputs, backward is `bprop`."""

    @staticmethod
    def forward(ctx: Any, cell: Any, *inputs: Any) -> Any:
        ctx.cell, ctx.inputs = cell, inputs
        out = cell.construct(*inputs)
        ctx.out = tuple(map(_plain, out)) if isinstance(out, tuple) else _plain(out)
        return out

    @staticmethod
    def backward(ctx: Any, *adjoints: Any) -> Any:
        (adjoint,) = adjoints if len(adjoints) == 1 else (adjoints,)
        grads = ctx.cell.bprop(*ctx.inputs, ctx.out, adjoint)
        grads = grads if isinstance(grads, tuple) else (grads,)
        if len(grads) != len(ctx.inputs):
            raise AutogradError(
                f"{type(ctx.cell).__name__}.bprop() returns {len(grads)} gradients for "
                f"{len(ctx.inputs)} inputs"
            )
        return (None, *grads)  # None: the cell itself


def _plain(value: Any) -> Any:
    return value.detach() if isinstance(value, Tensor) else value
