"""Polynomials and sliding sums: polyval, vander, convolve, correlate."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.frontend.handlers.creation import dims_of, ranges
from srcgrad.frontend.handlers.elementwise import operands
from srcgrad.frontend.handlers.reductions import cumprod
from srcgrad.frontend.handlers.registry import implements
from srcgrad.frontend.handlers.shapes import transpose
from srcgrad.frontend.handlers.shifts import flip
from srcgrad.frontend.values import Slice, is_array, plain
from srcgrad.ir.nodes import For, Var, atom
from srcgrad.ir.types import INT, Array, Scalar, is_complex, join_scalars


def _joined_kind(*values: Any) -> Scalar:
    kinds = [Scalar(atom(v).type.dtype, getattr(atom(v).type, "weak", False)) for v in values]
    kind = kinds[0]
    for k in kinds[1:]:
        kind = join_scalars(kind, k)
    return Scalar(kind.dtype)


def _vector(it: Any, node: Any, x: Any, what: str) -> Any:
    (x,) = operands(it, node, (x,), what)
    if not is_array(x) or x.type.ndim != 1:
        it.refuse(node, f"{what} takes vectors")
    return x


@implements(np.polyval)
def polyval(it: Any, node: Any, p: Any, x: Any) -> Any:
    """Horner's rule, as a loop over the coefficients."""
    b = it.b
    p = _vector(it, node, p, "polyval")
    (x,) = operands(it, node, (x,), "polyval")
    kind = _joined_kind(p, x)
    p, x = b.cast(p, kind), b.cast(x, kind)
    dims = x.type.dims if is_array(x) else ()
    start = b.cast(0, kind)
    start = b("broadcast_to", start, *dims) if dims else start
    type_: Any = Array(kind.dtype, dims) if dims else kind
    index, carried, result = Var("k", INT), Var("y", type_), Var("y", type_)
    with b.block() as body:
        new = b("add", b("mul", carried, x), b("load", p, index))
    b.append(For(index, atom(0), atom(p.type.dims[0]), (carried,), (start,), tuple(body), (new,),
                 (result,), False, b.loc))  # fmt: skip
    return result


@implements(np.vander)
def vander(it: Any, node: Any, x: Any, N: Any = None, increasing: Any = False) -> Any:
    x = _vector(it, node, x, "vander")
    (n,) = dims_of(it, node, x.type.dims[0] if N is None else N)
    # each row is the one before it times x, the first is 1
    rows, _ = ranges(it, n, x.type.dims[0])
    factors = it.b("where", it.b("eq", rows, 0), 1, it.b("view", x, spec=("n", ":")))
    powers = transpose(it, node, cumprod(it, node, factors, axis=0))
    return powers if increasing else flip(it, node, powers, 1)


@implements(np.convolve)
def convolve(it: Any, node: Any, a: Any, v: Any, mode: Any = "full") -> Any:
    a, v = _vector(it, node, a, "convolve"), _vector(it, node, v, "convolve")
    b, (n, m) = it.b, (a.type.dims[0], v.type.dims[0])
    return _part_of(it, node, _full(it, node, a, v), n, m, mode,
                    b("floordiv", b("sub", b("minimum", n, m), 1), 2))  # fmt: skip


@implements(np.correlate)
def correlate(it: Any, node: Any, a: Any, v: Any, mode: Any = "valid") -> Any:
    a, v = _vector(it, node, a, "correlate"), _vector(it, node, v, "correlate")
    b, (n, m) = it.b, (a.type.dims[0], v.type.dims[0])
    v = b("conj", v) if is_complex(v.type.dtype) else v
    shorter = b("minimum", n, m)
    # NumPy swaps the two and turns the result when the second is longer
    swapped = b.cast(b("gt", m, n), INT)
    start = b("floordiv", b("add", b("sub", shorter, 1), swapped), 2)
    return _part_of(it, node, _full(it, node, a, flip(it, node, v)), n, m, mode, start)


def _full(it: Any, node: Any, a: Any, v: Any) -> Any:
    """Every overlap of two vectors: one is added, shifted and scaled, per element of the other."""
    b, kind = it.b, _joined_kind(a, v)
    a, v = b.cast(a, kind), b.cast(v, kind)
    n, m = a.type.dims[0], v.type.dims[0]
    for d in (n, m):
        it.fail_if(plain(b("eq", d, 0)), "ValueError", "convolve: an array cannot be empty")
    total = b.dim(b("maximum", b("sub", b("add", n, m), 1), 0))
    out = b("zeros", total, dtype=kind.dtype)
    index = Var("k", INT)
    with b.block() as body:
        window = b("view", out, index, n, 1, spec=("s",))
        b("add_to", window, b("mul", a, b("load", v, index)))
    b.append(For(index, atom(0), atom(m), (), (), tuple(body), (), (), False, b.loc))
    return out


def _part_of(it: Any, node: Any, full: Any, n: Any, m: Any, mode: Any, middle: Any) -> Any:
    """What a mode keeps of all overlaps; "same" begins at `middle`."""
    b = it.b
    if mode == "full":
        return full
    shorter, longer = b("minimum", n, m), b("maximum", n, m)
    if mode == "same":
        start, length = middle, longer
    elif mode == "valid":
        start, length = b("sub", shorter, 1), b("add", b("sub", longer, shorter), 1)
    else:
        it.refuse(
            node,
            f"the mode {mode!r} is not supported",
            "use 'full', 'same' or 'valid'",
            like=ValueError,
        )
    return it.view(full, [Slice(plain(start), plain(b("add", start, length)), None)], node)
