"""srcgrad: gradients of ordinary Python, by source transformation.

    import srcgrad as flow

`flow.compile`, `flow.grad`, `flow.value_and_grad`, `flow.vjp` and `flow.jvp` take plain NumPy and
loop code. Names are loaded when first used: importing srcgrad loads neither Numba nor SciPy.
"""

from __future__ import annotations

import importlib
import os
import sys
from functools import cache
from types import ModuleType
from typing import Any

from srcgrad import collector, hooks, interrupts
from srcgrad.errors import nearest as _nearest
from srcgrad.tracebacks import entered as _entered
from srcgrad.tracebacks import entrance as _entrance

__version__ = "0.2.0"

_HOMES = {
    "compile": "srcgrad.api", "grad": "srcgrad.api", "value_and_grad": "srcgrad.api",
    "vjp": "srcgrad.api", "jvp": "srcgrad.api", "stop_gradient": "srcgrad.api",
    "Compiled": "srcgrad.api", "get_grad": "srcgrad.api", "jacfwd": "srcgrad.api",
    "jacrev": "srcgrad.api", "hessian": "srcgrad.api", "linearize": "srcgrad.api",
    "vmap": "srcgrad.api",
    "custom_jvp": "srcgrad.api", "custom_vjp": "srcgrad.api", "checkpoint": "srcgrad.api",
    "fixed_point": "srcgrad.api", "implicit_root": "srcgrad.api",
    "insert_grad_of": "srcgrad.api", "odeint": "srcgrad.api",
    "elementwise_grad": "srcgrad.api", "hessian_diag": "srcgrad.api", "hvp": "srcgrad.api",
    "jacobian": "srcgrad.api", "laplacian": "srcgrad.api", "value_and_jac": "srcgrad.api",
    "value_grad_hess": "srcgrad.api", "vhp": "srcgrad.api",
    "annotate": "srcgrad.transforms.annotate", "export": "srcgrad.transforms.exported",
    "opaque": "srcgrad.api", "prange": "srcgrad.frontend.prange",
    "checkpointed": "srcgrad.frontend.schedules",
    "set_context": "srcgrad.bridge.eager_fallback", "get_context": "srcgrad.bridge.eager_fallback",
    "to_jax": "srcgrad.interop", "to_pytensor": "srcgrad.interop", "to_torch": "srcgrad.interop",
    "sparsity": "srcgrad.sparse", "sparse_jacobian": "srcgrad.sparse",
    "sparse_hessian": "srcgrad.sparse", "config": "srcgrad.settings",
    "jit": "srcgrad.api", "set_seed": "srcgrad.mindspore.checkpoints",
    "GRAPH_MODE": "srcgrad.bridge.eager_fallback", "PYNATIVE_MODE": "srcgrad.bridge.eager_fallback",
    "Parameter": "srcgrad.mindspore.parameter",
    "ParameterTuple": "srcgrad.mindspore.parameter",
    "save_checkpoint": "srcgrad.mindspore.checkpoints",
    "load_checkpoint": "srcgrad.mindspore.checkpoints",
    "load_param_into_net": "srcgrad.mindspore.checkpoints",
    "mutable": "srcgrad.mindspore.checkpoints",
    "SrcgradError": "srcgrad.errors", "UnsupportedError": "srcgrad.errors",
}  # fmt: skip
_MODULES = (
    "amp",
    "array_api",
    "autograd",
    "cuda",
    "distributed",
    "errors",
    "func",
    "linalg",
    "mindspore",
    "nn",
    "ops",
    "optim",
    "scipy",
    "testing",
    "tools",
    "tree",
    "utils",
)
# names that other packages have and this one lacks, and what to write instead
_ELSEWHERE = {
    "derivative": "write flow.grad(f), or flow.elementwise_grad(f) for arrays",
    "pmap": "write a loop and flow.compile(f, parallel=True)",
    "scan": "write a loop, which is compiled",
    "lax": "write loops and branches, which are compiled",
    "numpy": "import numpy as np, whose functions are differentiated",
    "njit": "write flow.compile(f)",
    "primitive": "write flow.custom_vjp, flow.custom_jvp or flow.opaque",
    "custom_gradient": "write flow.custom_vjp",
    "solve_ivp": "call scipy.integrate.solve_ivp, which is differentiated, or flow.odeint",
    "make_vjp": "write flow.vjp(f, *args)",
    "make_jvp": "write flow.jvp(f, args, tangents)",
    "pure_callback": "write flow.opaque",
    "tree_util": "write flow.tree",
    "tree_map": "write flow.tree.map",
}


@_entrance
def __getattr__(name: str) -> Any:
    if name in _HOMES:
        with collector.gc_paused():
            value = getattr(_module(_HOMES[name]), name)
        value = _entered({name: value}, __name__).get(name, value)
    elif name in _MODULES:
        value = _module(f"srcgrad.{name}")
    elif name == "__all__":
        value = [n for n in __dir__() if not n.startswith("_")]
    else:
        value = _of_tensors(name)
    globals()[name] = value
    return value


def _module(name: str) -> ModuleType:
    """A module of this package: one whose import is broken off could not be imported again."""
    if name in sys.modules:
        return importlib.import_module(name)  # another thread may still be at it
    with interrupts.held():
        return importlib.import_module(name)


def _of_tensors(name: str) -> Any:
    """A name of the eager interface: a function, a dtype, `Tensor`.

    `from srcgrad import NAME` looks here before it imports a module of that name.
    """
    own = name.startswith("_") or name in _internal()
    public = {} if own else _module("srcgrad.eager").PUBLIC
    if name not in public:
        raise AttributeError(_missing(name), name=name)
    return public[name]


@cache
def _internal() -> frozenset[str]:
    """The names of all modules of this package."""
    return frozenset(entry.name.removesuffix(".py") for entry in os.scandir(__path__[0]))


def _missing(name: str) -> str:
    """The text of an AttributeError for a name that does not exist."""
    text = f"module 'srcgrad' has no attribute {name!r}"
    if name in _ELSEWHERE:
        return f"{text}: {_ELSEWHERE[name]}"
    near = "" if name.startswith("_") or name in _internal() else _nearest(name, __dir__())
    return f"{text}. Did you mean: '{near}'?" if near else text


def _of_numpy(function: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
    """Evaluates a function of NumPy's on tensors."""
    home = _module("srcgrad.bridge.array_functions")
    return home.followed(function, args, kwargs)


hooks.numpy_function = _of_numpy
hooks.array_namespace = lambda: _module("srcgrad.array_api")
hooks.tensor_calls = lambda: _module("srcgrad.bridge.calls")
hooks.inliner = lambda: _module("srcgrad.inside.inline")


def __dir__() -> list[str]:
    public = _module("srcgrad.eager").PUBLIC
    return sorted({"__version__", *_HOMES, *_MODULES, *public})
