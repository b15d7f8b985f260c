"""Parses printed text back to IR: `parse(to_text(f), table)` is `f` up to locations.

Reads Python's own syntax tree of the text. A name refers to the variable last bound to it in the
enclosing blocks; dims of parameters are bound by the statements at the entry. Never evaluates
anything and never repairs a type: `check` judges the result.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping
from typing import Any, NoReturn

from srcgrad.ir.nodes import Atom, Block, Const, Def, For, Function, If, Stmt, Var, While, atom
from srcgrad.ir.types import (
    BOOL,
    COMPLEX,
    DTYPES,
    FLOAT,
    INT,
    Array,
    Dim,
    RefTape,
    Scalar,
    Tape,
    Tuple,
    Type,
    np_dtype,
)
from srcgrad.ir.walk import map_type

Env = dict[str, Var]
Typed = list[tuple[str, ast.expr | None]]  # names and their annotations
SCALARS = {str(t): t for t in (BOOL, INT, FLOAT, COMPLEX, *map(Scalar, DTYPES))}


def parse(text: str, table: Mapping[str, Any]) -> Function:
    """The function that a printed text denotes; SyntaxError if it denotes none."""
    tree = ast.parse(text).body
    if len(tree) != 1 or not isinstance(tree[0], ast.FunctionDef):
        raise SyntaxError("the text of one function is expected")
    return _Parser(table).function(tree[0])


def _refuse(node: ast.AST, reason: str) -> NoReturn:
    line = getattr(node, "lineno", None)
    raise SyntaxError(f"line {line}: {reason}: {ast.unparse(node)}")


class _Parser:
    def __init__(self, table: Mapping[str, Any]):
        self.table = table
        self.forward: Env = {}  # dims of parameters that no statement has bound yet

    def function(self, node: ast.FunctionDef) -> Function:
        env: Env = {}
        params = self.bind([(a.arg, a.annotation) for a in node.args.args], env, forward=True)
        last = node.body[-1]
        if not (isinstance(last, ast.Return) and isinstance(last.value, ast.Tuple)):
            _refuse(last, "a tuple must be returned at the end")
        body = self.block(node.body[:-1], env)
        if self.forward:
            _refuse(node, f"dims that nothing binds: {', '.join(self.forward)}")
        return Function(node.name, params, body, self.atoms(last.value.elts, env))

    # ---- binding ----
    def bind(self, typed: Typed, env: Env, forward: bool = False) -> tuple[Var, ...]:
        """New variables with types that may mention each other."""
        new = {name: Var(name, None) for name, _ in typed}
        env.update(new)
        for name, annotation in typed:
            new[name].type = self.type(annotation, env, forward)
        return tuple(new.values())

    def dim(self, node: ast.expr, env: Env, forward: bool) -> Dim:
        if isinstance(node, ast.Name) and node.id not in env and forward:
            return self.forward.setdefault(node.id, Var(node.id, INT))
        a = self.atom(node, env)
        return int(a.value) if isinstance(a, Const) else a

    def type(self, node: ast.expr | None, env: Env, forward: bool = False) -> Type:
        match node:
            case ast.Name(id=name) if name in SCALARS:
                return SCALARS[name]
            case ast.Subscript(value=ast.Name(id="tape"), slice=ast.Name(id=dtype)):
                return Tape(dtype)
            case ast.Subscript(value=ast.Name(id="reftape"), slice=ast.Tuple(elts=[d, n])):
                return RefTape(_name(d), _literal(n))
            case ast.Subscript(value=ast.Name(id="tuple"), slice=inner):
                return Tuple(tuple(self.type(t, env) for t in _items(inner)))
            case ast.Subscript(value=ast.Name(id=dtype), slice=inner) if dtype in DTYPES:
                return Array(dtype, tuple(self.dim(d, env, forward) for d in _items(inner)))
            case ast.Subscript(value=ast.Attribute(ast.Name(id=dtype), "strided"), slice=inner):
                return Array(dtype, tuple(self.dim(d, env, forward) for d in _items(inner)), "S")
            case _:
                _refuse(node or ast.Name("?"), "not a type")

    # ---- statements ----
    def block(self, nodes: list[ast.stmt], env: Env) -> Block:
        out: list[Stmt] = []
        typed: list[ast.AnnAssign] = []  # carried by the next loop or results of the next branch
        for node in nodes:
            match node:
                case ast.AnnAssign(value=value) if value is None or not self.is_call(value):
                    typed.append(node)
                case ast.AnnAssign(target=ast.Name(id=name), value=ast.Call() as call):
                    v = self.forward.pop(name, None)
                    v = Var(name, None) if v is None else v
                    v.type = self.type(node.annotation, env)
                    out.append(self.definition(v, call, env))
                    env[name] = v
                case ast.Expr(value=ast.Call() as call):
                    out.append(self.definition(None, call, env))
                case ast.For() | ast.While() | ast.If():
                    out.append(self.compound(node, typed, env))
                    typed = []
                case ast.Pass():
                    pass
                case _:
                    _refuse(node, "not a statement of the IR")
        if typed:
            _refuse(typed[0], "neither a definition nor carried by a loop")
        return tuple(out)

    def definition(self, var: Var | None, call: ast.Call, env: Env) -> Def:
        name = call.func.id if isinstance(call.func, ast.Name) else ""
        if name not in self.table:
            _refuse(call, "not a primitive")
        params = {k.arg: _literal(k.value) for k in call.keywords if k.arg is not None}
        return Def(var, self.table[name], self.atoms(call.args, env), params)

    def compound(
        self, node: ast.For | ast.While | ast.If, typed: list[ast.AnnAssign], env: Env
    ) -> Stmt:
        names: Typed = [(_name(t.target), t.annotation) for t in typed]
        if isinstance(node, ast.If):
            cond = self.atom(node.test, env)
            results = self.bind(names, env)
            then, then_yields = self.body(node.body, [n for n, _ in names], env)
            orelse, else_yields = self.body(node.orelse, [n for n, _ in names], env)
            return If(cond, then, orelse, then_yields, else_yields, results)
        inits = self.atoms([t.value for t in typed if t.value is not None], env)
        if len(inits) != len(typed):
            _refuse(node, "what a loop carries needs a value")
        head = self.header(node, env)
        inner = dict(env)
        params = self.bind(names, inner)
        loop = self.loop(node, head, params, inits, inner)
        for p, r in zip(params, loop.results, strict=True):
            env[p.name] = r
        return loop

    def header(self, node: ast.For | ast.While, env: Env) -> tuple[Any, ...]:
        """(start, stop, reverse, independent, promised) of a `for`, (limit,) of a `while`."""
        match node:
            case ast.For(iter=ast.Call(func=ast.Name(id="range"), args=[start, stop])):
                return self.atom(start, env), self.atom(stop, env), False, False, False
            case ast.For(iter=ast.Call(func=ast.Name(id="reversed"), args=[ast.Call(args=[m, n])])):
                return self.atom(m, env), self.atom(n, env), True, False, False
            case ast.For(
                iter=ast.Call(func=ast.Name(id="independent" | "promised" as how), args=[inner])
            ):
                plain = ast.For(node.target, inner, node.body, node.orelse)
                *bounds, independent, promised = self.header(plain, env)
                return (*bounds, independent or how == "independent", promised or how == "promised")
            case ast.While(test=ast.Constant(value=True)):
                return (None,)
            case ast.While(test=ast.Call(func=ast.Name(id="bounded"), args=[limit])):
                return (self.atom(limit, env),)
            case _:
                _refuse(node, "not the head of a loop")

    def loop(
        self,
        node: ast.For | ast.While,
        head: tuple[Any, ...],
        params: tuple[Var, ...],
        inits: tuple[Atom, ...],
        env: Env,
    ) -> For | While:
        names = [p.name for p in params]
        results = tuple(Var(p.name, p.type) for p in params)
        renamed: dict[Atom, Atom] = dict(zip(params, results, strict=True))
        for r in results:
            r.type = map_type(r.type, lambda d: renamed.get(d, d))
        if isinstance(node, ast.For):
            start, stop, reverse, independent, promised = head
            index = Var(_name(node.target), INT)
            env[index.name] = index
            body, yields = self.body(node.body, names, env)
            return For(
                index, start, stop, params, inits, body, yields, results, reverse,
                independent=independent, promised=promised,
            )  # fmt: skip
        k, cond_node = _test_end(node)
        test = self.block(node.body[:k], env)
        cond = self.atom(cond_node, env)
        body, yields = self.body(node.body[k + 1 :], names, env)
        return While(test, cond, params, inits, body, yields, results, head[0])

    def body(
        self, nodes: list[ast.stmt], names: list[str], env: Env
    ) -> tuple[Block, tuple[Atom, ...]]:
        """A block that ends with the assignment of its yields, if it has any."""
        env = dict(env)
        if not names:
            return self.block(nodes, env), ()
        last = nodes[-1] if nodes else None
        if not isinstance(last, ast.Assign):
            _refuse(last or ast.Pass(), f"{', '.join(names)} must be assigned at the end")
        if [_name(t) for t in _items(last.targets[0])] != names:
            _refuse(last, f"{', '.join(names)} must be assigned")
        block = self.block(nodes[:-1], env)
        return block, self.atoms(_items(last.value), env)

    # ---- atoms ----
    def is_call(self, node: ast.expr) -> bool:
        """Whether an expression is a primitive's call, not a constant spelled with its dtype."""
        return isinstance(node, ast.Call) and not (
            isinstance(node.func, ast.Name) and node.func.id in SCALARS
        )

    def atoms(self, nodes: list[ast.expr], env: Env) -> tuple[Atom, ...]:
        return tuple(self.atom(n, env) for n in nodes)

    def atom(self, node: ast.expr, env: Env) -> Atom:
        match node:
            case ast.Name(id=name) if name not in ("inf", "nan"):
                if name not in env:
                    _refuse(node, "not bound here")
                return env[name]
            case ast.Call(func=ast.Name(id=name), args=[value]) if not _is_weak(name):
                number = np_dtype(SCALARS[name].dtype).type(_literal(value))
                return Const(number.item(), SCALARS[name])
            case _:
                return atom(_literal(node))


def _is_weak(name: str) -> bool:
    return name not in SCALARS or SCALARS[name].weak


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else _refuse(node, "not a name")


def _items(node: ast.expr) -> list[ast.expr]:
    return node.elts if isinstance(node, ast.Tuple) else [node]


def _test_end(node: ast.While) -> tuple[int, ast.expr]:
    """The end of the test of a `while`, and its condition."""
    for k, s in enumerate(node.body):
        match s:
            case ast.If(test=ast.UnaryOp(op=ast.Not(), operand=cond), body=[ast.Break()]):
                return k, cond
            case _:
                pass
    _refuse(node, "a while needs its 'if not ...: break'")


def _literal(node: ast.expr) -> Any:
    """A literal, `inf`, `nan`, `complex(re, im)`, or a tuple of them."""
    match node:
        case ast.Constant(value=value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_literal(operand)
        case ast.Name(id="inf" | "nan" as name):
            return math.inf if name == "inf" else math.nan
        case ast.Tuple(elts=elts):
            return tuple(_literal(e) for e in elts)
        case ast.Call(func=ast.Name(id="complex"), args=[re, im]):
            return complex(_literal(re), _literal(im))
        case _:
            _refuse(node, "not a literal")
