"""Functions built by hand: loops and branches from Python functions, dims bound at the entry."""

from collections.abc import Callable, Sequence
from typing import Any

from srcgrad.ir.build import Builder
from srcgrad.ir.nodes import Atom, Const, For, Function, If, Var, While, atom
from srcgrad.ir.types import INT, Array, Scalar
from srcgrad.primitives import REGISTRY


def function(body: Callable[..., Any], *params: str, name: str = "f") -> Function:
    """`body(b, *params)` gives what to return. A parameter is "x:f64" or "x:f64[2]", 2 its rank."""
    b = Builder(REGISTRY)
    variables = [_parameter(p) for p in params]
    for v in variables:
        rank = len(getattr(v.type, "dims", ()))
        if rank:
            v.type = Array(v.type.dtype, tuple(b("dim", v, axis=k) for k in range(rank)))
    out = body(b, *variables)
    returns = out if isinstance(out, tuple) else (out,)
    return Function(name, tuple(variables), tuple(b.out), tuple(map(atom, returns)))


def _parameter(text: str) -> Var:
    name, _, kind = text.partition(":")
    dtype, _, rank = kind.rstrip("]").partition("[")
    if dtype in ("float", "int"):
        return Var(name, Scalar({"float": "f64", "int": "i64"}[dtype], weak=True))
    if not rank:
        return Var(name, Scalar(dtype))
    return Var(name, Array(dtype, tuple(Var("n", INT) for _ in range(int(rank)))))


def loop(
    b: Builder,
    start: Any,
    stop: Any,
    inits: Sequence[Any],
    body: Callable[..., Any],
    reverse: bool = False,
) -> tuple[Var, ...]:
    """A `for`; `body(i, *carried)` returns what is carried on."""
    index, inits = Var("i", INT), tuple(map(atom, inits))
    params, results = _like(inits), _like(inits)
    with b.block() as out:
        yields = _tuple(body(index, *params))
    b.append(
        For(index, atom(start), atom(stop), params, inits, tuple(out), yields, results, reverse)
    )
    return results


def while_(
    b: Builder, inits: Sequence[Any], test: Callable[..., Any], body: Callable[..., Any]
) -> Any:
    inits = tuple(map(atom, inits))
    params, results = _like(inits), _like(inits)
    with b.block() as before:
        cond = test(*params)
    with b.block() as out:
        yields = _tuple(body(*params))
    b.append(While(tuple(before), cond, params, inits, tuple(out), yields, results))
    return results


def branch(b: Builder, cond: Atom, then: Callable[[], Any], orelse: Callable[[], Any]) -> Any:
    sides = []
    for side in (then, orelse):
        with b.block() as out:
            yields = _tuple(side())
        sides.append((tuple(out), yields))
    results = _like(sides[0][1])
    b.append(If(cond, sides[0][0], sides[1][0], sides[0][1], sides[1][1], results))
    return results


def _like(atoms: Sequence[Atom]) -> tuple[Var, ...]:
    return tuple(Var("c" if isinstance(a, Const) else a.name, a.type) for a in atoms)


def _tuple(out: Any) -> tuple[Atom, ...]:
    if out is None:
        return ()
    return tuple(map(atom, out if isinstance(out, tuple) else (out,)))
