"""Nests: loops and branches around local buffers, as templates of several lines.

A template is indented text with holes.  `I J K` become fresh loop variables, `SOME` a few random
statements, `LEAVE` a conditional way out of the loop (or of the function), `while COND:` a counted
loop.  Names on the left of an `=` that are listed in `LOCALS` may be read and stored to afterwards.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from tests.fuzz.draw import LOCALS, Draw
from tests.fuzz.tree import Expr, For, If, Line, Stmt, Try, While

LOCAL = ("local buffer in a nest",)
EXIT = ("exit from a nest with a local buffer",)


@dataclass(frozen=True)
class Nest:
    weight: float
    text: str
    tags: tuple[str, ...]
    binds: dict[str, str] = field(default_factory=dict)  # what other names hold, by kind


NESTS = (
    Nest(3, """\
for I in {range}:
    d = np.zeros(4)
    for J in {range}:
        d[{ix4}] += {small_s}
        SOME
        s = 0.5 * s + 0.2 * np.sum(d * {v4})
""", LOCAL),
    Nest(2, """\
for I in {range}:
    d = {bounded_v4}
    e = np.ones(4) * {s}
    for J in {range}:
        d[1:] += 0.3 * e[:-1]
        SOME
        e[{ix4}] = 0.5 * d[{ix4}] * {s}
    t = 0.2 * np.sum(d * e)
""", LOCAL),
    Nest(4, """\
for I in {range}:
    g = np.zeros((3, 4))
    for J in range(3):
        g[J] += {small_v4}
        for K in range(1, 4):
            g[J, K] += 0.3 * g[J, K - 1] * {s}
        SOME
    {n4}[:] = 0.2 * np.sum(g * {m}, axis=0)
""", ("local matrix rows", "reduction along an axis", *LOCAL)),
    Nest(2, """\
for I in {range}:
    g = np.zeros((3, 4))
    c = g[{ix3}]
    for J in {range}:
        c[{ix4}] = {bounded_s}
        g[:, {ix4}] += {small_v3}
        SOME
        s = 0.3 * np.sum(g) * c[{ix4}]
""", ("local matrix rows", "view written through", *LOCAL)),
    Nest(3.5, """\
for I in {range}:
    d = np.zeros(4)
    for J in {range}:
        d[{ix4}] = {bounded_s}
        LEAVE
        d[1:] += {small_v3}
        SOME
    s = np.tanh(0.4 * np.sum(d * {v4}))
    LEAVE
""", LOCAL + EXIT),
    Nest(1.5, """\
for I in {range}:
    if {b}:
        d = np.zeros(4)
        for J in {range}:
            d[{ix4}] += {small_s}
            SOME
        s = 0.3 * np.sum(d * {v4})
    else:
        d = {bounded_v4}
        d[{ix4}] = s
        t = d[{ix4}] * d[{ix4}]
""", ("local buffer in a branch",)),
    Nest(1.5, """\
if {b}:
    d = {bounded_v4}
    SOME
    for J in {range}:
        d[{ix4}] *= {gain_s}
        {n4}[{ix4}] = 0.4 * d[{ix4}]
""", ("local buffer in a branch",)),
    Nest(1, """\
for I in {range}:
    d = np.zeros(4)
    if {b}:
        d[:] = {bounded_v4}
        c = d
    else:
        c = {n4} if {b} else d
    for J in {range}:
        c[{ix4}] += {small_s}
        SOME
    s = 0.2 * np.sum(c * d)
""", ("local buffer in a branch", "joined reference", *LOCAL)),
    Nest(3, """\
v = {n4}[:]
for I in range(3):
    v[0] = {bounded_s}
    v[-1] += 0.3 * v[0] * {s}
    SOME
    s = 0.2 * np.sum(v) * v[0]
    v = v[1:]
""", ("view carried by a loop", "view written through")),
    Nest(1.5, """\
v = {n4}
while len(v) > 1:
    v *= {gain_s}
    v[0] += 0.2 * np.sum(v)
    t = v[0] * v[-1]
    v = v[1:] if {b} else v[:-1]
""", ("view carried by a loop", "joined reference", "while")),
    Nest(3.5, """\
while np.sin(a[p] * s) > CUT:
    t = 0.5 * t * np.sin(a[p] * s) + {small_s}
    SOME
    a[p] *= {gain_s}
""", ("test shares work with its body", "while")),
    Nest(2.5, """\
for I in {range}:
    held = {n4}[{ix4}]
    for J in {range}:
        s = 0.5 * s * held + {small_s}
        {n4}[{ix4}] = {bounded_s}
        SOME
""", ("element held while its array is stored to", "element store")),
    Nest(2, """\
for held in {n4}:
    s = 0.5 * s * held + {small_s}
    {n4}[{ix4}] = {bounded_s}
    SOME
""", ("element held while its array is stored to", "element store")),
    Nest(1.5, """\
for I, held in enumerate({n4}):
    {n4}[{ix4}] = 0.6 * held * {s}
    LEAVE
    SOME
    t = 0.3 * t * held
""", ("element held while its array is stored to", "element store")),
    Nest(3.5, """\
while COND:
    d = {bounded_v4}
    for J in {range}:
        while COND:
            d[{ix4}] = 0.5 * d[{ix4}] * {s}
            LEAVE
            SOME
        s = 0.3 * np.sum(d)
    {n4}[{ix4}] = np.tanh(d[{ix4}])
""", ("while around for around while", "nested loops", *LOCAL)),
    Nest(3.5, """\
o = {bounded_v2}
v = {bounded_v3}
for I in {range}:
    for J in {range}:
        o, v = v, o
        o[{ix2}] += {small_s}
        v[{ix2}] *= {gain_s}
        LEAVE
        SOME
    s = 0.3 * np.sum(o) * v[{ix2}]
""", ("swap of different lengths", "swap")),
    Nest(1.5, """\
for I in {range}:
    d = {bounded_v4}
    e = np.zeros(4)
    for J in {range}:
        d, e = e, d
        d[{ix4}] = {bounded_s}
        SOME
        e += {small_v4}
    s = 0.2 * np.sum(d * e)
""", ("swap", *LOCAL)),
    Nest(1.5, """\
pair = ({n4}, {bounded_v4})
for I in {range}:
    pair = (pair[1], pair[0])
    pair[0][{ix4}] += {small_s}
    SOME
    pair[1][1:] *= {gain_v3}
""", ("tuple of arrays", "swap")),
    Nest(1.5, """\
for I in {range}:
    o = np.zeros(I + 1)
    for J in range(I + 1):
        o[J] += {small_s}
        o[-1] *= {gain_s}
        SOME
    s = 0.3 * np.sum(o) * o[0]
""", ("length of its own", *LOCAL)),
    Nest(2, """\
idx = np.array([1, 3, 0, 2])
for I in {range}:
    o = {v4}[: idx[{ix4}] + 1] * {s}
    for J in {range}:
        idx[{ix4}] = {int}
        t = 0.3 * o[0] * o[-1]
        SOME
        o = np.sin(o)
    s = 0.2 * np.sum(o)
""", ("length of its own",)),
    Nest(1.5, """\
for I in {range}:
    e = climb({v4}, CUT)
    e[{ix4}] *= {gain_s}
    {n4}[{ix4}] = e[{ix4}]
    SOME
    e = spread(e, {s})
    s = 0.3 * np.sum(e)
""", ("helper returns a buffer", *LOCAL)),
)  # fmt: skip


def nest(draw: Draw, depth: int, some: Callable[[Draw, int], list[Stmt]],
         leave: Callable[[Draw], Stmt]) -> list[Stmt]:  # fmt: skip
    """A random nest; `some` draws random statements in it, `leave` a way out."""
    usable = [n for n in draw.nests if draw.possible(n.text)]
    chosen = draw.rng.choices(usable, [n.weight for n in usable])[0]
    text = chosen.text
    for name in "IJK":
        draw.count += 1
        text = re.sub(rf"\b{name}\b", f"i{draw.count}", text)
    stmts = _Growth(draw, depth, some, leave, LOCALS | chosen.binds).block(text.splitlines())
    return [replace(stmts[0], tags=stmts[0].tags + chosen.tags), *stmts[1:]]


@dataclass
class _Growth:
    draw: Draw
    depth: int
    some: Callable[[Draw, int], list[Stmt]]
    leave: Callable[[Draw], Stmt]
    locals: dict[str, str]

    def block(self, lines: list[str]) -> tuple[Stmt, ...]:
        out: list[Stmt] = []
        while lines:
            head, body, lines = _split(lines)
            word = head.rstrip(":").partition(" ")[0]
            if word in ("else", "except", "finally"):
                out[-1] = self.clause(out[-1], word, head, body)
            else:
                out += self.statement(head, body)
        return tuple(out)

    def clause(self, stmt: Stmt, word: str, head: str, body: list[str]) -> Stmt:
        """The statement with one more clause."""
        assert isinstance(stmt, For | If | Try)
        with self.draw.inner():
            block = self.block(body)
        if isinstance(stmt, For | If) or word == "else":
            return replace(stmt, orelse=block)
        if word == "finally":
            return replace(stmt, last=block)
        form, args = self.draw.fill(head[len("except ") : -1], 1)
        return replace(stmt, handlers=(*stmt.handlers, (form.format(*args), block)))

    def statement(self, head: str, body: list[str]) -> list[Stmt]:
        draw = self.draw
        if head == "SOME":
            return self.some(draw, max(self.depth - 2, 0))
        if head == "LEAVE":
            return [self.leave(draw)]
        if not body:
            return [self.line(head)]
        if head == "try:":
            with draw.inner():
                return [Try(self.block(body), ())]
        if head.startswith("for "):
            var, text = head[len("for ") : -1].split(" in ", 1)
            drawn = text == "{range}"
            span = draw.expr("range") if drawn else Expr("range", *draw.fill(text, 2))
            with draw.inner(loop=True):
                names = var.split(", ")
                draw.scope |= {v: self.locals.get(v, "int") for v in names}
                return [For(var, span, self.block(body), (), span.tags)]
        if head == "while COND:":
            cond = draw.expr("b", 2) if draw.chance(0.5) else None
            return [self.counted(cond, draw.choice(["n", "3"]), body)]
        if head.startswith("while "):  # it ends by itself, and is counted all the same
            form, args = draw.fill(head[len("while ") : -1], 2)
            cond = Expr("b", f"({form})".replace("CUT", draw.cut()), args)
            return [self.counted(cond, "n", body, "after")]
        text = head[len("if ") : -1]
        form, args = ("", ()) if text == "{b}" else draw.fill(text, 2)
        cond = Expr("b", form.replace("CUT", draw.cut()), args) if form else draw.expr("b")
        with draw.inner():
            return [If(cond, self.block(body))]

    def counted(self, cond: Expr | None, bound: str, body: list[str], style: str = "") -> Stmt:
        draw = self.draw
        draw.count += 1
        counter = f"k{draw.count}"
        with draw.inner(loop=True, var=counter):
            style = style or draw.choice(["up", "down", "after", "forever"])
            return While(counter, style, bound, cond, self.block(body))

    def line(self, text: str) -> Line:
        form, args = self.draw.fill(text, 2)
        target = text.partition(" = ")[0]
        known = self.locals
        self.draw.scope |= {v: known[v] for v in target.split(", ") if v in known}
        return Line(form.replace("CUT", self.draw.cut()), args)


def _split(lines: list[str]) -> tuple[str, list[str], list[str]]:
    """The first line, the lines of its block without their indentation, and the rest."""
    n = 1
    while n < len(lines) and lines[n].startswith("    "):
        n += 1
    return lines[0], [line[4:] for line in lines[1:n]], lines[n:]
