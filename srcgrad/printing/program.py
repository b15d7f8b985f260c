"""Prints the statements of a program for a reader; the package's docstring says what is left out.

Each line ends with the user's line it came from, where that differs from the previous line's.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import replace

from srcgrad.ir.nodes import Atom, Block, Def, For, Function, If, Stmt, Var, While
from srcgrad.ir.text import NOTE_COLUMN, RESERVED, Names, note_of
from srcgrad.ir.types import Scalar
from srcgrad.ir.walk import walk
from srcgrad.printing.calls import raised
from srcgrad.printing.expressions import ATOM, NOT, SUM, Speller
from srcgrad.printing.fold import Folds
from srcgrad.printing.header import Header
from srcgrad.printing.names import names_of
from srcgrad.printing.trim import trimmed
from srcgrad.records import record

LONGEST_NOTE = 60


@record(frozen=True)
class Parameter:
    """A parameter of the caller's: the program's at a position, or a container or unused."""

    name: str
    place: int | None
    stars: str = ""
    default: str = ""


@record(frozen=True)
class Interface:
    """How a caller sees a program: parameters and results in the caller's structure.

    `opened` has the expressions of program parameters that are parts of the caller's; those left
    are parameters after these. `checks` are conditions, and what holds where they do.
    """

    parameters: tuple[Parameter, ...]
    opened: Mapping[int, str]
    result: Callable[[list[str]], str]
    checks: tuple[tuple[str, str], ...] = ()


@record(frozen=True)
class Line:
    """A line of a text, and the statements that it spells: its own and those folded into it."""

    code: str
    note: str = ""  # the user's line, where it differs from the previous one's
    statements: tuple[Stmt, ...] = ()

    @property
    def text(self) -> str:
        return f"{self.code:<{NOTE_COLUMN - 2}}  # {self.note}" if self.note else self.code


@record(frozen=True)
class Readable:
    """The lines of a function, and the definitions and imports before it."""

    header: str
    lines: tuple[Line, ...]

    @property
    def text(self) -> str:
        body = "\n".join(line.text for line in self.lines)
        return f"{self.header}\n\n{body}\n"


def readable(function: Function, interface: Interface, exact: bool = False) -> Readable:
    """The function as Python, spelled as in NumPy, after what it needs.

    A zero adjoint absorbs an infinite partial: so it does if `exact`, else it is a product.
    """
    function, uses = trimmed(function)
    folds = Folds(function, uses)
    called = {s.op.name for s in walk(function.body) if isinstance(s, Def)}
    taken = RESERVED | called | {f"{n}_" for n in called} | NEEDED
    name = Names(taken).give(Var(function.name, None), function.name)
    taken |= {p.name for p in interface.parameters if p.place is None}
    places = {p.place: p.name for p in interface.parameters if p.place is not None}
    given = {function.params[k]: name for k, name in places.items()}
    names = names_of(function, folds, taken, given)
    return Writer(function, folds, names, exact).written(name, interface)


NEEDED = {"np", "special", "max", "min", "abs", "len", "Tape", "References"}


class Writer:
    """Lines so far and the note of the last one."""

    def __init__(self, function: Function, folds: Folds, names: dict[Var, str], exact: bool):
        self.function = function
        self.folds = folds
        self.names = names
        defined = (s for s in walk(function.body) if isinstance(s, Def))
        definitions = {s.var: s for s in defined if s.var is not None}
        self.header = Header()
        self.spell = Speller(
            names.__getitem__, folds.folded, definitions, folds.arrays, self.header, exact
        )
        self.lines: list[Line] = []
        self._note = ""

    def written(self, name: str, interface: Interface) -> Readable:
        f, opened = self.function, interface.opened
        own = {p.place for p in interface.parameters}
        left = [k for k in range(len(f.params)) if k not in opened and k not in own]
        shown = [self.parameter(p) for p in interface.parameters if not p.stars and not p.default]
        shown += [self.names[f.params[k]] for k in left]
        shown += [self.parameter(p) for p in interface.parameters if p.stars or p.default]
        self.line(0, f"def {name}({', '.join(shown)}):")
        for condition, meaning in interface.checks:
            self.line(1, f"if not {self.by_parameters(condition, interface)}:")
            self.line(2, f"raise ValueError({f'this was made for {meaning}'!r})")
        for k, text in opened.items():
            opened_text = self.by_parameters(text, interface)
            self.line(1, f"{self.names[f.params[k]]} = {opened_text}")
        self.block(f.body, 1)
        self.line(1, f"return {interface.result([self.spell.plain(a) for a in f.returns])}")
        return Readable(self.header.text(), tuple(self.lines))

    def parameter(self, p: Parameter) -> str:
        return f"{p.stars}{self.shown(p)}{'=' if p.default else ''}{p.default}"

    def shown(self, p: Parameter) -> str:
        return p.name if p.place is None else self.names[self.function.params[p.place]]

    def by_parameters(self, text: str, interface: Interface) -> str:
        """An expression of the interface with the names that parameters have here."""
        new = {p.name: self.shown(p) for p in interface.parameters if self.shown(p) != p.name}
        if not new:
            return text
        tree = ast.parse(text, mode="eval")
        for node in ast.walk(tree):
            if isinstance(node, ast.Name):
                node.id = new.get(node.id, node.id)
        return ast.unparse(tree)

    def line(self, depth: int, text: str, s: Stmt | None = None) -> None:
        text = "    " * depth + text
        spelled = self.spell.taken()
        note = note_of(s) if s is not None else ""
        if note and note != self._note:
            self._note = note
            if note == text.strip():
                note = ""
        else:
            note = ""
        shown = note if len(note) <= LONGEST_NOTE else note[: LONGEST_NOTE - 1] + "…"
        own = () if s is None or s in spelled else (s,)
        self.lines.append(Line(text, shown, (*own, *spelled)))

    def block(self, block: Block, depth: int) -> None:
        for s in block:
            self.statement(s, depth)

    def statement(self, s: Stmt, depth: int) -> None:
        match s:
            case Def(var=Var() as v) if v in self.folds.folded:
                return
            case Def(var=Var() as v):
                self.set(self.names[v], s, depth)
            case Def():
                self.line(depth, self.effect(s), s)
            case For():
                self.assign(s.params, s.inits, depth)
                start = self.spell.plain(s.start)
                bounds = self.spell.plain(s.stop)
                bounds = f"range({bounds if start == '0' else f'{start}, {bounds}'})"
                bounds = f"reversed({bounds})" if s.reverse else bounds
                self.line(depth, f"for {self.names[s.index]} in {bounds}:", s)
                self.body(s.body, s.params, s.yields, depth + 1, s)
            case While():
                self.assign(s.params, s.inits, depth)
                self.head(s, depth)
                self.body(s.body, s.params, s.yields, depth + 1, s)
            case If():
                self.line(depth, f"if {self.spell.plain(s.cond)}:", s)
                before = len(self.lines)
                self.body(s.then, s.results, s.then_yields, depth + 1, s)
                after = len(self.lines)
                self.line(depth, "else:")
                self.body(s.orelse, s.results, s.else_yields, depth + 1, s)
                first, second = self.texts(before, after), self.texts(after)
                if second == ["else:", "pass"]:
                    del self.lines[after:]
                elif first == ["pass"]:
                    self.turn(s, before, after, depth)

    def texts(self, start: int, stop: int | None = None) -> list[str]:
        return [line.code.strip() for line in self.lines[start:stop]]

    def rewrite(self, k: int, depth: int, text: str) -> None:
        self.lines[k] = replace(self.lines[k], code="    " * depth + text)

    def turn(self, s: If, before: int, after: int, depth: int) -> None:
        """Negates the condition of a branch whose first block is empty."""
        del self.lines[before : after + 1]
        self.rewrite(before - 1, depth, f"if not {self.spell(s.cond).within(NOT + 1)}:")
        self.spell.taken()

    def head(self, s: While, depth: int) -> None:
        """`while` with its condition, or with a break where the condition takes statements."""
        before = len(self.lines)
        self.line(depth, f"while {self.spell.plain(s.cond)}:", s)
        start = len(self.lines)
        self.block(s.test, depth + 1)
        if len(self.lines) > start:
            self.rewrite(before, depth, "while True:")
            self.line(depth + 1, f"if not {self.spell(s.cond).within(NOT + 1)}:")
            self.line(depth + 2, "break")

    def body(
        self, block: Block, names: tuple[Var, ...], values: tuple[Atom, ...], depth: int, s: Stmt
    ) -> None:
        before = len(self.lines)
        self.block(block, depth)
        self.assign(names, values, depth)
        if len(self.lines) == before:
            self.line(depth, "pass")

    def assign(self, names: tuple[Var, ...], atoms: tuple[Atom, ...], depth: int) -> None:
        """Assigns values to names one by one; together where one needs what another overwrites."""
        left = [
            (self.names[n], v, {self.names[w] for w in self.folds.leaves(v)})
            for n, v in zip(names, atoms, strict=True)
            if not (isinstance(v, Var) and self.names.get(v) == self.names[n])
        ]
        while left:
            free = next(
                (one for one in left if all(one[0] not in o[2] for o in left if o is not one)), None
            )
            if free is None:
                targets = ", ".join(name for name, _, _ in left)
                values = self.spell.listed(value for _, value, _ in left)
                self.line(depth, f"{targets} = {values}")
                return
            left.remove(free)
            name, value, _ = free
            d = self.folds.folded.get(value) if isinstance(value, Var) else None
            if d is None:
                self.line(depth, f"{name} = {self.spell.plain(value)}")
            else:
                self.set(name, d, depth)

    def set(self, name: str, d: Def, depth: int) -> None:
        text = self.assignment(name, d)
        if text != f"{name} = {name}":
            self.line(depth, text, d)

    def assignment(self, name: str, d: Def) -> str:
        """`name = ...`, or `name += ...` where a number is added to itself."""
        sign = {"add": "+", "sub": "-", "mul": "*"}.get(d.op.name)
        if sign and d.var is not None and isinstance(d.var.type, Scalar):
            first, second = d.args
            if isinstance(first, Var) and self.names.get(first) == name:
                return f"{name} {sign}= {self.spell.plain(second)}"
        return f"{name} = {self.spell.definition(d).text}"

    def effect(self, d: Def) -> str:
        spell = self.spell
        match d.op.name, d.args:
            case "store", (x, *places, value):
                return f"{spell.element(x, places)} = {spell.plain(value)}"
            case "add_at", (x, *places, value):
                return self.added(spell.element(x, places), value)
            case "assign", (x, value):
                target = spell.plain(x)
                where = target if target.endswith("]") else f"{target}[...]"
                return f"{where} = {spell.source(value).text}"
            case "add_to", (x, value):
                return self.added(spell.plain(x), value)
            case "scatter", (x, *places, value):
                index = spell.fancy(places, d.params["spec"])
                return f"{spell(x).within(ATOM)}[{index}] = {spell.plain(value)}"
            case "scatter_add", (x, *places, value):
                index = spell.fancy(places, d.params["spec"], "slice(None)")
                index = f"({index})" if len(d.params["spec"]) > 1 else index
                return f"np.add.at({spell.plain(x)}, {index}, {spell.plain(value)})"
            case "fail", args:
                return raised(d.params["kind"], d.params["message"], [*map(spell.plain, args)])
            case _:
                return spell.definition(d).text

    def added(self, target: str, value: Atom) -> str:
        d = self.folds.folded.get(value) if isinstance(value, Var) else None
        if d is not None and d.op.name == "neg":
            return f"{target} -= {self.spell(d.args[0]).within(SUM + 1)}"
        return f"{target} += {self.spell.source(value).text}"
