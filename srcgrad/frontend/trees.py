"""Questions about the syntax tree of one function. Nothing is evaluated here."""

from __future__ import annotations

import inspect
from typing import Any

import gast


def parameters_of(tree: Any) -> list[str]:
    """The names of a function's positional and keyword parameters."""
    a = tree.args
    return [x.id for x in (*a.posonlyargs, *a.args, *a.kwonlyargs)]


def own_statements(tree: Any) -> list[Any]:
    """The nodes of a function, those of the functions inside it excluded."""
    out, todo = [], list(tree.body)
    while todo:
        n = todo.pop()
        out.append(n)
        if not isinstance(
            n, gast.FunctionDef | gast.AsyncFunctionDef | gast.ClassDef | gast.Lambda
        ):
            todo += gast.iter_child_nodes(n)
    return out


def nonlocals(s: Any) -> list[str]:
    """The names that a statement takes from the function around it."""
    return list(s.names) if isinstance(s, gast.Nonlocal) else []


def signature_of(tree: Any, defaults: list[Any], kw_defaults: list[Any]) -> inspect.Signature:
    """The signature of a nested function, whose defaults have been evaluated."""
    a, P = tree.args, inspect.Parameter
    params = [P(x.id, P.POSITIONAL_ONLY) for x in a.posonlyargs]
    params += [P(x.id, P.POSITIONAL_OR_KEYWORD) for x in a.args]
    first = len(params) - len(defaults)
    params = [
        p if k < first else p.replace(default=defaults[k - first]) for k, p in enumerate(params)
    ]
    if a.vararg is not None:
        params.append(P(a.vararg.id, P.VAR_POSITIONAL))
    for x, d, given in zip(a.kwonlyargs, kw_defaults, a.kw_defaults, strict=True):
        params.append(P(x.id, P.KEYWORD_ONLY, default=P.empty if given is None else d))
    if a.kwarg is not None:
        params.append(P(a.kwarg.id, P.VAR_KEYWORD))
    return inspect.Signature(params)
