"""Calls of cells that have hooks, or a derivative of their own: `bprop`. Never compiled."""

from __future__ import annotations

from typing import Any

from srcgrad.eager import Function, Tensor
from srcgrad.errors import AutogradError


def called(cell: Any, args: tuple, params: dict[str, Any]) -> Any:
    """A call between the hooks before and after it."""
    for (hook,) in cell._before:
        given = hook(cell, args)
        if given is not None:
            args = given if isinstance(given, tuple) else (given,)
    if hasattr(type(cell), "bprop"):
        out = _Own.apply(cell, *args)
    else:
        out = cell.construct(*args, **params)
    for (hook,) in cell._after:
        given = hook(cell, args, out)
        out = out if given is None else given
    return out


class _Own(Function):
    """`construct` on detached inputs, with the gradients that `bprop` says."""

    @staticmethod
    def forward(ctx: Any, cell: Any, *inputs: Any) -> Any:
        ctx.cell, ctx.inputs = cell, inputs
        out = cell.construct(*inputs)
        ctx.out = tuple(map(_plain, out)) if isinstance(out, tuple) else _plain(out)
        return out

    @staticmethod
    def backward(ctx: Any, *adjoints: Any) -> Any:
        (adjoint,) = adjoints if len(adjoints) == 1 else (adjoints,)
        made = ctx.cell.bprop(*ctx.inputs, ctx.out, adjoint)
        made = made if isinstance(made, tuple) else (made,)
        if len(made) != len(ctx.inputs):
            raise AutogradError(
                f"{type(ctx.cell).__name__}.bprop() returns {len(made)} gradients for "
                f"{len(ctx.inputs)} inputs"
            )
        return (None, *made)


def _plain(value: Any) -> Any:
    return value.detach() if isinstance(value, Tensor) else value
