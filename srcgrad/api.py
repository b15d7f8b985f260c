"""The public transforms: compile, grad, value_and_grad, vjp, jvp. Loads the whole compiler."""

import importlib

from srcgrad.custom.functions import custom_jvp, custom_vjp
from srcgrad.custom.inserted import insert_grad_of
from srcgrad.custom.opaque import opaque
from srcgrad.frontend.handlers.registry import LATE
from srcgrad.inside import nested
from srcgrad.inside.checkpointed import checkpoint
from srcgrad.solvers.implicit import fixed_point, implicit_root
from srcgrad.solvers.odes import odeint
from srcgrad.tracebacks import entered
from srcgrad.transforms.compiled import Compiled
from srcgrad.transforms.entry_points import compile, grad, jit, jvp, stop_gradient, value_and_grad
from srcgrad.transforms.jacobians import hessian, jacfwd, jacrev
from srcgrad.transforms.mindspore import GradOperation, get_grad, linearize
from srcgrad.transforms.vjp import vjp
from srcgrad.transforms.vmap import vmap

LATE.append(lambda: importlib.import_module("srcgrad.bridge.tensor_functions"))

# loading `nested` tells the frontend what the transforms mean inside a compiled function
__all__ = [
    "Compiled", "GradOperation", "checkpoint", "compile", "custom_jvp", "custom_vjp", "fixed_point",
    "get_grad", "grad", "hessian", "implicit_root", "insert_grad_of", "jacfwd", "jacrev", "jit",
    "jvp", "linearize", "nested", "odeint", "opaque", "stop_gradient", "value_and_grad", "vjp",
    "vmap",
]  # fmt: skip
globals().update(entered({n: globals()[n] for n in __all__}, __name__))
