"""Decides which loops are strip-mined: independent trips that wait for recurrences in them.

The trips must be independent, and nothing in them may raise, make memory or name it. Loops with
recurrences must have the same range in all trips. It pays where such a loop is a recurrence, whose
operations have vector forms: the trips of other loops are vectorised already. Refuses when in
doubt.
"""

from __future__ import annotations

from collections.abc import Iterator

from srcgrad.ir.nodes import Block, Const, Def, For, Function, If, Stmt, While, altered
from srcgrad.ir.types import Scalar, is_complex, is_reference
from srcgrad.ir.walk import blocks, inner_definitions, results, walk
from srcgrad.passes.combining import COMBINING, Reads, chain
from srcgrad.passes.dependence import Dependence
from srcgrad.passes.effects import is_scalar_operation, makes_buffer, may_raise
from srcgrad.passes.hoist_allocations import ALLOCATIONS, escaping
from srcgrad.passes.independent_loops import reorders
from srcgrad.passes.loops_in_chunks import VECTORISED
from srcgrad.passes.places import ELEMENTS
from srcgrad.passes.strips import sizes
from srcgrad.passes.strips.uniform import Uniform
from srcgrad.passes.verdicts import Independent
from srcgrad.primitives import elementwise as e
from srcgrad.primitives import memory, tapes
from srcgrad.records import record

# operations on numbers that machine code does not call for
INLINE = frozenset({
    e.add, e.sub, e.mul, e.neg, e.div, e.absorb, e.powi, e.lt, e.le, e.gt, e.ge, e.eq, e.ne,
    e.logical_and, e.logical_or, e.logical_xor, e.logical_not, e.isnan, e.isinf, e.isfinite,
    e.where, e.maximum, e.minimum, e.larger, e.smaller, e.clip, e.relu,
    e.sign, e.floor, e.ceil, e.trunc, e.rint,
    e.stop_gradient, e.before_rounding, e.abs, e.copysign, e.sqrt, e.cast, e.bit_and, e.bit_or,
    e.bit_xor, e.invert, e.signbit,
})  # fmt: skip


def recurrences(block: Block, reads: Reads) -> Iterator[For | While]:
    """The loops of a trip that are worth it: each of their trips waits for the one before it."""
    for s in block:
        if isinstance(s, While):
            yield s
        elif isinstance(s, For):
            if not is_unrolled(s) and recurs(s, reads):
                yield s
            yield from recurrences(s.body, reads)


def recurrences_of_plain(s: For, reads: Reads) -> list[For | While]:
    """The recurrences in the trips of a loop; none where a statement rules out strips by itself."""
    return list(recurrences(s.body, reads)) if all(map(_is_plain, walk(s.body))) else []


def recurs(s: For, reads: Reads) -> bool:
    """Whether each trip waits for a number of the one before it."""
    for p, y in zip(s.params, s.yields, strict=True):
        if y is p or is_reference(p.type):
            continue
        ops = chain(s.body, p, s.yields, y, reads)
        if ops is None or len(ops) != 1:
            return True
    return False


def is_unrolled(s: For) -> bool:
    """Whether LLVM writes out all trips of a loop, and may vectorise the one around it."""
    if not (isinstance(s.start, Const) and isinstance(s.stop, Const)):
        return False
    return (s.stop.value - s.start.value) * len(walk(s.body)) <= sizes.SHORT


@record(frozen=True)
class Chosen:
    """The facts about a loop that is to be rewritten."""

    found: Independent
    uniform: Uniform


class Candidates:
    """The loops of a function that may be strip-mined."""

    def __init__(self, function: Function, facts: Dependence, in_order: bool):
        self.facts, self.in_order = facts, in_order
        kept = escaping(function, facts.classes)
        self.outlives = {v for v, d in facts.places.definition.items() if makes_buffer(d)}
        self.outlives = {v for v in self.outlives if facts.classes.of(v) in kept}
        self.seen = {facts.classes.of(p) for p in function.params if is_reference(p.type)}

    def among(self, block: Block) -> dict[For, Chosen]:
        """The loops to rewrite, inner ones first: of nested loops the innermost."""
        out: dict[For, Chosen] = {}
        for s in block:
            inner: dict[For, Chosen] = {}
            for part in blocks(s):
                inner |= self.among(part)
            if not inner and isinstance(s, For) and (found := self.found(s)) is not None:
                inner = {s: found}
            out |= inner
        return out

    def found(self, s: For) -> Chosen | None:
        """The facts about a loop that is to be rewritten; None for the others."""
        worth = recurrences_of_plain(s, self.facts.reads)
        if not worth:
            return None
        uniform = Uniform(s, self.facts.classes)
        inner = (t for r in worth for t in walk((r,)))
        if not all(has_vector_form(t) or uniform.is_uniform(t) or _makes_memory(t) for t in inner):
            return None
        if not uniform.own.may_be_wide(s, self.outlives) or not self.has_form(s.body, uniform):
            return None
        if not self.raises_alike(s.body, uniform):
            return None
        verdict = self.facts.of(altered(s, promised=False))
        if not isinstance(verdict, Independent) or not self.may_interleave(s, verdict):
            return None
        return Chosen(verdict, uniform)

    def has_form(self, block: Block, uniform: Uniform, inside: bool = False) -> bool:
        """Whether loops have one range for all trips or touch no memory, and no branch has one."""
        for s in block:
            match s:
                case For() if (
                    inside or uniform.around or next(recurrences((s,), self.facts.reads), None)
                ):
                    if uniform.varies((s.start, s.stop)):
                        return False
                    if not self.has_form(s.body, uniform, inside=True):
                        return False
                case While():
                    if not uniform.is_uniform(s) and not _may_be_masked(s):
                        return False
                case If():
                    if any(isinstance(t, For | While) for t in walk((s,))):
                        return False
                    if uniform.own.is_touched((s,)):
                        return False
                case _:
                    pass
        return True

    def raises_alike(self, block: Block, uniform: Uniform) -> bool:
        """Whether all trips raise what one raises, before anybody sees what trips store."""
        for s in block:
            if not any(isinstance(t, Def) and may_raise(t) for t in walk((s,))):
                continue
            if not self.seen.isdisjoint(uniform.stored):
                return False
            if isinstance(s, For) and not uniform.is_uniform(s):
                if not uniform.around or not self.raises_alike(s.body, uniform):
                    return False
            elif not uniform.is_uniform(s):
                return False
        return True

    def may_interleave(self, s: For, found: Independent) -> bool:
        """Whether parts of trips may alternate with parts of others."""
        if found.scratch or found.leaders:
            return False
        if self.in_order and reorders(s, found):
            return False
        if any(op is not None and op not in COMBINING for op in found.combined):
            return False
        # a sum that a load, an addition and a store make is not one statement
        shared = {self.facts.classes.of(x) for x in (*found.shared, *found.near)}
        return all(
            t.op is memory.add_at
            for t in walk(s.body)
            if isinstance(t, Def)
            and t.op in ELEMENTS
            and self.facts.classes.of(t.args[0]) in shared
        )


def _is_plain(s: Stmt) -> bool:
    """Whether a statement computes or checks numbers, touches elements, or makes own memory."""
    if _makes_memory(s):
        return True
    if any(is_reference(v.type) for v in (*results(s), *inner_definitions(s))):
        return False
    if not isinstance(s, Def):
        return True
    if may_raise(s) and s.var is None:
        return not s.op.writes
    return not may_raise(s) and (s.op in ELEMENTS or is_scalar_operation(s))


def _makes_memory(s: Stmt) -> bool:
    """Whether a statement makes a buffer, or names a row of a tape."""
    return isinstance(s, Def) and (s.op in ALLOCATIONS or s.op is tapes.tape_view)


def has_vector_form(s: Stmt) -> bool:
    """Whether a statement of a recurrence has a vector form."""
    match s:
        case Def():
            if s.op in ELEMENTS:
                return True
            numbers = [a.type for a in (*s.args, *results(s))]
            if any(is_complex(t.dtype) for t in numbers):
                return False
            return s.op in INLINE or s.op in VECTORISED
        case If():
            inner = [t for b in blocks(s) for t in walk(b)]
            return not any(isinstance(t, Def) and t.op in ELEMENTS for t in inner)
        case _:
            return True


def _may_be_masked(s: While) -> bool:
    """Whether a trip may run once more after the end, if what it computes is not used."""
    for t in walk(s.test + s.body):
        if isinstance(t, For | While):
            return False
        if isinstance(t, Def) and (t.op in ELEMENTS or not is_scalar_operation(t)):
            return False
    return all(isinstance(p.type, Scalar) for p in s.params)
