"""The state of the interpretation of one function for one signature: frames, names, the builder.

What reads and changes it are the parts, which `staged` puts together; their statements are left in
the builder. Imports no part.
"""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any, NoReturn

import gast

from srcgrad.errors import Location, SrcgradError, UnboundError, UnsupportedError
from srcgrad.frontend.frame import Diverged, Frame, Passed
from srcgrad.frontend.orders import Reshape
from srcgrad.frontend.snapshots import Snapshot
from srcgrad.frontend.texts import literal
from srcgrad.frontend.values import (
    POISON,
    RUNNING,
    UNBOUND,
    Conflict,
    GrownList,
    Iterated,
    MaybeUnbound,
    Range,
    Record,
    Slice,
    describe,
    is_array,
    is_number,
    is_value,
    plain,
)
from srcgrad.ir.build import Builder
from srcgrad.ir.nodes import Def, Var
from srcgrad.primitives import REGISTRY

Node = gast.AST


class Interpreter:
    """The state, and what is asked of it everywhere."""

    def __init__(self, captures: Any):
        self.b = Builder(REGISTRY)
        self.captures = captures
        self.frames: list[Frame] = []
        self.scopes: dict[int, dict[str, Any]] = {}
        self.held: list[Any] = []
        self.frozen: dict[int, Any] = {}
        self.shaped_at: dict[int, Any] = {}  # where containers got another length
        self.snapshots: list[Snapshot] = []
        # what is made before all else, with the depth of scopes there: of each traced function
        self.heads: list[tuple[int, list[Any]]] = [(1, [])]
        self.reshapes: list[Reshape] = []
        # of new arrays: whether they are in C order, or whose order they have
        self.orders: dict[Var, Var | bool] = {}
        self.shells: set[Var] = set()  # numbers that NumPy holds in an array of rank 0
        self.returned_at: Location | None = None  # in the function that was left last
        self.problems: list[SrcgradError] = []
        self.passed = 0
        self.ruling: list[Any] = []  # rules of the user's own that are being followed
        self.unrolled: set[tuple[str, int]] = captures.unrolled
        self.grown: dict[Any, Any] = captures.grown
        self.looped: set[tuple] = set()  # comprehensions that were made loops

    if TYPE_CHECKING:  # what the parts have

        def __getattr__(self, name: str) -> Any: ...

    @property
    def frame(self) -> Frame:
        return self.frames[-1]

    @property
    def env(self) -> dict[str, Any]:
        return self.frame.env

    # ---- errors and places ----
    def locate(self, node: Node) -> None:
        self.b.loc = self.frame.source.location(node)

    def refuse(
        self, node: Node | None, reason: str, way_out: str = "", like: type[Exception] | None = None
    ) -> NoReturn:
        """Refuse the program; `like` is what plain Python raises here, if it does."""
        location = self.b.loc if node is None else self.frame.source.location(node)
        raise UnsupportedError(reason, location, way_out, like=like)

    # ---- names ----
    def lookup(self, name: str, node: Node) -> Any:
        frame: Frame | None = self.frame
        while frame is not None:
            if name in frame.env and name not in frame.elsewhere:
                return self._bound(frame.env, name, node)
            if name in frame.local and name not in frame.elsewhere:
                self._unbound(name, node)
            if frame.outer is None:
                break
            frame = frame.outer
        assert frame is not None
        found, value = self.captures.lookup(self, frame.source.function, name, node)
        if found:
            return value
        if hasattr(builtins, name):
            return getattr(builtins, name)
        return self._undefined(name, node)

    def _bound(self, env: dict[str, Any], name: str, node: Node) -> Any:
        value = env[name]
        if value is POISON:
            raise Passed
        if value is UNBOUND:
            self._unbound(name, node)
        if isinstance(value, Conflict):
            self.refuse(node, f"'{name}' cannot be read here: {value.reason}", value.way_out)
        if isinstance(value, MaybeUnbound):
            unbound = self.b("logical_not", value.flag)
            self.fail_if(unbound, "UnboundLocalError", _unbound(name))
            env[name] = value.value
            return value.value
        return value

    def _unbound(self, name: str, node: Node) -> NoReturn:
        """A name that no path has bound is read: an error now, or on the path that does so."""
        location = self.frame.source.location(node)
        if len(self.b.scopes) == 1:
            raise UnboundError(_unbound(name), location)
        self.fail("UnboundLocalError", _unbound(name))

    def _undefined(self, name: str, node: Node) -> NoReturn:
        if len(self.b.scopes) > 1:
            self.fail("NameError", f"name '{name}' is not defined")
        raise UnboundError(f"name '{name}' is not defined", self.frame.source.location(node))

    def fail(self, kind: str, message: str, *values: Any) -> NoReturn:
        """The path that is interpreted raises here whenever it runs."""
        self.b("fail", *values, kind=kind, message=message)
        raise Diverged(kind, message, self.b.loc)

    def fails(self, e: Exception, node: Node) -> NoReturn:
        """What was computed at compile time raised: so does this path, whenever it runs."""
        self.locate(node)
        self.fail(type(e).__name__, literal(str(e)))

    def fail_if(self, condition: Any, kind: str, message: str, *values: Any) -> None:
        """Raise at run time where a condition holds."""
        if condition is not False:
            self.branch(
                condition,
                lambda: self.fail(kind, message, *values),
                lambda: None,
                None,
                live_rest=True,
            )

    def stands_for_view(self, copy: Any, source: Any, what: str, node: Node) -> None:
        """A copy stands where NumPy has a view: refused later if that shows."""
        if isinstance(copy, Var):
            self.snapshots.append(Snapshot(copy, source, what, self.frame.source.location(node)))

    def is_reshape(self, made: Any, source: Any, what: str, node: Node) -> None:
        """A view of an array in C order: refused later if NumPy may have a copy, and that shows."""
        if isinstance(made, Var) and isinstance(source, Var):
            self.reshapes.append(Reshape(made, source, what, self.frame.source.location(node)))

    # ---- numbers ----
    def static_int(self, v: Any, node: Node | None, what: str) -> int:
        """An int that must be known at compile time; asks for a specialisation if it is not."""
        if is_array(v) and not v.type.dims:
            v = self.b("load", v)
        if is_number(v) and not isinstance(v, float | complex):
            return int(v)  # type: ignore[arg-type]
        if isinstance(v, Var) and not is_array(v) and v.type.dtype[0] in "iub":
            self.captures.demand_static(self, v, node, what)
        self.refuse(
            node,
            f"{what} must be an integer known at compile time, not {describe(v)}",
            like=TypeError,
        )

    def static_number(self, v: Any, node: Node, what: str) -> Any:
        """Make a number, a name or None static, floats included."""
        if is_array(v):
            reason = f"{what} must be known at compile time, not {describe(v)}"
            self.refuse(node, reason, like=ValueError)
        if isinstance(v, Var):
            self.captures.demand_static(self, v, node, what)
        return v

    def truth(self, v: Any, node: Node) -> Any:
        """The truth of a value: a bool now, or a run-time one."""
        if is_array(v):
            if all(d == 1 for d in v.type.dims if not isinstance(d, Var)) and not any(
                isinstance(d, Var) for d in v.type.dims
            ):
                v = self.b("load", v, *([0] * v.type.ndim))
            else:
                self.refuse(
                    node, "the truth value of an array with more than one element is ambiguous",
                    "use np.any(...) or np.all(...)", like=ValueError,
                )  # fmt: skip
        if isinstance(v, Var) and is_value(v):
            if v.type.dtype == "bool":
                return v
            return plain(self.b("ne", v, 0))
        if isinstance(v, GrownList):
            return plain(self.b("ne", self.grown_length(v), 0))
        v = self.known_text(v, node)
        if isinstance(v, Record):
            return self.truth_of_record(v, node)
        if isinstance(v, Range):
            v = self.length_of(self.iterated(v, node))
            return plain(self.b("gt", v, 0))
        if isinstance(v, RUNNING | Slice | Iterated):
            return True
        try:
            return bool(v)
        except (ValueError, TypeError) as e:
            self.fails(e, node)

    def definition(self, v: Any) -> Def | None:
        return self.b.definition.get(v) if isinstance(v, Var) else None


def _unbound(name: str) -> str:
    return f"local variable '{name}' is read before it is bound"
