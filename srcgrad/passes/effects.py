"""Effects: what statements read, write and may raise, and so which may move or vanish.

A *class* is an alias class, named by its representative. Never changes a statement.
"""

from __future__ import annotations

from srcgrad.ir.alias import AliasClasses
from srcgrad.ir.nodes import Atom, Block, Const, Def, Stmt, Var
from srcgrad.ir.summaries import Summaries
from srcgrad.ir.types import Array, Scalar, Tuple, is_float, is_int, is_reference, references
from srcgrad.ir.walk import blocks, walk
from srcgrad.primitives import attached, elementwise, memory, singular_vectors
from srcgrad.primitives.schedules import MARKS

# the index checks: all raise IndexError, and no other operation does
PLACE_CHECKS = frozenset((memory.index, memory.check_range))


def _is_nonzero(a: Atom) -> bool:
    return isinstance(a, Const) and a.value != 0


def may_raise(d: Def) -> bool:
    """Whether a definition may raise at run time, given what its operands rule out."""
    match d.op:
        case elementwise.floordiv:
            return not is_float(d.args[1].type.dtype) and not _is_nonzero(d.args[1])
        case memory.trips | memory.slice_start | memory.slice_stop:
            return not _is_nonzero(d.args[2])
        case elementwise.pow if is_int(d.args[1].type.dtype):
            # NumPy refuses integers to negative integer powers
            return not (isinstance(d.args[1], Const) and d.args[1].value >= 0)
        case singular_vectors.singular_values:
            return d.params["checked"]
        case _:
            return d.op.raises


def is_write(d: Def) -> bool:
    return d.op.writes


def is_observable(d: Def) -> bool:
    """Whether running a definition can be observed other than through its result or a buffer."""
    if d.op is attached.attached:
        return d.params["rule"].exchanged
    return may_raise(d) or (d.op.effect and not is_write(d) and d.op not in MARKS)


def observable_within(s: Stmt) -> bool:
    """Whether a statement, or one inside it, is observable."""
    if isinstance(s, Def):
        return is_observable(s)
    return any(observable_within(t) for b in blocks(s) for t in b)


def reads(d: Def) -> list[Var]:
    """The references whose buffers' contents a definition reads.

    A view of an array reads nothing, nor does its length. A tape grows, so views of it do read.
    """
    args = d.args
    names_only = d.op is memory.dim or (d.op.view and isinstance(args[0].type, Array))
    if is_write(d) or names_only:
        args = args[1:]
    return references(args)


def classes_read(d: Def, classes: AliasClasses) -> set[Var]:
    return {classes.of(v) for v in reads(d)}


def classes_stored(classes: AliasClasses) -> Summaries[set[Var]]:
    """The classes that each statement stores to, those of nested blocks included."""

    def made(s: Stmt, inner: list[set[Var]]) -> set[Var]:
        if isinstance(s, Def):
            return {classes.of(s.args[0])} if is_write(s) else set()
        return set[Var]().union(*inner)

    return Summaries(made)


def classes_written(block: Block, classes: AliasClasses) -> set[Var]:
    """The classes that a block's statements store to, those of nested blocks included."""
    return {classes.of(s.args[0]) for s in walk(block) if isinstance(s, Def) and is_write(s)}


def is_scalar_operation(d: Def) -> bool:
    """A scalar made of scalars (or the length of an axis): the same wherever it is computed."""
    if d.var is None or not isinstance(d.var.type, Scalar):
        return False
    return d.op is memory.dim or all([isinstance(a.type, Scalar) for a in d.args])


def makes_buffer(d: Def) -> bool:
    """Whether the result is a reference to a buffer of its own."""
    return d.var is not None and is_reference(d.var.type) and not d.op.view


def has_several_results(d: Def) -> bool:
    return d.var is not None and isinstance(d.var.type, Tuple)
