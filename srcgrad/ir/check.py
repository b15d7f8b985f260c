"""The checker: raises if a function breaks a rule of the IR. Runs after every pass in the tests.

Scopes (bound once, before use), operands and results (the type rules), joins (carried and yielded
values fit), conditions and bounds. Never changes the function and never looks at derivatives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from srcgrad.ir.build import Builder, result_type
from srcgrad.ir.nodes import Atom, Block, Const, Def, For, Function, If, Stmt, Var, While, type_vars
from srcgrad.ir.text import printed
from srcgrad.ir.types import (
    Array,
    Dim,
    Dims,
    Scalar,
    Tuple,
    Type,
    is_complex,
    is_float,
    promoted,
    same_dim,
)
from srcgrad.ir.walk import uses, walk

Candidates = tuple[Dim, ...]  # atoms that meet in one dim: equal, or broadcast, at run time
ANY = Var("any", None)  # a dim that a type rule computes: nothing is known about it


class IRError(AssertionError):
    """A function breaks a rule of the IR: a fault of the code that made it, never of the user."""


class _Broken(Exception):
    def __init__(self, reason: str, statement: Stmt | None = None):
        super().__init__(reason)
        self.statement = statement


def check(function: Function) -> None:
    """Raises an `IRError` that names the first statement that breaks a rule."""
    try:
        _Checker().function(function)
    except _Broken as e:
        where = function.name
        if e.statement is not None:
            where += f": {printed(function, notes=False).line_of(e.statement)}"
        raise IRError(f"{e}\n  in {where}") from None


class _Rules(Builder):
    """Runs type rules without emitting: values that they would compute at run time are ANY."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return lambda *args, **params: ANY

    def expected(self, s: Def) -> Type:
        return self._type_of(s.op, s.args, s.params)


class _Checker:
    def __init__(self) -> None:
        self.bound: set[Var] = set()
        self.at: Stmt | None = None
        self.rules = _Rules({})

    def require(self, condition: object, reason: str) -> None:
        if not condition:
            raise _Broken(reason, self.at)

    # ---- scopes ----
    def function(self, f: Function) -> None:
        scope: set[Var] = set()
        for p in f.params:
            self.bind(p, scope)
        self.block(f.body, scope)
        self.at = None
        for p in f.params:
            for d in type_vars(p.type):
                self.require(d in scope, f"the dim {d} of the parameter {p} is not bound")
        self.read(f.returns, scope)

    def bind(self, v: Var, scope: set[Var]) -> None:
        self.require(v not in self.bound, f"{v} is bound twice")
        self.bound.add(v)
        scope.add(v)

    def bind_typed(self, group: Iterable[Var], scope: set[Var]) -> None:
        """Binds variables whose types may mention each other."""
        group = tuple(group)
        for v in group:
            self.bind(v, scope)
        for v in group:
            self.read(type_vars(v.type), scope, f"a dim of {v}: ")

    def read(self, atoms: Iterable[Atom], scope: set[Var], what: str = "") -> None:
        for a in atoms:
            if isinstance(a, Var):
                why = "out of scope" if a in self.bound else "read before it is bound"
                self.require(a in scope, f"{what}{a} is {why}")

    def block(self, block: Block, scope: set[Var]) -> None:
        for s in block:
            self.at = s
            match s:
                case Def():
                    self.definition(s, scope)
                case For():
                    self.for_loop(s, scope)
                case While():
                    self.while_loop(s, scope)
                case If():
                    self.branch(s, scope)

    # ---- definitions ----
    def definition(self, s: Def, scope: set[Var]) -> None:
        self.read(s.args, scope)
        if s.op.effect:
            self.require(s.var is None, f"the effect {s.op.name} defines {s.var}")
            return
        self.require(s.var is not None, f"the result of {s.op.name} is not named")
        assert s.var is not None
        self.bind_typed((s.var,), scope)
        self.require(s.var not in type_vars(s.var.type), f"{s.var} is its own dim")
        if s.op.elementwise:
            self.elementwise(s, s.var.type)
            return
        if s.op.kind == "multilinear":
            dtypes = {a.type.dtype for a in s.args if is_float(a.type.dtype)}
            self.require(len(dtypes) < 2, f"operands of different dtypes: {sorted(dtypes)}")
        try:
            expected = self.rules.expected(s)
        except (TypeError, AttributeError, IndexError, ValueError) as e:
            raise _Broken(f"{s.op.name} does not take these arguments: {e}", s) from None
        self.fits(expected, s.var.type, {}, f"the result of {s.op.name}")

    def elementwise(self, s: Def, stated: Type) -> None:
        first = int(s.op.selects)
        self.require(len(s.args) == s.op.arity, f"{s.op.name} takes {s.op.arity} arguments")
        for a in s.args:
            kind = "scalars and arrays with axes"
            ok = isinstance(a.type, Scalar) or (isinstance(a.type, Array) and a.type.dims)
            self.require(ok, f"{s.op.name} is for {kind}, not for {a}: {a.type}")
        for a in s.args[:first]:
            self.require(
                a.type.dtype == "bool", f"the condition {a} is not bool but {a.type.dtype}"
            )
        dtypes = [a.type.dtype for a in s.args[first:]]
        self.require(len(set(dtypes)) == 1, f"operands of different dtypes: {', '.join(dtypes)}")
        dtype = s.params["dtype"] if "dtype" in s.params else self.result_dtype(s, dtypes[0])
        dims = _broadcast([a.type.dims for a in s.args if isinstance(a.type, Array)])
        expected = Scalar(dtype) if dims is None else Array(dtype, dims)
        self.fits(expected, stated, {}, f"the result of {s.op.name}")

    def result_dtype(self, s: Def, dtype: str) -> str:
        scalars = [Scalar(dtype, getattr(a.type, "weak", False)) for a in s.args]
        try:
            out = result_type(s.op, promoted(scalars)).dtype
        except TypeError as e:
            raise _Broken(str(e), s) from None
        crossing = is_float(dtype) and is_complex(dtype) != is_complex(out)
        if is_float(out) and not crossing:
            self.require(dtype == out, f"operands of dtype {dtype} need a cast to {out}")
        return out

    # ---- joins ----
    def fits(self, value: Type, target: Type, renamed: dict[Dim, Dim], what: str) -> None:
        """Requires that a value's type fits a target's, whose dims are read through `renamed`."""
        clash = f"{what} is {value}, not {target}"
        match value, target:
            case Scalar(), Scalar():
                self.require(value.dtype == target.dtype, clash)
            case Array(), Array():
                self.require(value.dtype == target.dtype and value.ndim == target.ndim, clash)
                self.require(value.layout == "C" or target.layout == "S", clash)
                for d, t in zip(value.dims, target.dims, strict=True):
                    self.require(_same_dim(d, renamed.get(t, t)), clash)
            case Tuple(), Tuple():
                self.require(len(value.items) == len(target.items), clash)
                for v, t in zip(value.items, target.items, strict=True):
                    self.fits(v, t, renamed, what)
            case _:
                self.require(value == target, clash)

    def flow(
        self, values: tuple[Atom, ...], targets: tuple[Var, ...], scope: set[Var], what: str
    ) -> None:
        """Checks values assigned to `targets`; dims that are targets become values too."""
        self.require(len(values) == len(targets), f"{len(values)} {what}s for {len(targets)} names")
        self.read(values, scope)
        renamed: dict[Dim, Dim] = dict(zip(targets, map(_as_dim, values), strict=True))
        for a, t in zip(values, targets, strict=True):
            self.fits(a.type, t.type, renamed, f"the {what} of {t}")

    def scalar(self, a: Atom, kinds: str, what: str) -> None:
        ok = isinstance(a.type, Scalar) and a.type.dtype[0] in kinds
        kind = "a bool" if kinds == "b" else "an integer"
        self.require(ok, f"{what} {a} is {a.type}, not {kind}")

    def for_loop(self, s: For, scope: set[Var]) -> None:
        self.read((s.start, s.stop), scope)
        self.scalar(s.start, "iu", "the bound")
        self.scalar(s.stop, "iu", "the bound")
        self.scalar(s.index, "iu", "the index")
        inner = set(scope)
        self.bind(s.index, inner)
        self.enter_loop(s, scope, inner)
        self.block(s.body, inner)
        self.leave_loop(s, scope, inner)
        if s.independent:
            self.at = s
            effects = [t for t in walk(s.body) if isinstance(t, Def) and t.op.effect]
            stored = {v for t in effects for v in uses(t)}
            for p in s.params:
                only = isinstance(p.type, Scalar) and p not in stored
                self.require(only, f"an independent loop carries {p}, which is no sum")

    def while_loop(self, s: While, scope: set[Var]) -> None:
        if s.limit is not None:
            self.read((s.limit,), scope)
            self.scalar(s.limit, "iu", "the limit")
        inner = set(scope)
        self.enter_loop(s, scope, inner)
        self.block(s.test, inner)  # variables that the test binds are bound in the body too
        self.at = s
        self.read((s.cond,), inner)
        self.scalar(s.cond, "b", "the condition")
        self.block(s.body, inner)
        self.leave_loop(s, scope, inner)

    def enter_loop(self, s: For | While, scope: set[Var], inner: set[Var]) -> None:
        self.flow(s.inits, s.params, scope, "init")
        self.bind_typed(s.params, inner)

    def leave_loop(self, s: For | While, scope: set[Var], inner: set[Var]) -> None:
        self.at = s
        self.flow(s.yields, s.params, inner, "yield")
        self.require(len(s.results) == len(s.params), "a loop has a result for each param")
        self.bind_typed(s.results, scope)
        renamed: dict[Dim, Dim] = dict(zip(s.results, s.params, strict=True))
        for p, r in zip(s.params, s.results, strict=True):
            self.fits(p.type, r.type, renamed, f"the result {r}")

    def branch(self, s: If, scope: set[Var]) -> None:
        self.read((s.cond,), scope)
        self.scalar(s.cond, "b", "the condition")
        for block, yields in ((s.then, s.then_yields), (s.orelse, s.else_yields)):
            inner = set(scope)
            self.block(block, inner)
            self.at = s
            self.flow(yields, s.results, inner, "yield")
        self.bind_typed(s.results, scope)


def _as_dim(a: Atom) -> Dim:
    return a.value if isinstance(a, Const) else a


def _same_dim(d: Dim | Candidates, t: Dim) -> bool:
    if d is ANY or t is ANY:
        return True
    if isinstance(d, tuple):  # any of several that were checked to be equal, or their broadcast
        return isinstance(t, Var) or any(same_dim(t, each) for each in d)
    return d is t or (not isinstance(d, Var) and not isinstance(t, Var) and d == t)


def _broadcast(shapes: list[Dims]) -> tuple[Any, ...] | None:
    """The dims of a broadcast; a tuple of candidates where several atoms meet."""
    if not shapes:
        return None
    rank = max(map(len, shapes))
    out: list[Any] = []
    for k in range(rank, 0, -1):
        here = {s[-k] for s in shapes if len(s) >= k} - {1}
        out.append(1 if not here else here.pop() if len(here) == 1 else tuple(here))
    return tuple(out)
