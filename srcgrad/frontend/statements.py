"""Statements, but for branches and loops: assignments, raises, imports, deletions.

Never emits control flow itself.
"""

from __future__ import annotations

import importlib
from typing import Any

import gast
import numpy as np

from srcgrad.frontend.expressions import OPERATORS
from srcgrad.frontend.frame import RESULT, RETURNED
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.stores import PARTS
from srcgrad.frontend.texts import literal, shown, without_values
from srcgrad.frontend.values import UNBOUND, GrownList, Iterated, Record, describe, is_array
from srcgrad.ir.nodes import Var
from srcgrad.ir.types import is_complex
from srcgrad.primitives.raising import name_of


def context_of(f: Any) -> Any:
    """The handler of what stands in a `with`."""
    from srcgrad.frontend.handlers.registry import CONTEXTS

    return CONTEXTS.get(f) if isinstance(f, type) else None


class Statements(Interpreter):
    """Mixed into the interpreter."""

    def execute(self, node: Node) -> None:
        self.locate(node)
        method = getattr(self, f"_do_{type(node).__name__}", None)
        if method is None:
            kind = _SPELLED.get(type(node).__name__, type(node).__name__.lower())
            self.refuse(node, f"'{kind}' is not supported", "move it out of the compiled function")
        method(node)

    def _do_Pass(self, node: gast.Pass) -> None:
        pass

    def _do_Expr(self, node: gast.Expr) -> None:
        self.expression(node.value)

    # ---- assignment ----
    def _do_Assign(self, node: gast.Assign) -> None:
        value = self.expression(node.value)
        for target in node.targets:
            self.assign(target, value)

    def _do_AnnAssign(self, node: gast.AnnAssign) -> None:
        if node.value is not None:
            self.assign(node.target, self.expression(node.value))

    def assign(self, target: Any, value: Any) -> None:
        match target:
            case gast.Name():
                if isinstance(value, Var):
                    self._name(value, target.id)
                if isinstance(value, Iterated) and value.lazy:
                    self.refuse(
                        target,
                        "a generator expression or map() that is kept in a name is not supported",
                        "make a list of it",
                    )  # fmt: skip
                self.scope_of(target.id)[target.id] = value
            case gast.Tuple() | gast.List():
                self._unpack(target, value)
            case gast.Subscript():
                owner, name = self.owner_of_part(target.value)
                if owner is None:
                    self.store(target, self.expression(target.value), value)
                elif name:
                    self.store_part(owner, name, self.items_of(owner, target.slice), value, target)
                else:
                    self.store(target, owner, value)
            case gast.Attribute():
                self._set_attribute(target, self.expression(target.value), value)
            case _:
                self.refuse(target, "this target of an assignment is not supported")

    def scope_of(self, name: str) -> dict[str, Any]:
        """The names of the frame where a name of this function is bound."""
        frame: Any = self.frame
        while name in frame.elsewhere:
            frame = frame.outer
            while name not in frame.local and name not in frame.env and frame.outer is not None:
                frame = frame.outer
        return frame.env

    def _set_attribute(self, target: Any, owner: Any, value: Any) -> None:
        if isinstance(owner, Record):
            self.changing(owner, target)
            self.set_field(owner, target.attr, value, target)
        elif is_array(owner) and is_complex(owner.type.dtype) and target.attr in PARTS:
            self.store_part(owner, target.attr, [...], value, target)
        elif is_array(owner) and target.attr == "shape":
            self.refuse(target, "a shape cannot be assigned", "use reshape")
        elif is_array(owner) and target.attr in ("flat", "T"):
            self.refuse(
                target, f"an assignment to .{target.attr} is not supported", "use x[...] = v"
            )
        else:
            self.refuse(
                target, f"an attribute of {describe(owner)} cannot be assigned",
                "return the value instead",
            )  # fmt: skip

    def _name(self, value: Var, name: str) -> None:
        """Give a value computed for this name its name; those that have one keep it."""
        definition = self.b.definition.get(value)
        if definition is not None and value.name == definition.op.name:
            value.name = name

    def _unpack(self, target: Any, value: Any) -> None:
        if isinstance(value, dict):
            value = list(value)
        stars = [k for k, t in enumerate(target.elts) if isinstance(t, gast.Starred)]
        items = self.static_items(value, target)
        if not stars:
            if len(items) != len(target.elts):
                self.refuse(
                    target,
                    f"{len(items)} values cannot be unpacked into {len(target.elts)} names",
                    like=ValueError,
                )
            for t, v in zip(target.elts, items, strict=True):
                self.assign(t, v)
            return
        k, extra = stars[0], len(items) - len(target.elts) + 1
        if extra < 0:
            self.refuse(target, f"too few values to unpack: {len(items)}", like=ValueError)
        starred = self.tracked_list(items[k : k + extra], target)
        parts = [*items[:k], starred, *items[k + extra :]]
        for t, v in zip(target.elts, parts, strict=True):
            self.assign(t.value if isinstance(t, gast.Starred) else t, v)

    def _do_AugAssign(self, node: gast.AugAssign) -> None:
        target = node.target
        if isinstance(target, gast.Subscript):
            self.augment(node)
            return
        owner = None
        if isinstance(target, gast.Attribute):
            owner = self.expression(target.value)
            if is_array(owner) and is_complex(owner.type.dtype) and target.attr in PARTS:
                self.augment_part(owner, target.attr, [...], node)
                return
            old = self.attribute(owner, target.attr, target)
        else:
            read = gast.copy_location(gast.Name(target.id, gast.Load(), None, None), target)
            old = self.expression(read)
        value = self.expression(node.value)
        new = self.augmented(node, old, value)
        if owner is not None:
            if new is not old or isinstance(owner, Record):
                self._set_attribute(target, owner, new)
        else:
            self.assign(target, new)

    def augmented(self, node: gast.AugAssign, old: Any, value: Any) -> Any:
        """`old op= value`: arrays and lists are changed in place."""
        if is_array(old):
            self.in_place(node.op, old, value, node)
            return old
        if isinstance(old, list | GrownList) and isinstance(node.op, gast.Add):
            if is_array(value):
                return self.binary(node.op, old, value, node)
            self.extend(old, value, node)
            return old
        if isinstance(old, Record):
            return self.record_in_place(OPERATORS[type(node.op).__name__], old, value, node)
        if isinstance(old, list):
            self.refuse(node, "this operator changes a list in place", "build a new list")
        if isinstance(old, dict | set):
            self.refuse(node, f"this operator on {describe(old)} is not supported")
        if isinstance(old, Var) and old in self.shells and self._names_of(old) > 1:
            self.refuse(
                node,
                "this number is an array of rank 0 in NumPy, where all names of it would change",
                "write x = x + y for x += y",
            )
        return self.binary(node.op, old, value, node)

    def _names_of(self, v: Var) -> int:
        """How many names in all frames are bound to a value."""
        return sum(bound is v for frame in self.frames for bound in frame.env.values())

    # ---- leaving ----
    def _do_If(self, node: gast.If) -> None:
        test = self.truth(self.expression(node.test), node.test)
        self.branch(test, lambda: self.block(node.body), lambda: self.block(node.orelse), node)

    def _do_While(self, node: gast.While) -> None:
        self.loop(node, None)

    def _do_For(self, node: gast.For) -> None:
        self.for_loop(node)

    def _do_Break(self, node: gast.Break) -> None:
        self.env[self.flag("break")] = True

    def _do_Continue(self, node: gast.Continue) -> None:
        self.env[self.flag("continue")] = True

    def _do_Return(self, node: gast.Return) -> None:
        value = None if node.value is None else self.expression(node.value)
        self.frame.returns.append(self.frame.source.location(node))
        self.env[RESULT] = value
        self.env[RETURNED] = True

    def _do_FunctionDef(self, node: gast.FunctionDef) -> None:
        if node.decorator_list:
            self.refuse(node, "a decorator inside a compiled function is not supported")
        self.env[node.name] = self.closure(node, node.name)

    def _do_Nonlocal(self, node: gast.Nonlocal) -> None:
        for name in node.names:
            frame = self.frame.outer
            while frame is not None and name not in frame.local and name not in frame.env:
                frame = frame.outer
            if frame is None:
                self.refuse(
                    node,
                    f"'{name}' belongs to a function outside of what is compiled: it cannot be set",
                    "return the value instead",
                )  # fmt: skip

    def _do_Delete(self, node: gast.Delete) -> None:
        for target in node.targets:
            match target:
                case gast.Name():
                    self.lookup(target.id, target)
                    self.scope_of(target.id)[target.id] = UNBOUND
                case gast.Subscript():
                    self.delete_item(target)
                case _:
                    self.refuse(target, "'del' of this is not supported")

    def _do_With(self, node: gast.With) -> None:
        """np.errstate changes no value: compiled code never warns. Others have handlers."""
        for item in node.items:
            call: Any = item.context_expr
            f = self.expression(call.func) if isinstance(call, gast.Call) else None
            if (context := context_of(f)) is not None and len(node.items) == 1:
                context(self, node, item)
                return
            if f is not np.errstate or item.optional_vars is not None:
                self.refuse(node, "'with' is not supported", "move it out of the compiled function")
            if any(k.arg in (None, "call") for k in call.keywords) or any(
                not isinstance(k.value, gast.Constant) or k.value.value in ("raise", "call", "log")
                for k in call.keywords
            ):
                self.refuse(
                    node, "np.errstate that raises or calls is not supported", "use 'ignore'"
                )
        self.block(node.body)

    # ---- failing ----
    def _do_Assert(self, node: gast.Assert) -> None:
        test = self.truth(self.expression(node.test), node.test)
        if test is True:
            return

        def failing() -> None:
            message = "" if node.msg is None else self.expression(node.msg)
            self.fail("AssertionError", *self._message(message))

        self.branch(test, lambda: None, failing, node, live_rest=True)

    def _do_Raise(self, node: gast.Raise) -> None:
        exc = node.exc
        if exc is None:
            self.refuse(
                node, "'raise' without an exception is not supported", "raise ValueError(...)"
            )
        call = isinstance(exc, gast.Call)
        cls = self.expression(exc.func if call else exc)
        if isinstance(cls, BaseException) and not call:
            self.fail(name_of(type(cls)), literal(str(cls)))
        if not (isinstance(cls, type) and issubclass(cls, BaseException)):
            self.refuse(
                node,
                "only exceptions and their classes can be raised",
                "raise ValueError(...)",
                like=TypeError,
            )
        args = self.elements(exc.args) if call else []
        message = args[0] if len(args) == 1 else tuple(args) or ""
        self.fail(name_of(cls), *self._message(message))

    def _message(self, message: Any) -> tuple:
        """A template and its values, as `fail` takes them."""
        template, values = without_values(*shown(message))
        return template, *values

    # ---- imports ----
    def _do_Import(self, node: gast.Import) -> None:
        for alias in node.names:
            module = self._imported(alias.name, node)
            if not alias.asname:
                module = self._imported(alias.name.split(".")[0], node)
            self.env[alias.asname or alias.name.split(".")[0]] = module

    def _do_ImportFrom(self, node: gast.ImportFrom) -> None:
        if node.level:
            self.refuse(node, "a relative import inside a compiled function is not supported")
        module = self._imported(node.module or "", node)
        for alias in node.names:
            if not hasattr(module, alias.name):
                self.refuse(
                    node, f"'{alias.name}' cannot be imported from {node.module}", like=ImportError
                )
            self.env[alias.asname or alias.name] = self.captures.attribute(
                self, module, alias.name, node
            )

    def _imported(self, name: str, node: Node) -> Any:
        try:
            return importlib.import_module(name)
        except ImportError as e:
            self.refuse(node, f"this import fails: {e}", like=type(e))


_SPELLED = {
    "Try": "try", "With": "with", "ClassDef": "class", "Global": "global", "Nonlocal": "nonlocal",
    "Delete": "del", "AsyncFunctionDef": "async def", "AsyncFor": "async for", "Match": "match",
    "AsyncWith": "async with", "TryStar": "try",
}  # fmt: skip
