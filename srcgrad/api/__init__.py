"""The public transforms: compile, grad, value_and_grad, vjp, jvp. The only layer that sees all."""

from srcgrad.api import nested as _nested  # noqa: F401: what the transforms mean when traced
from srcgrad.api.compiled import Compiled
from srcgrad.api.transforms import compile, grad, jvp, stop_gradient, value_and_grad, vjp

__all__ = ["Compiled", "compile", "grad", "jvp", "stop_gradient", "value_and_grad", "vjp"]
