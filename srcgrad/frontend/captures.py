"""The values that a function reads beyond its arguments, and what a signature must specialize on.

Captured arrays and the floats of closures are hidden inputs, read afresh at every call; captured
functions, modules, strings, ints and the floats of modules are static and guarded: a number that
is seen to change becomes an input.
"""

from __future__ import annotations

import collections
import inspect
import types
from dataclasses import replace
from operator import itemgetter
from typing import Any

import numpy as np

from srcgrad.errors import Location
from srcgrad.frontend.captured_derived import derived_of, has_members
from srcgrad.frontend.captured_items import (
    container_of,
    fields_of,
    has_items,
    instance_of,
    items_of,
    program_of,
    record_of,
)
from srcgrad.frontend.derived import made_by_statement
from srcgrad.frontend.foreign import not_taken
from srcgrad.frontend.formulas.registry import is_formula
from srcgrad.frontend.guards import (
    CONTAINERS,
    CONTENTS,
    VALUE,
    Guard,
    Hidden,
    OfClass,
    Path,
    Step,
    Unchanged,
    attribute,
    same_objects,
)
from srcgrad.frontend.handlers.registry import followed_as, know_tensors
from srcgrad.frontend.kinds import MARKS, Kind, type_of_value
from srcgrad.frontend.library_source import in_numpy, is_constant, is_number_of_library
from srcgrad.frontend.masked_constant import masked_constant
from srcgrad.frontend.outer import Outer
from srcgrad.frontend.outside import refuse_read_outside
from srcgrad.frontend.requirements import Requirements, RestartTracing
from srcgrad.frontend.specializing import Specializing
from srcgrad.frontend.suggestions import similar, supported_in
from srcgrad.frontend.values import NUMBERS, Classes, is_array
from srcgrad.frontend.watches import (
    library,
    name_of,
    note_read,
    watch_inherited,
    watch_member,
    watch_presence,
)
from srcgrad.ir.build import Builder
from srcgrad.ir.nodes import Const, Def, Var
from srcgrad.ir.types import Array, Scalar
from srcgrad.primitives import memory
from srcgrad.primitives.layouts import layout_told, tells_layout
from srcgrad.protocols import poses, states
from srcgrad.tree import is_by_fields, is_structured, registered_as


class Captures(Specializing):
    """Free variables of all functions interpreted for one signature."""

    def __init__(self, required: Requirements):
        self.required = required
        self.unrolled = required.unrolled
        self.grown: dict[Any, Any] = required.grown
        self.hidden: dict[tuple[Any, ...], Hidden] = {}
        self.guards: dict[tuple[Any, ...], Guard[Unchanged]] = {}
        self.leaves: dict[Var, tuple[Any, ...]] = {}  # a scalar argument's variable -> its path
        self.dims: dict[Var, tuple[Any, ...]] = {}  # a dim's variable -> (path, axis)
        self.lengths: dict[Var, int] = {}  # what they are in this call, if that is known
        # the last axes of a field of a structured array, whose lengths its dtype says
        self.of_fields: dict[tuple[Any, ...], int] = {}
        self.given: set[Var] = set()  # arrays among the parameters, whose layouts are known
        self.stored: set[Var] = set()  # parameters that a transform inside stores to copies of
        self.stands_for: dict[Var, Any] = {}  # of a function that is differentiated inside
        self.loops: dict[Var, tuple[Any, ...]] = {}  # a loop's index -> (file, line, length)
        # of booleans where two paths meet: the test, and the values of the paths
        self.met: dict[Var, tuple[Any, ...]] = {}
        # captured containers by key: one object each, which compiled code may not change,
        # except those that the function changes, which are taken first
        self.containers: dict[tuple[Any, ...], Any] = {}
        self.immutable: dict[int, Any] = {}
        self.wrapped: dict[Any, Any] = {}  # by functions made inside: what they say that they wrap
        self.instances: set[int] = set()  # the ids of those that stay as they are
        self.outer: dict[int, Outer] = {}  # by the ids of their stand-ins
        self.inner: dict[int, Outer] = {}  # by the ids of the lists that such a stand-in holds
        self.changed: dict[int, Any] = {}  # those that are changed, by id
        self.tails: dict[int, Any] = {}  # of lists that loops make longer, by id
        # what was required when the first container or name was found that is changed: these are
        # all found before tracing starts again
        self.required_before: dict[str, Any] | None = None
        self.joined: set[Any] = set()  # lists of the run of integers and floats, by key
        # the containers that lists of the run hold by their leaves, by key and id
        self.items_of: dict[Any, dict[int, Any]] = {}
        self.twice: set[int] = set()  # of these, those that a list has in several places
        # the places where lists of the run do not only get longer, by key
        self.rewritten: dict[Any, Location] = {}
        self.listed_rows: list[Any] = []  # the keys of the lists of arrays of one shape
        self.reached: dict[tuple[Any, ...], Path] = {}  # the places of containers
        self.arguments: dict[int, Any] = {}  # containers among the arguments, by id
        self.identified = False  # whether it matters which of them are one object
        self.in_instances: set[int] = set()  # of these, those in instances
        self.stopped: dict[tuple[Any, ...], Any] = {}  # weights that are not trained, as constants
        self.kinds: dict[Any, Kind] = {}  # of inputs, and of what handlers made
        self.no_tensor_met = False  # whether a decision relied on that
        self.classes: Classes = Classes()  # of numbers that have several
        self.inlined: list[Any] = []  # held so that their ids stay theirs

    # ---- lookup ----
    def lookup(
        self, it: Any, function: types.FunctionType, name: str, node: Any
    ) -> tuple[bool, Any]:
        """A global or closure variable: (found, value)."""
        code = function.__code__
        if name in code.co_freevars:
            cell = function.__closure__[code.co_freevars.index(name)]  # type: ignore[index]  (a free variable has its cell)
            if is_formula(function) or is_number_of_library(function, cell):
                return True, cell.cell_contents
            return True, self.take(it, Path("cell", cell, (CONTENTS,)), name, node)
        scope = function.__globals__
        if name in scope and (is_formula(function) or is_constant(function, scope[name])):
            masked = masked_constant(scope[name])
            return True, in_numpy(scope[name]) if masked is None else masked
        if name in scope:
            found = Step((name,), itemgetter(name), f"[{name!r}]")
            return True, self.take(it, Path("global", scope, (found,)), name, node)
        missing = Step((name,), lambda scope: scope.get(name), f".get({name!r})")
        self.watch(Path("builtin", scope, (missing,)), name)  # until the module has one of its own
        return False, None

    def attribute(self, it: Any, owner: Any, name: str, node: Any) -> Any:
        """`owner.name` of a static object."""
        missing = False
        try:
            value = inspect.getattr_static(owner, name)
        except AttributeError:
            value, missing = None, True
        if isinstance(value, property) and not (isinstance(owner, type) or library(owner)):
            watch_inherited(self, owner, name)
            return it.call(value.fget, [owner], {}, node)
        refuse_read_outside(it, owner, name, value, node)
        if missing and self.required.changed:  # of which the method may read something
            method = inspect.getattr_static(type(owner), "__getattr__", None)
            if isinstance(method, types.FunctionType):
                return it.call(method, [owner, name], {}, node)
        try:
            value = getattr(owner, name)
        except AttributeError:
            watch_presence(self, owner, name)
            known = supported_in(owner) if isinstance(owner, types.ModuleType) else dir(owner)
            said = f"{name_of(owner)} has no attribute '{name}'"
            it.wrong(node, said, AttributeError, similar(name, known))
        if isinstance(owner, np.dtype) or (library(owner) and not isinstance(value, np.ndarray)):
            note_read(owner, name, value)
            return value
        own = registered_as(type(value)) is not None or followed_as(value) is not None
        if not own and (callable(value) or isinstance(value, types.ModuleType)):
            watch_member(self, owner, name)
            return value
        return self.take(it, Path("attribute", owner, (attribute(name),)), name, node)

    def take(self, it: Any, path: Path, name: str, node: Any) -> Any:
        """A captured value: a hidden input, or static under a guard."""
        key = path.key
        if key in self.hidden:
            return self.hidden[key].var
        try:
            value = path.fetch()
        except ValueError:
            it.refuse(node, f"'{name}' is not bound yet in the enclosing function")
        if poses(value):
            self.keep(path, value, name)
            self._refuse_kind(it, value, name, node)
            return value
        if is_structured(value):
            self._refuse_kind(it, value, name, node)
            return fields_of(self, it, path, name, value, node)
        if isinstance(value, np.ndarray):
            if is_by_fields(value):
                return record_of(self, it, path, name, value, node)
            if (masked := masked_constant(value)) is not None:
                self.keep(path, value, name)
                return masked
            return self._input(it, path, name, value, node)
        if states(value, "srcgrad_parameter") or self._is_weight(value):
            return self._parameter(it, path, name, value, node)
        if states(value, "srcgrad_value"):
            return self._tensor(it, path, name, value.srcgrad_value, node)
        if states(value, "__cuda_array_interface__"):
            return self._input(it, path, name, value, node)
        if has_members(type(value)) and not _is_by_parts(value):
            return derived_of(self, it, path, value, name, node)
        changing = isinstance(value, float | complex | np.floating | np.complexfloating)
        constant = type(value) is float and key[0] in ("global", "default")
        if constant or made_by_statement(type(value)):
            changing = False  # a constant until it is seen to change, or of a class of its own
        if changing or (isinstance(value, NUMBERS) and key in self.required.inputs):
            if ("static", *key) in self.required.static_leaves:
                self.keep(path, value, name)
                return value
            return self._input(it, path, name, value, node)
        if registered_as(type(value)) is not None:
            return instance_of(self, it, path, name, value, node)
        if is_by_fields(value) or followed_as(value) is not None:
            return record_of(self, it, path, name, value, node)
        if isinstance(value, CONTAINERS) and not hasattr(type(value), "n_sequence_fields"):
            self.guards.setdefault(path.key, Guard(path, OfClass(value), name))
            if type(value) is not collections.Counter:  # a class in Python, but known
                self._refuse_kind(it, value, name, node)
            return container_of(self, it, path, value, name, node)
        if type(value) in (collections.deque, set):
            self.guards.setdefault(path.key, Guard(path, OfClass(value), name))
            return program_of(self, it, path, value, name, node)
        self.keep(path, value, name)
        if has_items(value):
            return items_of(self, it, path, value, name, node)
        self._refuse_kind(it, value, name, node)
        return value

    def listed(self) -> set[int]:
        """The ids of the containers that lists of the run hold by their leaves."""
        return {k for inside in self.items_of.values() for k in inside}

    def find_changed(self, it: Any) -> None:
        """Lets tracing start again at its end: what is changed is required, and nothing else."""
        if it.problems:
            raise RestartTracing("after a problem")
        if self.required_before is None:
            self.required_before = self.required.contents()

    def __enter__(self) -> None:
        """Lets what has been found that is changed be required at the end of the block."""

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        if kind is None or issubclass(kind, Exception):  # whatever went wrong has a reason then
            self.restart_if_found()

    def restart_if_found(self) -> None:
        """Restarts tracing if something has been found that is changed."""
        if self.required_before is not None:
            before = self.required_before.items()
            found = ("changed", "stored_names")
            self.required.put_back({name: v for name, v in before if name not in found})
            raise RestartTracing("captured containers or names are changed")

    def all_guards(self) -> tuple[Guard[Unchanged], ...]:
        """The guards of all that was captured."""
        known = tuple(self.guards.values())
        if len(self.reached) > 1 and (self.identified or self.changed):
            return *known, same_objects(tuple(self.reached.values()))
        return known

    def watch_attribute(self, f: types.FunctionType, part: str) -> None:
        """Guards a part of a function against being replaced: reloading a module may do so."""
        self.watch(Path("function", f, (attribute(part),)), f.__name__)

    def watch(self, path: Path, name: str) -> None:
        """Guards the value at a path: another one rebuilds the program."""
        self.keep(path, path.fetch(), name)

    def keep(self, path: Path, value: Any, name: str) -> None:
        """Guards the value that has been read at a path."""
        self.guards[path.key] = Guard(path, Unchanged(value), name)

    def _input(
        self, it: Any, path: Path, name: str, value: Any, node: Any, tensor: Path | None = None
    ) -> Any:
        device = states(value, "__cuda_array_interface__") and tells_layout(value)
        value = layout_told(value).stand_in() if device else value
        type_ = type_of_value(value)
        if type_ is None:
            self._refuse_kind(it, value, name, node)
        var = self.parameter(it.b, name, value, ("hidden", *(key := (tensor or path).key)))
        self.hidden[key] = Hidden(name, path, var, tensor)
        return var

    def _refuse_kind(self, it: Any, value: Any, name: str, node: Any) -> None:
        why = not_taken(value, name)
        if why is not None:
            it.refuse(node, why[0], f"{why[1]} as an argument")

    def _tensor(self, it: Any, path: Path, name: str, value: Any, node: Any) -> Any:
        """A captured tensor: the input is its array, or its number."""
        know_tensors()

        inside = path.then(VALUE)
        if ("static", *path.key) in self.required.static_leaves:
            self.keep(inside, value, name)
            return value
        var = self._input(it, inside, name, value, node, path)
        if is_array(var):
            self.meet_tensor(var)
        return var

    def _parameter(self, it: Any, path: Path, name: str, value: Any, node: Any) -> Any:
        """A captured Parameter: one input for the object, by whatever names it is reached."""
        self.keep(path, value, name)
        place = Path("parameter", value)
        own = place.key
        if own in self.stopped:
            return self.stopped[own]
        if own in self.hidden:
            return self.hidden[own].var
        if ("static", *own) in self.required.static_leaves and self._is_weight(value):
            it.refuse(node, f"'{name}' must be known at compile time: it has no gradient")
        made = self._tensor(it, place, name, value.srcgrad_value, node)
        if own in self.hidden:
            self.hidden[own] = replace(self.hidden[own], parameter=value)
        if states(value, "srcgrad_parameter") and self._is_weight(value):
            self.watch(Path("trained", value, (attribute("requires_grad"),)), name)
            if not value.requires_grad:  # its gradient is requested, and is zero
                made = self.stopped[own] = it.b.stop_gradient(made)
        return made

    def _is_weight(self, value: Any) -> bool:
        return any(value is w for w in self.required.weights)

    def parameter(self, b: Builder, name: str, value: Any, path: tuple[Any, ...]) -> Var:
        """A parameter for a value, with the dims of an array as variables of their own.

        A length of 0 is not recorded: a placeholder's is unknown until the program runs.
        """
        type_ = type_of_value(value)
        assert type_ is not None
        if isinstance(type_, Scalar):
            var = Var(name, type_)
            self.leaves[var] = path
            return var
        dims: list[Any] = []
        var = Var(name, Array(type_.dtype, (), type_.layout))
        for axis, n in enumerate(value.shape):
            known = n == 1 or axis >= value.ndim - self.of_fields.get(path, 0)
            if known or (path, axis) in self.required.static_dims:
                dims.append(int(n))
                continue
            dim = Var(DIM_NAMES[axis] if axis < len(DIM_NAMES) else "n", Scalar("i64", weak=True))
            facts = {"axis": axis} if n else {"axis": axis, "may_be_one": True}
            definition = Def(dim, b.table["dim"], (var,), facts)
            b.entry.append(definition)
            b.definition[dim] = definition
            self.dims[dim] = (path, axis)
            if n:
                self.lengths[dim] = int(n)
            dims.append(dim)
        var.type = Array(type_.dtype, tuple(dims), type_.layout)
        self.given.add(var)
        self.kinds[var] = MARKS.get(type(value), Kind.ARRAY)
        if self.kinds[var] is not Kind.ARRAY:
            self.meet_tensor(var, self.kinds[var])
        return var

    def known_now(self, it: Any, a: Any) -> Any:
        """The value that a number has for the lengths of this call; None if it needs more."""
        if not isinstance(a, Var):
            return a.value if isinstance(a, Const) else a
        definition = it.b.definition.get(a)
        if a in self.lengths or definition is None or definition.op is memory.dim:
            return self.lengths.get(a)
        given = [self.known_now(it, x) for x in definition.args]
        if any(v is None or is_array(v) for v in given) or not definition.op.elementwise:
            return None
        return definition.op.impl(*given, **definition.params)

    def meet_tensor(self, v: Any, kind: Kind = Kind.TENSOR) -> None:
        """Notes that a value is a tensor, or may be one."""
        self.kinds[v] = kind
        if self.no_tensor_met:
            self.required.tensors = True
            raise RestartTracing


def _is_by_parts(value: Any) -> bool:
    """Whether a value is followed by its fields, or by what its class is registered with."""
    by_class = registered_as(type(value)) is not None or followed_as(value) is not None
    return by_class or is_by_fields(value)


DIM_NAMES = ("n", "m", "p", "q", "r", "s")
