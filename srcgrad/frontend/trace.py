"""Traces a Python function for the kinds of its arguments into an IR function.

An argument's structure (tuples, dicts, dataclasses) is taken apart into leaves; each run-time
leaf is a parameter. The result's structure is described by a template, and so are the changes
of the containers that the function was given.
"""

from __future__ import annotations

import types
from dataclasses import replace
from typing import Any

from srcgrad import tree
from srcgrad.errors import (
    ArgumentTypeError,
    RaisedError,
    ReturnTypeError,
    SrcgradError,
    UnboundError,
    UnsupportedError,
    raised_class,
    refusal,
)
from srcgrad.frontend import instances, source
from srcgrad.frontend.array_instances import check_class
from srcgrad.frontend.captures import Captures
from srcgrad.frontend.changed_captures import (
    ContainerWrite,
    ListsWrite,
    changed_containers,
    partial_lists,
    slots_of_captured,
    take_changed,
)
from srcgrad.frontend.dispatch import StagedInterpreter
from srcgrad.frontend.foreign import not_taken
from srcgrad.frontend.frame import Diverged
from srcgrad.frontend.guards import Guard, Hidden, Path, Unchanged
from srcgrad.frontend.handlers.registry import followed_as
from srcgrad.frontend.heap import contents, is_mutable
from srcgrad.frontend.inlining import inline
from srcgrad.frontend.interpreter import Interpreter
from srcgrad.frontend.kinds import type_of_value
from srcgrad.frontend.library_source import CLASSES
from srcgrad.frontend.memory_orders import refuse_reordered
from srcgrad.frontend.number_classes import is_either, is_mixed
from srcgrad.frontend.one_shape import several_shapes
from srcgrad.frontend.outside import NameWrite, changed_names, take_stored_names
from srcgrad.frontend.problems import all_problems
from srcgrad.frontend.raising_conditions import raised_by, raising
from srcgrad.frontend.read_only import refuse_visible
from srcgrad.frontend.requirements import Requirements, RestartTracing, place_of_list
from srcgrad.frontend.returned import OfClasses, Slot, Written, taken_apart
from srcgrad.frontend.structured import inside
from srcgrad.frontend.texts import without_values
from srcgrad.frontend.values import (
    NUMBERS,
    TrackedList,
    describe,
)
from srcgrad.frontend.wide_integers import with_checks
from srcgrad.ir.nodes import Atom, Function, Var
from srcgrad.ir.types import Scalar
from srcgrad.primitives import memory
from srcgrad.primitives.raising import class_of
from srcgrad.records import record


@record(frozen=True)
class Given(Slot):
    """A slot in a template of writes: the container at this path of the arguments."""

    path: tuple

    def find(self, arguments: dict[str, Any]) -> Any:
        return tree.at_path(arguments, self.path)


@record(frozen=True)
class Write:
    """The final contents of a container among the arguments; `whole` if its places changed."""

    path: tuple
    places: dict[Any, Any]
    whole: bool


TWICE = (
    "which container this is only the run tells, and it is somewhere else as well: they would be "
    "two after the call"
)


@record(frozen=True)
class Results:
    """The templates of all that comes out; their leaves are returned one after another."""

    output: Any
    writes: tuple[Write, ...] = ()
    # to names and containers that are captured
    names: tuple[NameWrite | ContainerWrite | ListsWrite, ...] = ()
    # of what a plain call returns, if it has containers of the caller's, or that are elsewhere too
    returned: Any = None
    refused: SrcgradError | None = None  # why a plain call cannot have them


@record(frozen=True)
class Traced:
    """An IR function and all that a call of it needs."""

    function: Function
    inputs: tuple[tuple, ...]  # the path of each parameter that is an argument
    hidden: tuple[Hidden, ...]  # the parameters after them
    guards: tuple[Guard[Unchanged], ...]
    results: Results
    source: source.Source
    # where captured containers are, and whether they are changed; empty if nothing is
    outer: tuple[tuple[Path, bool], ...] = ()
    copied: frozenset[int] = frozenset()  # parameters that a transform inside stores to copies of


class _Arguments:
    """Takes arguments apart into parameters."""

    def __init__(self, it: Interpreter, required: Requirements, found: source.Source):
        self.it, self.required, self.found = it, required, found
        self.params: list[Var] = []
        self.paths: list[tuple] = []
        self.given: list[tuple[tuple, Any, dict]] = []  # containers, with their initial contents

    def value(self, value: Any, path: tuple, label: str) -> Any:
        """An argument, or a part of one, in the interpreter's form."""
        known = path in self.required.static_leaves and isinstance(value, NUMBERS)
        if type_of_value(value) is not None and not known:
            var = self.it.captures.parameter(self.it.b, label, value, path)
            self.params.append(var)
            self.paths.append(path)
            return var
        if type_of_value(value) is None and (why := not_taken(value, label)) is not None:
            raise ArgumentTypeError(why[0], None, why[1])
        if type(value) in CLASSES:
            kind, way_out = type(value).__name__, f"pass {label}.coeffs, and make it inside"
            raise ArgumentTypeError(f"'{label}' is a {kind}", None, way_out)
        if followed_as(value) is not None:
            self.it.captures.inlined.append(value)  # its id stays its own
            return self.it.captures.take(self.it, Path("self", value), label, self.found.tree)
        out = self._container(value, path, label)
        if isinstance(out, tuple) or is_mutable(out):
            self.it.captures.arguments[id(out)] = out
        if is_mutable(out):
            self.given.append((path, out, contents(out)))
        return out

    def _container(self, value: Any, path: tuple, label: str) -> Any:
        r = tree.registered_as(type(value))
        if tree.is_array_class(type(value)):
            check_class(self.it, type(value), self.found.tree)
        opened: Any = value if r is None else instances.given(value)
        parts = tree.children(opened)
        if parts is None:
            return value
        keys = tree.keys(opened)
        fields = getattr(type(value), "_fields", None)
        names = keys if tree.is_by_fields(value) else fields
        names = [label if k == tree.VALUE else k for k in names or ()]
        names = names or [_label(label, k) for k in keys]
        if tree.is_structured(value):
            each = zip(keys, tree.field_ranks(value.dtype), strict=True)
            self.it.captures.of_fields.update(((*path, k), axes) for k, axes in each)
        parts = [self.value(p, (*path, k), n) for k, p, n in zip(keys, parts, names, strict=True)]
        if r is not None:
            opened = tree.rebuilt(opened, parts)
            return instances.made(self.it, opened, self.found.tree)
        return TrackedList(parts) if isinstance(value, list) else inside(value, parts)


def trace(
    function: types.FunctionType, arguments: dict[str, Any], required: Requirements, name: str = ""
) -> Traced:
    """Interprets `function` for arguments like these (only their kinds are read, not their values).

    Raises `RestartTracing` when the requirements have grown, `UnsupportedError` if it is refused,
    and the exception that the function itself raises for all values of its arguments.
    """
    captures = Captures(required)
    it = StagedInterpreter(captures)
    try:
        with captures:
            traced = _traced(it, captures, function, arguments, required, name)
    except SrcgradError as e:
        if isinstance(e, RaisedError):
            raise
        if it.activations:
            required.inlined |= dict.fromkeys(it.activations, e)
            required.activations -= it.activations.keys()
            raise RestartTracing("recursive calls are inlined") from None
        if it.looped <= required.unrolled and required.mix():
            required.refused = required.refused or e
            raise RestartTracing("lists have items of several kinds") from None
        if it.looped <= required.unrolled and required.lengthen():
            required.refused = required.refused or e
            raise RestartTracing("tuples have lengths that only the run tells") from None
        tails = partial_lists(captures)
        if it.looped <= required.unrolled and tails:
            required.read_whole(tails)
            required.refused = required.refused or e
            raise RestartTracing("captured lists are read") from None
        if it.looped <= required.unrolled and required.unroll_instead():
            required.refused = required.refused or e
            raise RestartTracing("loops in which captured lists grow are unrolled") from None
        if it.looped <= required.unrolled:
            first, required.refused = required.refused or e, None
            raise first from None
        required.refused = required.refused or e
        if it.over_tables - required.unrolled:
            required.grown.clear()  # lists may keep lengths that are known
        required.retried |= it.looped - required.unrolled
        required.unrolled |= it.looped
        required.looped -= it.looped
        required.indexed -= it.looped
        for key in [k for k in required.grown if place_of_list(k) in it.looped]:
            del required.grown[key]
        raise RestartTracing("comprehensions are unrolled") from None
    required.refused = None
    return traced


def _traced(
    it: Interpreter, captures: Captures, function: types.FunctionType, arguments: dict[str, Any],
    required: Requirements, name: str,
) -> Traced:  # fmt: skip
    found = source.find(function)
    captures.watch_attribute(function, "__code__")
    taken = _Arguments(it, required, found)
    atoms: list[Atom] = []
    results = all_problems(it, lambda: _interpreted(it, taken, arguments, atoms))
    if empty := [key for key, (dtype, _) in it.grown.items() if dtype is None]:
        it.grown.update({key: (Scalar("f64"), 0) for key in empty})
        raise RestartTracing("a list without items is one of floats")
    body = (*it.b.entry, *it.heads[0][1], *it.b.out)
    hidden = tuple(captures.hidden.values())
    fn = Function(name or found.name, (*taken.params, *(h.var for h in hidden)), body, tuple(atoms))
    if ragged := several_shapes(fn, captures.listed_rows):
        required.ragged |= ragged
        raise RestartTracing("the arrays of a list may have several shapes")
    refuse_visible(fn, it.snapshots)
    refuse_reordered(fn, it.reshapes, it.orders)
    fn = with_checks(fn)
    guards = captures.all_guards()
    copied = frozenset(k for k, p in enumerate(fn.params) if p in captures.stored)
    paths = tuple(taken.paths)
    changed = captures.changed
    outer = [(o.path, id(o.value) in changed) for o in captures.outer.values()]
    shared = tuple(outer) if changed or results.writes else ()
    return Traced(fn, paths, hidden, guards, results, found, shared, copied)


def _interpreted(
    it: Interpreter, taken: _Arguments, arguments: dict[str, Any], atoms: list[Atom]
) -> Results:
    """The templates of what the function returns, changes, and stores under names outside."""
    found = taken.found
    try:
        with instances.standing(it, found):
            env = {n: taken.value(v, (n,), n) for n, v in arguments.items()}
            for w in taken.required.weights:
                it.captures.take(it, Path("weight", w), "weight", None)
            take_changed(it)
            take_stored_names(it)
        it.held.append(list(env.values()))
        result = inline(it, found, env, None, found.tree)
        output = taken_apart(it, result, atoms, found, True)
        slots: dict[int, Slot] = {id(v): Given(path) for path, v, _ in taken.given}
        put = Written(slots | slots_of_captured(it), twice=it.captures.twice, merged=it.merged)
        writes = _written(it, taken.given, atoms, found, put)
        with instances.standing(it, found):
            last = changed_names(it)
        names = [_outside(it, w, atoms, found, put) for w in last]
        containers = [_into(it, w, atoms, found, put) for w in changed_containers(it)]
        again = put.has_seen(result)
        returned = taken_apart(it, result, atoms, found, True, put) if again else None
        refused = None
        if put.is_apart():
            at = it.returned_at or found.location(found.tree)
            refused = UnsupportedError(TWICE, at, "return or store a copy: list(...)")
        return Results(output, writes, (*names, *containers), returned, refused)
    except Diverged as e:
        if e.kind and _raises_otherwise(it, e):  # the run decides: the number is never returned
            return Results(taken_apart(it, 0.0, atoms, found, True))
        message = without_values(e.message)[0].format()
        if e.kind == "UnboundLocalError":
            raise UnboundError(message, e.location) from None
        cls = class_of(e.kind)
        if cls is UnsupportedError:
            raise refusal(message, e.location) from None
        raise raised_class(cls)(message or cls.__name__, e.location) from None


def _raises_otherwise(it: Interpreter, e: Diverged) -> bool:
    """Whether a function that fails on every path may raise something else on one of them."""
    return any(
        raised_by(d) is not None
        and (
            d.op is not memory.fail
            or (d.params["kind"], d.params["message"]) != (e.kind, e.message)
        )
        for d in raising(it.b.out)
    )


def _outside(
    it: Interpreter, w: NameWrite, atoms: list[Atom], found: source.Source, put: Written
) -> NameWrite:
    """The write of a name outside with the template of what it is to hold."""
    value, refused = _to_hold(it, w.at.name, w.value, atoms, found, put)
    return replace(w, value=value, refused=refused)


def _into(
    it: Interpreter, w: ContainerWrite | ListsWrite, atoms: list[Atom], found: source.Source,
    put: Written,
) -> ContainerWrite | ListsWrite:  # fmt: skip
    """The write to a captured container with the templates of what is put in."""
    refused = w.refused
    if isinstance(w, ListsWrite):
        each = [_to_hold(it, w.name, v, atoms, found, put) for v in w.lists]
        refused = refused or next((e for _, e in each if e is not None), None)
        return replace(w, lists=tuple(v for v, _ in each), refused=refused)
    made = {}
    for k, p in w.places.items():
        value, error = _to_hold(it, f"{w.name}[{k!r}]", p.value, atoms, found, put)
        made[k], refused = replace(p, value=value), refused or error
    return replace(w, places=made, refused=refused)


def _to_hold(
    it: Interpreter, name: str, value: Any, atoms: list[Atom], found: source.Source,
    put: Written,
) -> tuple[Any, SrcgradError | None]:  # fmt: skip
    """The template of what a name or a place outside is to hold, or why it cannot."""
    try:
        return _template(it, value, atoms, found, put), None
    except ReturnTypeError as e:
        kind = f"{describe(value)}, which is not a number, an array or a container of them"
        return None, ReturnTypeError(f"'{name}' is set to {kind}", e.location)
    except UnsupportedError as e:
        return None, UnsupportedError(f"'{name}': {e.reason}", e.location, e.way_out)


def _template(
    it: Interpreter, value: Any, atoms: list[Atom], found: source.Source, put: Written
) -> Any:
    """The template of what a place outside is to hold."""
    made = taken_apart(it, value, atoms, found, True, put)
    return OfClasses(made) if is_mixed(it, value) or is_either(it, value) else made


def _label(label: str, key: Any) -> str:
    return str(key) if isinstance(key, str) and key.isidentifier() else f"{label}_{key}"


def _written(
    it: Interpreter, given: list[tuple[tuple, Any, dict]], atoms: list[Atom], found: source.Source,
    put: Written,
) -> tuple[Write, ...]:  # fmt: skip
    """The changes that the function made to the containers among its arguments."""

    def place(v: Any) -> Any:
        return _template(it, v, atoms, found, put)

    out = []
    for path, v, first in given:
        now = contents(v)
        whole = list(now) != list(first)
        others = {k: x for k, x in now.items() if k != tree.VALUE}  # whose memory is theirs
        changed = {k: x for k, x in others.items() if whole or x is not first[k]}
        if changed or whole:
            out.append(Write(path, {k: place(x) for k, x in changed.items()}, whole))
    return tuple(out)
