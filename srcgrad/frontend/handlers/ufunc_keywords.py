"""Keywords that every ufunc takes: out, where, dtype, casting, signature, order, subok.

NumPy itself says which dtypes a call computes in, and what it refuses. The handler of the ufunc
gets operands of these dtypes, and its results are stored here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.frontend.casts import cast
from srcgrad.frontend.handlers.elementwise import operands, scalar_type
from srcgrad.frontend.handlers.parameters import known
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.stores import assign_array, unaliased
from srcgrad.frontend.values import describe, is_array, ndim, plain
from srcgrad.ir.nodes import Var, atom
from srcgrad.ir.types import INT, Scalar, np_dtype

LOOP = ("dtype", "casting", "signature")  # these choose the dtypes of the computation
PYTHON = {"f": float, "c": complex, "i": int}
WEAK = {int: "iufc", float: "fc", complex: "c"}  # the kinds of dtypes that a Python number may take


def with_keywords(
    it: Interpreter, f: Any, handler: Any, args: list[Any], kwargs: dict[str, Any], node: Node
) -> Any:
    """The result of a ufunc that is called with keywords, or with the arrays of its results."""
    xs, outs = _taken(it, f, args, kwargs, node)
    loop = {n: known(it, kwargs[n], node, n) for n in LOOP if kwargs.get(n) is not None}
    where = kwargs.get("where", True)
    _check_others(it, f, kwargs, node)
    rest = {n: v for n, v in kwargs.items() if n in ("axis", "axes", "keepdims")}
    if loop or any(o is not None for o in outs):
        xs, made = _in_loop(it, f, xs, outs, loop, node)
    else:
        made = [None] * f.nout
    results = it.handled(handler, xs, rest, node)
    many = list(results) if isinstance(results, tuple) and f.nout > 1 else [results]
    for k, (result, kind, out) in enumerate(zip(many, made, outs, strict=True)):
        assert kind is None or atom(result).type.dtype == kind, (f, result, kind)
        if out is not None:
            many[k] = _stored(it, node, result, out, where)
        elif where is not True:
            reason = "where= without out= leaves places undefined"
            it.refuse(node, reason, "pass out=, or use np.where")
        elif isinstance(result, Var) and kwargs.get("order", "K") not in ("C", "K"):
            it.orders[result] = False
    return tuple(many) if f.nout > 1 else many[0]


def _taken(
    it: Interpreter, f: Any, args: list[Any], kwargs: dict[str, Any], node: Node
) -> tuple[list[Any], list[Any]]:
    """The operands, and the array for each result or None."""
    xs, outs = args[: f.nin], args[f.nin :]
    given = kwargs.get("out")
    if given is None and "out" in kwargs and f.nout > 1:
        it.wrong(node, "'out' must be a tuple of arrays", TypeError)
    if given is not None and outs:
        it.wrong(node, "cannot specify 'out' as both a positional and keyword argument", TypeError)
    if given is not None:
        outs = list(given) if isinstance(given, tuple) else [given]
    if len(xs) < f.nin or len(outs) > f.nout or (given is not None and len(outs) < f.nout):
        said = f"{f.__name__}() takes {f.nin} operands and out= of {f.nout} arrays"
        it.wrong(node, said, ValueError if isinstance(given, tuple) else TypeError)
    for o in outs:
        if o is not None and not is_array(o):
            it.refuse(node, f"out= takes an array, not {describe(o)}", like=TypeError)
    return xs, [*outs, *[None] * (f.nout - len(outs))]


def _check_others(it: Interpreter, f: Any, kwargs: dict[str, Any], node: Node) -> None:
    """Refuses names that the ufunc does not take, and values that `order`, `subok` cannot have."""
    own = ("out", "order", "subok", *LOOP)
    own = (*own, *(("axis", "axes", "keepdims") if f.signature else ("where",)))
    unknown = next((n for n in kwargs if n not in own), None)
    if unknown is not None:
        it.wrong(node, f"{f.__name__}() does not take the argument '{unknown}'", TypeError)
    it.order_of(node, kwargs.get("order"))
    if not isinstance(kwargs.get("subok", True), bool):
        it.wrong(node, "'subok' must be a boolean", TypeError)


def _in_loop(
    it: Interpreter, f: Any, xs: list[Any], outs: list[Any], loop: dict[str, Any], node: Node
) -> tuple[list[Any], list[str]]:
    """The operands in the dtypes that NumPy computes in, and the dtypes of its results."""
    xs = operands(it, node, tuple(xs), f.__name__)
    given = [_numpy_kind(v) for v in (*xs, *outs)]
    if "dtype" in loop:
        asked = np_dtype(scalar_type(it, node, loop.pop("dtype")).dtype)
        loop["signature"] = (*[None] * f.nin, *[asked] * f.nout)
    try:
        kinds = resolved(f, given, loop)
    except (TypeError, ValueError) as e:
        cls = ValueError if isinstance(e, ValueError) else TypeError
        it.wrong(node, str(e), cls, "convert the operands with .astype, or say casting='unsafe'")
    made = [scalar_type(it, node, kind) for kind in kinds]
    xs = [_cast(it, v, kind) for v, kind in zip(xs, made, strict=False)]
    return xs, [kind.dtype for kind in made[f.nin :]]


def resolved(f: Any, given: list[Any], loop: dict[str, Any]) -> tuple[Any, ...]:
    """The dtypes of the operands and results in a call of a ufunc; TypeError where it has none.

    `given` has a dtype, or the class of a Python number, for each operand, and a dtype or None for
    each result.
    """
    if not any(isinstance(g, type) for g in given):
        return f.resolve_dtypes(tuple(given), **loop)
    # with classes, NumPy 2.4's resolve_dtypes gives up references that it does not own, and
    # crashes after some 100 calls: the results' dtypes are those of a call
    numbers, outs = given[: f.nin], given[f.nin :]
    stand_ins = [g(1) if isinstance(g, type) else np.ones(0, g) for g in numbers]
    with np.errstate(all="ignore"):
        made = f(*stand_ins, **loop)
        if any(o is not None for o in outs):
            f(*stand_ins, out=tuple(None if o is None else np.empty(0, o) for o in outs), **loop)
    results = tuple(np.asarray(m).dtype for m in (made if isinstance(made, tuple) else (made,)))
    usual = np.result_type(*[g(1) if isinstance(g, type) else g for g in numbers])
    strong = [usual if isinstance(g, type) else g for g in numbers]
    try:
        found = f.resolve_dtypes((*strong, *[None] * f.nout), **loop)
    except TypeError:
        found = ()
    return found if found[f.nin :] == results else _first_loop(f, numbers, results)


def _first_loop(f: Any, numbers: list[Any], results: tuple[Any, ...]) -> tuple[Any, ...]:
    """The dtypes of the first loop of a ufunc that has these results and takes the operands."""
    for loop in f.types:
        kinds = [np.dtype(c) for c in loop.replace("->", "")]
        taken = (
            kind.kind in WEAK[g] if isinstance(g, type) else np.can_cast(g, kind)
            for g, kind in zip(numbers, kinds, strict=False)
        )
        if tuple(kinds[f.nin :]) == results and all(taken):
            return tuple(kinds)
    raise TypeError(f"ufunc '{f.__name__}' not supported for the input types")


def _cast(it: Interpreter, v: Any, kind: Scalar) -> Any:
    """An operand in a dtype, which has to hold an integer of Python's."""
    return cast(it, v, kind) if atom(v).type == INT else plain(it.b.cast(v, kind))


def _numpy_kind(v: Any) -> Any:
    """An operand as NumPy chooses dtypes by it: its dtype, or a class for a Python number."""
    if v is None:
        return None
    kind = atom(v).type
    weak = getattr(kind, "weak", False) and kind.dtype != "bool"
    return PYTHON[kind.dtype[0]] if weak else np_dtype(kind.dtype)


def _stored(it: Interpreter, node: Node, result: Any, out: Var, where: Any) -> Var:
    """Stores a result, which broadcasts to the array; elsewhere than `where` that is unchanged."""
    if ndim(result) > out.type.ndim:
        it.wrong(node, "non-broadcastable output operand", ValueError)
    value = it.b.value(atom(result))
    value = it.b.cast(value, Scalar(out.type.dtype))
    if where is not True:
        (mask,) = operands(it, node, (where,), "where=")
        if ndim(mask) > out.type.ndim:
            it.wrong(node, "non-broadcastable output operand", ValueError)
        value = it.emit(node, "where", mask, value, unaliased(it, out, out))
    assign_array(it, out, value)
    return out
