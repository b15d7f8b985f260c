"""The state of the interpretation of one function for one signature: frames, names, the builder.

The parts are functions that take it, by the kind of node in the tables of `dispatch`; their
statements are left in the builder. Imports no part.
"""

from __future__ import annotations

import builtins
from collections import Counter
from collections.abc import Callable
from typing import Any, NoReturn

import gast

from srcgrad.errors import Location, SrcgradError, UnboundError, UnsupportedError, located
from srcgrad.frontend.frame import Diverged, Frame, Poison, Poisoned, frames_of
from srcgrad.frontend.memory_orders import Reshape, in_c_order
from srcgrad.frontend.read_only import Marked
from srcgrad.frontend.snapshots import Contiguous, Snapshot
from srcgrad.frontend.texts import literal
from srcgrad.frontend.trees import OURS
from srcgrad.frontend.values import (
    UNBOUND,
    Conflict,
    GrownList,
    Iterated,
    MaybeUnbound,
    Slice,
    describe,
    is_array,
    is_number,
)
from srcgrad.ir.build import Builder
from srcgrad.ir.nodes import Def, Var
from srcgrad.ir.rows import RowName
from srcgrad.primitives import REGISTRY
from srcgrad.primitives.raising import name_of
from srcgrad.records import record

Node = gast.AST
ONE_KIND = "give the name one kind of value, or use two names"
LIMIT = name_of(UnsupportedError)  # raised by programs where Python continues


@record(frozen=True)
class Mark:
    """A state of the search for problems: `Interpreter.forget` returns to it."""

    problems: int
    passed: int
    names: list[tuple[dict[str, Any], dict[str, Any]]]
    frames: list[tuple[Frame, int, bool]]


class Interpreter:
    """The state, and the operations on it that all parts use."""

    def __init__(self, captures: Any):
        self.b: Builder = Builder(REGISTRY)
        self.captures = captures
        self.frames: list[Frame] = []
        self.inside: Counter[Any] = Counter()  # the number of frames that each function has now
        self.scopes: dict[int, dict[str, Any]] = {}
        self.held: list[Any] = []
        self.frozen: dict[int, Any] = {}
        # containers that are one of several, by id, with these, and where paths met
        self.merged: dict[int, tuple[Any, list[Any], Any]] = {}
        self.shaped_at: dict[int, Any] = {}  # the lines where containers got another length
        self.snapshots: list[Snapshot | Contiguous | Marked] = []
        # of each traced function the statements before all others, and the depth of scopes there
        self.heads: list[tuple[int, list[Any]]] = [(1, [])]
        self.reshapes: list[Reshape] = []
        # of new arrays: whether they are in C order, or whose order they have
        self.orders: dict[Var, Var | bool] = {}
        self.returned_at: Location | None = None  # in the function returned from last
        self.problems: list[SrcgradError] = []
        self.on_paths: list[SrcgradError] = []  # those that only refuse a call that comes there
        self.passed = 0
        self.first_requirements: dict[str, Any] = {}  # as they were at the first problem
        self.ruling: list[Any] = []  # rules of the user's own that are being followed
        self.unrolled: set[tuple[str, int]] = captures.unrolled
        self.grown: dict[Any, Any] = captures.grown
        self.first_items: dict[Any, Any] = {}  # of these, the kinds of their first items
        self.attempts: list[Any] = []  # the `try` statements whose bodies run
        self.branches = 0  # run-time branches around what is interpreted
        self.handled_now: list[Callable[[], NoReturn]] = []  # raise what was caught again
        self.texts_raised: dict[Any, bool] = {}  # by class and text: whether it is the one argument
        self.changes: list[Any] = []  # the last statement before each change of a container
        # the categories that filters ignore; None outside of `warnings.catch_warnings`
        self.ignored: tuple[Any, ...] | None = None
        self.ends: Counter[Any] = Counter()  # recursive calls beyond the limit
        self.defined_in: dict[Any, Frame] = {}  # methods of classes that are made here
        self.listed: dict[int, Any] = {}  # containers that lists hold by their leaves
        # comprehensions that were made loops, loops: unrolled if the program is refused
        self.looped: set[tuple[Any, ...]] = set()
        self.over_tables: set[tuple[Any, ...]] = set()  # of these, loops over constant tables
        self.unread: set[Any] = set()  # the expressions that are statements: nothing reads them
        self.parts: tuple[str, ...] = ()  # tell what is made at one place apart
        # the names of modules and cells that are stored to, and their values at first
        self.outside: dict[tuple[str, int], dict[str, Any]] = {}
        self.outside_before: dict[tuple[str, int], dict[str, Any]] = {}
        self.activations: dict[Any, Any] = {}  # recursive functions that were made loops
        # of tests: one of the same, or the other, outcome
        self.same_tests: dict[Var, tuple[Any, bool]] = {}
        self.carried: dict[Var, set[Var]] = {}  # a loop's index -> what it carries, at its head
        self.reentered: list[Any] = []  # functions that were called while they ran
        # what a function of numbers emits, by the kinds of its arguments; how often it was called
        self.repeated: dict[Any, Any] = {}
        self.nest: list[Any] = []  # the loops that are being interpreted, by what they have learned
        # where trips and functions began that are interpreted for all: a number as iterators have
        self.begun: list[int] = []

    @property
    def frame(self) -> Frame:
        return self.frames[-1]

    @property
    def is_in_flow(self) -> bool:
        """Whether a loop or a branch decides whether this runs."""
        return len(self.b.scopes) > self.heads[-1][0]

    @property
    def env(self) -> dict[str, Any]:
        return self.frame.env

    # ---- errors and places ----
    def place(self, node: Node) -> tuple[Any, ...]:
        """The place of a node as a key, in a function of ours the call that it is for with it."""
        return (*self.frame.source.key(node), *self.parts)

    def locate(self, node: Node) -> None:
        self.b.loc = self.frame.source.location(node)

    def refuse(
        self, node: Node | None, reason: str, way_out: str = "",
        like: type[Exception] | None = None, runs: bool = False,
    ) -> NoReturn:  # fmt: skip
        """Refuses the program; `like` is the exception of plain Python here, if it raises one.

        `runs`: Python's statement has no form in compiled code, and runs on the tape.
        """
        location = self.b.loc if node is None else self.frame.source.location(node)
        error = UnsupportedError(reason, location, way_out, like=like)
        error.runs = runs
        raise error

    def refuse_path(self, node: Node, reason: str, way_out: str) -> NoReturn:
        """Refuses a path that the run decides, as it runs or with other problems; else all."""
        if not self.branches or self.problems:
            self.refuse(node, reason, way_out)
        self.on_paths.append(UnsupportedError(reason, self.frame.source.location(node), way_out))
        self.locate(node)
        self.fail(LIMIT, literal(located(reason, None, way_out)))

    def catches(self, cls: type[BaseException]) -> bool:
        """Whether an enclosing `try` catches a class."""
        return any(a.handler_of(cls) for a in self.attempts)

    def wrong(self, node: Node, reason: str, cls: type[Exception], way_out: str = "") -> NoReturn:
        """Handles a certain exception `cls` of plain Python.

        A `try` may catch it, and on one path only it is raised on that path: the others are right.
        Else the program is refused.
        """
        caught = self.catches(cls)
        if caught or self.is_in_flow:
            self.locate(node)
            self.fail(name_of(cls), literal(reason if caught else located(reason, None, way_out)))
        self.refuse(node, reason, way_out, like=cls)

    def mark(self) -> Mark:
        """The problems so far, and the names of all frames: `forget` returns to them."""
        envs = [env for f in self.frames for env in frames_of(f)]
        frames = [(f, f.depth, f.incomplete) for f in self.frames]
        return Mark(len(self.problems), self.passed, [(env, dict(env)) for env in envs], frames)

    def forget(self, mark: Mark) -> None:
        """Forgets the problems since a mark, and which names they have poisoned."""
        del self.problems[mark.problems :]
        self.passed: int = mark.passed
        for env, names in mark.names:
            env.clear()
            env.update(names)
        for frame, depth, incomplete in mark.frames:
            frame.depth, frame.incomplete = depth, incomplete

    # ---- names ----
    def lookup(self, name: str, node: Node) -> Any:
        frame: Frame | None = self.frame
        while frame is not None:
            if name in frame.elsewhere:
                return self._bound(frame.elsewhere[name], name, node)
            if name in frame.env and name not in frame.bound_outside:
                return self._bound(frame.env, name, node)
            if name in frame.local and name not in frame.bound_outside:
                self._unbound(name, node)
            if frame.outer is None:
                break
            frame = frame.outer
        if name.startswith(OURS):  # a builtin that a text of srcgrad names
            return getattr(builtins, name[1:])
        assert frame is not None
        if (names := self.names_outside(frame.source.function, name)) is not None:
            return self._bound(names, name, node)
        found, value = self.captures.lookup(self, frame.source.function, name, node)
        if found:
            return value
        if hasattr(builtins, name):
            return getattr(builtins, name)
        return self._undefined(name, node)

    def _bound(self, env: dict[str, Any], name: str, node: Node) -> Any:
        value = env[name]
        if isinstance(value, Poison):
            raise Poisoned
        if value is UNBOUND:
            self._unbound(name, node)
        if isinstance(value, Conflict):
            self.decide(value, node)
            refuse = self.refuse_path if value.on_one_path else self.refuse
            refuse(node, f"'{name}' cannot be read here: {value.reason}", value.way_out)
        if isinstance(value, MaybeUnbound):
            if not name.startswith(OURS):  # a text of srcgrad binds its names before it reads them
                unbound = self.b.logical_not(value.flag)
                self.fail_if(unbound, "UnboundLocalError", _unbound(name))
            env[name] = value = value.value
        return value

    def decide(self, conflict: Conflict | MaybeUnbound, node: Node | None) -> None:
        """Restarts with what decides between two kinds known; returns if it depends on the run."""
        test = conflict.test
        if isinstance(test, Var) and self.captures.is_of_sizes(self, test):
            self.captures.require_static(self, test, node, "what decides between two kinds")

    def _unbound(self, name: str, node: Node) -> NoReturn:
        """Handles a read of a name that no path has bound: an error now, or on that path."""
        location = self.frame.source.location(node)
        if len(self.b.scopes) == 1:
            raise UnboundError(_unbound(name), location)
        self.fail("UnboundLocalError", _unbound(name))

    def _undefined(self, name: str, node: Node) -> NoReturn:
        if len(self.b.scopes) > 1:
            self.fail("NameError", f"name '{name}' is not defined")
        raise UnboundError(f"name '{name}' is not defined", self.frame.source.location(node))

    def fail(self, kind: str, message: str, *values: Any) -> NoReturn:
        """Lets this path raise here whenever it runs."""
        self.b.fail(*values, kind=kind, message=message)
        raise Diverged(kind, message, self.b.loc)

    def fails(self, e: Exception, node: Node) -> NoReturn:
        """Lets this path raise whenever it runs, as a computation at compile time did."""
        if isinstance(e, SrcgradError):  # a refusal, like a built-in exception
            raise e
        self.locate(node)
        self.fail(name_of(type(e)), literal(str(e)))

    def fail_if(self, condition: Any, kind: str, message: str, *values: Any) -> None:
        """Raises at run time where a condition holds."""
        if condition is not False:
            self.branch(
                condition,
                lambda: self.fail(kind, message, *values),
                lambda: None,
                None,
                live_rest=True,
            )

    def refuse_where(self, condition: Any, node: Node | None, reason: str, way_out: str) -> None:
        """Refuses the program where a condition on lengths holds: now, if it does for this call.

        In branches and loops, and in calls with other lengths, the program refuses as it runs.
        """
        now = self.captures.known_now(self, condition)
        if now and len(self.b.scopes) == 1 and not self.catches(UnsupportedError):
            self.refuse(node, reason, way_out)
        self.fail_if(condition, LIMIT, literal(located(reason, None, way_out)))

    def stands_for_view(
        self, copy: Any, source: Any, what: str, node: Node, writable: bool = False
    ) -> None:
        """Records a copy where NumPy has a view: refused later if that shows."""
        if isinstance(copy, Var):
            loc = self.frame.source.location(node)
            self.snapshots.append(Snapshot(copy, source, what, loc, writable=writable))

    def is_reshape(self, made: Any, source: Any, what: str, node: Node) -> None:
        """Records a view of an array in C order: refused later if NumPy may copy and that shows."""
        if isinstance(made, Var) and isinstance(source, Var):
            self.reshapes.append(Reshape(made, source, what, self.frame.source.location(node)))

    # ---- numbers ----
    def static_int(self, v: Any, node: Node | None, what: str) -> int:
        """An int that must be known at compile time; requests a specialization if it is not."""
        if is_array(v) and not v.type.dims:
            v = self.b.load(v)
        if is_number(v) and not isinstance(v, float | complex):
            return int(v)  # type: ignore[arg-type]  (a number)
        if isinstance(v, Var) and not is_array(v) and v.type.dtype[0] in "iub":
            self.captures.require_static(self, v, node, what)
        self.refuse(
            node,
            f"{what} must be an integer known at compile time, not {describe(v)}",
            like=TypeError,
        )

    def static_number(self, v: Any, node: Node, what: str) -> Any:
        """Makes a number, a name or None static, floats included."""
        if is_array(v):
            reason = f"{what} must be known at compile time, not {describe(v)}"
            self.refuse(node, reason, like=ValueError)
        if isinstance(v, Var):
            self.captures.require_static(self, v, node, what)
        return v

    def definition(self, v: Any) -> Def | None:
        return self.b.definition.get(v) if isinstance(v, Var) else None

    def in_c_order(self, v: Any) -> bool:
        """Whether a value is known to lie in C order in NumPy."""
        return in_c_order(v, self.definition, self.orders, self.captures.given)

    def order_of(self, node: Node, order: Any, allowed: str = "CFAK") -> str:
        """An `order=` argument, which must be one of these letters; "K" for None."""
        order = "K" if order is None else order
        if isinstance(order, str) and order.upper() in tuple(allowed):
            return order.upper()
        said = f"order= must be one of {', '.join(allowed)}, not {order!r}"
        self.wrong(node, said, ValueError if isinstance(order, str) else TypeError)

    # ---- calls between the parts: `dispatch` binds each to its function ----
    def execute(self, node: Node) -> None: ...
    def names_outside(self, /, function: Any, name: str) -> dict[str, Any] | None: ...
    def operand(self, node: Node) -> Any: ...
    def expression(self, node: Node) -> Any: ...
    def call(self, /, f: Any, args: list[Any], kwargs: dict[str, Any], node: Node) -> Any: ...
    def call_numpy(self, /, f: Any, args: list[Any], kwargs: dict[str, Any], node: Node) -> Any: ...
    def with_keywords(
        self, /, f: Any, handler: Any, args: list[Any], kwargs: dict[str, Any], node: Node
    ) -> Any: ...
    def inlined(
        self, /, found: Any, given: dict[str, Any], outer: Frame | None, node: Node
    ) -> Any: ...
    def follow_library(
        self, /, handler: Any, args: tuple[Any, ...], kwargs: dict[str, Any], node: Node
    ) -> Any: ...
    def handled(
        self, /, handler: Any, args: list[Any], kwargs: dict[str, Any], node: Node
    ) -> Any: ...
    def attribute(self, /, owner: Any, name: str, node: Node) -> Any: ...
    def parts_of(self, /, owner: Any, node: Node) -> tuple[Any, ...] | None: ...
    def compare(self, /, op: Any, a: Any, c: Any, node: Node) -> Any: ...
    def known_text(self, /, v: Any, node: Node) -> Any: ...
    def truth(self, /, v: Any, node: Node) -> Any: ...
    def condition(self, /, node: Any) -> Any: ...
    def collected(self, /, v: Any) -> Any: ...
    def emit(
        self, /, node: Node, op: RowName, *args: Any, weak: bool | None = None, **params: Any
    ) -> Any: ...
    def block(self, /, stmts: list[Any]) -> None: ...
    def branch(
        self,
        /,
        test: Any,
        then: Callable[[], Any],
        orelse: Callable[[], Any],
        node: Node | None,
        live_rest: bool = False,
        several: bool = False,
    ) -> Any: ...
    def read(self, /, x: Var, items: list[Any], node: Node) -> Any: ...
    def static_items(self, /, v: Any, node: Node) -> list[Any]: ...
    def fit_lists(self, /, one: Any, other: Any) -> None: ...
    def grow_if_it_can(self, /, x: Any, indexed: bool = True) -> None: ...
    def grow(self, /, key: Any, item: Any) -> NoReturn: ...
    def grown_item(self, /, v: GrownList, i: Any, node: Node) -> Any: ...
    def grown_length(self, /, v: GrownList) -> Any: ...
    def grown_load(self, /, v: GrownList, place: Any, node: Node) -> Any: ...
    def new_list(self, /, key: Any) -> GrownList: ...
    def append_grown(self, /, owner: GrownList, item: Any, node: Node) -> None: ...
    def set_grown(self, /, x: GrownList, items: list[Any], value: Any, node: Node) -> None: ...
    def grown_slice(self, /, v: GrownList, part: Slice, node: Node) -> GrownList: ...
    def list_of_key(self, /, items: list[Any], key: Any, node: Any) -> Any: ...
    def list_place(self, /, x: Any, items: list[Any], node: Node) -> int: ...
    def item_of_the_run(self, /, x: Any, items: list[Any], node: Node) -> Any: ...
    def slice_of_the_run(self, /, x: list[Any], part: Slice, node: Node) -> GrownList | None: ...
    def set_length(self, /, v: GrownList, n: Any) -> None: ...
    def static_key(self, /, key: Any, node: Node) -> Any: ...
    def tracked_list(self, /, items: list[Any], node: Node, *part: str) -> Any: ...
    def loop(self, /, node: gast.For | gast.While, iterated: Iterated | None) -> None: ...
    def recover(self, /, s: Any, e: Exception, depth: int) -> None: ...
    def assign(self, /, target: Any, value: Any) -> None: ...
    def augmented(self, /, node: gast.AugAssign, old: Any, value: Any) -> Any: ...


def _unbound(name: str) -> str:
    return f"local variable '{name}' is read before it is bound"
