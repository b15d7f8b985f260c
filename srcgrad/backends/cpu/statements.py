"""Definitions over memory and effects as syntax trees: loads, stores, allocation, checks, calls.

Only lowered operations: whole-array arithmetic has become loops before it comes here.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from srcgrad.backends.cpu.calls import CALLS, function_of
from srcgrad.backends.cpu.expressions import constant, fill, parsed
from srcgrad.backends.cpu.views import VIEWS, tuple_text
from srcgrad.ir.nodes import Atom, Def
from srcgrad.ir.types import DTYPES, Array, np_dtype
from srcgrad.primitives import Primitive, callbacks, memory, tapes, transforms


# ---- effects ----
def _store(p: Any, s: Def) -> ast.stmt:
    target = element(p, s.args[0], s.args[1:-1])
    return ast.Assign(targets=[target], value=p.value(s.args[-1]))


def _add_at(p: Any, s: Def) -> ast.stmt:
    target = element(p, s.args[0], s.args[1:-1])
    return ast.AugAssign(target=target, op=ast.Add(), value=p.value(s.args[-1]))


def _check_shapes(p: Any, s: Def) -> ast.stmt:
    texts, split = [p.text(a) for a in s.args], s.params["split"]
    a, b = tuple_text(texts[:split]), tuple_text(texts[split:])
    return _call(s, p.site(s), a, b)


def _call(s: Def, *args: str) -> ast.stmt:
    return ast.Expr(value=parsed(f"{s.op.name}({', '.join(args)})"))


def _values(p: Any, s: Def) -> str:
    return tuple_text(list(map(p.text, s.args)))


# ---- definitions ----
def element(p: Any, x: Atom, idx: tuple[Atom, ...]) -> ast.Subscript:
    place = ", ".join(p.text(i) for i in idx) or "()"
    return ast.Subscript(value=p.value(x), slice=ast.Name(id=place))


def _dtype(short: str) -> str:
    return f"np.{DTYPES[short]}" + ("_" if short == "bool" else "")


def _index(p: Any, s: Def) -> ast.expr:
    i, n = map(p.text, s.args)
    return parsed(f"index({p.site(s)}, {i}, {n}, {s.params.get('axis', 0)})")


def _array(p: Any, s: Def) -> ast.expr:
    """A fresh array: carved from the workspace, or allocated; a number if it is one."""
    if s.var is None or not isinstance(s.var.type, Array):
        return constant(np_dtype(s.params["dtype"]).type(0).item(), s.params["dtype"])
    name, dtype = s.op.name, _dtype(s.params["dtype"])
    if not s.args:  # an array without axes cannot have a negative one
        return parsed(f"np.{name}((), {dtype})")
    dims = tuple_text([p.text(a) for a in s.args])
    if s.var in p.in_workspace:
        name = "workspace_empty" if s.op is memory.empty else "workspace_zeros"
        return parsed(f"{name}({p.site(s)}, {p.work}, {dims}, {dtype})")
    return parsed(f"{name}({p.site(s)}, {dims}, {dtype})")


def _tape(p: Any, s: Def) -> ast.expr:
    """A tape; one that grows gets the size that it came to in an earlier call."""
    dtype, size = _dtype(s.var.type.dtype), p.text(s.args[0])  # type: ignore[union-attr]
    slot = p.in_workspace.get(s.var)
    if s.op is tapes.tape_like:
        kind = "zeros" if slot is None else "workspace_zeros"
        size = f"{size}.size"
    elif slot:
        return parsed(f"workspace_tape({p.site(s)}, {p.work}, {slot}, {size}, {dtype})")
    else:
        kind = "zeros" if slot is None else "workspace_empty"
        size = f"max({size}, 1)"
    work = "" if slot is None else f"{p.work}, "
    return parsed(f"{kind}({p.site(s)}, {work}({size},), {dtype})")


def _reftape(p: Any, s: Def) -> ast.expr:
    zeros = tuple_text(["0"] * s.params["ndim"])
    slices = ", ".join(["::2"] * s.params["ndim"])
    return parsed(f"[np.empty({zeros}, {_dtype(s.params['dtype'])})[{slices}]]")


def _call_back(p: Any, s: Def) -> ast.expr:
    back, (total, *rest) = s.params["back"], [p.text(a) for a in s.args]
    many = sum(back.ranks)
    dims, operands = tuple_text(["0", *rest[:many]]), tuple_text(["0", *rest[many:]])
    dtype = _dtype(s.params["dtype"])
    return parsed(f"call_back({p.site(s)}, {back.number}, {total}, {dims}, {operands}, {dtype})")


def _trips(p: Any, s: Def) -> ast.expr:
    start, stop, step = map(p.text, s.args)
    if step == "1":
        return parsed(f"max({stop}, 0)" if start == "0" else f"max({stop} - {start}, 0)")
    return parsed(f"trips({p.site(s)}, {start}, {stop}, {step})")


def _library(p: Any, s: Def) -> ast.expr:
    call, parts = CALLS[s.op], [p.text(a) for a in s.args]
    if call.error:
        parts.insert(0, p.site(s))
    if call.stated:
        parts += [str(v) for v in s.params.values()]
    return parsed(f"{function_of(s)}({', '.join(parts)})")


def _transform(p: Any, s: Def) -> ast.expr:
    """A Fourier transform: the kind, the operand, the axis, the result's dims and dtype."""
    kind = "ifft" if s.params.get("inverse") else s.op.name
    dims = tuple_text([p.text(d) for d in s.var.type.dims])  # type: ignore[union-attr]
    dtype = _dtype(s.var.type.dtype)  # type: ignore[union-attr]
    code = ("fft", "ifft", "rfft", "irfft").index(kind)
    return parsed(f"fourier({code}, {p.text(s.args[0])}, {s.params['axis']}, {dims}, {dtype})")


DEFINITIONS: dict[Primitive, Callable[[Any, Def], ast.expr]] = {
    **dict.fromkeys(CALLS, _library),
    **dict.fromkeys((transforms.fft, transforms.rfft, transforms.irfft), _transform),
    **dict.fromkeys(VIEWS, lambda p, s: parsed(VIEWS[s.op](s, p.text(s.args[0]), p.text))),
    memory.load: lambda p, s: element(p, s.args[0], s.args[1:]),
    memory.dim: lambda p, s: fill(f"x.shape[{s.params['axis']}]", x=p.value(s.args[0])),
    tapes.slots: lambda p, s: parsed(f"{p.text(s.args[0])}.size"),
    memory.index: _index,
    memory.trips: _trips,
    memory.zeros: _array,
    memory.empty: _array,
    tapes.tape: _tape,
    tapes.tape_like: _tape,
    tapes.reftape: _reftape,
    callbacks.call_back: _call_back,
}
EFFECTS: dict[Primitive, Callable[[Any, Def], ast.stmt]] = {
    memory.store: _store,
    memory.add_at: _add_at,
    memory.check_broadcast: _check_shapes,
    memory.check_assign: _check_shapes,
    memory.check_equal: lambda p, s: _call(s, p.site(s), *map(p.text, s.args)),
    memory.check_range: lambda p, s: _call(s, p.site(s), *map(p.text, s.args)),
    tapes.ref_put: lambda p, s: _call(s, *map(p.text, s.args)),
    memory.fail: lambda p, s: _call(s, p.site(s), _values(p, s)),
    memory.show: lambda p, s: _call(s, repr(s.params["message"]), _values(p, s)),
}
