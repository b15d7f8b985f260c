"""Reduce a program that fails to a small one that fails in the same way.

Greedy: of all programs one step smaller (a statement gone, a block unwrapped, an expression
replaced by a part of itself or by a simple one) the first that still fails is kept, until none
does or time is up.  No step makes the program larger, so this ends.  It judges nothing itself:
`fails` decides, and a program that no longer runs is simply one that does not fail.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from tests.fuzz.tree import Block, Expr, For, If, Line, Program, Stmt, Try, While, blocks, size

SIMPLE = {
    "s": ("0.5", "w", "s", "t"),
    "v4": ("a", "x"),
    "v3": ("a[1:]",),
    "v2": ("a[1:3]",),
    "m": ("m",),
    "b": ("True", "False", "s > 0.371"),
    "int": ("p",),
    "ix4": ("0", "1"),
    "ix3": ("0", "1"),
    "ix2": ("0", "1"),
    "ia": ("np.array([3, 0, 2, 1])",),
    "n4": ("a",),
    "range": ("range(2)", "range(n)", "flow.prange(12)"),
    "act": ("s += xs[i]",),
    "val": ("xs[i]", "w"),
    "row": ("ms[i]",),
}


def shrink(program: Program, fails: Callable[[Program], bool], seconds: float = 60.0) -> Program:
    """The smallest failing program that was found in the time given."""
    end = time.monotonic() + seconds
    tried: set[str] = set()
    while time.monotonic() < end:
        for smaller in candidates(program):
            text = smaller.source()
            if text not in tried and time.monotonic() < end:
                tried.add(text)
                if fails(smaller):
                    program = smaller
                    break
        else:
            return program
    return program


def candidates(program: Program) -> Iterator[Program]:
    """Programs that are one step smaller, the boldest cuts first."""
    for body in block_candidates(program.body):
        yield replace(program, body=body)
    for result in expr_candidates(program.result):
        yield replace(program, result=result)
    for k in range(len(program.outputs)):
        yield replace(program, outputs=program.outputs[:k] + program.outputs[k + 1 :])


def block_candidates(block: Block) -> Iterator[Block]:
    """Runs of statements deleted, longest first; then every statement made smaller."""
    length = len(block)
    while length:
        for start in range(0, len(block) - length + 1):
            yield block[:start] + block[start + length :]
        length //= 2
    for k, stmt in enumerate(block):
        for smaller in stmt_candidates(stmt):
            yield block[:k] + smaller + block[k + 1 :]


def stmt_candidates(stmt: Stmt) -> Iterator[Block]:
    match stmt:
        case Line(args=args):
            for parts in _one_smaller(args):
                yield (replace(stmt, args=parts),)
        case If(cond, body, orelse):
            yield from (part for part in (body, orelse) if part)
            yield from _nested(stmt)
            for c in expr_candidates(cond):
                yield (replace(stmt, cond=c),)
        case For(var, span, body):
            yield (Line(f"{var} = 0"), *body)
            yield from _nested(stmt)
            for s in expr_candidates(span):
                yield (replace(stmt, span=s),)
        case Try():
            yield from (part for part in blocks(stmt) if part)
            yield from _try_candidates(stmt)
        case While():
            yield (Line(f"{stmt.counter} = 0"), *stmt.body)
            yield from _while_candidates(stmt)


def _try_candidates(stmt: Try) -> Iterator[Block]:
    for k, (caught, block) in enumerate(stmt.handlers):
        before, after = stmt.handlers[:k], stmt.handlers[k + 1 :]
        if before or after:
            yield (replace(stmt, handlers=before + after),)
        for smaller in block_candidates(block):
            yield (replace(stmt, handlers=(*before, (caught, smaller), *after)),)
    yield from _nested(stmt)
    for last in block_candidates(stmt.last):
        yield (replace(stmt, last=last),)


def _while_candidates(stmt: While) -> Iterator[Block]:
    span = Expr("range", "range(n)")
    yield (For(stmt.counter, span, stmt.body, stmt.orelse, stmt.tags),)
    yield from _nested(stmt)
    if stmt.cond:
        yield (replace(stmt, cond=None),)
        for c in expr_candidates(stmt.cond):
            yield (replace(stmt, cond=c),)


def _nested(stmt: If | For | While | Try) -> Iterator[Block]:
    if stmt.orelse:
        yield (replace(stmt, orelse=()),)
    for body in block_candidates(stmt.body):
        yield (replace(stmt, body=body),)
    for orelse in block_candidates(stmt.orelse):
        yield (replace(stmt, orelse=orelse),)


def expr_candidates(expr: Expr) -> Iterator[Expr]:
    """Simple expressions of the kind, parts of the expression that have it, smaller parts."""
    small = [Expr(expr.kind, text) for text in SIMPLE.get(expr.kind, ())]
    yield from (e for e in small if _rank(e) < _rank(expr))
    yield from (arg for arg in expr.args if arg.kind == expr.kind)
    for args in _one_smaller(expr.args):
        yield replace(expr, args=args)


def _rank(expr: Expr) -> tuple[int, int]:
    """Size, then the place in the list of simple ones: a leaf becomes only an earlier leaf."""
    simple = SIMPLE[expr.kind]
    text = str(expr)
    return size(expr), simple.index(text) if text in simple else len(simple)


def _one_smaller(args: tuple[Expr, ...]) -> Iterator[tuple[Expr, ...]]:
    for k, arg in enumerate(args):
        for smaller in expr_candidates(arg):
            yield (*args[:k], smaller, *args[k + 1 :])
