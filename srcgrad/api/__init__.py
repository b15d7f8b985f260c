"""The public transforms: compile, grad, value_and_grad, vjp, jvp. The only layer that sees all."""

import importlib

from srcgrad.api import nested
from srcgrad.api.compiled import Compiled
from srcgrad.api.custom import custom_jvp, custom_vjp
from srcgrad.api.derivatives import GradOperation, get_grad, linearize
from srcgrad.api.implicit import fixed_point, implicit_root
from srcgrad.api.inserted import insert_grad_of
from srcgrad.api.jacobians import jacfwd, jacrev
from srcgrad.api.odes import odeint
from srcgrad.api.opaque import opaque
from srcgrad.api.pullback import vjp
from srcgrad.api.transforms import compile, grad, jit, jvp, stop_gradient, value_and_grad
from srcgrad.frontend.handlers.registry import LATE
from srcgrad.tracebacks import entered

LATE.append(lambda: importlib.import_module("srcgrad.api.spelling"))

# loading `nested` tells the frontend what the transforms mean inside a compiled function
__all__ = [
    "Compiled", "GradOperation", "compile", "custom_jvp", "custom_vjp", "fixed_point",
    "get_grad", "grad", "implicit_root", "insert_grad_of", "jacfwd", "jacrev", "jit",
    "jvp", "linearize", "nested", "odeint", "opaque", "stop_gradient", "value_and_grad", "vjp",
]  # fmt: skip
globals().update(entered({n: globals()[n] for n in __all__}, __name__))
