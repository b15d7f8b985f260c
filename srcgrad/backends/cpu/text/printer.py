"""Lowered IR -> the source of a Python function over scalars, element accesses and loops.

Each statement is built as a syntax tree and printed by astunparse, so that the notes (the source
line a statement came from) can be put between. Joins of loops and branches become assignments.
Never reorders statements.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Sequence

import astunparse

from srcgrad.backends.cpu.refusals import NOT_COMPILED
from srcgrad.backends.cpu.text.expressions import constant, fill, parsed, scalar
from srcgrad.backends.cpu.text.statements import DEFINITIONS, EFFECTS
from srcgrad.errors import UnsupportedError
from srcgrad.ir.nodes import Atom, Block, Const, Def, For, Function, If, Stmt, Var, While
from srcgrad.ir.text import RESERVED, Names, Printed, note_of
from srcgrad.primitives.tapes import reserve

NOTE_COLUMN = 44
_GROUPED = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.BoolOp, ast.IfExp)


class Printer:
    """One function's text: `lines`, and the statement that each belongs to."""

    def __init__(self, taken: set[str]):
        self.names = Names(taken | RESERVED | set(dir(builtins)) | {"np", "math"})
        self.lines: list[str] = []
        self.owners: list[Stmt | None] = []

    # ---- pieces ----
    def value(self, a: Atom | int) -> ast.expr:
        match a:
            case Var():
                return ast.Name(id=self.names[a])
            case int():
                return parsed(str(a))
        return constant(a.value, a.type.dtype)

    def text(self, a: Atom | int) -> str:
        return self.names[a] if isinstance(a, Var) else ast.unparse(self.value(a))

    def write(self, depth: int, text: str, owner: Stmt | None = None) -> None:
        text = "    " * depth + text
        note = "" if owner is None else note_of(owner)
        self.lines.append(f"{text:<{NOTE_COLUMN}}# {note}" if note else text)
        self.owners.append(owner)

    def put(self, depth: int, node: ast.stmt, owner: Stmt | None = None) -> None:
        self.write(depth, printed(node), owner)

    def join(self, depth: int, targets: Sequence[Var], values: Sequence[Atom]) -> None:
        """Assigns all at once; one by one if no value is overwritten before it is read."""
        pairs = [
            (self.names[t], self.value(v), self.text(v))
            for t, v in zip(targets, values, strict=True)
        ]
        pairs = [p for p in pairs if p[0] != p[2]]
        if any(late[2] == early[0] for k, early in enumerate(pairs) for late in pairs[k + 1 :]):
            left = ast.Tuple(elts=[ast.Name(id=p[0]) for p in pairs])
            right = ast.Tuple(elts=[p[1] for p in pairs])
            self.put(depth, ast.Assign(targets=[left], value=right))
            return
        for name, value, _ in pairs:
            self.put(depth, assign(name, value))

    # ---- statements ----
    def block(self, block: Block, depth: int) -> None:
        for s in block:
            match s:
                case Def():
                    self.define(s, depth)
                case For():
                    self.loop(s, depth)
                case While():
                    self.while_loop(s, depth)
                case If():
                    self.branch(s, depth)

    def define(self, s: Def, depth: int) -> None:
        if s.op is reserve:
            return self.reserve(s, depth)
        if s.op in EFFECTS:
            return self.put(depth, EFFECTS[s.op](self, s), s)
        made = DEFINITIONS.get(s.op)
        value = scalar(s, [self.value(a) for a in s.args]) if made is None else made(self, s)
        if s.var is None or value is None:
            raise UnsupportedError(
                f"'{s.op.name}' has no lowered form on the cpu", s.loc, NOT_COMPILED
            )
        name = self.names.give(s.var, "t" if s.var.name == s.op.name else s.var.name)
        self.put(depth, assign(name, value), s)
        return None

    def reserve(self, s: Def, depth: int) -> None:
        tape, size = map(self.value, s.args)
        self.put(depth, ast.If(test=fill("n > t.size", n=size, t=tape), body=[], orelse=[]))
        self.put(depth + 1, assign(self.text(s.args[0]), fill("grow(t, n)", n=size, t=tape)))

    def loop(self, s: For, depth: int) -> None:
        self.carry(s, depth)
        bounds = self.bounds(s)
        self.write(depth, f"for {self.names[s.index]} in {bounds}:", s)
        self.body(s.body, s.params, s.yields, depth + 1)

    def bounds(self, s: For) -> str:
        start, stop = self.text(s.start), self.text(s.stop)
        if not s.reverse:
            return f"range({stop})" if start == "0" else f"range({start}, {stop})"
        last = str(s.stop.value - 1) if isinstance(s.stop, Const) else f"{stop} - 1"
        before = str(s.start.value - 1) if isinstance(s.start, Const) else f"{start} - 1"
        return f"range({last}, {before}, -1)"

    def while_loop(self, s: While, depth: int) -> None:
        self.carry(s, depth)
        self.write(depth, "while True:", s)
        self.block(s.test, depth + 1)
        self.write(depth + 1, f"if not {self.text(s.cond)}:")
        self.write(depth + 2, "break")
        self.body(s.body, s.params, s.yields, depth + 1)

    def branch(self, s: If, depth: int) -> None:
        self.write(depth, f"if {self.text(s.cond)}:", s)
        self.body(s.then, s.results, s.then_yields, depth + 1)
        if s.orelse or s.results:
            self.write(depth, "else:")
            self.body(s.orelse, s.results, s.else_yields, depth + 1)

    def carry(self, s: For | While, depth: int) -> None:
        """The inits of a loop; its results share the names of its carried values."""
        for p, r in zip(s.params, s.results, strict=True):
            self.names.same(r, p)
        self.join(depth, s.params, s.inits)

    def body(self, block: Block, names: Sequence[Var], yields: Sequence[Atom], depth: int) -> None:
        before = len(self.lines)
        self.block(block, depth)
        self.join(depth, names, yields)
        if len(self.lines) == before:
            self.write(depth, "pass")

    def function(self, f: Function, name: str) -> Printed:
        self.write(0, f"def {name}({', '.join(self.names[p] for p in f.params)}):")
        self.block(f.body, 1)
        self.put(1, ast.Return(value=ast.Tuple(elts=[self.value(a) for a in f.returns])))
        return self.written(name)

    def written(self, name: str = "") -> Printed:
        """The lines so far."""
        return Printed(name, "\n".join(self.lines) + "\n", tuple(self.owners))


def assign(name: str, value: ast.expr) -> ast.stmt:
    return ast.Assign(targets=[ast.Name(id=name)], value=value)


def printed(node: ast.stmt) -> str:
    """One statement as text, without the parentheses astunparse puts around a whole value."""
    text = astunparse.unparse(node).strip()
    value = getattr(node, "value", None)
    if isinstance(node, ast.Assign | ast.AugAssign) and isinstance(value, _GROUPED):
        start = text.index("= (") + 2
        text = text[:start] + text[start + 1 : -1]
    return text
