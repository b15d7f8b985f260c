"""The IR as Python text: it parses back, and runs with the primitives in scope.

A definition is annotated with its type. Carried variables are assigned, typed, before their loop
and again, plainly, at the end of its body; its results have the same names. The results of a
branch are declared before it and assigned at the end of both sides. The comment at the end of a
line is the source line it came from. Never reorders or drops a statement.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Sequence, Set
from typing import Any

import numpy as np

from srcgrad.ir.nodes import Atom, Block, Const, Def, For, Function, If, Stmt, Var, While
from srcgrad.ir.types import DTYPES, Array, Tuple, Type, np_dtype
from srcgrad.ir.walk import walk
from srcgrad.records import record

NOTE_COLUMN = 44
OURS = "srcgrad_"  # prefix of names in generated texts that are not variables
# names that the text itself uses
RESERVED = {"float", "int", "complex", "range", "reversed", "independent", "promised", "bounded",
            "tape", "reftape", "tuple", "inf", "nan", *DTYPES}  # fmt: skip


def identifier(wish: str) -> str:
    """The wish as a Python identifier; unchanged if it is one and not reserved for our texts."""
    if wish.startswith((OURS, "__")):  # modules have names that begin with __
        return f"v_{wish}"
    if wish.isidentifier():
        return f"{wish}_" if keyword.iskeyword(wish) else wish
    name = re.sub(r"\W", "_", wish, flags=re.ASCII).strip("_") or "v"
    return identifier(f"v{name}" if name[0].isdigit() else name)


class Names:
    """Unique printable names in order of first printing: y, y1, y2, ...; joined ones share one."""

    def __init__(self, taken: Set[str]):
        self._names: dict[Var, str] = {}
        self._used: set[str] = set(taken)
        self._next: dict[str, int] = {}

    def __getitem__(self, v: Var) -> str:
        return self.give(v, v.name)

    def give(self, v: Var, wish: str) -> str:
        """The name of a variable; if it has none yet, a free one near to the wish."""
        if v not in self._names:
            self._names[v] = self._fresh(identifier(wish))
        return self._names[v]

    def same(self, v: Var, other: Var) -> None:
        self._names[v] = self[other]

    def _fresh(self, wish: str) -> str:
        # a free wish is granted: printing a parsed text gives the same names again
        name, base = wish, wish.rstrip("0123456789")
        while name in self._used:
            self._next[base] = self._next.get(base, 0) + 1
            name = f"{base}{self._next[base]}"
        self._used.add(name)
        return name


class Printer:
    """`lines` is the text so far, `owners` the statement each line belongs to."""

    def __init__(self, taken: Set[str], notes: bool = True):
        self.taken: set[str] = RESERVED | taken
        self.names: Names = Names(self.taken)
        self.lines: list[str] = []
        self.owners: list[Stmt | None] = []
        self.notes = notes

    # ---- pieces ----
    def atom(self, a: Atom | int) -> str:
        if isinstance(a, Var):
            return self.names[a]
        return constant(a) if isinstance(a, Const) else str(a)

    def operand(self, a: Atom | int) -> str:
        """The text of an atom that a statement computes with."""
        return self.atom(a)

    def handed(self, v: Var, a: Atom) -> str:
        """The text of a value passed to a variable that a loop carries or a branch joins."""
        return self.atom(a)

    def type(self, t: Type) -> str:
        match t:
            case Array():
                dims = ", ".join(self.atom(d) for d in t.dims) or "()"
                return f"{t.dtype}{'.strided' if t.layout == 'S' else ''}[{dims}]"
            case Tuple():
                return f"tuple[{', '.join(self.type(i) for i in t.items)}]"
            case _:
                return str(t)

    def line(self, depth: int, text: str, owner: Stmt | None, note: bool = False) -> None:
        text = "    " * depth + text
        source = note_of(owner) if note and self.notes and owner is not None else ""
        if source:
            text = f"{text:<{NOTE_COLUMN - 2}}  # {source}"
        self.lines.append(text)
        self.owners.append(owner)

    # ---- statements ----
    def statement(self, s: Stmt, depth: int) -> None:
        match s:
            case Def():
                self.line(depth, self.definition(s), s, note=True)
            case For():
                self.carry(s, depth)
                bounds = f"range({self.operand(s.start)}, {self.operand(s.stop)})"
                bounds = f"reversed({bounds})" if s.reverse else bounds
                bounds = f"independent({bounds})" if s.independent else bounds
                bounds = f"promised({bounds})" if s.promised else bounds
                self.line(depth, f"for {self.names[s.index]} in {bounds}:", s, note=True)
                self.body(s, s.body, s.params, s.yields, depth + 1)
            case While():
                self.carry(s, depth)
                head = "True" if s.limit is None else f"bounded({self.operand(s.limit)})"
                self.line(depth, f"while {head}:", s, note=True)
                for inner in s.test:
                    self.statement(inner, depth + 1)
                self.line(depth + 1, f"if not {self.operand(s.cond)}: break", s)
                self.body(s, s.body, s.params, s.yields, depth + 1)
            case If():
                for r in s.results:
                    self.line(depth, f"{self.names[r]}: {self.type(r.type)}", s)
                self.line(depth, f"if {self.operand(s.cond)}:", s, note=True)
                self.body(s, s.then, s.results, s.then_yields, depth + 1)
                if s.orelse or s.results:
                    self.line(depth, "else:", s)
                    self.body(s, s.orelse, s.results, s.else_yields, depth + 1)

    def definition(self, s: Def) -> str:
        if s.var is None:
            return self.call(s)
        name = self.names.give(s.var, "t" if s.var.name == s.op.name else s.var.name)
        return f"{name}: {self.type(s.var.type)} = {self.call(s)}"

    def call(self, s: Def) -> str:
        parts = [self.operand(a) for a in s.args]
        parts += [f"{k}={plain(v)!r}" for k, v in s.params.items()]
        return f"{s.op.name}({', '.join(parts)})"

    def carry(self, s: For | While, depth: int) -> None:
        """Prints the typed inits of a loop; its results have the names of its carried variables."""
        for p, r, a in zip(s.params, s.results, s.inits, strict=True):
            self.names.same(r, p)
            self.line(depth, f"{self.names[p]}: {self.type(p.type)} = {self.handed(p, a)}", s)

    def body(
        self, s: Stmt, block: Block, names: tuple[Var, ...], values: tuple[Atom, ...], depth: int
    ) -> None:
        for inner in block:
            self.statement(inner, depth)
        if names:
            left = ", ".join(self.names[v] for v in names)
            right = ", ".join(map(self.handed, names, values))
            self.line(depth, f"{left} = {right}", s)
        elif not block:
            self.line(depth, "pass", s)

    def printed(self, f: Function) -> Printed:
        name = self.function(f)
        return Printed(name, "\n".join(self.lines) + "\n", tuple(self.owners))

    def function(self, f: Function) -> str:
        """Prints a whole function and returns its name, never that of a primitive it uses."""
        name = Names(self.taken).give(Var(f.name, None), f.name)
        params = ", ".join(f"{self.names[p]}: {self.type(p.type)}" for p in f.params)
        self.line(0, f"def {name}({params}):", None)
        for s in f.body:
            self.statement(s, 1)
        returned = "".join(self.atom(a) + ", " for a in f.returns).rstrip()
        self.line(1, f"return ({returned})", None)
        return name


def note_of(s: Stmt) -> str:
    return s.loc.role + s.loc.text.strip() if s.loc is not None else ""


def constant(c: Const) -> str:
    """A literal; its dtype is spelled unless it is a Python number."""
    text = _number(c.value, c.type.dtype)
    return text if c.type.weak else f"{c.type}({text})"


def _number(value: Any, dtype: str) -> str:
    match dtype[0]:
        case "b":
            return str(bool(value))
        case "c":
            part = "f32" if dtype == "c64" else "f64"
            value = complex(value)
            return f"complex({_number(value.real, part)}, {_number(value.imag, part)})"
        case "f":
            # the shortest digits that give the same value in this dtype
            with np.errstate(all="ignore"):
                return str(np_dtype(dtype).type(value))
        case _:
            return str(int(value))


def plain(value: complex | str | tuple[Any, ...] | list[Any] | np.generic[Any]) -> Any:
    """A static parameter with NumPy's numbers as Python's, so that its repr is a literal."""
    if isinstance(value, np.generic):
        return value.item()
    return tuple(plain(v) for v in value) if isinstance(value, tuple | list) else value


@record(frozen=True)
class Printed:
    """The text and name of a function, and the statement that each line belongs to."""

    name: str
    text: str
    owners: tuple[Stmt | None, ...]

    def owner(self, line: int) -> Stmt | None:
        """The statement that a line of the text (counted from 1) belongs to."""
        return self.owners[line - 1] if 0 < line <= len(self.owners) else None

    def line_of(self, statement: Stmt) -> str:
        """The line that shows a statement; the head of a loop or a branch."""
        lines = [
            line.strip()
            for line, owner in zip(self.text.splitlines(), self.owners, strict=True)
            if owner is statement
        ]
        heads = [line for line in lines if line.startswith(("for ", "while ", "if "))]
        return (heads or lines)[0]


def stacked(name: str, parts: Sequence[Printed]) -> Printed:
    """Texts one below the other, with empty lines between."""
    owners: list[Stmt | None] = []
    for p in parts:
        lines = p.text.count("\n") + 2
        owners += [*p.owners, *[None] * (lines - len(p.owners))]
    text = "\n\n".join(p.text for p in parts)
    return Printed(name, text, tuple(owners[: text.count("\n")]))


def printed(function: Function, taken: Set[str] = frozenset(), notes: bool = True) -> Printed:
    """The function as Python source, with the statement of each line; see `to_text`."""
    used = {s.op.name for s in walk(function.body) if isinstance(s, Def)}
    return Printer(used | taken, notes).printed(function)


def to_text(function: Function, taken: Set[str] = frozenset(), notes: bool = True) -> str:
    """The function as Python source; `taken` are further names that no value gets."""
    return printed(function, taken, notes).text
