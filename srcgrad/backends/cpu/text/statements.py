"""Definitions over memory and effects as syntax trees: loads, stores, allocation, checks, calls.

Only lowered operations: whole-array arithmetic has become loops before.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from srcgrad.backends.cpu.calls import CALLS
from srcgrad.backends.cpu.text.expressions import constant, fill, named_dtype, parsed
from srcgrad.backends.cpu.text.views import VIEWS, tuple_text
from srcgrad.ir.nodes import Atom, Def
from srcgrad.ir.types import Array, np_dtype
from srcgrad.primitives import Primitive, callbacks, draws, memory, messages, tapes


# ---- effects ----
def _store(p: Any, s: Def) -> ast.stmt:
    target = element(p, s.args[0], s.args[1:-1])
    return ast.Assign(targets=[target], value=p.value(s.args[-1]))


def _add_at(p: Any, s: Def) -> ast.stmt:
    target = element(p, s.args[0], s.args[1:-1])
    return ast.AugAssign(target=target, op=ast.Add(), value=p.value(s.args[-1]))


def _call(p: Any, s: Def) -> ast.stmt:
    return ast.Expr(value=_by_name(p, s))


# ---- definitions ----
def element(p: Any, x: Atom, idx: tuple[Atom, ...]) -> ast.Subscript:
    place = ", ".join(p.text(i) for i in idx) or "()"
    return ast.Subscript(value=p.value(x), slice=ast.Name(id=place))


def _by_name(p: Any, s: Def) -> ast.expr:
    """An operation that is a function of `functions.py`."""
    named = [f"{k}={v!r}" for k, v in s.params.items()]
    return parsed(f"{s.op.name}({', '.join([*map(p.text, s.args), *named])})")


def _array(p: Any, s: Def) -> ast.expr:
    """A fresh array; a number if it is one."""
    if s.var is None or not isinstance(s.var.type, Array):
        return constant(np_dtype(s.params["dtype"]).type(0).item(), s.params["dtype"])
    dims = tuple_text([p.text(a) for a in s.args])
    return parsed(f"np.{s.op.name}({dims}, {named_dtype(s.params['dtype'])})")


def _tape(p: Any, s: Def) -> ast.expr:
    assert s.var is not None
    dtype, size = named_dtype(s.var.type.dtype), p.text(s.args[0])
    size = f"{size}.size" if s.op is tapes.tape_like else f"max({size}, 1)"
    return parsed(f"np.zeros({size}, {dtype})")


def _trips(p: Any, s: Def) -> ast.expr:
    start, stop, step = map(p.text, s.args)
    if step == "1":
        return parsed(f"max({stop}, 0)" if start == "0" else f"max({stop} - {start}, 0)")
    return _by_name(p, s)


DEFINITIONS: dict[Primitive, Callable[[Any, Def], ast.expr]] = {
    **dict.fromkeys((*CALLS, callbacks.call_back, draws.draw), _by_name),
    **dict.fromkeys(VIEWS, lambda p, s: parsed(VIEWS[s.op](s, p.text(s.args[0]), p.text))),
    memory.load: lambda p, s: element(p, s.args[0], s.args[1:]),
    memory.dim: lambda p, s: fill(f"x.shape[{s.params['axis']}]", x=p.value(s.args[0])),
    tapes.slots: lambda p, s: parsed(f"{p.text(s.args[0])}.size"),
    memory.index: _by_name,
    memory.trips: _trips,
    memory.zeros: _array,
    memory.empty: _array,
    tapes.tape: _tape,
    tapes.tape_like: _tape,
    tapes.reftape: lambda p, s: parsed("[]"),
}
EFFECTS: dict[Primitive, Callable[[Any, Def], ast.stmt]] = {
    memory.store: _store,
    memory.add_at: _add_at,
    memory.check_broadcast: _call,
    memory.check_assign: _call,
    memory.check_equal: _call,
    memory.check_range: _call,
    tapes.ref_put: _call,
    memory.fail: _call,
    **dict.fromkeys(messages.WRITTEN, _call),
}
