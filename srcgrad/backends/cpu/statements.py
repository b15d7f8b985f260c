"""Definitions over memory and effects as syntax trees: loads, stores, allocation, checks, calls.

Only lowered operations: whole-array arithmetic has become loops before it comes here.
"""

from __future__ import annotations

import ast
from typing import Any

from srcgrad.backends.cpu.expressions import constant, fill, parsed
from srcgrad.backends.cpu.views import reference, tuple_text
from srcgrad.errors import UnsupportedError
from srcgrad.ir.nodes import Atom, Def
from srcgrad.ir.types import DTYPES, Array, np_dtype

# functions of the modules of `build.CALLED`; those that may raise take their site's number
RAISING = {
    "solve", "inv", "cholesky", "eig", "eigh", "svd", "pinv", "lstsq",
    "solve_triangular", "singular_values", "solve_banded", "solveh_banded", "sylvester", "sqrtm",
}  # fmt: skip
TRANSFORMS = {"fft", "rfft", "irfft"}
LIBRARY = {*RAISING, "matmul", "matvec", "vecdot", "det", "logabsdet", "detsign", "cofactors",
           "argsort", "searchsorted", "qr", "lu", "lu_pivots", "coincide", "band_product",
           "band_outer", *TRANSFORMS}  # fmt: skip
# these take their parameters as arguments
STATED = ("eigh", "solve_triangular", "singular_values", "solve_banded", "solveh_banded",
          "band_product")  # fmt: skip


def definition(p: Any, s: Def) -> ast.expr | None:
    """The value of a definition that is no scalar arithmetic; `p` is the printer."""
    name, args = s.op.name, s.args
    match name:
        case "load":
            return element(p, args[0], args[1:])
        case "dim":
            return fill(f"x.shape[{s.params['axis']}]", x=p.value(args[0]))
        case "slots":
            return parsed(f"{p.text(args[0])}.size")
        case "index":
            axis = s.params.get("axis", 0)
            return parsed(f"index({p.site(s)}, {p.text(args[0])}, {p.text(args[1])}, {axis})")
        case "trips":
            return _trips(p, s)
        case "zeros" | "empty" if isinstance(s.var.type, Array):  # type: ignore[union-attr]
            return _array(p, s)
        case "zeros" | "empty":
            return constant(np_dtype(s.params["dtype"]).type(0).item(), s.params["dtype"])
        case "tape" | "tape_like":
            return _tape(p, s)
        case "reftape":
            zeros = tuple_text(["0"] * s.params["ndim"])
            slices = ", ".join(["::2"] * s.params["ndim"])
            return parsed(f"[np.empty({zeros}, {_dtype(s.params['dtype'])})[{slices}]]")
    if name == "call_back":
        return _call_back(p, s)
    if name in LIBRARY:
        return _library(p, s)
    return reference(s, p.text)


def effect(p: Any, s: Def) -> list[ast.stmt]:
    """The statements of an effect; the stored value is the last argument of a store."""
    name, args = s.op.name, s.args
    match name:
        case "store":
            target = element(p, args[0], args[1:-1])
            return [ast.Assign(targets=[target], value=p.value(args[-1]))]
        case "add_at":
            target = element(p, args[0], args[1:-1])
            return [ast.AugAssign(target=target, op=ast.Add(), value=p.value(args[-1]))]
        case "ref_put":
            return [_call(f"ref_put({', '.join(map(p.text, args))})")]
        case "check_broadcast" | "check_assign":
            texts, split = [p.text(a) for a in args], s.params["split"]
            a, b = tuple_text(texts[:split]), tuple_text(texts[split:])
            return [_call(f"{name}({p.site(s)}, {a}, {b})")]
        case "check_equal" | "check_range":
            return [_call(f"{name}({p.site(s)}, {', '.join(map(p.text, args))})")]
        case "fail":
            return [_call(f"fail({p.site(s)}, {tuple_text(list(map(p.text, args)))})")]
        case "show":
            values = tuple_text(list(map(p.text, args)))
            return [_call(f"show({s.params['message']!r}, {values})")]
    raise UnsupportedError(
        f"'{name}' has no lowered form on the cpu", s.loc, 'target="python" runs it without Numba'
    )


def element(p: Any, x: Atom, idx: tuple[Atom, ...]) -> ast.Subscript:
    place = ", ".join(p.text(i) for i in idx) or "()"
    return ast.Subscript(value=p.value(x), slice=ast.Name(id=place))


def _call(text: str) -> ast.stmt:
    return ast.Expr(value=parsed(text))


def _dtype(short: str) -> str:
    return f"np.{DTYPES[short]}" + ("_" if short == "bool" else "")


def _array(p: Any, s: Def) -> ast.expr:
    """A fresh array: carved from the workspace, or allocated."""
    name, dtype = s.op.name, _dtype(s.params["dtype"])
    if not s.args:  # an array without axes cannot have a negative one
        return parsed(f"np.{name}((), {dtype})")
    dims = tuple_text([p.text(a) for a in s.args])
    if s.var in p.in_workspace:
        name = "workspace_empty" if name == "empty" else "workspace_zeros"
        return parsed(f"{name}({p.site(s)}, {p.work}, {dims}, {dtype})")
    return parsed(f"{name}({p.site(s)}, {dims}, {dtype})")


def _tape(p: Any, s: Def) -> ast.expr:
    """A tape; one that grows gets the size that it came to in an earlier call."""
    dtype, size = _dtype(s.var.type.dtype), p.text(s.args[0])  # type: ignore[union-attr]
    slot = p.in_workspace.get(s.var)
    if s.op.name == "tape_like":
        kind = "zeros" if slot is None else "workspace_zeros"
        size = f"{size}.size"
    elif slot:
        return parsed(f"workspace_tape({p.site(s)}, {p.work}, {slot}, {size}, {dtype})")
    else:
        kind = "zeros" if slot is None else "workspace_empty"
        size = f"max({size}, 1)"
    work = "" if slot is None else f"{p.work}, "
    return parsed(f"{kind}({p.site(s)}, {work}({size},), {dtype})")


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
    name, dtype = s.op.name, s.args[0].type.dtype
    parts = [p.text(a) for a in s.args]
    if name in TRANSFORMS:
        return _transform(p, s)
    if name in RAISING:
        parts.insert(0, p.site(s))
    if name in STATED:
        parts += [str(v) for v in s.params.values()]
    if name == "searchsorted":
        name = f"search_{s.params['side']}"
    elif name == "matmul" and len(getattr(s.args[0].type, "dims", ())) > 2:
        name = "matmul_stacked"
    elif name in ("matmul", "matvec", "vecdot") and dtype[0] not in "fc":
        name += "_integers"
    return parsed(f"{name}({', '.join(parts)})")


def _transform(p: Any, s: Def) -> ast.expr:
    """A Fourier transform: the kind, the operand, the axis, the result's dims and dtype."""
    kind = "ifft" if s.params.get("inverse") else s.op.name
    dims = tuple_text([p.text(d) for d in s.var.type.dims])  # type: ignore[union-attr]
    dtype = _dtype(s.var.type.dtype)  # type: ignore[union-attr]
    code = ("fft", "ifft", "rfft", "irfft").index(kind)
    return parsed(f"fourier({code}, {p.text(s.args[0])}, {s.params['axis']}, {dims}, {dtype})")
