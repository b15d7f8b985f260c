"""Lowered IR -> the source of a Python function over scalars, element accesses and loops.

Each statement is built as a syntax tree and printed by astunparse, so that the notes (the source
line a statement came from) can stand between. Joins of loops and branches become assignments.
What may raise calls a helper with the number of its *site*. Never reorders statements.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Sequence

import astunparse

from srcgrad.backends.cpu.expressions import constant, fill, parsed, scalar
from srcgrad.backends.cpu.outline import Part, outlined
from srcgrad.backends.cpu.signature import NO_HALF
from srcgrad.backends.cpu.statements import DEFINITIONS, EFFECTS
from srcgrad.backends.cpu.workspace import in_workspace
from srcgrad.errors import Location, UnsupportedError
from srcgrad.ir.nodes import Atom, Block, Const, Def, For, Function, If, Stmt, Var, While
from srcgrad.ir.text import RESERVED, Names, note_of
from srcgrad.ir.types import RefTape, Tape
from srcgrad.ir.walk import results, walk
from srcgrad.primitives.tapes import reserve

NOTE_COLUMN = 44
WITHOUT_NUMBA = 'target="python" runs it without Numba'
_GROUPED = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.BoolOp, ast.IfExp)


class Printer:
    """One function's text; `sites` lists the statements that may raise, by their number."""

    def __init__(self, taken: set[str]):
        self.names = Names(taken | RESERVED | set(dir(builtins)) | {"np", "math"})
        self.lines: list[str] = []
        self.places: list[Location | None] = []  # where each of the lines is from
        self.here: Location | None = None
        self.sites: list[Stmt] = []
        self.in_workspace: dict[Var, int] = {}  # what lies in the workspace, and its slot
        self.work = "work"
        self.parts: dict[str, str] = {}  # the text of each part, by its name
        self.part_places: list[Location | None] = []  # of the parts' lines, with those between

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

    def site(self, s: Stmt) -> str:
        self.sites.append(s)
        return str(len(self.sites) - 1)

    def write(self, depth: int, text: str, note: str = "") -> None:
        text = "    " * depth + text
        self.lines.append(f"{text:<{NOTE_COLUMN}}# {note}" if note else text)
        self.places.append(self.here)

    def put(self, depth: int, node: ast.stmt, note: str = "") -> None:
        self.write(depth, printed(node), note)

    def join(self, depth: int, targets: Sequence[Var], values: Sequence[Atom]) -> None:
        """Assign all at once; one by one where no value is overwritten before it is read."""
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
            self.here = getattr(s, "loc", self.here)
            match s:
                case Def():
                    self.define(s, depth)
                case For():
                    self.loop(s, depth)
                case While():
                    self.while_loop(s, depth)
                case If():
                    self.branch(s, depth)
                case Part():
                    self.part(s, depth)

    def define(self, s: Def, depth: int) -> None:
        if s.op is reserve:
            return self.reserve(s, depth)
        if s.op in EFFECTS:
            return self.put(depth, EFFECTS[s.op](self, s), note_of(s))
        made = DEFINITIONS.get(s.op)
        value = scalar(s, [self.value(a) for a in s.args]) if made is None else made(self, s)
        if s.var is None or value is None:
            raise UnsupportedError(
                f"'{s.op.name}' has no lowered form on the cpu", s.loc, WITHOUT_NUMBA
            )
        name = self.names.give(s.var, "t" if s.var.name == s.op.name else s.var.name)
        self.put(depth, assign(name, value), note_of(s))
        return None

    def reserve(self, s: Def, depth: int) -> None:
        tape, size = map(self.value, s.args)
        self.put(depth, ast.If(test=fill("n > t.size", n=size, t=tape), body=[], orelse=[]))
        self.put(depth + 1, assign(self.text(s.args[0]), fill("grow(t, n)", n=size, t=tape)))

    def loop(self, s: For, depth: int) -> None:
        self.carry(s, depth)
        bounds = self.bounds(s)
        self.write(depth, f"for {self.names[s.index]} in {bounds}:", note_of(s))
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
        self.write(depth, "while True:", note_of(s))
        self.block(s.test, depth + 1)
        self.write(depth + 1, f"if not {self.text(s.cond)}:")
        self.write(depth + 2, "break")
        self.body(s.body, s.params, s.yields, depth + 1)

    def branch(self, s: If, depth: int) -> None:
        self.write(depth, f"if {self.text(s.cond)}:", note_of(s))
        self.body(s.then, s.results, s.then_yields, depth + 1)
        if s.orelse or s.results:
            self.write(depth, "else:")
            self.body(s.orelse, s.results, s.else_yields, depth + 1)

    def carry(self, s: For | While, depth: int) -> None:
        """The inits of a loop; its results share the names of what it carries."""
        for p, r in zip(s.params, s.results, strict=True):
            self.names.same(r, p)
        self.join(depth, s.params, s.inits)

    def body(self, block: Block, names: Sequence[Var], yields: Sequence[Atom], depth: int) -> None:
        before = len(self.lines)
        self.block(block, depth)
        self.join(depth, names, yields)
        if len(self.lines) == before:
            self.write(depth, "pass")

    def part(self, s: Part, depth: int) -> None:
        """The call of a part, and its text among the parts."""
        name = self.names[Var(f"{self.name}_part", None)]
        params = [*map(self.text, s.reads), *([self.work] if self.in_workspace else [])]
        outside, self.lines, self.places = (self.lines, self.places), [], []
        self.write(0, f"def {name}({', '.join(params)}):")
        self.block(s.body, 1)
        leaves = ", ".join(map(self.text, s.leaves))
        if leaves:
            self.write(1, f"return {leaves}")
        self.parts[name] = "\n".join(self.lines) + "\n"
        self.part_places += [*self.places, None, None]
        self.lines, self.places = outside
        self.here = None  # a call of a part is nobody's line
        self.write(depth, f"{leaves + ' = ' * bool(leaves)}{name}({', '.join(params)})")

    def function(self, f: Function, name: str) -> str:
        refuse_unprintable(f)
        self.name = name
        self.in_workspace = in_workspace(f)
        params = [self.names[p] for p in f.params]
        if self.in_workspace:
            self.work = self.names[Var("work", None)]
            params.append(f"{self.work}=None")
        self.write(0, f"def {name}({', '.join(params)}):")
        self.block(outlined(f, (v for v, slot in self.in_workspace.items() if slot)).body, 1)
        for v, slot in self.in_workspace.items():
            if slot:
                self.write(1, f"keep_size({self.work}, {slot}, {self.names[v]})")
        self.put(1, ast.Return(value=ast.Tuple(elts=[self.value(a) for a in f.returns])))
        main = "\n".join(self.lines) + "\n"
        self.places = [*self.part_places, *self.places]
        return "\n\n".join((*self.parts.values(), main))


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


def refuse_unprintable(f: Function) -> None:
    """A tape is one name, bound anew when it grows; there is no float16 in compiled code."""
    for s in walk(f.body):
        for v in results(s):
            if not isinstance(s, Def) and isinstance(v.type, Tape | RefTape):
                raise UnsupportedError("a growing buffer cannot be joined", s.loc, WITHOUT_NUMBA)
            if getattr(v.type, "dtype", "") == "f16":
                raise UnsupportedError("compiled code has no float16", s.loc, NO_HALF)
