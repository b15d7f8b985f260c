"""The tree of a random program: expressions, the statement forms, and their text.

An expression is a template with holes (`np.sin({0})`) and says of which kind its value is, so that
the shrinker may put any other expression of that kind in its place.  Kinds: `s` scalar, `v4 v3 v2`
vector of that length, `m` matrix, `b` condition, `int`, `ix4 ix3 ix2` index into a vector of that
length, `ia` four indices, `n4 n3 n2 nm` a name that can be stored to, `range` what a `for` runs
over, `array` one of several results.

Trees are immutable and know nothing of how they were drawn; nothing here runs a program.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from tests.fuzz.helper_functions import header


@dataclass(frozen=True)
class Expr:
    kind: str
    form: str
    args: tuple["Expr", ...] = ()
    tags: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.form.format(*self.args)


@dataclass(frozen=True)
class Line:
    """A simple statement."""

    form: str
    args: tuple[Expr, ...] = ()
    tags: tuple[str, ...] = ()


@dataclass(frozen=True)
class If:
    cond: Expr
    body: "Block"
    orelse: "Block" = ()
    tags: tuple[str, ...] = ()


@dataclass(frozen=True)
class For:
    var: str
    span: Expr
    body: "Block"
    orelse: "Block" = ()
    tags: tuple[str, ...] = ()


@dataclass(frozen=True)
class While:
    """A counted `while`: the counter belongs to the statement, so no shrunk loop runs for ever."""

    counter: str
    style: str  # "up", "down", "forever"; "after": the condition is tested first
    bound: str
    cond: Expr | None
    body: "Block"
    orelse: "Block" = ()
    tags: tuple[str, ...] = ("while",)


@dataclass(frozen=True)
class Try:
    """A `try`; a handler is what follows its `except`, and a block."""

    body: "Block"
    handlers: tuple[tuple[str, "Block"], ...]
    orelse: "Block" = ()
    last: "Block" = ()  # of `finally`
    tags: tuple[str, ...] = ("try",)


Stmt = Line | If | For | While | Try
Block = tuple[Stmt, ...]


@dataclass(frozen=True)
class Program:
    seed: int
    params: tuple[str, ...]  # x, w, n and perhaps y and A
    body: Block
    result: Expr
    outputs: tuple[Expr, ...] = ()  # arrays that every return gives besides a number

    def source(self) -> str:
        lines = block_lines(self.body, 1)
        lines.append(f"    return {self.result}")
        also = "".join(f", {e}" for e in self.outputs)
        lines = [line + also if line.lstrip().startswith("return ") else line for line in lines]
        text = f"def f({', '.join(self.params)}):\n" + "\n".join(lines) + "\n"
        return header(text) + text


def block_lines(block: Block, depth: int) -> list[str]:
    """The text of a block; an empty one is a `pass`."""
    pad = "    " * depth
    return [line for s in block for line in stmt_lines(s, depth)] or [f"{pad}pass"]


def stmt_lines(stmt: Stmt, depth: int) -> list[str]:
    pad = "    " * depth
    match stmt:
        case Line(form, args):
            # a function defined inside is one entry: its `return` is not the program's
            return [pad + form.format(*args).replace("\n", "\n" + pad)]
        case If(cond, body, orelse):
            head = [f"{pad}if {cond}:"]
        case For(var, span, body, orelse):
            head = [f"{pad}for {var} in {span}:"]
        case Try():
            return _try_lines(stmt, depth)
        case While(body=body, orelse=orelse):
            head = [pad + line for line in _while_head(stmt)]
    tail = [f"{pad}else:", *block_lines(orelse, depth + 1)] if orelse else []
    return head + block_lines(body, depth + 1) + tail


def _try_lines(stmt: Try, depth: int) -> list[str]:
    pad = "    " * depth
    parts = [("try", stmt.body), *((f"except {e}", b) for e, b in stmt.handlers)]
    parts += [(word, b) for word, b in (("else", stmt.orelse), ("finally", stmt.last)) if b]
    return [line for head, b in parts for line in (f"{pad}{head}:", *block_lines(b, depth + 1))]


def _while_head(loop: While) -> list[str]:
    k, bound = loop.counter, loop.bound
    both = f" and {loop.cond}" if loop.cond else ""
    match loop.style:
        case "up":
            return [f"{k} = 0", f"while {k} < {bound}{both}:", f"    {k} += 1"]
        case "after":
            own = f"{loop.cond} and " if loop.cond else ""
            return [f"{k} = 0", f"while {own}{k} < {bound}:", f"    {k} += 1"]
        case "down":
            return [f"{k} = {bound}", f"while {k} > 0{both}:", f"    {k} -= 1"]
        case _:
            leave = f" or not {loop.cond}" if loop.cond else ""
            test = f"    if {k} >= {bound}{leave}:"
            return [f"{k} = 0", "while True:", test, "        break", f"    {k} += 1"]


def own_exprs(stmt: Stmt) -> tuple[Expr, ...]:
    """The expressions of the statement itself, not those of the blocks in it."""
    match stmt:
        case Line(args=args):
            return args
        case If(cond=cond):
            return (cond,)
        case For(span=span):
            return (span,)
        case While(cond=cond):
            return (cond,) if cond else ()
        case Try():
            return ()


def blocks(stmt: Stmt) -> tuple[Block, ...]:
    if isinstance(stmt, Try):
        return (stmt.body, *(block for _, block in stmt.handlers), stmt.orelse, stmt.last)
    return () if isinstance(stmt, Line) else (stmt.body, stmt.orelse)


def walk_exprs(expr: Expr) -> Iterator[Expr]:
    yield expr
    for arg in expr.args:
        yield from walk_exprs(arg)


@cache
def size(node: Program | Stmt | Expr) -> int:
    """How much there is to read: what the shrinker makes smaller, strictly, at every step."""
    match node:
        case Expr(form=form, args=args):
            return 1 + len(form) // 8 + sum(map(size, args))
        case Program(body=body, result=result, outputs=outputs):
            return sum(map(size, (*body, result, *outputs)))
        case _:
            own = sum(map(size, own_exprs(node))) + (6 if isinstance(node, While) else 3)
            return own + sum(size(s) for block in blocks(node) for s in block)
