"""The trees of generator functions, as they are interpreted. Nothing is evaluated here."""

from __future__ import annotations

import functools
from copy import copy
from typing import Any

import gast

from srcgrad.frontend.trees import OURS, nodes_within, own_statements

YIELDS = (gast.Yield, gast.YieldFrom)
_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


class Asking(gast.Yield):
    """A `yield` whose value is whether the generator is to stop there."""


@functools.lru_cache(maxsize=1024)
def is_generator(tree: Any) -> bool:
    """Whether a function is a generator function."""
    return not isinstance(tree, gast.Lambda) and any(
        isinstance(n, YIELDS) for n in own_statements(tree)
    )


@functools.lru_cache(maxsize=1024)
def as_generator(tree: Any, stops: bool) -> Any:
    """A generator function without `yield from`; with `stops` it returns where it is to stop.

    >>> import ast
    >>> tree = gast.parse("def f():\\n    yield from x").body[0]
    >>> print(ast.unparse(gast.gast_to_ast(as_generator(tree, False))))
    def f():
        for ªyielded in x:
            yield ªyielded
    """
    made = _changed(tree, body=[_rewritten(s, stops) for s in tree.body])
    return gast.fix_missing_locations(made)


def yields_once(tree: Any) -> bool:
    """Whether a generator has one `yield`, which every call comes to exactly once."""
    inside = own_statements(tree)
    returns = any(isinstance(n, gast.Return) for n in inside)
    return not returns and sum(isinstance(n, YIELDS) for n in inside) == 1 and _certain(tree.body)


def handles_yields(tree: Any) -> bool:
    """Whether a generator yields in the body of a `try` that handles exceptions."""
    tried = [n for n in own_statements(tree) if isinstance(n, gast.Try) and n.handlers]
    return any(_yields(s) for n in tried for s in n.body)


def _certain(stmts: list[Any]) -> bool:
    """Whether the `yield` in statements is outside of branches, loops and handlers."""
    s = next((s for s in stmts if _yields(s)), None)
    if isinstance(s, gast.With | gast.Try):
        return _certain([*s.body, *getattr(s, "orelse", ())])
    value = s.value if isinstance(s, gast.Expr | gast.Assign) else None
    return isinstance(value, gast.Yield)


def _yields(s: Any) -> bool:
    return any(isinstance(n, YIELDS) for n in nodes_within([s]))


def _rewritten(s: Any, stops: bool) -> Any:
    if isinstance(s, gast.FunctionDef | gast.ClassDef | gast.Lambda) or not _yields(s):
        return s
    if isinstance(s, gast.Expr) and isinstance(s.value, gast.Yield):
        if not stops:
            return s
        asked = gast.copy_location(Asking(s.value.value), s.value)
        return gast.copy_location(gast.If(asked, [gast.Return(None)], []), s)
    if isinstance(s, gast.Expr) and isinstance(s.value, gast.YieldFrom):
        contexts = gast.Store(), gast.Load()
        item, named = (gast.Name(f"{OURS}yielded", c, None, None) for c in contexts)
        one = gast.copy_location(gast.Expr(gast.Yield(named)), s)
        loop = gast.For(item, s.value.value, [_rewritten(one, stops)], [], None)
        return gast.copy_location(loop, s)
    blocks = {n: getattr(s, n) for n in _BLOCKS if isinstance(getattr(s, n, None), list)}
    return _changed(s, **{n: [_rewritten(t, stops) for t in b] for n, b in blocks.items()})


def _changed(node: Any, **fields: Any) -> Any:
    """A copy of a node with other fields; what was found out about it is forgotten."""
    made = copy(node)
    for name in [n for n in vars(made) if n.startswith(("_exits", "_always_exits"))]:
        delattr(made, name)
    vars(made).update(fields)
    return made
