"""Reuses what was built for a function for others that its `def` or `lambda` has made.

A new `flow.grad(loss)`, or a new closure made in a loop, finds the compiled code of its code
object, if all that the frontend read is of the same kind: guards and kinds of captured values are
tested as for a second call of one object, through paths from the function. When in doubt it is
built again. The table holds on to no function, and to none of its captures.
"""

from __future__ import annotations

import os
import types
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from srcgrad.frontend.captured_constants import promote_to_inputs
from srcgrad.frontend.guards import (
    VALUE,
    Guard,
    Hidden,
    OfClass,
    Path,
    Unchanged,
    is_changing,
)
from srcgrad.frontend.returned import Choice
from srcgrad.frontend.watches import replacements
from srcgrad.ir.nodes import Def
from srcgrad.ir.walk import walk
from srcgrad.passes.pipeline import settings
from srcgrad.passes.strip_custom_rules import has_custom_rules
from srcgrad.records import record
from srcgrad.transforms.by_code import ByCode
from srcgrad.transforms.call_lengths import Lengths
from srcgrad.transforms.capture_paths import MetObjects, Place, pattern
from srcgrad.transforms.guard_tests import (
    BY_TEXT,
    Test,
    Unshared,
    alike,
    constant,
    facts,
    identical,
)
from srcgrad.transforms.program import Program
from srcgrad.transforms.rebuilds import code_of
from srcgrad.transforms.self_check import wanted
from srcgrad.transforms.specialization import Entry, Options
from srcgrad.transforms.stack import transforms
from srcgrad.transforms.stored_inputs import NoOverlap
from srcgrad.tree import Leaf

MOST = 8  # programs of one code object
MOST_CODES = 256
WRAPPER = {"srcgrad_callable", "__signature__"}  # attributes of functions that call another one
PARAMETERS = (*BY_TEXT, np.dtype, frozenset)  # parameters of operations without objects of users


@record(frozen=True)
class CapturedGuard:
    """A guard without its function."""

    place: Place
    test: Test
    number: Any  # the value, if another number becomes an input; else None
    name: str
    kind: type[Unchanged]

    def of(self, met: list[Any]) -> Guard[Unchanged] | None:
        """The guard of a function whose values have been met so far; None if it cannot hold."""
        path = self.place.of(met)
        now = path.fetch()
        met.append(now)
        fits = self.test(now)
        if not fits and self.number is None:
            return None
        return Guard(path, self.kind(now if fits else self.number), self.name)


@record(frozen=True)
class OwnGuard:
    """A guard of srcgrad's own functions, which is the same for any function."""

    guard: Guard[Unchanged]

    def of(self, met: list[Any]) -> Guard[Unchanged]:
        met.append(self.guard.test.value)
        return self.guard


@record(frozen=True)
class CapturedInput:
    """A hidden input without its function."""

    place: Place
    hidden: Hidden
    tensor: Test | None  # of the class of the tensor whose array it is

    def of(self, met: list[Any]) -> Hidden | None:
        path = self.place.of(met)
        if self.tensor is None:
            return replace(self.hidden, path=path)
        if not self.tensor(type(path.fetch())):
            return None
        return replace(self.hidden, path=path.then(VALUE), tensor=path)


@record(frozen=True)
class Shared:
    """An entry without its function."""

    stack: tuple
    options: Options
    settings: tuple
    key: Test
    static_leaves: frozenset
    static_dims: frozenset
    root: Test
    guards: tuple[CapturedGuard | OwnGuard, ...]
    inputs: tuple[CapturedInput, ...]
    pattern: tuple[int, ...]
    entry: Entry  # which is never called

    def entry_of(self, function: types.FunctionType) -> Entry | None:
        """The entry of another function; None if its captures are of another kind."""
        if not self.root(function):
            return None
        met: list[Any] = [function]
        try:
            guards = [g.of(met) for g in self.guards]
            hidden = [h.of(met) for h in self.inputs]
        except (LookupError, AttributeError, ValueError, TypeError):
            return None
        if None in hidden or None in guards or pattern(met) != self.pattern:
            return None
        return _with(self.entry, tuple(hidden), tuple(guards))  # type: ignore[arg-type]  (no None)


_table: ByCode[tuple[Shared, ...]] = ByCode(MOST_CODES)


def forget() -> None:
    """Forgets all entries: for tests that change how programs are built."""
    _table.clear()


def reused(
    compiled: Any, key_under: Callable[[Any, Any], tuple], given: list
) -> tuple[Entry | None, Lengths | None]:
    """An entry that was built for a function of the same code, for this one.

    Also the lengths of one for other lengths than those of the call.
    """
    known = None
    code = code_of(compiled.function)
    found = _table.get(code) if code is not None and not wanted() else None
    if not found or compiled._requirements.weights:
        return None, None
    stack, now = transforms(compiled.spec), _settings()
    for s in found:
        if (s.stack, s.options, s.settings) != (stack, compiled.options, now):
            continue
        if not s.key(key_under(s.static_leaves, s.static_dims)):
            continue
        entry = s.entry_of(compiled.function)
        if entry is None:
            continue
        captured = entry.captured()
        if captured is None:
            promote_to_inputs(entry.program.guards, compiled._requirements)
            continue
        compiled._requirements.static_leaves |= s.static_leaves
        compiled._requirements.static_dims |= s.static_dims
        if entry.fits(given, captured):
            return entry, None
        known = entry.program.lengths
    return None, known


def offer(compiled: Any, entry: Entry, key_under: Callable[[Any, Any], tuple]) -> None:
    """Lets other functions of the same code use an entry, if that can be right."""
    code = code_of(compiled.function)
    if code is None:
        return
    try:
        made = _shared(compiled, entry, key_under)
    except Unshared:
        return
    _table.put(code, (made, *(_table.get(code) or ()))[:MOST])


def _shared(compiled: Any, entry: Entry, key_under: Callable[[Any, Any], tuple]) -> Shared:
    function, d = compiled.function, compiled._requirements
    if d.weights or {"hidden", "static"} & {*compiled._names}:
        raise Unshared("it has weights, or an argument has the name of a kind of captured values")
    _check_program(entry.whole)
    _check_program(entry.program)
    static = frozenset(path for path in d.static_leaves if path[0] in compiled._names)
    dims = frozenset(pair for pair in d.static_dims if pair[0][0] in compiled._names)
    met = MetObjects()
    met.meet(function)
    codes = [g.path for g in entry.program.guards if g.path.key[-1] == "__code__"]
    followed = {id(function), *(id(path.holder) for path in codes)}
    guards = tuple([_guard(g, met, followed) for g in entry.program.guards])
    inputs = tuple([_input(h, met) for h in entry.program.hidden])
    return Shared(
        transforms(compiled.spec), compiled.options, _settings(),
        constant(key_under(static, dims)), static, dims, _root(function, followed),
        guards, inputs, pattern(met.values), _with(entry, tuple([i.hidden for i in inputs]), ()),
    )  # fmt: skip


def _with(entry: Entry, hidden: tuple[Hidden, ...], guards: tuple[Guard[Unchanged], ...]) -> Entry:
    """The same compiled code for other captured values."""
    inputs = zip(hidden, entry.inputs, strict=True)
    return replace(
        entry,
        program=replace(entry.program, hidden=hidden, guards=guards),
        whole=replace(entry.whole, hidden=hidden, guards=guards),
        inputs=tuple([replace(g, path=h.path) for h, g in inputs]),
        apart=NoOverlap(entry.apart.given, entry.apart.stored),  # it stores arrays
        quick=set(),
    )


def _settings() -> tuple:
    """The other settings that decide how a program is built, in this thread."""
    return (*settings(), os.environ.get("SRCGRAD_CPU"), replacements())


def _root(function: types.FunctionType, followed: set[int]) -> Test:
    """Tests whether a function can replace this one, apart from its captures."""
    known = facts(function)
    if set(function.__dict__) == WRAPPER:
        return lambda now: set(now.__dict__) == WRAPPER and facts(now) == known
    return alike(function, followed)


# ---- taking an entry from its function ----
def _guard(g: Guard[Unchanged], met: MetObjects, followed: set[int]) -> CapturedGuard | OwnGuard:
    if type(g.test) not in (Unchanged, OfClass):
        raise Unshared("an instance of a registered class is captured")
    value = g.test.value
    try:
        place = met.place(g.path)
    except Unshared:
        if not _is_own(g.path):
            raise
        met.meet(value)
        return OwnGuard(g)
    _check_place(place, met, value)
    fixed = g.path.key[-1] in ("__defaults__", "__kwdefaults__")
    test = constant(value) if fixed else alike(value, followed)
    met.meet(value)
    number = value if is_changing(value) else None
    return CapturedGuard(place, test, number, g.name, type(g.test))


def _is_own(path: Path) -> bool:
    """Whether a path is of a function or module of srcgrad, which captures no user's object."""
    owner, kind = path.holder, path.kind
    if kind == "function" and owner.__closure__ is None:
        owner = owner.__globals__
    elif kind == "member" and isinstance(owner, types.ModuleType):
        owner = vars(owner)
    elif kind not in ("global", "builtin"):
        return False
    return str(owner.get("__name__")).startswith("srcgrad.")


def _input(h: Hidden, met: MetObjects) -> CapturedInput:
    if h.parameter is not None:
        raise Unshared(f"'{h.name}' is a Parameter")
    path = h.tensor or h.path
    place, value = met.place(path), path.fetch()
    _check_place(place, met, value)
    kind = None if h.tensor is None else identical(type(value))
    return CapturedInput(place, Hidden(h.name, place.path, h.var), kind)


def _check_place(place: Place, met: MetObjects, value: Any) -> None:
    """Checks that a place holds what was captured: the key may mean something else."""
    found = place.of(met.values).fetch()
    if found is not value and not (isinstance(value, BY_TEXT) and identical(value)(found)):
        raise Unshared("a path leads to something else")


def _check_program(p: Program) -> None:
    """Refuses a program that holds functions or objects of users."""
    if (
        p.writes
        or p.names
        or p.returned is not None
        or p.changed
        or p.outer
        or p.state
        or has_custom_rules(p.function)
    ):
        raise Unshared("it changes what it is given, or has rules of users")
    _check_template(p.output)
    for s in walk(p.function.body):
        if isinstance(s, Def):
            _check_parameter(tuple(s.params.values()))


def _check_parameter(value: Any) -> None:
    if isinstance(value, tuple):
        for v in value:
            _check_parameter(v)
    elif not isinstance(value, PARAMETERS):
        raise Unshared(f"an operation has a {type(value).__name__}")


def _check_template(output: Any) -> None:
    if type(output) in (tuple, list):
        for part in output:
            _check_template(part)
    elif type(output) is dict:
        _check_template(list(output.values()))
    elif isinstance(output, Choice):
        _check_template([output.flag, output.one, output.other])
    elif not isinstance(output, (Leaf, str, bool, type(None))):
        raise Unshared(f"it returns a {type(output).__name__}")
