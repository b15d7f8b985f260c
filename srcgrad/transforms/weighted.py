"""Gradients whose adjoint of the output is an argument: `sens_param`, and vjp with weights.

The function that is differentiated is the sum of outputs times adjoints. Never holds an adjoint.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.errors import ArgumentTypeError, ArgumentValueError
from srcgrad.tracebacks import entrance
from srcgrad.transforms.refusals import no_position
from srcgrad.transforms.stacking import gradient_of


def _dot(out: Any, sens: Any) -> Any:
    """The sum of an output, or of several, times its adjoint; of complex ones Re(out * conj)."""
    if sens is None:
        return 0.0
    if isinstance(out, tuple | list):
        if len(out) != len(sens):
            raise ArgumentValueError("there must be one adjoint for each output")
        total = 0.0
        for o, s in zip(out, sens, strict=True):
            total = total + _dot(o, s)
        return total
    if isinstance(out, dict):
        if list(out) != list(sens):
            raise ArgumentValueError("an adjoint must have the keys of its output, in their order")
        return _dot(tuple(out.values()), tuple(sens.values()))
    if hasattr(sens, "shape") and tuple(sens.shape) != tuple(getattr(out, "shape", ())):
        raise ArgumentValueError("an adjoint must have the shape of its output")
    made = out * sens
    if np.iscomplexobj(getattr(made, "_a", made)):  # of a tensor: its array
        made = (out * np.conj(sens)).real
    return made.sum() if hasattr(made, "shape") else made


def with_adjoint(fn: Callable, has_aux: bool) -> Callable:
    """A function of an adjoint and the arguments: (outputs times adjoint, outputs)."""

    def weighted(sens: Any, *inputs: Any) -> Any:
        out = fn(*inputs)
        return _dot(out[0] if has_aux else out, sens), out

    return weighted


class Weighted:
    """A gradient whose last argument, or the keyword `sens`, is the adjoint of the output."""

    def __init__(
        self, fn: Any, positions: tuple[int, ...] | None, weights: Any, has_aux: bool, ids: bool,
        with_value: bool, bare: bool | None = None, **stated: Any,
    ) -> None:  # fmt: skip
        if not callable(fn):
            raise ArgumentTypeError(f"The fn should be callable, but got {type(fn).__name__}")
        self.__wrapped__ = fn
        self._every, self._weights = positions is None, weights
        self._positions = positions or ()
        self._numbered = bool(ids and positions)
        self._bare = len(positions or ()) == 1 if bare is None else bare
        shifted = None if positions is None else tuple(k + 1 for k in positions)
        self.has_aux, self.with_value = has_aux, with_value
        self._gradient = gradient_of(
            with_adjoint(fn, has_aux), shifted, weights, True, ids, True, self._bare, **stated
        )
        self._signature = inspect.signature(fn)

    @entrance
    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        if "sens" in kwargs and "sens" not in self._signature.parameters:
            sens = kwargs.pop("sens")
        elif args:
            *args, sens = args  # type: ignore[assignment]  (a list, as a tuple is)
        else:
            raise ArgumentTypeError("the adjoint of the output is missing: pass it last")
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        if bound.kwargs:
            raise ArgumentTypeError("with sens_param the other arguments go by position")
        for k in self._positions:
            if k >= len(bound.args):
                name = getattr(self.__wrapped__, "__name__", "the function")
                raise no_position(k, name, len(bound.args))
        (_, out), g = self._gradient(sens, *bound.args)
        if self._every:  # the adjoint is the first argument: its gradient is not requested
            g = (g[0][1:], g[1]) if self._weights else g[1:]
        if self._numbered:
            g = (self._renumbered(g[0]), g[1]) if self._weights else self._renumbered(g)
        if self.with_value:
            return out, g
        return (g, tuple(out[1:])) if self.has_aux else g

    def _renumbered(self, g: Any) -> Any:
        """Gradients with their positions, the adjoint not counted."""
        pairs = (g,) if self._bare else g
        made = tuple((position - 1, gradient) for position, gradient in pairs)
        return made[0] if self._bare else made
