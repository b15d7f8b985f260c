"""The simple statements of a random program, as a table of moves.

A move is one or several lines that belong together (a view is taken, then written through).  Names
say what they hold, so that a join of two branches never changes a length: `a b x y c h d e` vectors
of 4, `r z` of 3, `q u` of 2, `m g` matrices of 3 rows and 4 columns, `s t` scalars, `p` an int in
0..2, `pair` a tuple of two vectors, `idx` four indices, `held` an element as it was.
"""

from dataclasses import dataclass, field

from tests.fuzz.draw import Draw
from tests.fuzz.tree import Line, Stmt


@dataclass(frozen=True)
class Move:
    weight: float
    lines: tuple[str, ...]
    tags: tuple[str, ...] = ()
    declares: dict[str, str] = field(default_factory=dict)  # names that exist afterwards
    needs: tuple[str, ...] = ()
    loop: bool = False  # only inside a loop


C, R, Q, H = {"c": "v4"}, {"r": "v3"}, {"q": "v2"}, {"h": "v4"}
PAIR, IDX, U = {"pair": "pair"}, {"idx": "idx"}, {"u": "v2"}
ELEMENT = ("element store",)
SLICE = ("slice store",)
WHOLE = ("whole store",)
VIEW = ("view written through",)
ROW, COLUMN, CELL = ("matrix row",), ("matrix column",), ("matrix element",)
FRESH = ("fresh array in a loop",)
MUTATES = ("helper mutates",)
TWICE = ("helper mutates", "helper with one array twice")
RETURNS, SAME = ("helper returns a buffer",), ("helper returns its argument",)
JOINED = ("joined reference",)
TUPLE = ("tuple of arrays",)

SCALARS = (
    Move(4, ("s = {bounded_s}",)),
    Move(4, ("t = {bounded_s}",)),
    Move(3, ("s += {small_s}",), ("+=",)),
    Move(2, ("t -= {small_s}",), ("-=",)),
    Move(2, ("t *= {gain_s}",), ("*=",)),
    Move(2, ("p = (p + {int}) % n",), ("index arithmetic",)),
    Move(1, ("s, t = t, {bounded_s}",)),
    Move(2, ("held = {n4}[{ix4}]",), (), {"held": "held"}),
)

ELEMENTS = (
    Move(9, ("{n4}[{ix4}] = {bounded_s}",), ELEMENT),
    Move(3, ("{n4}[{ix4}] += {small_s}",), (*ELEMENT, "+=")),
    Move(2, ("{n4}[{ix4}] *= {gain_s}",), (*ELEMENT, "*=")),
    Move(2, ("{n4}[{ix4}] -= {small_s}",), (*ELEMENT, "-=")),
    Move(1, ("{n3}[{ix3}] = {bounded_s}",), ELEMENT),
    Move(1, ("{n4}[{ix4}], {n4}[{ix4}] = {n4}[{ix4}], {bounded_s}",), ELEMENT),
)

ARRAYS = (
    Move(3, ("{n4}[:] = {bounded_v4}",), WHOLE),
    Move(1, ("{n4}[...] = {bounded_v4}",), WHOLE),
    Move(1, ("{n4}[:] = {bounded_s}",), WHOLE),
    Move(2, ("{n4} += {small_v4}",), (*WHOLE, "+=")),
    Move(2, ("{n4} *= {gain_v4}",), (*WHOLE, "*=")),
    Move(1, ("{n4} -= {small_v4}",), (*WHOLE, "-=")),
    Move(2, ("{n4}[1:] = {bounded_v3}",), SLICE),
    Move(1, ("{n4}[:n] = {bounded_v3}",), SLICE),
    Move(2, ("{n4}[::2] = {bounded_v2}",), SLICE),
    Move(1, ("{n4}[::-2] += {small_v2}",), (*SLICE, "+=")),
    Move(1, ("{n4}[{ix4}:] *= {gain_s}",), (*SLICE, "*=")),
    Move(1, ("{n4}[p:p + 2] = {bounded_v2}",), SLICE),
)

OVERLAPS = (
    Move(1, ("a[1:] += 0.4 * a[:-1]",), ("overlapping update", *SLICE, "+=")),
    Move(1, ("b[:-1] = 0.5 * b[1:] * {gain_s}",), ("overlapping update", *SLICE)),
    Move(1, ("x[1:] *= np.cos(x[:-1])",), ("overlapping update", *SLICE, "*=")),
    Move(1, ("b[1:] = b[:-1]",), ("overlapping update", *SLICE)),
    Move(1, ("a[:] = a[::-1]",), ("overlapping update", *WHOLE)),
    Move(1, ("a[1:3] -= 0.3 * a[:2] * a[2:]",), ("overlapping update", *SLICE, "-=")),
)

NAMES = (
    Move(2, ("a, b = b, a",), ("swap",)),
    Move(1, ("a, x = x, a",), ("swap",)),
    Move(1, ("s, t = t, s",), ("swap",)),
    Move(1, ("a, b, x = b, x, a",), ("swap",)),
    Move(1, ("c, b = b, c",), ("swap",), needs=("c",)),
    Move(1.5, ("a = b",), ("rebinding to another array",)),
    Move(1.5, ("b = {n4}",), ("rebinding to another array",)),
    Move(1, ("a = h",), ("rebinding to another array",), needs=("h",)),
    Move(1, ("b = a[::-1]",), ("rebinding to another array",)),
    Move(2, ("a = {bounded_v4}",), ("rebinding to a new array",)),
    Move(2, ("b = np.sin(b)",), ("rebinding to a new array", "sin")),
    Move(1, ("x = {bounded_v4}",), ("rebinding to a new array",)),
    Move(0.7, ("m = {bounded_m}",), ("rebinding to a new array",), needs=("m",)),
    Move(3, ("c = {n4} if {b} else {n4}", "c[{ix4}] = {bounded_s}"), JOINED + ELEMENT, C),
    Move(1.5, ("c = {n4} if {b} else {n4}", "c *= {gain_v4}"), JOINED + WHOLE, C),
    Move(1.5, ("q = {n4}[:2] if {b} else {n4}[2:]", "q[{ix2}] += {small_s}"), JOINED + ELEMENT, Q),
    Move(2, ("pair = ({n4}, {n4})",), TUPLE, PAIR),
    Move(2, ("pair = (pair[1], pair[0])",), (*TUPLE, "swap"), needs=("pair",)),
    Move(1, ("{pair}[0][{ix4}] = {bounded_s}",), TUPLE + ELEMENT),
    Move(1, ("{pair}[1][{ix4}] += {small_s}",), (*TUPLE, *ELEMENT, "+=")),
    Move(1, ("a, b = pair",), TUPLE, needs=("pair",)),
)

VIEWS = (
    Move(1.5, ("c = {n4}[:]", "c[{ix4}] = {bounded_s}"), VIEW + ELEMENT, C),
    Move(1.5, ("c = {n4}[::-1]", "c[{ix4}] += {small_s}"), (*VIEW, *ELEMENT, "+="), C),
    Move(1, ("c = {nm}[{ix3}]", "c[{ix4}] *= {gain_s}"), VIEW + ELEMENT + ROW, C),
    Move(2, ("q = {n4}[1:3]", "q *= {gain_s}"), (*VIEW, "*="), Q),
    Move(1, ("q = middle({n4})", "q[:] = {bounded_v2}"), VIEW, Q),
    Move(1, ("q = {n4}[p:p + 2]", "q += {small_v2}"), (*VIEW, "+="), Q),
    Move(1.5, ("r = {n4}[1:]", "r[{ix3}] = {bounded_s}"), VIEW + ELEMENT, R),
    Move(1, ("r = {nm}[:, {ix4}]", "r[:] = {bounded_v3}"), VIEW + COLUMN, R),
    Move(1.5, ("r = {n4}[:-1]", "q = r[1:]", "q -= {small_v2}"), (*VIEW, "view of a view"), R | Q),
    Move(1, ("c = {n4}[::-1]", "q = c[::2]", "q[{ix2}] = s"), (*VIEW, "view of a view"), C | Q),
    Move(1, ("c = {nm}[{ix3}]", "r = c[1:]", "r *= {gain_v3}"), (*VIEW, "view of a view"), C | R),
)

RESHAPED = (
    Move(1.5, ("r = {nm}.T[{ix4}]", "r[{ix3}] = {bounded_s}"), VIEW + ELEMENT + COLUMN, R),
    Move(1, ("{nm}.T[1:] *= {gain_v3}",), (*VIEW, *SLICE, "*=")),
    Move(1, ("c = {nm}.reshape(12)[4:8]", "c += {small_v4}"), (*VIEW, "view of a view", "+="), C),
    Move(1, ("c = {nm}.reshape(2, 6)[1, ::-1][:4]", "c[{ix4}] = {bounded_s}"), VIEW + ELEMENT, C),
    Move(1, ("q = {n4}.reshape(2, 2)[{ix2}]", "q[:] = {bounded_v2}"), VIEW + SLICE, Q),
    Move(1, ("{n4}[{ix4}:][::-1][0] *= {gain_s}",), (*VIEW, *ELEMENT, "*=")),
)

FRESHES = (
    Move(1, ("h = np.zeros(4)", "h[{ix4}] = {bounded_s}"), FRESH + ELEMENT, H, loop=True),
    # One line, and it reads nothing drawn: uninitialised memory is never read, shrunk or not.
    Move(1, ("h = np.empty(n + 1); h[:] = np.tanh(a * t)",), FRESH + WHOLE, H, loop=True),
    Move(1, ("h = {n4}.copy()", "h[{ix4}] *= {gain_s}"), FRESH + ELEMENT, H, loop=True),
    Move(1, ("h = np.zeros_like(a)", "h[1:] += {small_v3}"), FRESH + SLICE, H, loop=True),
    Move(1, ("h = {bounded_v4}", "h[0] = {bounded_s}", "a = h"), FRESH + ELEMENT, H, loop=True),
    Move(1, ("h = np.ones(4) * {s}", "h[::2] = {bounded_v2}"), FRESH + SLICE, H, loop=True),
)

HELPERS = (
    Move(2, ("s = smear({n4}, {v4}, {s})",), MUTATES),
    Move(1, ("smear({n4}, {n4}, {s})",), MUTATES),
    Move(1.5, ("blend({n4}, {v4}, {s})",), MUTATES),
    Move(1, ("t = first_above({n4}, CUT)",), MUTATES),
    Move(1, ("b = carry({v4}, {s})",), ("rebinding to a new array",)),
    Move(1, ("s = both({n4}, {n4}, {s})",), MUTATES),
    Move(1, ("t = 0.5 * relax({nm}, {s})",), MUTATES),
    Move(1, ("s = smear(a, a, {s})",), TWICE),
    Move(0.7, ("blend(b, b, {s})",), TWICE),
    Move(0.7, ("t = both(a, a, {s})",), TWICE),
    Move(0.7, ("smear(a, a[::-1], w)",), TWICE),
    Move(1.5, ("e = spread({v4}, {s})", "e[{ix4}] *= {gain_s}"), RETURNS, {"e": "v4"}),
    Move(2, ("e = climb({v4}, CUT)", "e[{ix4}] += {small_s}"), RETURNS, {"e": "v4"}),
    Move(1, ("g = table({v4}, {s})", "g[{ix3}] *= {gain_v4}"), RETURNS + ROW, {"g": "m"}),
    Move(1.5, ("c = same({n4})", "c[{ix4}] = {bounded_s}"), SAME + ELEMENT, C),
    Move(1.5, ("c = either({n4}, {n4}, {s})", "c[{ix4}] += {small_s}"), SAME + JOINED, C),
    Move(1, ("q, u = ends({n4})", "q *= {gain_v2}", "q, u = u, q"), (*SAME, "swap"), Q | U),
)

INDEXED = (
    Move(2, ("idx = np.array([1, 3, 0, 2])",), (), IDX),
    Move(1, ("idx = np.array([2, 0, 2, 1])",), (), IDX),
    Move(1, ("{idx}[{ix4}] = {int}",)),
    Move(2, ("{n4}[{ia}] = {bounded_v4}",), ("scatter",)),
    Move(1, ("{n4}[{ia}] = {bounded_s}",), ("scatter",)),
    Move(1.5, ("{n4}[{ia}] += {small_v4}",), ("scatter", "+=")),
    Move(1.5, ("np.add.at({n4}, {ia}, {small_v4})",), ("scatter",)),
    Move(1, ("{nm}[np.array([0, 2, 1]), np.array([1, 1, 3])] *= {gain_v3}",), ("scatter", "*=")),
    Move(2, ("{n4}[{n4} > CUT] *= {gain_s}",), ("mask", "*=")),
    Move(2, ("{n4}[{n4} < CUT] = {bounded_s}",), ("mask",)),
    Move(1, ("s = 0.3 * np.sum({n4}[{n4} > CUT])",), ("mask", "sum")),
)

MATRICES = (
    Move(2, ("{nm}[{ix3}, {ix4}] = {bounded_s}",), ELEMENT + CELL),
    Move(1, ("{nm}[{ix3}, {ix4}] += {small_s}",), (*ELEMENT, *CELL, "+=")),
    Move(2, ("{nm}[{ix3}] = {bounded_v4}",), SLICE + ROW),
    Move(1, ("{nm}[{ix3}, 1:] *= {gain_v3}",), (*SLICE, *ROW, "*=")),
    Move(2, ("{nm}[:, {ix4}] = {bounded_v3}",), SLICE + COLUMN),
    Move(1, ("{nm}[:, 1:] -= 0.3 * {nm}[:, :-1]",), (*SLICE, "-=")),
    Move(1, ("{nm}[:] = {bounded_m}",), WHOLE),
    Move(1, ("{nm} *= {gain_v4}",), (*WHOLE, "*=", "broadcasting")),
    Move(1, ("{nm}[{ix3}:] = {bounded_v4}",), (*SLICE, "broadcasting")),
    Move(1, ("{nm}[:, {ix4}:] += {small_v3}[:, None]",), (*SLICE, "+=", "broadcasting")),
)

# How often each family is drawn, per statement.
FAMILIES: tuple[tuple[float, tuple[Move, ...]], ...] = (
    (9, SCALARS),
    (13, ELEMENTS),
    (10, ARRAYS),
    (3, OVERLAPS),
    (7, NAMES),
    (7, VIEWS),
    (2, RESHAPED),
    (5, FRESHES),
    (6, HELPERS),
    (6, MATRICES),
    (5, INDEXED),
)


def simple(draw: Draw) -> list[Stmt]:
    """The lines of one random move."""
    move = _choose(draw)
    lines: list[Stmt] = []
    for text in move.lines:
        form, args = draw.fill(text, 2)
        lines.append(Line(form.replace("CUT", draw.cut()), args, () if lines else move.tags))
    draw.scope |= move.declares
    return lines


def _choose(draw: Draw) -> Move:
    families = [(w, [m for m in moves if _fits(draw, m)]) for w, moves in draw.families]
    families = [(w, moves) for w, moves in families if moves]
    moves = draw.rng.choices([m for _, m in families], [w for w, _ in families])[0]
    return draw.rng.choices(moves, [m.weight for m in moves])[0]


def _fits(draw: Draw, move: Move) -> bool:
    """A line may store to names that the lines before it declare."""
    if move.loop and not draw.loops:
        return False
    return all(n in draw.scope for n in move.needs) and draw.possible(move.lines[0])
