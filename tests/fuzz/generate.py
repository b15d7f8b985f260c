"""Random programs: `generate(seed)` is one, a function `f(x, w, n)` and perhaps `y`, `A` and `Z`.

`x` and `y` are vectors of 4, `w` a float, `n` the int 3, `A` a matrix of 3 rows and 4 columns, `Z`
a complex vector of 4; the result is a scalar, or a tuple of it and arrays.  The same seed and
options give the same program, on every machine.  A program that is larger than the options allow
is drawn again: the census of a size is not that of another.  Whether a program is smooth at its
inputs is not known here (`reference` finds out), and no program is ever run here.
"""

import random
import re
from collections.abc import Iterable
from dataclasses import dataclass

from tests.fuzz.draw import Draw
from tests.fuzz.expressions import FORMS, LEAVES
from tests.fuzz.moves import FAMILIES, simple
from tests.fuzz.nests import NESTS, nest
from tests.fuzz.themes.theme import Theme
from tests.fuzz.themes.wide_vocabulary import APART, THEMES, alone, widened
from tests.fuzz.tree import (
    Block,
    Expr,
    For,
    If,
    Line,
    Program,
    Stmt,
    While,
    block_lines,
    size,
)


@dataclass(frozen=True)
class Options:
    statements: tuple[int, int] = (4, 9)  # at the top level
    depth: int = 3  # of blocks within blocks
    second_array: float = 0.4  # the share of programs with a second array argument
    matrix: float = 0.6  # ... with two-dimensional state
    outputs: float = 0.3  # ... and with arrays among their results
    largest: int = 450  # `tree.size` of a program, some 80 lines
    themes: int = 0  # of the wide vocabulary, drawn for each program
    alone: str = ""  # the only theme of small programs


# Second derivatives and Numba take time that grows faster than the program: some 40 lines.
SMALL = Options(statements=(2, 5), largest=280)
# Programs of one theme alone: some 15 lines with a scalar result.
TINY = Options(outputs=0.0, largest=50)


def generate(seed: int, options: Options | None = None) -> Program:
    """The first program drawn from a seed that is no larger than the options allow."""
    options = options or Options()
    rng = random.Random(seed)
    largest = max(options.largest, *(t.largest for t in APART if t.name == options.alone), 0)
    while size(program := _drawn(rng, seed, options)) > largest:
        pass
    return program


def _drawn(rng: random.Random, seed: int, options: Options) -> Program:
    scope = {"a": "v4", "b": "v4", "x": "v4", "p": "int"}
    scope |= {"y": "v4"} if rng.random() < options.second_array else {}
    scope |= {"m": "m"} if rng.random() < options.matrix else {}
    themes = _themes(rng, options, scope) if options.themes or options.alone else ()
    draw = _vocabulary(rng, scope, themes)
    for theme in themes:
        if theme.name == options.alone:
            return _tiny(seed, alone(draw, theme), theme)
    body = block(draw, rng.randint(*options.statements), options.depth)
    params = ("x", "w", "n", *(name for name in "yAZ" if name in scope))
    outputs = _outputs(draw) if draw.chance(options.outputs) else ()
    state = _state(themes, body)
    before = (*_prelude(scope, themes), *map(Line, state))
    terms = _result(scope, themes, filter(None, state.values()))
    return Program(seed, params, before + body, terms, outputs)


def _tiny(seed: int, draw: Draw, theme: Theme) -> Program:
    """A nest of the theme or a loop around a few of its moves, with the definitions these need."""
    scope = dict(draw.scope)
    if theme.nests and (not theme.moves or draw.chance(0.7)):
        body = tuple(nest(draw, 2, lambda d, _: simple(d), _way_out))
    else:
        with draw.inner(loop=True):
            span = Expr("range", draw.choice(["range(1)", "range(2)", "range(n)", "range(n + 1)"]))
            body = (For("i0", span, (*simple(draw), *simple(draw))),)
    state = _state((theme,), body)
    text = "\n".join((*theme.prelude, *state, *block_lines(body, 0), *theme.result))
    named = lambda name: re.search(rf"\b{name}\b", text) is not None
    params = ("x", "w", "n", *(name for name in "yAZ" if name in scope and named(name)))
    prelude = [line for name, line in TINY_PRELUDE.items() if named(name)]
    terms = [f"np.sum(np.sin({name}))" for name in "abm" if named(name)]
    terms += [*(name for name in "st" if named(name)), *theme.result, *filter(None, state.values())]
    total = Expr("s", "np.sum(x * w)")
    for term in terms:
        total = Expr("s", "{0} + {1}", (total, Expr("s", term)))
    return Program(seed, params, (*map(Line, (*prelude, *theme.prelude, *state)), *body), total)


TINY_PRELUDE = {
    "a": "a = x * x",
    "b": "b = x * w",
    "s": "s = 0.4",
    "t": "t = w * w",
    "p": "p = 1",
    "m": "m = np.outer(x[:3], x)",
}


def _themes(rng: random.Random, options: Options, scope: dict[str, str]) -> tuple[Theme, ...]:
    """Some themes; with them there is always a matrix, and often one among the arguments."""
    scope |= {"m": "m"} | ({"A": "m"} if rng.random() < options.second_array else {})
    named = tuple(t for t in (*THEMES, *APART) if t.name == options.alone)
    themes = named or tuple(rng.sample(THEMES, options.themes))
    for theme in themes:
        scope |= theme.scope
    scope |= {"Z": "z4"} if "zz" in scope and rng.random() < options.second_array else {}
    return themes


def _vocabulary(rng: random.Random, scope: dict[str, str], themes: tuple[Theme, ...]) -> Draw:
    draw = Draw(rng, FORMS, LEAVES, FAMILIES, NESTS, scope)
    return widened(draw, themes) if themes else draw


def _prelude(scope: dict[str, str], themes: tuple[Theme, ...]) -> Block:
    lines = ["a = x.copy()", "b = y * w" if "y" in scope else "b = x * w"]
    lines += ["s = 0.4", "t = w * w", "p = 0"]
    if "m" in scope:
        lines += ["m = np.zeros((n, 4))", "m[:] = x", "m[1] *= w", "m[2, 1:] += 0.3 * w"]
    lines += [line for theme in themes for line in theme.prelude]
    return tuple(map(Line, lines))


def _state(themes: Iterable[Theme], body: Block) -> dict[str, str]:
    """What a body names of the state of its themes: the lines that bind it, and what reads it."""
    text = "\n".join(block_lines(body, 0))
    every = [item for theme in themes for item in theme.state.items()]
    return {line: term for name, (line, term) in every if re.search(rf"\b{name}\b", text)}


def _result(scope: dict[str, str], themes: tuple[Theme, ...], more: Iterable[str] = ()) -> Expr:
    """A sum that reads all state, in which the shrinker may keep either half."""
    terms = ["np.sum(a * b)", "np.sum(np.sin(a))", "b[1] * s", "t", "0.3 * x[2]"]
    terms += ["np.sum(np.cos(m) * a)"] if "m" in scope else []
    terms += [term for theme in themes for term in theme.result]
    terms += more
    total = Expr("s", terms[0])
    for term in terms[1:]:
        total = Expr("s", "{0} + {1}", (total, Expr("s", term)))
    return total


ARRAYS = ("a", "b", "x", "a[1:]", "b[::-1]", "a * b", "np.sin(x)", "t")
COMPLEX = ("zz", "zz[::2]", "zz.conj()", "a - zz.real")
MATRICES = ("m", "m[1]", "m.T", "m[:, 1:3]")


def _outputs(draw: Draw) -> tuple[Expr, ...]:
    """Arrays of the state, views of them, and the same one twice."""
    usable = ARRAYS + (MATRICES if "m" in draw.scope else ())
    usable += COMPLEX if "zz" in draw.scope else ()
    return tuple(Expr("array", draw.choice(usable)) for _ in range(draw.rng.randint(1, 3)))


def block(draw: Draw, count: int, depth: int) -> Block:
    stmts: list[Stmt] = []
    for _ in range(count):
        stmts += statement(draw, depth)
    return tuple(stmts)


def statement(draw: Draw, depth: int) -> list[Stmt]:
    """One random statement, or the few lines of a move."""
    pick = draw.rng.random()
    if pick < 0.02:
        return [_early_return(draw)]
    if draw.loops and pick < 0.09:
        return [_leave(draw)]
    if depth and 0.1 < pick < 0.18:
        return [_branch(draw, depth)]
    if depth and 0.2 < pick < 0.31 - 0.02 * draw.loops:
        return [_for(draw, depth)]
    if depth > 1 and 0.31 < pick < 0.42 - 0.04 * draw.loops:
        return nest(draw, depth, _some, _way_out)
    if depth and pick > 0.95:
        return _while(draw, depth)
    return simple(draw)


def _some(draw: Draw, depth: int) -> list[Stmt]:
    return list(block(draw, draw.rng.randint(1, 2), depth))


def _way_out(draw: Draw) -> Stmt:
    return _leave(draw) if draw.chance(0.7) else _early_return(draw)


def _leave(draw: Draw) -> Stmt:
    word = draw.choice(["break", "continue"])
    return If(draw.expr("b"), (Line(word, (), (word,)),))


def _early_return(draw: Draw) -> Stmt:
    where = "return in a loop" if draw.loops else "early return"
    value = draw.expr("s", 2)
    whole = Expr("s", "{0} + {1}", (Expr("s", "np.sum(a * a)"), value))
    return If(draw.expr("b"), (Line("return {0}", (whole,), (where,)),))


def _inner(draw: Draw, depth: int, loop: bool = False) -> Block:
    with draw.inner(loop):
        return block(draw, draw.rng.randint(1, 4 - draw.loops // 2), depth - 1)


def _branch(draw: Draw, depth: int) -> Stmt:
    cond = draw.expr("b")
    body = _inner(draw, depth)
    return If(cond, body, _inner(draw, depth) if draw.chance(0.6) else ())


def _else(draw: Draw, depth: int) -> Block:
    return _inner(draw, min(depth, 2)) if draw.chance(0.15) else ()


def _for(draw: Draw, depth: int) -> Stmt:
    span = draw.expr("range")
    draw.count += 1
    var = f"i{draw.count}"
    with draw.inner(var=var):
        body = _inner(draw, depth, loop=True)
    orelse = _else(draw, depth)
    if not span.args and draw.chance(0.2):
        draw.scope[var] = "int"  # such a range is never empty: the variable outlives the loop
    return For(var, span, body, orelse, span.tags)


def _while(draw: Draw, depth: int) -> list[Stmt]:
    draw.count += 1
    counter = f"k{draw.count}"
    cond = draw.expr("b", 2) if draw.chance(0.6) else None
    style = draw.choice(["up", "up", "down", "after", "forever"])
    draw.scope[counter] = "int"
    body = _inner(draw, depth, loop=True)
    orelse = _else(draw, depth) if style != "forever" else ()
    return [While(counter, style, draw.choice(["n", "3"]), cond, body, orelse)]
