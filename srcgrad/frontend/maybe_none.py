"""Values that are None on some paths: tests of whether they are, and uses that need a value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.values import MaybeNone
from srcgrad.ir.nodes import Atom, Var, atom
from srcgrad.primitives import elementwise as e


def present(it: Interpreter, v: Any, said: Callable[[], str]) -> Any:
    """The value itself; TypeError at run time where it is None."""
    if not isinstance(v, MaybeNone):
        return v
    it.fail_if(it.b("logical_not", v.flag), "TypeError", said())
    return v.value


def refuse_maybe_none(it: Interpreter, values: Any, node: Node) -> None:
    """Refuses these in library functions, where None does not mean a missing value."""
    for v in values:
        if isinstance(v, MaybeNone):
            it.refuse(node, "an argument is None on some paths", "test 'is None' before the call")


# ---- branches on `is None` ----
def narrowed(it: Interpreter, test: Var, holds: bool) -> dict[str, tuple[Any, Any]]:
    """Binds the names that a test decides if it `holds`; returns their old and new values."""
    flag, given = _flag_of(it, test, holds)
    out: dict[str, tuple[Any, Any]] = {}
    for name, v in it.env.items():
        if isinstance(v, MaybeNone) and v.flag is flag:
            out[name] = v, v.value if given else None
    it.env.update({name: now for name, (_, now) in out.items()})
    return out


def widened_back(states: list[Any], bound: list[dict[str, tuple[Any, Any]]]) -> None:
    """Restores the values of names that no branch bound anew."""
    for name in bound[0] if bound else ():
        pairs = list(zip(states, bound, strict=True))
        if all(s is None or s.env.get(name) is b[name][1] for s, b in pairs):
            for s, b in pairs:
                if s is not None:
                    s.env[name] = b[name][0]


def _flag_of(it: Interpreter, test: Atom, holds: bool) -> tuple[Atom, bool]:
    d = it.definition(test)
    if d is not None and d.op is e.logical_not:
        return _flag_of(it, atom(d.args[0]), not holds)
    return test, holds
