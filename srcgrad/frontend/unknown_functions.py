"""Refuses calls of functions without a row in our tables: names them, and the way out.

Never emits anything.
"""

from __future__ import annotations

import builtins
import datetime
import io
import re
import sys
import types
from decimal import Decimal
from typing import Any

import numpy as np

from srcgrad.frontend.advice import way_out
from srcgrad.frontend.foreign import foreign_library
from srcgrad.frontend.handlers.registry import refusal_of
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.kinds import of_arrays
from srcgrad.frontend.regular_expressions import (
    EXPRESSIONS,
    FUNCTIONS,
    found_in_text,
    is_of_expressions,
)
from srcgrad.frontend.values import TrackedList, article, is_integer
from srcgrad.ir.nodes import Var
from srcgrad.protocols import held, home_module

# packages whose functions depend on their arguments alone
PURE = ("scipy.special", "scipy.signal", "scipy.linalg", "scipy.constants", "numpy.polynomial")
DATES = (datetime.date, datetime.time, datetime.datetime, datetime.timedelta, datetime.timezone)
KNOWN = int | float | complex | str | np.generic | Decimal | None  # bools are integers
# constructors of dates by other forms, and methods that read the clock or where the machine is
FROM_OTHERS = ("combine", "fromisocalendar", "fromisoformat", "fromordinal", "strptime")
LOCAL = ("astimezone", "timestamp")
LONGEST = 1024  # of an array that is written into the program


def by_known_arguments(
    it: Interpreter, f: Any, args: list[Any], kwargs: dict[str, Any], node: Node
) -> Any:
    """The result of a pure library function of known arguments; NotImplemented of another call."""
    texts = is_of_expressions(f)
    exact = f is Decimal or isinstance(getattr(f, "__self__", None), Decimal) or _makes_dates(f)
    home = str(getattr(f, "__module__", None) or "").partition("._")[0]
    of_library = home.startswith(PURE) or (isinstance(f, np.ufunc) and _home(f).__name__ in PURE)
    if not (exact or texts or of_library) or (isinstance(f, type) and not exact):
        return NotImplemented
    given = [_static(it, v, node) for v in args]
    named = {n: _static(it, v, node) for n, v in kwargs.items()}
    if any(v is UNKNOWN for v in (*given, *named.values())):
        if exact:
            kind = "decimal numbers" if not _makes_dates(f) else "dates and times"
            it.refuse(node, f"{kind} of run-time values are not supported", "use floats")
        if texts:
            name = callable_name(f) if f not in FUNCTIONS else f"re.{f.__name__}"
            it.refuse(node, f"{name}() takes texts that are known when compiling", OUTSIDE)
        return NotImplemented
    try:
        made = f(*given, **named)
    except (TypeError, ValueError, ArithmeticError, LookupError, re.error) as e:
        it.fails(e, node)
    if texts:
        return found_in_text(it, made, node)
    if exact and (isinstance(made, KNOWN | tuple) or type(made) in DATES):
        return made
    parts: tuple[Any, ...] = made if isinstance(made, tuple) else (made,)
    if not all(isinstance(p, int | float | complex | np.generic | np.ndarray) for p in parts):
        return NotImplemented
    if any(np.size(p) > LONGEST or np.asarray(p).dtype.kind not in "biufc" for p in parts):
        return NotImplemented
    values = [_written(it, p, node) for p in parts]
    return type(made)(values) if type(made) is tuple else values[0]


UNKNOWN: Any = object()


def _makes_dates(f: Any) -> bool:
    """Whether this is a class of `datetime`, or a method that depends on its arguments alone."""
    owner, name = getattr(f, "__self__", None), getattr(f, "__name__", "")
    if isinstance(owner, type):
        return owner in DATES and name in FROM_OTHERS
    return f in DATES if isinstance(f, type) else type(owner) in DATES and name not in LOCAL


def _static(it: Interpreter, v: Any, node: Node) -> Any:
    """A known argument; integers among the arguments of the function are specialized on."""
    if isinstance(v, Var) and is_integer(v) and it.captures.is_of_arguments(it, v):
        return it.static_int(v, node, "the argument of a library function")
    if isinstance(v, tuple | list) and type(v) in (tuple, list, TrackedList):
        parts = [_static(it, p, node) for p in v]
        return UNKNOWN if any(p is UNKNOWN for p in parts) else type(v)(parts)
    return v if isinstance(v, KNOWN) or type(v) in (*DATES, *EXPRESSIONS) else UNKNOWN


def _written(it: Interpreter, value: Any, node: Node) -> Any:
    if isinstance(value, np.ndarray):
        return it.call(np.array, [value.tolist(), value.dtype], {}, node)
    return value


def refuse_unknown(it: Interpreter, f: Any, node: Node) -> None:
    """Refuses a function of NumPy, SciPy or the standard library without a row in our tables.

    In a branch that the run decides, the program refuses where a call comes there: other calls have
    no need of it. Not of tensors, which have a tape.
    """
    why = why_unknown(f)
    if why is not None:
        (it.refuse_path if of_arrays(it) else it.refuse)(node, *why)


def why_unknown(f: Any) -> tuple[str, str] | None:
    """The reason why a library's function is not followed, and the way out; None if it may be."""
    known = refusal_of(f)
    if known is not None:
        return known
    module = home_module(f) or getattr(type(f), "__module__", "") or ""
    name = callable_name(f)
    owner = getattr(f, "__self__", None)
    if isinstance(owner, io.IOBase):
        spelled = next((f"sys.{n}" for n in _STREAMS if owner is getattr(sys, n)), "a file")
        reason = f"{f.__name__}() of {spelled} is not supported in a compiled function"
        return reason, "use print(), or write() of sys.stdout and sys.stderr"
    if type(f) is types.MethodType and f == builtins.input:  # in a notebook a method of the kernel
        return "input() is not supported in a compiled function", OUTSIDE
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
        return f"{name}() is not supported in a compiled function", OUTSIDE
    return None


OUTSIDE = "call it outside and pass the result"


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
