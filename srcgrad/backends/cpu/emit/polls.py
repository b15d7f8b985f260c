"""Where compiled code looks for signals: it reads a flag, and calls `srcgrad_poll` if that is set.

A look is three instructions; `polling.py` says who sets the flag. What takes a moment has none:

- a loop that is short whatever the arguments;
- a *pass*, loops whose trips have an element of memory each, if it does little per element; but
  what a row of statements does is added up, and there is a look before it is too much.

Another loop looks in each trip. An innermost `for` may become one of vectors, and one around single
passes, in a loop that looks, may do little in a trip: they run in strips, with a look between two.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager

from srcgrad.backends.cpu.calls import CALLS
from srcgrad.backends.cpu.emit.called import LIBRARY
from srcgrad.backends.cpu.emit.failures import INTERRUPTED, RARELY, leave
from srcgrad.backends.cpu.emit.functions import FUNCTIONS
from srcgrad.backends.cpu.emit.special import SPECIALS
from srcgrad.backends.cpu.emit.writer import Writer
from srcgrad.ir.nodes import Block, Const, Def, For, If, Stmt, Var, While
from srcgrad.ir.types import Atom, Scalar
from srcgrad.ir.walk import blocks, inner_definitions, results, uses, walk
from srcgrad.primitives import arrays, elementwise, memory, scans, tapes

SYMBOL, BEGIN = "srcgrad_poll", "srcgrad_poll_begin"
SHORT = 1 << 12  # statements that a loop executes whatever the arguments, and need no look
STRIP = 1 << 16  # statements between two looks of an innermost loop
ROWS = 1 << 4  # trips between two looks of a loop around others
LIGHT = 1 << 8  # statements for each element of memory between two looks in a row of passes
PASS = 1 << 4  # statements for each element in a pass without a look: about what reading it takes
FAST = (arrays.matvec, arrays.vecdot, scans.searchsorted)
WEIGHTS = {
    **dict.fromkeys((*CALLS, *LIBRARY), LIGHT // 4), **dict.fromkeys(FAST, 4),
    **dict.fromkeys(FUNCTIONS, PASS), **dict.fromkeys(SPECIALS, LIGHT // 2),
}  # fmt: skip
ELEMENTS = (memory.load, memory.store, memory.add_at)
VIEWS = (memory.view, tapes.tape_view)
SUMS = (elementwise.add, elementwise.mul, elementwise.maximum, elementwise.minimum)
AFFINE = (elementwise.add, elementwise.sub, elementwise.mul)
TOUCHED = "memory(argmem: readwrite, inaccessiblemem: readwrite)"
DECLARED = f"i1 @{SYMBOL}(ptr) cold nounwind {TOUCHED}"


# ---- what a statement takes ----
def is_short(s: Stmt) -> bool:
    """Whether a statement takes a moment at most, whatever the arguments."""
    return _most(s) <= SHORT


def _most(s: Stmt) -> int:
    """How many statements are executed at most; more than SHORT if that is not known."""
    match s:
        case Def():
            return SHORT + 1 if _calls(s) else 1
        case If():
            return 1 + max(_sum(_most, s.then), _sum(_most, s.orelse))
        case For(start=Const(value=start), stop=Const(value=stop)):
            trips = max(int(stop) - int(start), 0)
            return 1 + trips * _sum(_most, s.body)
    return SHORT + 1


def _weight(s: Stmt) -> int:
    """The number of statements that a pass runs for each element."""
    match s:
        case Def():
            return WEIGHTS.get(s.op, 1)
        case If():
            return 1 + max(_sum(_weight, s.then), _sum(_weight, s.orelse))
    return _most(s) if is_short(s) else 1 + sum(_sum(_weight, b) for b in blocks(s))


def _sum(of: Callable[[Stmt], int], block: Block) -> int:
    return sum(map(of, block))


def _calls(s: Stmt) -> bool:
    """Whether it is a call of a library."""
    return isinstance(s, Def) and (s.op in CALLS or s.op in LIBRARY)


def loops_in(block: Block) -> Iterator[For | While]:
    """The loops of a block that are not short; the outer ones of nests."""
    for s in block:
        if isinstance(s, If):
            yield from loops_in(s.then)
            yield from loops_in(s.orelse)
        elif not isinstance(s, Def) and not is_short(s):
            yield s


# ---- passes ----
def is_pass(w: Writer, s: Stmt) -> bool:
    """Whether the trips of a loop and of the loops in it have an element of memory each."""
    known = w.program.passes
    if s not in known:
        known[s] = _is_pass(s)
    return known[s]


def _is_pass(s: Stmt) -> bool:
    if not isinstance(s, For) or any(_calls(x) for x in walk(s.body)):
        return False
    return _covered(s, {}, frozenset())


def _covered(s: For | While, places: dict[Var, frozenset[Var]], outer: frozenset[Var]) -> bool:
    """Whether the loops access an element whose position depends on all their indices.

    `places` maps variables to the indices that they depend on.
    """
    if isinstance(s, While):
        return False
    indices = outer | {s.index}
    places = {**places, s.index: frozenset((s.index,))}
    touched: set[Stmt] = set()
    for x in walk(s.body):
        if not isinstance(x, Def):
            continue
        told = [t for a in x.args if isinstance(a, Var) and (t := places.get(a))]
        if x.var is not None and (x.op in VIEWS or (x.op in AFFINE and len(told) == 1)):
            places[x.var] = frozenset().union(*told)
        elif x.op in ELEMENTS and indices <= frozenset().union(*told):
            touched.add(x)
    found = not touched.isdisjoint(_unconditional(s.body))
    return found and all(_covered(x, places, indices) for x in loops_in(s.body))


def _unconditional(block: Block) -> Iterator[Stmt]:
    for s in block:
        if isinstance(s, For):
            yield from _unconditional(s.body)
        yield s


# ---- what is written ----
def before(w: Writer, s: Stmt) -> None:
    """Look before a statement of a row if what was done since the last look becomes too much."""
    if not w.polls or w.passing or not (_calls(s) or is_pass(w, s)):
        return
    more = _weight(s)
    if w.done and w.done + more > LIGHT:
        look(w)
        w.done = 0
    w.done += more


def in_strips(w: Writer, s: For, watched: bool) -> bool:
    """Whether the trips of a loop run in strips: what they do may be little, or become vectors."""
    if any(_calls(x) for x in walk(s.body)):
        return False
    if not all(watched and _is_row(w, x) for x in loops_in(s.body)):
        return False
    return takes_long(w, s) and all(isinstance(p.type, Scalar) for p in s.params)


def _is_row(w: Writer, s: For | While) -> bool:
    """Whether a loop is a pass with no other loop in it."""
    return is_pass(w, s) and not any(loops_in(blocks(s)[-1]))


def looks(w: Writer, s: For | While, watched: bool) -> bool:
    """Whether each trip of a loop looks: not if it has a loop whose trips do."""
    if not takes_long(w, s) or (isinstance(s, For) and in_strips(w, s, watched)):
        return False
    return is_pass(w, s) or not any(
        looks(w, x, True)
        for x in blocks(s)[-1]
        if isinstance(x, While) or (isinstance(x, For) and not x.independent)
    )


def takes_long(w: Writer, s: For | While) -> bool:
    """Whether a loop takes more than a moment, as far as is known."""
    if not w.polls or w.passing or is_short(s):
        return False
    if not is_pass(w, s) or _weight(s) > PASS:
        return True
    return not w.watched and _recurs(s)


def _recurs(s: For | While) -> bool:
    """Whether a trip needs what the one before has made, other than to add to it."""
    return not all(_sums_up(s, p, y) for p, y in zip(s.params, s.yields, strict=True))


def _sums_up(s: For | While, p: Var, y: Atom) -> bool:
    if y is p:
        return True
    for x in blocks(s)[-1]:
        if isinstance(x, Def) and x.var is y:
            needing = _needing(s, p)
            return x.op in SUMS and p in x.args and sum(a in needing for a in x.args) == 1
        if isinstance(x, For) and y in x.results:
            return p is x.inits[x.results.index(y)] and not _recurs(x)
    return False


def _needing(s: For | While, p: Var) -> set[Atom]:
    """A carried value, and what a trip computes of it."""
    found: set[Atom] = {p}
    for x in walk(blocks(s)[-1]):
        if any(v in found for v in uses(x)):
            found.update((*results(x), *inner_definitions(x)))
    return found


@contextmanager
def within(w: Writer, s: For | While) -> Generator[None]:
    """Write the trips of a loop."""
    passing, watched = w.passing, w.watched
    if takes_long(w, s):
        w.done, w.watched = 0, True
    w.passing = passing or is_short(s) or is_pass(w, s)
    yield
    w.passing, w.watched = passing, watched


def look(w: Writer) -> None:
    """Read the flag, and leave the function where a handler has raised."""
    w.polled = True
    w.declare(DECLARED)
    flag = w.do("load volatile i8, ptr %poll, align 1")
    asking, leaving, on = w.labels("ask", "leave", "on")
    w.put(f"br i1 {w.do(f'icmp ne i8 {flag}, 0')}, label %{asking}, label %{on}{RARELY}")
    w.start(asking)
    told = w.do(f"call i1 @{SYMBOL}(ptr %poll)")
    w.put(f"br i1 {told}, label %{leaving}, label %{on}{RARELY}")
    w.start(leaving)
    leave(w, INTERRUPTED)
    w.start(on)


def strip(s: For) -> int:
    """How many trips of a loop run between two looks."""
    return ROWS if any(loops_in(s.body)) else max(STRIP // _weight(s), 256)


def entry(w: Writer) -> str:
    """Emits the head of a main function: loads the address of the flag of its thread."""
    w.declare(f"ptr @{BEGIN}() nounwind memory(inaccessiblemem: read)")
    return f"  %poll = call ptr @{BEGIN}()"
