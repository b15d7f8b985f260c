"""Functions that are called and have no row in our tables: what they are, and the way out.

Never emits anything.
"""

from __future__ import annotations

import sys
import types
from typing import Any

import numpy as np

from srcgrad.frontend.foreign import foreign_library
from srcgrad.frontend.handlers.registry import refusal_of
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.similar import similar, supported_in
from srcgrad.frontend.values import article
from srcgrad.protocols import held


def refuse_unknown(it: Interpreter, f: Any, node: Node) -> None:
    """A function of NumPy, SciPy or the standard library without a row in our tables."""
    known = refusal_of(f)
    if known is not None:
        it.refuse(node, *known)
    if str(type(f).__module__).startswith("numba.np.ufunc"):
        it.refuse(
            node, f"{f.__name__}() is a universal function of Numba's, which is not followed",
            "call the plain function for each element in a loop, or write it on arrays",
        )  # fmt: skip
    module = getattr(f, "__module__", None) or getattr(type(f), "__module__", "") or ""
    name = callable_name(f)
    library = foreign_library(f)
    if library:
        it.refuse(
            node, f"{held(f, '__name__') or name}() is a function of {library}",
            "use NumPy's, or call it outside and pass the result",
        )  # fmt: skip
    if "random" in module or (isinstance(f, types.BuiltinMethodType) and _random(f)):
        it.refuse(
            node,
            f"{name}() draws random numbers",
            "draw them outside and pass them as an argument",
        )
    if module.split(".")[0] in ("numpy", "scipy", "math") or isinstance(f, np.ufunc):
        near = similar(name.rpartition(".")[2], supported_in(_home(f)))
        it.refuse(
            node, f"{name} is not supported", f"{near} docs/support.md lists what is".lstrip()
        )
    if isinstance(f, types.BuiltinFunctionType | types.BuiltinMethodType):
        it.refuse(
            node, f"{name}() is not supported in a compiled function",
            "call it outside and pass the result",
        )  # fmt: skip


_NAMED = (
    type, np.ufunc, types.FunctionType, types.MethodType, types.BuiltinFunctionType,
    types.BuiltinMethodType,
)  # fmt: skip


def callable_name(f: Any) -> str:
    if not isinstance(f, _NAMED) and not hasattr(type(f), "__get__"):  # an instance with __call__
        name = callable_name(type(f))
        return f"calling {article(name)} {name}"
    name = held(f, "__qualname__") or held(f, "__name__") or repr(f)
    if isinstance(f, np.ufunc):
        return f"{_home(f).__name__}.{name}"
    module = getattr(f, "__module__", None) or ""
    public = module.partition("._")[0].removesuffix(".mtrand")
    return f"{public}.{name}" if public.split(".")[0] in ("numpy", "scipy", "math") else name


def _home(f: Any) -> types.ModuleType:
    """The module of NumPy or SciPy where users find a function."""
    if isinstance(f, np.ufunc):
        special = sys.modules.get("scipy.special")
        return special if special is not None and not hasattr(np, f.__name__) else np
    module = (getattr(f, "__module__", None) or "numpy").partition("._")[0]
    return sys.modules.get(module, np)


def _random(f: Any) -> bool:
    return "random" in type(held(f, "__self__")).__module__
