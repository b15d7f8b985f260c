"""The public transforms: compile, grad, value_and_grad, vjp, jvp. Loads the whole compiler."""

import importlib

from srcgrad.custom.functions import custom_jvp, custom_vjp
from srcgrad.custom.inserted import insert_grad_of
from srcgrad.custom.opaque import opaque
from srcgrad.frontend.handlers.registry import LATE
from srcgrad.inside import integrals, lifted, nested, products, trajectories
from srcgrad.inside.checkpointed import checkpoint
from srcgrad.namespace import publish
from srcgrad.solvers.implicit import fixed_point, implicit_root
from srcgrad.solvers.odes import odeint
from srcgrad.transforms.compiled import Compiled
from srcgrad.transforms.entry_points import (
    compile,
    elementwise_grad,
    grad,
    jit,
    jvp,
    stop_gradient,
    value_and_grad,
)
from srcgrad.transforms.hessians import (
    hessian,
    hessian_diag,
    hvp,
    laplacian,
    value_grad_hess,
    vhp,
)
from srcgrad.transforms.jacobians import jacfwd, jacobian, jacrev, value_and_jac
from srcgrad.transforms.mindspore import GradOperation, get_grad, linearize
from srcgrad.transforms.vjp import vjp
from srcgrad.transforms.vmap import vmap

LATE.append(lambda: importlib.import_module("srcgrad.bridge.tensor_functions"))

# loading these of `inside` tells the frontend what transforms mean in compiled functions
__all__ = [
    "Compiled", "GradOperation", "checkpoint", "compile", "custom_jvp", "custom_vjp",
    "elementwise_grad", "fixed_point", "get_grad", "grad", "hessian", "hessian_diag", "hvp",
    "implicit_root", "insert_grad_of", "integrals", "jacfwd", "jacobian", "jacrev", "jit", "jvp",
    "laplacian", "lifted", "linearize", "nested", "odeint", "opaque", "products", "stop_gradient",
    "trajectories",
    "value_and_grad", "value_and_jac", "value_grad_hess", "vhp", "vjp", "vmap",
]  # fmt: skip
publish(globals())
