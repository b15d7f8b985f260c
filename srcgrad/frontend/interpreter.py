"""The interpreter: statements and frames. Expressions, calls and control flow are mixed in.

One instance interprets one function for one signature and leaves its statements in a builder.
"""

from __future__ import annotations

import builtins
from dataclasses import dataclass, field
from typing import Any, NoReturn

import gast

from srcgrad.errors import UnboundError, UnsupportedError
from srcgrad.frontend.calls import Calls
from srcgrad.frontend.captures import Captures
from srcgrad.frontend.expressions import Expressions
from srcgrad.frontend.flow import RESULT, RETURNED, ControlFlow
from srcgrad.frontend.indexing import Indexing
from srcgrad.frontend.iteration import Iteration
from srcgrad.frontend.liveness import Liveness
from srcgrad.frontend.source import Source
from srcgrad.frontend.values import (
    UNBOUND,
    Closure,
    Conflict,
    Formatted,
    GrownList,
    MaybeUnbound,
    Record,
    TrackedList,
    describe,
    is_array,
    is_number,
    is_scalar,
    is_value,
    plain,
)
from srcgrad.ir.build import Builder
from srcgrad.ir.nodes import Def, Var
from srcgrad.primitives import REGISTRY


@dataclass(eq=False)
class Frame:
    """One function being interpreted: its source, its names, where it was called from."""

    source: Source
    env: dict[str, Any]
    live: Liveness
    outer: Frame | None = None  # the frame of the function that encloses this one
    depth: int = 0  # of loops
    local: set[str] = field(default_factory=set)


class Interpreter(ControlFlow, Expressions, Indexing, Iteration, Calls):
    def __init__(self, captures: Captures):
        self.b = Builder(REGISTRY)
        self.captures = captures
        self.frames: list[Frame] = []
        self.unrolled: set[tuple[str, int]] = captures.unrolled
        self.grown: dict[Any, Any] = captures.grown

    @property
    def frame(self) -> Frame:
        return self.frames[-1]

    @property
    def env(self) -> dict[str, Any]:
        return self.frame.env

    @env.setter
    def env(self, value: dict[str, Any]) -> None:
        self.frame.env = value

    # ---- errors and places ----
    def locate(self, node: Any) -> None:
        self.b.loc = self.frame.source.location(node)

    def refuse(self, node: Any, reason: str, way_out: str = "") -> NoReturn:
        raise UnsupportedError(reason, self.frame.source.location(node), way_out)

    def copy_env(self, env: dict[str, Any]) -> dict[str, Any]:
        """A copy whose lists and records may be changed on their own."""
        memo: dict[int, Any] = {}
        return {k: _clone(v, memo) for k, v in env.items()}

    # ---- names ----
    def lookup(self, name: str, node: Any) -> Any:
        frame: Frame | None = self.frame
        while frame is not None:
            if name in frame.env:
                return self._bound(frame.env, name, node)
            if name in frame.local and frame is self.frame:
                raise UnboundError(
                    f"local variable '{name}' is read before it is bound",
                    self.frame.source.location(node),
                )
            if frame.outer is None:
                break
            frame = frame.outer
        assert frame is not None
        found, value = self.captures.lookup(self, frame.source.function, name, node)
        if found:
            return value
        if hasattr(builtins, name):
            return getattr(builtins, name)
        raise UnboundError(f"name '{name}' is not defined", self.frame.source.location(node))

    def _bound(self, env: dict[str, Any], name: str, node: Any) -> Any:
        value = env[name]
        if value is UNBOUND:
            raise UnboundError(
                f"local variable '{name}' is read before it is bound",
                self.frame.source.location(node),
            )
        if isinstance(value, Conflict):
            self.refuse(
                node, f"'{name}' cannot be read here: {value.reason}",
                "give the name one kind of value, or use two names",
            )  # fmt: skip
        if isinstance(value, MaybeUnbound):
            unbound = self.b("logical_not", value.flag)
            message = f"local variable '{name}' is read before it is bound"
            self.fail_if(unbound, "UnboundLocalError", message)
            env[name] = value.value
            return value.value
        return value

    def fail_if(self, condition: Any, kind: str, message: str, *values: Any) -> None:
        """Raise at run time where a condition holds."""
        self.branch(
            condition,
            lambda: self.b("fail", *values, kind=kind, message=message),
            lambda: None,
            None,
            live_rest=True,
        )

    # ---- statements ----
    def execute(self, node: Any) -> None:
        self.locate(node)
        method = getattr(self, f"_do_{type(node).__name__}", None)
        if method is None:
            kind = _SPELLED.get(type(node).__name__, type(node).__name__.lower())
            self.refuse(node, f"'{kind}' is not supported", "move it out of the compiled function")
        method(node)

    def _do_Pass(self, node: Any) -> None:
        pass

    def _do_Expr(self, node: Any) -> None:
        self.expression(node.value)

    def _do_Assign(self, node: Any) -> None:
        value = self.expression(node.value)
        for target in node.targets:
            self.assign(target, value)

    def _do_AnnAssign(self, node: Any) -> None:
        if node.value is not None:
            self.assign(node.target, self.expression(node.value))

    def assign(self, target: Any, value: Any) -> None:
        match target:
            case gast.Name():
                if isinstance(value, Var):
                    self._name(value, target.id)
                self.env[target.id] = value
            case gast.Tuple() | gast.List():
                self._unpack(target, value)
            case gast.Subscript():
                self.store(target, self.expression(target.value), value)
            case gast.Attribute():
                owner = self.expression(target.value)
                if isinstance(owner, Record):
                    owner.fields[target.attr] = value
                elif is_array(owner) and target.attr == "shape":
                    self.refuse(target, "a shape cannot be assigned", "use reshape")
                else:
                    self.refuse(
                        target, f"an attribute of {describe(owner)} cannot be assigned",
                        "return the value instead",
                    )  # fmt: skip
            case _:
                self.refuse(target, "this target of an assignment is not supported")

    def _name(self, value: Var, name: str) -> None:
        """Give a value computed for this name its name; those that have one keep it."""
        definition = self.b.definition.get(value)
        if definition is not None and value.name == definition.op.name:
            value.name = name

    def _unpack(self, target: Any, value: Any) -> None:
        items = self.static_items(value, target)
        stars = [k for k, t in enumerate(target.elts) if isinstance(t, gast.Starred)]
        if not stars:
            if len(items) != len(target.elts):
                self.refuse(
                    target, f"{len(items)} values cannot be unpacked into {len(target.elts)} names"
                )
            for t, v in zip(target.elts, items, strict=True):
                self.assign(t, v)
            return
        k, extra = stars[0], len(items) - len(target.elts) + 1
        if extra < 0:
            self.refuse(target, f"too few values to unpack: {len(items)}")
        parts = [*items[:k], list(items[k : k + extra]), *items[k + extra :]]
        for t, v in zip(target.elts, parts, strict=True):
            self.assign(t.value if isinstance(t, gast.Starred) else t, v)

    def _do_AugAssign(self, node: Any) -> None:
        target = node.target
        if isinstance(target, gast.Subscript):
            self.augment(node)
            return
        read = gast.Name(target.id, gast.Load(), None, None) if isinstance(target, gast.Name) else target
        gast.copy_location(read, target)
        old, value = self.expression(read), self.expression(node.value)
        if is_array(old) and old.type.dims:
            self.in_place(node.op, old, value, node)
        elif isinstance(old, list) and isinstance(node.op, gast.Add):
            old.extend(self.static_items(value, node))
        else:
            self.assign(target, self.binary(node.op, old, value, node))

    def _do_If(self, node: Any) -> None:
        test = self.truth(self.expression(node.test), node.test)
        self.branch(test, lambda: self.block(node.body), lambda: self.block(node.orelse), node)

    def _do_While(self, node: Any) -> None:
        self.loop(node, None)

    def _do_For(self, node: Any) -> None:
        self.for_loop(node)

    def _do_Break(self, node: Any) -> None:
        self.env[self.flag("break")] = True

    def _do_Continue(self, node: Any) -> None:
        self.env[self.flag("continue")] = True

    def _do_Return(self, node: Any) -> None:
        self.env[RESULT] = None if node.value is None else self.expression(node.value)
        self.env[RETURNED] = True

    def _do_FunctionDef(self, node: Any) -> None:
        if node.decorator_list:
            self.refuse(node, "a decorator inside a compiled function is not supported")
        self.env[node.name] = self.closure(node, node.name)

    def _do_Assert(self, node: Any) -> None:
        test = self.truth(self.expression(node.test), node.test)
        if test is True:
            return
        message = "" if node.msg is None else self.expression(node.msg)
        self._raise_if(self.negate(test), "AssertionError", message, node)

    def _do_Raise(self, node: Any) -> None:
        exc = node.exc
        if exc is None:
            self.refuse(node, "a bare raise is not supported")
        call = isinstance(exc, gast.Call)
        cls = self.expression(exc.func if call else exc)
        if not (isinstance(cls, type) and issubclass(cls, BaseException)):
            self.refuse(node, "only exception classes can be raised")
        kind = next((c.__name__ for c in cls.__mro__ if hasattr(builtins, c.__name__)), "Exception")
        message = self.expression(exc.args[0]) if call and exc.args else ""
        self._raise_if(True, kind, message, node)
        self.env[RETURNED] = True

    def _raise_if(self, test: Any, kind: str, message: Any, node: Any) -> None:
        if isinstance(message, Formatted):
            template, values = message.template, message.values
        else:
            template, values = str(message).replace("{", "{{").replace("}", "}}"), []
        if any(not is_scalar(v) for v in values):
            template, values = template.replace("{}", "..."), []
        self.fail_if(test, kind, template, *values)

    def _do_Import(self, node: Any) -> None:
        import importlib

        for alias in node.names:
            module = importlib.import_module(alias.name)
            if alias.asname:
                self.env[alias.asname] = module
            else:
                self.env[alias.name.split(".")[0]] = importlib.import_module(
                    alias.name.split(".")[0]
                )

    def _do_ImportFrom(self, node: Any) -> None:
        import importlib

        if node.level:
            self.refuse(node, "a relative import inside a compiled function is not supported")
        module = importlib.import_module(node.module)
        for alias in node.names:
            self.env[alias.asname or alias.name] = getattr(module, alias.name)

    # ---- numbers ----
    def number(self, a: Any) -> Any:
        return plain(a) if not isinstance(a, Var) else a

    def static_int(self, v: Any, node: Any, what: str) -> int:
        """An int that must be known at compile time; asks for a specialisation if it is not."""
        if is_number(v) and not isinstance(v, float | complex):
            return int(v)
        if isinstance(v, Var):
            self.captures.demand_static(self, v, node, what)
        self.refuse(node, f"{what} must be an integer known at compile time, not {describe(v)}")

    def truth(self, v: Any, node: Any) -> Any:
        """The truth of a value: a bool now, or a run-time one."""
        if is_array(v):
            if all(d == 1 for d in v.type.dims if not isinstance(d, Var)) and not any(
                isinstance(d, Var) for d in v.type.dims
            ):
                v = self.b("load", v, *([0] * v.type.ndim))
            else:
                self.refuse(
                    node, "the truth value of an array with more than one element is ambiguous",
                    "use np.any(...) or np.all(...)",
                )  # fmt: skip
        if isinstance(v, Var) and is_value(v):
            if v.type.dtype == "bool":
                return v
            return plain(self.b("ne", v, 0))
        if isinstance(v, GrownList):
            return plain(self.b("ne", self.b("load", v.length, 0), 0))
        if isinstance(v, Record | Closure):
            return True
        return bool(v)

    def definition(self, v: Any) -> Def | None:
        return self.b.definition.get(v) if isinstance(v, Var) else None


_SPELLED = {
    "Try": "try", "With": "with", "ClassDef": "class", "Global": "global", "Nonlocal": "nonlocal",
    "Delete": "del", "AsyncFunctionDef": "async def", "AsyncFor": "async for", "Match": "match",
}  # fmt: skip


def _clone(v: Any, memo: dict[int, Any]) -> Any:
    """A copy of mutable containers, shared where the original is shared."""
    if id(v) in memo:
        return memo[id(v)]
    match v:
        case list():
            tracked = isinstance(v, TrackedList)
            out: Any = TrackedList([], v.key, v.depth) if tracked else []
            memo[id(v)] = out
            out.extend(_clone(x, memo) for x in v)
            return out
        case dict():
            out = {}
            memo[id(v)] = out
            out.update({k: _clone(x, memo) for k, x in v.items()})
            return out
        case Record():
            out = Record(v.cls)
            memo[id(v)] = out
            out.fields = {k: _clone(x, memo) for k, x in v.fields.items()}
            return out
        case tuple() if any(isinstance(x, list | dict | Record) for x in v):
            parts = [_clone(x, memo) for x in v]
            return type(v)(*parts) if hasattr(v, "_fields") else tuple(parts)
    return v
