"""Arguments of NumPy's functions as NumPy binds them, by position or by name.

A handler names the arguments that it knows as NumPy does, or by a name of its own at NumPy's place.
An argument equal to NumPy's default counts as not given. Never reads values of arguments otherwise.
"""

from __future__ import annotations

import functools
import inspect
from typing import Any

import numpy as np

from srcgrad.frontend.library_source import LIBRARIES

P = inspect.Parameter
VARIADIC = (P.VAR_POSITIONAL, P.VAR_KEYWORD)
# these have one meaning in every function: they never name another argument
EVERYWHERE = ("axis", "dtype", "out", "keepdims", "where", "initial", "order", "mode", "weights")


class NotTaken(Exception):
    """An argument of NumPy's signature that the handler of the function does not have."""


# where NumPy makes an array, and of which class: the values besides None that need no handler
IGNORED: dict[str, tuple[str, ...]] = {"device": ("cpu",), "like": ()}


def as_named(f: Any, handler: Any, args: list, kwargs: dict[str, Any]) -> tuple[list, dict]:
    """The arguments for a handler; TypeError, with NumPy's text, where NumPy would raise it.

    NotTaken for an argument that NumPy takes and the handler does not.
    """
    if (getattr(f, "__module__", None) or "").startswith("numpy"):
        kwargs = {n: v for n, v in kwargs.items() if n not in IGNORED or not _is_ignored(n, v)}
    plan = _plan(f, handler)
    if plan is None:
        return args, kwargs
    signature, names, needed = plan
    bound = signature.bind(*args, **kwargs)
    taken: dict[str, Any] = {}
    for n, v in bound.arguments.items():
        if _is_default(v, signature.parameters[n].default) and names.get(n) not in needed:
            continue
        if n in names:
            taken[names[n]] = v
        else:
            raise NotTaken(n)
    return [], taken


def _is_ignored(name: str, v: Any) -> bool:
    return v is None or (isinstance(v, str) and v in IGNORED[name])


def _is_default(v: Any, default: Any) -> bool:
    same = type(v) is type(default) and isinstance(v, str | bool | int)
    return v is default or (same and v == default)


@functools.lru_cache(maxsize=1024)
def _plan(f: Any, handler: Any) -> tuple[inspect.Signature, dict[str, str], set[str]] | None:
    """The library's signature, the handler's name of each argument, and the required names.

    None for functions and handlers that bind their arguments themselves.
    """
    module = getattr(f, "__module__", None) or ""
    if (
        isinstance(f, np.ufunc | type)
        or hasattr(handler, "function")
        or module.split(".")[0] not in LIBRARIES
    ):
        return None
    try:
        signature = inspect.signature(f)
    except (TypeError, ValueError):
        return None
    known = list(inspect.signature(handler).parameters.values())[2:]
    given = list(signature.parameters.values())
    if any(p.kind in VARIADIC for p in given) or _takes_many(known):
        return None
    if known and known[0].kind in (P.VAR_POSITIONAL, P.POSITIONAL_ONLY):
        return None
    passed_on = any(p.kind is p.VAR_KEYWORD for p in known)
    known = [p for p in known if p.kind not in VARIADIC]
    own = {p.name for p in known}
    theirs = {p.name for p in given}
    names: dict[str, str] = {}
    for k, p in enumerate(given):
        if p.name in own:
            names[p.name] = p.name
        elif k < len(known) and known[k].name not in (*theirs, *EVERYWHERE):
            names[p.name] = known[k].name
        elif passed_on:
            names[p.name] = p.name
    return signature, names, {p.name for p in known if p.default is p.empty}


def _takes_many(known: list[inspect.Parameter]) -> bool:
    """Whether a handler takes `*args` without `**kwargs`, which would be passed on by name."""
    kinds = [p.kind for p in known]
    return P.VAR_POSITIONAL in kinds and P.VAR_KEYWORD not in kinds
