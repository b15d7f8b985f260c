"""Refuses calls of functions without a row in our tables: names them, and the way out.

Never emits anything.
"""

from __future__ import annotations

import io
import sys
import types
from typing import Any

import numpy as np

from srcgrad.frontend.advice import way_out
from srcgrad.frontend.foreign import called_of_numba, foreign_library
from srcgrad.frontend.handlers.registry import refusal_of
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import article
from srcgrad.protocols import held


def refuse_unknown(it: Interpreter, f: Any, node: Node) -> None:
    """Refuses a function of NumPy, SciPy or the standard library without a row in our tables."""
    why = why_unknown(f)
    if why is not None:
        it.refuse(node, *why)


def why_unknown(f: Any) -> tuple[str, str] | None:
    """The reason why a library's function is not followed, and the way out; None if it may be."""
    known = refusal_of(f)
    if known is not None:
        return known
    if (why := called_of_numba(f)) is not None:
        return why
    module = getattr(f, "__module__", None) or getattr(type(f), "__module__", "") or ""
    name = callable_name(f)
    owner = getattr(f, "__self__", None)
    if isinstance(owner, io.IOBase):
        spelled = next((f"sys.{n}" for n in _STREAMS if owner is getattr(sys, n)), "a file")
        reason = f"{f.__name__}() of {spelled} is not supported in a compiled function"
        return reason, "use print(), or warnings.warn() for sys.stderr; leave out flush()"
    library = foreign_library(f)
    if library:
        reason = f"{held(f, '__name__') or name}() is a function of {library}"
        return reason, "use NumPy's, or call it outside and pass the result"
    top = module.partition(".")[0]
    drawn = top in ("numpy", "random", "scipy", "secrets") and "random" in module
    if drawn or (isinstance(f, types.BuiltinMethodType) and _random(f)):
        return f"{name}() draws random numbers", "draw them outside and pass them as an argument"
    if top in ("numpy", "scipy", "math") or isinstance(f, np.ufunc):
        return f"{name} is not supported", way_out(name)
    if isinstance(f, types.BuiltinFunctionType | types.BuiltinMethodType):
        reason = f"{name}() is not supported in a compiled function"
        return reason, "call it outside and pass the result"
    return None


_STREAMS = ("stdout", "stderr")
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
