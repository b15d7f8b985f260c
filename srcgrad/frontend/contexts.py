"""`with`: contexts without an effect on values, and those whose code is the user's own.

A generator of `contextlib.contextmanager` runs up to its `yield`, where the body is interpreted. An
instance's `__exit__` runs after the body, as the last clause of a `try`.
"""

from __future__ import annotations

import contextlib
import importlib
import inspect
from copy import copy
from typing import Any

import gast
import numpy as np

from srcgrad.frontend import source
from srcgrad.frontend.generators import Generated, resumed, spend
from srcgrad.frontend.handlers.registry import CONTEXTS, WRAPPERS
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.special_methods import class_of_instance, has_source
from srcgrad.frontend.trees import OURS, own_statements
from srcgrad.frontend.values import describe
from srcgrad.frontend.versions import there
from srcgrad.frontend.yields import yields_once

# NumPy before 2.3 enters the second one in functions that are followed by their own source
WITHOUT_EFFECT = (
    np.errstate,
    *there(importlib.import_module("numpy._core._ufunc_config"), "_no_nep50_warning"),
)
_KINDS_OF_ERRORS = ("all", "divide", "over", "under", "invalid")
OUTSIDE = "move it out of the compiled function"


def do_with(it: Interpreter, node: gast.With) -> None:
    """Follows a `with` of several contexts as one inside of another."""
    item, *rest = node.items
    if rest:
        inner, node = copy(node), copy(node)
        inner.items, node.items, node.body = rest, [item], [inner]
    call: Any = item.context_expr
    f = it.expression(call.func) if isinstance(call, gast.Call) else None
    if isinstance(f, type) and f in CONTEXTS:
        CONTEXTS[f](it, node, item)
    elif f in WITHOUT_EFFECT and item.optional_vars is None:
        if f is np.errstate:
            it.expression(call)
        it.block(node.body)
    elif f is contextlib.suppress:
        _suppressed(it, node, call)
    else:
        _entered(it, node, item, it.expression(call))


def refuse_settings(it: Interpreter, node: Node, settings: dict[Any, Any]) -> None:
    """Refuses settings of `np.errstate` unless all are known to ignore or to warn."""
    if settings.get("call") is not None or {*settings.values()} - {None, "ignore", "warn"}:
        text = "np.errstate that raises or calls is not supported"
        it.refuse(node, text, "use 'ignore', and test the results with np.isfinite")


def _in_errstate(
    it: Interpreter, f: Any, args: list[Any], kwargs: dict[str, Any], node: Node
) -> Any:
    """The result of a function that `np.errstate` decorates."""
    state = next(c.cell_contents for c in f.__closure__ if isinstance(c.cell_contents, np.errstate))
    settings = {n: getattr(state, f"_{n}", None) for n in _KINDS_OF_ERRORS}
    refuse_settings(it, node, getattr(state, "kwargs", settings))
    return it.call(f.__wrapped__, args, kwargs, node)


def managed(
    it: Interpreter, f: Any, args: list[Any], kwargs: dict[str, Any], node: Node
) -> Generated:
    """The result of a function that `contextlib.contextmanager` made of `f`."""
    made = it.call(f, args, kwargs, node)
    if not isinstance(made, Generated):
        it.refuse(node, "contextmanager() takes a generator function", like=TypeError)
    made.manages = True
    return made


WRAPPERS[contextlib.contextmanager(lambda: iter(())).__code__] = lambda it, f, args, kwargs, node: (
    managed(it, f.__wrapped__, args, kwargs, node)
)
WRAPPERS[np.errstate()(lambda: None).__code__] = _in_errstate


def _suppressed(it: Interpreter, node: gast.With, call: Any) -> None:
    """`with suppress(A, B)` as a `try` whose handler does nothing."""
    classes = gast.Tuple(call.args, gast.Load())
    handler = gast.ExceptHandler(classes, None, [gast.Pass()])
    _execute(it, node, gast.Try(node.body, [handler], [], []))


def _execute(it: Interpreter, node: Node, made: Any) -> None:
    it.execute(gast.fix_missing_locations(gast.copy_location(made, node)))


def _entered(it: Interpreter, node: gast.With, item: Any, manager: Any) -> None:
    if isinstance(manager, Generated):
        _at_yield(it, node, item, manager)
        return
    cls = class_of_instance(manager)
    found = [inspect.getattr_static(cls, n, None) for n in ("__enter__", "__exit__")]
    if not all(map(has_source, found)):
        it.refuse(
            node,
            f"'with' of {describe(manager)} is not supported",
            OUTSIDE,
            None if all(found) else TypeError,
            runs=all(found),
        )
    if _may_suppress(found[1]):
        it.refuse(
            node, f"__exit__ of {cls.__name__} returns a value, which may end an exception",
            "return nothing from it; catch exceptions with 'try'", runs=True,
        )  # fmt: skip
    name = f"{OURS}manager{node.lineno}_{item.context_expr.col_offset}"
    it.env[name] = manager
    value = it.call(it.attribute(manager, "__enter__", node), [], {}, node)
    if item.optional_vars is not None:
        it.assign(item.optional_vars, value)
    leave = gast.Attribute(gast.Name(name, gast.Load(), None, None), "__exit__", gast.Load())
    nothing = [gast.Constant(None, None) for _ in range(3)]
    _execute(it, node, gast.Try(node.body, [], [], [gast.Expr(gast.Call(leave, nothing, []))]))
    it.env.pop(name, None)


def _may_suppress(leave: Any) -> bool:
    """Whether `__exit__` may return what is true."""
    returns = [n for n in own_statements(source.find(leave).tree) if isinstance(n, gast.Return)]
    values = [n.value for n in returns if n.value is not None]
    return not all(isinstance(v, gast.Constant) and not v.value for v in values)


def _at_yield(it: Interpreter, node: gast.With, item: Any, over: Generated) -> None:
    """Interprets the body at the one `yield` of a generator."""
    spend(it, over, node, manages=True)
    frame = it.frame
    if over.tree is None or not yields_once(over.tree):
        it.refuse(
            node, "a context manager with several 'yield', or one in a branch, a loop or beside a "
            "'return'", "yield once, in every call",
        )  # fmt: skip

    def step(value: Any) -> None:
        with resumed(it, frame):
            if item.optional_vars is not None:
                it.assign(item.optional_vars, value)
            it.block(node.body)

    over.run(step, False)
