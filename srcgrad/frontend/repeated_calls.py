"""Interprets a function of numbers once for all further calls with arguments of the same kinds.

Interpreting a statement costs ten times what copying it does. The first calls are interpreted where
they are, since most functions have no more. Then the function is interpreted once more for numbers
of which nothing but the kind is known: what this emits is right for every such call, and each gets
a copy over fresh variables. So a copy differs from what interpreting the call would have emitted in
what was known there about the values alone, which the passes find again.

Only float arguments may be other ones in the next call. Arrays and integers have to be the very
variables, what is known when compiling an equal constant. A function that changes containers or
names outside, that returns anything but numbers and tuples of them, or that calls one which is
running, is interpreted at each call.
"""

from __future__ import annotations

import types
from collections import Counter
from collections.abc import Iterable
from dataclasses import fields
from typing import Any

from srcgrad import tree
from srcgrad.errors import Location, SrcgradError
from srcgrad.frontend.frame import Diverged, Frame, Poisoned
from srcgrad.frontend.heap import restore, snapshot
from srcgrad.frontend.inlining import inline
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.learned import Learned, one_trial
from srcgrad.frontend.requirements import Requirements, RestartTracing
from srcgrad.frontend.source import Source
from srcgrad.ir.clone import copied
from srcgrad.ir.nodes import Block, Def, Var
from srcgrad.ir.types import Array, Scalar, is_float
from srcgrad.ir.walk import defined, free_variables, walk
from srcgrad.records import record

ALIKE = 2  # calls of one kind that are interpreted where they are
SHORTEST = 24  # statements of a function for which a copy is worth its while
FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType, type, types.ModuleType)
CONSTANTS = (bool, int, float, complex, str, type(None))


@record(eq=False)
class Repeated:
    """The statements of a call with floats of which nothing is known: `params`, by their names."""

    params: dict[str, Var]
    block: Block
    result: Any
    returned_at: Location | None
    met: Counter[Any]  # the loops in it, as the loop around counts them
    classes: list[list[Var]]  # the numbers of it that have several classes


def inlined(
    it: Interpreter, found: Source, given: dict[str, Any], outer: Frame | None, node: Node
) -> Any:
    """The result of a call of a function: interpreted, or a copy of what such calls emit."""
    key = None if outer is not None else _key(it, found, given)
    if key is None:
        return inline(it, found, given, outer, node)
    known = it.repeated.get(key, 0)
    if known == ALIKE:
        known = it.repeated[key] = _interpreted(it, found, given, node)
    if isinstance(known, Repeated):
        return _copy(it, known, given)
    first = len(it.b.out)
    result = inline(it, found, given, outer, node)
    if isinstance(known, int):
        long = known or sum(1 for _ in walk(tuple(it.b.out[first:]))) >= SHORTEST
        it.repeated[key] = known + 1 if long else None
    return result


# ---- which calls are alike ----
def _key(it: Interpreter, found: Source, given: dict[str, Any]) -> Any:
    """A key that calls share whose statements differ in floats alone; None if there may be none."""
    if it.inside[found.tree] or found.place is not None or len(it.heads) > 1:
        return None
    if it.attempts or it.handled_now or it.problems or it.ruling or it.parts or it.outside:
        return None
    parts = [_part(it, v) for v in given.values()]
    return None if None in parts else (found.function, it.ignored, *zip(given, parts, strict=True))


def _part(it: Interpreter, v: Any) -> Any:
    """The part of a key for an argument; None if calls with one like it are never alike."""
    if isinstance(v, Var):
        return ("any", v.type, *_classes_of(it, v)) if _is_free(v) else ("the", v)
    if type(v) in CONSTANTS:
        return type(v), repr(v)
    if isinstance(v, FUNCTIONS):
        return "this", v
    return None


def _is_free(v: Any) -> bool:
    """Whether an argument is a float that may be another one in the next call."""
    return isinstance(v, Var) and isinstance(v.type, Scalar) and is_float(v.type.dtype)


def _classes(it: Interpreter) -> Iterable[set[Any]]:
    return vars(it.captures.classes).values()


def _classes_of(it: Interpreter, v: Var) -> list[bool]:
    return [v in numbers for numbers in _classes(it)]


# ---- for floats of which nothing is known ----
def _interpreted(
    it: Interpreter, found: Source, given: dict[str, Any], node: Node
) -> Repeated | None:
    """The statements of all calls of a key; None if a call shows in more than its result."""
    params = {n: Var(v.name, v.type) for n, v in given.items() if _is_free(v)}
    for n, p in params.items():
        for numbers in _classes(it):
            numbers.update([p] if given[n] in numbers else [])
    required, first, before = it.captures.required, it.mark(), snapshot(it)
    known, looped, loc = _contents(required), {*it.looped}, it.b.loc
    running, marks = {f.source.tree for f in it.frames}, _lengths(it)
    own, shared, loops = Learned(), it.b.scopes, len(it.reentered)
    it.b.scopes = [{} for _ in shared]  # numbers that were computed elsewhere are not taken
    try:
        with one_trial(it, own), it.b.block() as out:
            result = inline(it, found, {**given, **params}, None, node)
    except (SrcgradError, Diverged, Poisoned, RestartTracing):
        _take_back(required, known)
        it.looped.intersection_update(looped)
        result = None
    finally:
        it.b.scopes, it.b.loc = shared, loc
    shows = len(it.problems) > first.problems or marks != _lengths(it)
    it.forget(first)
    restore(it, before)
    if shows or not _is_of_numbers(result) or not running.isdisjoint(it.reentered[loops:]):
        return None
    block = tuple(out)
    read = free_variables(block, tree.leaves(result))
    if not _known(it, given, params).issuperset(read):
        return None
    made = defined(block)
    classes = [[v for v in made if v in numbers] for numbers in _classes(it)]
    return Repeated(params, block, result, it.returned_at, +own.met, classes)


def _contents(required: Requirements) -> dict[str, Any]:
    held = {f.name: getattr(required, f.name) for f in fields(required)}
    return {n: type(v)(v) if isinstance(v, set | dict) else v for n, v in held.items()}


def _take_back(required: Requirements, known: dict[str, Any]) -> None:
    """Gives requirements the contents of before; others hold the sets and dicts themselves."""
    for name, v in known.items():
        now = getattr(required, name)
        if isinstance(v, set | dict):
            now.clear()
            now.update(v)
        else:
            setattr(required, name, v)


def _lengths(it: Interpreter) -> tuple[int, ...]:
    """How much is noted of what shows outside: changes, views that are copies, names of modules."""
    noted = (it.changes, it.snapshots, it.reshapes, it.outside, it.shaped_at, it.ends)
    return tuple(map(len, noted))


def _known(it: Interpreter, given: dict[str, Any], params: dict[str, Var]) -> set[Var]:
    """The variables that each copy can read: arguments, and what precedes all statements."""
    same = [v for n, v in given.items() if isinstance(v, Var) and n not in params]
    lengths = [d for v in same if isinstance(v.type, Array) for d in v.type.dims]
    hidden = [h.var for h in it.captures.hidden.values()]
    found = {v for v in (*same, *lengths, *hidden, *params.values()) if isinstance(v, Var)}
    return found | defined((*it.b.entry, *it.heads[0][1]))


def _is_of_numbers(result: Any) -> bool:
    """Whether a result is a number, or made of numbers and tuples of them alone."""
    tuples = all(type(v) is tuple for v in tree.nodes(result))
    return tuples and all(map(_is_number, tree.leaves(result)))


def _is_number(v: Any) -> bool:
    if isinstance(v, Var):
        return isinstance(v.type, Scalar)
    return type(v) in CONSTANTS and v is not None


# ---- copies ----
def _copy(it: Interpreter, known: Repeated, given: dict[str, Any]) -> Any:
    """Emits a copy for the floats of a call; its result."""
    at = {p: given[n] for n, p in known.params.items()}
    block, new = copied(known.block, at)
    it.b.out.extend(block)
    made = [s for s in walk(block) if isinstance(s, Def)]
    it.b.definition.update({s.var: s for s in made if s.var is not None})
    for v, other in new.items():
        if v in it.same_tests and isinstance(other, Var) and v not in at:
            test, same = it.same_tests[v]
            it.same_tests[other] = new.get(test, test), same
    for numbers, own in zip(_classes(it), known.classes, strict=True):
        numbers.update([new[v] for v in own])
    it.returned_at = known.returned_at
    if it.nest:
        it.nest[-1].met.update(known.met)
    return tree.mapped(known.result, lambda v: new.get(v, v) if isinstance(v, Var) else v)
