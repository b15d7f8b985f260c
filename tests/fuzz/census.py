"""Which constructs a program contains: what the generator promises to produce, and a count of it.

Computed from the tree alone; whether a construct is reached when the program runs is not known.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from tests.fuzz.themes.wide_vocabulary import THEMES
from tests.fuzz.tree import (
    Block,
    For,
    Program,
    Stmt,
    While,
    blocks,
    own_exprs,
    walk_exprs,
)

CONSTRUCTS = tuple(
    """nested loops, run-time bound, step, negative step, while, break, continue, early return,
    return in a loop, loop with else, branch on data, ternary, element store, slice store,
    whole store, +=, *=, -=, view written through, view of a view, overlapping update, swap,
    rebinding to another array, rebinding to a new array, fresh array in a loop, helper mutates,
    helper with one array twice, matrix row, matrix column, matrix element, sum, max, sin, tanh,
    exp, sqrt, where, maximum, index arithmetic, negative index, local buffer in a nest,
    local buffer in a branch, local matrix rows, exit from a nest with a local buffer,
    view carried by a loop, joined reference, while around for around while,
    swap of different lengths, tuple of arrays, helper returns a buffer,
    helper returns its argument, gather, scatter, mask, reduction along an axis, broadcasting,
    parameter stored to, array returned, condition mutates, operand mutates, length of its own,
    test shares work with its body, element held while its array is stored to""".replace(
        "\n    ", " "
    ).split(", ")
)
# What the themes of the wide vocabulary add.
THEMED = tuple(sorted({tag for t in THEMES for part in (*t.moves, *t.nests) for tag in part.tags}))
STORE = re.compile(r"^ *[xy](\[.*\])? [-+*]?= ", re.MULTILINE)


def constructs(program: Program) -> frozenset[str]:
    """The constructs that occur in a program, by the names in `CONSTRUCTS`."""
    tags = [*_block_tags(program.body, 0)]
    tags += (tag for e in walk_exprs(program.result) for tag in e.tags)
    tags += ["array returned"] if program.outputs else []
    stores = (m.group() for m in STORE.finditer(program.source()))
    tags += ["parameter stored to"] if any(re.search(r"\[|[-+*]=", s) for s in stores) else []
    return frozenset(tags)


def census(programs: Iterable[Program], names: Iterable[str] = CONSTRUCTS) -> dict[str, float]:
    """The share of programs in which each construct occurs."""
    counts: Counter[str] = Counter()
    total = 0
    for program in programs:
        counts.update(constructs(program))
        total += 1
    return {name: counts[name] / max(total, 1) for name in names}


def _block_tags(block: Block, loops: int) -> Iterator[str]:
    for stmt in block:
        yield from _stmt_tags(stmt, loops)


def _stmt_tags(stmt: Stmt, loops: int) -> Iterator[str]:
    yield from stmt.tags
    for expr in own_exprs(stmt):
        yield from (tag for e in walk_exprs(expr) for tag in e.tags)
    loop = isinstance(stmt, For | While)
    if loop and loops:
        yield "nested loops"
    if loop and stmt.orelse:
        yield "loop with else"
    for inner in blocks(stmt):
        yield from _block_tags(inner, loops + loop)
