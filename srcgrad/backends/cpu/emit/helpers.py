"""Calls of compiled Numba functions by symbols of srcgrad: the library, and scalars without a row.

A *helper* is a Numba function of one expression, printed as in the Python text. It is compiled
once per machine, and its address gets a symbol whose name is the hash of all that determines it: so
machine code that names it can be cached, if the helper is made ready before that code is loaded.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from typing import Any

from srcgrad.backends.cpu.emit.called import INTERPRETED, LIBRARY, imports_of
from srcgrad.backends.cpu.emit.failures import RAISED, RARELY, leave_again
from srcgrad.backends.cpu.emit.halves import widened
from srcgrad.backends.cpu.emit.references import own
from srcgrad.backends.cpu.emit.symbols import Helper, Kind
from srcgrad.backends.cpu.emit.values import (
    Number,
    Ref,
    decimal,
    is_constant,
    not_emitted,
    number,
    parts_of,
    size_of,
    texts,
)
from srcgrad.backends.cpu.emit.writer import Writer
from srcgrad.backends.cpu.text.expressions import TEMPLATES, constant
from srcgrad.backends.cpu.text.expressions import scalar as expression
from srcgrad.ir.nodes import Atom, Def
from srcgrad.ir.types import Array, Scalar, Var, is_complex, is_float, real_dtype
from srcgrad.primitives import Primitive, callbacks
from srcgrad.primitives import elementwise as e

SCALAR: frozenset[Primitive] = frozenset((*TEMPLATES, e.cast, e.powi))


def helper(w: Writer, body: str, names: Sequence[str], kinds: Sequence[Kind], result: Kind) -> str:
    """The symbol of a helper, which the program records."""
    text = imports_of(body) + f"\n\n\ndef call({', '.join(names)}):\n{body}\n"
    made = Helper(text, tuple(kinds), result)
    w.program.called_at.setdefault(made, w.program.here)
    return w.program.helpers.setdefault(made, made.symbol)


# ---- scalars ----
def scalar(w: Writer, s: Def) -> Number:
    """A call of a helper on numbers; the exception of one that raises is a NaN."""
    if s.var is None:  # scalar operations have a result
        raise not_emitted(s.op.name)
    names = list("abcdef"[: len(s.args)])
    made = expression(s, [ast.Name(id=n) for n in names])
    if made is None:  # a row without a template: tests/backends/test_emit.py names it
        raise not_emitted(s.op.name)
    kinds = [Kind(a.type.dtype) for a in s.args]
    result = Kind(s.var.type.dtype)
    symbol = helper(w, f"    return {ast.unparse(made)}", names, kinds, result)
    given = [_number(w, w.value(a), a.type.dtype) for a in s.args]
    room = w.alloca("ptr")
    out, code = _call(w, symbol, result, [g for each in given for g in each], room)
    parts = _result(w, out, result.dtype)
    if not (is_float(result.dtype) or is_complex(result.dtype)):
        return parts
    raised, kind = w.do(f"icmp ne i32 {code}, 0"), parts_of(result.dtype)[0]
    nan = decimal(math.nan, real_dtype(result.dtype))
    return number([w.choose(raised, nan, part, kind) for part in texts(parts)])


def _number(w: Writer, value: Number, dtype: str) -> list[tuple[str, str]]:
    out = []
    for v, kind in zip(texts(value), parts_of(dtype), strict=True):
        stored = "i8" if kind == "i1" else kind
        if kind == "i1":
            v = str(int(v == "true")) if is_constant(v) else w.widened(v, kind)
        out.append((stored, v))
    return out


def _call(
    w: Writer, symbol: str, result: Kind, args: list[tuple[str, str]], exc: str
) -> tuple[str, str]:
    """The address of the result, and the returned code, in Numba's own convention."""
    out = w.alloca(_struct(result))
    w.declare(f"i32 @{symbol}(ptr, ptr, {', '.join(k for k, _ in args)})".replace(", )", ")"))
    given = ", ".join(f"{kind} {v}" for kind, v in [("ptr", out), ("ptr", exc), *args])
    return out, w.do(f"call i32 @{symbol}({given})")


def _struct(kind: Kind) -> str:
    if kind.ndim < 0:
        parts = ["i8" if k == "i1" else k for k in parts_of(kind.dtype)]
        return parts[0] if len(parts) == 1 else f"{{ {', '.join(parts)} }}"
    n = kind.ndim
    return f"{{ ptr, ptr, i64, i64, ptr, [{n} x i64], [{n} x i64] }}"


def _result(w: Writer, out: str, dtype: str) -> Number:
    return number([w.read_part(p, kind, dtype) for p, kind in w.places(out, dtype)])


# ---- the library ----
class _Names:
    """The names of the operands of a call: they are parameters."""

    def __init__(self) -> None:
        self.given: dict[Var, str] = {}
        self.sites = 0

    def text(self, a: Atom | int) -> str:
        if isinstance(a, Var):
            return self.given.setdefault(a, f"p{len(self.given)}")
        return str(a) if isinstance(a, int) else ast.unparse(constant(a.value, a.type.dtype))

    def site(self) -> str:
        self.sites += 1
        return "site"


def library(w: Writer, s: Def) -> Any:
    """A call of a helper that may raise."""
    if w.owners is None:
        # `nests.fits` leaves library calls outside
        raise not_emitted(f"{s.op.name} in a nest")
    w.program.interpreted |= s.op in INTERPRETED
    names = _Names()
    first: list[tuple[str, Kind, list[tuple[str, str]]]] = []
    called = LIBRARY[s.op](names, s)
    if s.var is None:
        body, result = f"    {called}\n    return 0", Kind("i64")
    else:
        body, result = f"    return {called}", _kind(s.var.type)
    if s.op is callbacks.call_back:
        first.append(("back", Kind("i64"), [("i64", str(s.params["back"].number))]))
    if names.sites:
        site = w.program.site(s, (), 0)
        first.insert(0, ("site", Kind("i64"), [("i64", str(site))]))
    given = list(first)
    for v, name in names.given.items():
        if isinstance(v.type, Scalar):
            value, dtype = w.value(v), v.type.dtype
            if dtype == "f16":  # Numba has no numbers of half precision
                value, dtype = widened(w, value), "f32"
            given.append((name, Kind(dtype), _number(w, value, dtype)))
        else:
            r = w.ref(v)
            given.append((name, Kind(r.dtype, len(r.dims), _layout(r)), _array(w, r)))
    symbol = helper(w, body, [g[0] for g in given], [g[1] for g in given], result)
    args = [a for g in given for a in g[2]]
    out, code = _call(w, symbol, result, args, "%exc")
    _raised(w, code)
    if s.var is None:
        return None
    if result.ndim < 0:
        return _result(w, out, result.dtype)
    struct = _struct(result)
    mi = w.do(f"load ptr, ptr {out}, align 8")
    at = w.do(f"getelementptr inbounds {struct}, ptr {out}, i32 0, i32 4")
    data = w.do(f"load ptr, ptr {at}, align 8")
    own(w, mi, s.var)
    dims = w.dims(s.var.type)
    size = w.times(w.items(dims), size_of(result.dtype))
    strides = w.contiguous(dims, result.dtype)
    return Ref(data, result.dtype, dims, strides, "C", mi, bounds=("0", size))


def _kind(type: Any) -> Kind:
    if isinstance(type, Array):
        return Kind(type.dtype, len(type.dims), "C")
    return Kind(type.dtype)


def _layout(r: Ref) -> str:
    return r.layout if r.dims else "C"


def _array(w: Writer, r: Ref) -> list[tuple[str, str]]:
    """An array in Numba's form as an argument: a struct, field by field."""
    fields = [("ptr", r.mi), ("ptr", "null"), ("i64", w.items(r.dims)), ("i64", size_of(r.dtype))]
    lengths = [("i64", x) for x in (*r.dims, *r.strides)]
    return [(k, str(v)) for k, v in (*fields, ("ptr", w.pointer(r)), *lengths)]


def _raised(w: Writer, code: str) -> None:
    """Hand on what a helper raised: the exception lies in %exc, Numba's code in %out."""
    bad, good = w.labels("raised", "good")
    w.put(f"br i1 {w.do(f'icmp ne i32 {code}, 0')}, label %{bad}, label %{good}{RARELY}")
    w.start(bad)
    w.put(f"store i32 {code}, ptr %out, align 8")
    leave_again(w, str(RAISED))
    w.start(good)
