"""Calls of cells that have hooks, or a hand-written backward: `bprop`. Never compiled."""

from __future__ import annotations

from typing import Any

from srcgrad.eager import Function, Tensor
from srcgrad.errors import AutogradError


def call_with_hooks(cell: Any, args: tuple, params: dict[str, Any]) -> Any:
    """Runs the pre-hooks, the cell (by its `bprop` if it has one) and the hooks after it."""
    for (hook,) in cell._before:
        changed = hook(cell, args)
        if changed is not None:
            args = changed if isinstance(changed, tuple) else (changed,)
    if hasattr(type(cell), "bprop"):
        out = _Own.apply(cell, *args)
    else:
        out = cell.construct(*args, **params)
    for (hook,) in cell._after:
        changed = hook(cell, args, out)
        out = out if changed is None else changed
    return out


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
