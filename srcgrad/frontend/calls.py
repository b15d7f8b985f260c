"""Calls: handlers of builtins and NumPy by identity, everything else inlined from its source."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import sys
import types
from typing import Any

import gast
import numpy as np

from srcgrad.errors import SourceError, SrcgradError, UnsupportedError
from srcgrad.frontend import source
from srcgrad.frontend.arguments import misfit
from srcgrad.frontend.foreign import foreign_library
from srcgrad.frontend.formulas.registry import is_formula
from srcgrad.frontend.frame import RESULT, RETURNED, Passed
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.kinds import Kind
from srcgrad.frontend.liveness import Liveness, assigned
from srcgrad.frontend.similar import methods_of, similar
from srcgrad.frontend.trees import nonlocals, own_statements, signature_of
from srcgrad.frontend.unknown import callable_name
from srcgrad.frontend.values import (
    Bound,
    Closure,
    Conflict,
    Iterated,
    Partial,
    Range,
    Record,
    Slice,
    describe,
    is_array,
    is_value,
)
from srcgrad.ir.nodes import Var
from srcgrad.ir.types import Scalar
from srcgrad.tracebacks import within
from srcgrad.tree import is_dataclass_instance, registered_as


class Calls(Interpreter):
    """Mixed into the interpreter."""

    def _of_Call(self, node: gast.Call) -> Any:
        f = self._callee(node.func)
        args = self.elements(node.args)
        kwargs: dict[str, Any] = {}
        for k in node.keywords:
            value = self.expression(k.value)
            given = value if k.arg is None else {k.arg: value}
            if not isinstance(given, dict) or not all(isinstance(n, str) for n in given):
                self.refuse(
                    k.value,
                    f"** takes a dict with strings as keys, not {describe(value)}",
                    like=TypeError,
                )
            twice = next((n for n in given if n in kwargs), None)
            if twice is not None:
                self.refuse(node, f"the argument '{twice}' is given twice", like=TypeError)
            kwargs.update(given)
        return self.call(f, args, kwargs, node)

    def _callee(self, node: Node) -> Any:
        """What is called. `size` is a number of arrays and a method of tensors."""
        if isinstance(node, gast.Attribute) and node.attr == "size":
            owner = self.expression(node.value)
            if is_array(owner) and self.kind_of(owner) is Kind.TENSOR:
                return Bound(owner, "size")
            return self.attribute(owner, "size", node)
        return self.expression(node)

    def call(self, f: Any, args: list[Any], kwargs: dict[str, Any], node: Node) -> Any:
        from srcgrad.frontend.handlers import handler_of

        f = within(f)
        handler = handler_of(f)
        if handler is not None:
            result = self.handled(handler, *self._named(f, handler, args, kwargs, node), node)
            self.note_made(f, args, result)
            return self.strong(result) if _gives_strong(f) else result
        match f:
            case Bound():
                return self.call_method(f.owner, f.name, args, kwargs, node)
            case Closure():
                return self._call_closure(f, args, kwargs, node)
            case functools.partial():
                key = ("partial", id(f))
                given = self.captures.take(self, key, lambda: f.args, "arguments", node)
                named = self.captures.take(self, (*key, "names"), lambda: f.keywords, "names", node)
                return self.call(f.func, [*given, *args], {**named, **kwargs}, node)
            case Partial():
                return self.call(f.func, [*f.args, *args], {**f.keywords, **kwargs}, node)
            case types.MethodType():
                return self.call(f.__func__, [self._owner(f.__self__, node), *args], kwargs, node)
            case types.FunctionType():
                result = self.follow(f, args, kwargs, node)
                self.note_made(f, args, result)
                return result
        if hasattr(f, "py_func"):  # numba.njit's dispatchers
            return self.call(f.py_func, args, kwargs, node)
        if hasattr(f, "srcgrad_inline"):  # our own transforms
            return f.srcgrad_inline(self, args, kwargs, node)
        if isinstance(f, functools._lru_cache_wrapper):  # what it keeps is what it would compute
            return self.call(f.__wrapped__, args, kwargs, node)
        if isinstance(f, type):
            return self.construct(f, args, kwargs, node)
        if isinstance(f, Record):
            method = inspect.getattr_static(f.cls, "__call__", None)
            if isinstance(method, types.FunctionType):
                return self.call(method, [f, *args], kwargs, node)
        if (
            isinstance(f, Var | str | list | tuple | dict | Record | Iterated | Range | Slice)
            or is_value(f)
            or f is None
        ):
            self.refuse(node, f"{describe(f)} cannot be called", like=TypeError)
        self.refuse_unknown(f, node)
        if callable(f) and isinstance(
            inspect.getattr_static(type(f), "__call__", None), types.FunctionType
        ):
            return self.call(type(f).__call__, [f, *args], kwargs, node)
        self.refuse(node, f"{callable_name(f)} cannot be called in a compiled function")

    def _owner(self, owner: Any, node: Node) -> Any:
        """What a method is called on: an instance of a registered class is captured with it."""
        if registered_as(type(owner)) is None:
            return owner
        self.captures.inlined.append(owner)  # its id stays its own
        return self.captures.take(self, ("self", id(owner)), lambda: owner, "self", node)

    def strong(self, v: Any) -> Any:
        """A Python number as the scalar that NumPy's functions make of it."""
        if isinstance(v, Var) and isinstance(v.type, Scalar) and v.type.weak:
            return self.b.retyped(v, Scalar(v.type.dtype))
        if isinstance(v, int | float | complex) and not isinstance(v, bool | np.generic):
            kinds = {int: np.int64, float: np.float64, complex: np.complex128}
            return next(kinds[k](v) for k in kinds if isinstance(v, k))
        return v

    def handled(self, handler: Any, args: list[Any], kwargs: dict[str, Any], node: Node) -> Any:
        from srcgrad.frontend.handlers.parameters import known_arguments

        args, kwargs = known_arguments(self, handler, args, kwargs, node)
        try:
            return handler(self, node, *args, **kwargs)
        except TypeError as e:
            # a wrong argument of the call, not a fault inside the handler
            if e.__traceback__ is not None and e.__traceback__.tb_next is None:
                self.refuse(node, f"this call is not supported: {_arguments_of(e)}")
            raise

    def call_numpy(self, f: Any, args: list[Any], kwargs: dict[str, Any], node: Node) -> Any:
        from srcgrad.frontend.handlers import handler_of

        handler = handler_of(f)
        assert handler is not None, f
        return self.handled(handler, *self._named(f, handler, args, kwargs, node), node)

    def _named(
        self, f: Any, handler: Any, args: list[Any], kwargs: dict[str, Any], node: Node
    ) -> tuple[list[Any], dict[str, Any]]:
        """The arguments of a handler, bound as NumPy binds those of its function."""
        from srcgrad.frontend.handlers.signatures import as_named

        try:
            return as_named(f, handler, args, kwargs)
        except TypeError as e:
            self.refuse(node, f"this call is not supported: {_arguments_of(e)}", like=TypeError)

    def call_method(
        self, owner: Any, name: str, args: list[Any], kwargs: dict[str, Any], node: Node
    ) -> Any:
        from srcgrad.frontend.handlers.registry import kind_of_owner

        handler = self.method_of(owner, name, node)
        if handler is None:
            self.refuse(
                node, f"the method '{name}' of {self.described(owner)} is not supported",
                similar(name, methods_of(kind_of_owner(owner))),
            )  # fmt: skip
        result = self.handled(handler, [owner, *args], kwargs, node)
        if is_array(owner) and self.kind_of(owner) is not Kind.ARRAY:
            self.note_method(owner, result)
        return result

    # ---- inlining ----
    def follow(
        self, f: types.FunctionType, args: list[Any], kwargs: dict[str, Any], node: Node
    ) -> Any:
        """The result of a Python function, whose source is interpreted here."""
        from srcgrad.frontend.handlers.parameters import known_arguments

        module = (f.__module__ or "").split(".")[0]
        if module in ("numpy", "scipy", "numba") or foreign_library(f):
            self.refuse_unknown(f, node)
        if f.__code__.co_flags & (inspect.CO_GENERATOR | inspect.CO_COROUTINE):
            self.refuse(
                node, f"{f.__name__}() is a generator or coroutine", "return a list or an array"
            )
        try:
            found = source.find(f)
        except SourceError as e:
            self.refuse(node, e.reason, e.way_out)
        library = module in sys.stdlib_module_names and module != "__main__"
        placed = self.frame.source.place is not None or not self.follows_library()
        if library or is_formula(f) or (module == "srcgrad" and placed):
            # errors name the user's line
            found = dataclasses.replace(found, place=self.frame.source.location(node))
        if not is_formula(f):
            self.captures.watch_attribute(f, "__code__")
        bound = self.bind(f, args, kwargs, node)
        if is_formula(f) or module == "srcgrad":
            bound = known_arguments(self, f, [], bound, node)[1]
        ours = module == "srcgrad" and not (self.follows_library() or is_formula(f))
        if not library and not ours:
            return self.inline(found, bound, None, node)
        problems = len(self.problems)
        try:
            return self.inline(found, bound, None, node)
        except (UnsupportedError, Passed) as e:  # the user's line, not one of a library
            first = [*self.problems[problems:], e][0]
            del self.problems[problems:]
            if library or not isinstance(first, SrcgradError):
                self.refuse(
                    node, f"{f.__module__}.{f.__qualname__}() is not supported in a compiled "
                    "function", "call it outside and pass the result",
                )  # fmt: skip
            self.refuse(
                node,
                f"{f.__name__}() is not supported here: {first.reason}",
                first.way_out,
                getattr(first, "like", None),
            )

    def bind(
        self, f: types.FunctionType, args: list[Any], kwargs: dict[str, Any], node: Node
    ) -> dict[str, Any]:
        """The names of a function's arguments, defaults included."""
        try:
            bound = inspect.signature(f, follow_wrapped=False).bind(*args, **kwargs)
        except TypeError:
            head = inspect.signature(f, follow_wrapped=False)
            said = misfit(f.__qualname__, head, args, kwargs)
            self.fails(said, node)
        env = dict(bound.arguments)
        for name, p in bound.signature.parameters.items():
            if name not in env and p.default is not p.empty:
                env[name] = self._default(f, name, p.default, node)
            elif p.kind is p.VAR_POSITIONAL:
                env.setdefault(name, ())
            elif p.kind is p.VAR_KEYWORD:
                env.setdefault(name, {})
        return env

    def _default(self, f: types.FunctionType, name: str, value: Any, node: Node) -> Any:
        """The default of an argument: a captured value where its contents may change."""
        if not isinstance(value, np.ndarray | list | dict | set | tuple) and (
            not is_dataclass_instance(value) and registered_as(type(value)) is None
        ):
            for part in () if is_formula(f) else ("__defaults__", "__kwdefaults__"):
                self.captures.watch_attribute(f, part)
            return value
        key = ("default", id(f), name)
        return self.captures.take(self, key, lambda: _default(f, name), name, node)

    def inline(self, found: source.Source, env: dict[str, Any], outer: Any, node: Node) -> Any:
        """Interpret a function's body in a frame of its own; its result."""
        from srcgrad.frontend.frame import Frame

        self.limit_recursion(found, node)
        loc = self.b.loc
        tree = found.tree
        frame = Frame(found, dict(env), _liveness(tree), outer)
        if self.frames:
            frame.called_at = self.frame.source.location(node)
        self.scopes[id(frame.env)] = frame.env
        self.frames.append(frame)
        try:
            if isinstance(tree, gast.Lambda):
                return self.expression(tree.body)
            frame.elsewhere = {n for s in own_statements(tree) for n in nonlocals(s)}
            frame.local = set(assigned(tree.body)) - frame.elsewhere
            self._refuse_scopes(tree)
            self.block(tree.body)
            self.returned_at = frame.returns[-1] if frame.returns else None
            return self._result(frame, node)
        except RecursionError:  # of the interpreter itself: branches take many of Python's frames
            if all(f.source.tree is not tree for f in self.frames[:-1]):
                raise
        finally:
            self.frames.pop()
            self.b.loc = loc
        self.refuse_recursion(found, self.frame.source.location(node))

    def _result(self, frame: Any, node: Node) -> Any:
        if frame.passed:
            raise Passed
        result = frame.env.get(RESULT)
        returned = frame.env.get(RETURNED, False)
        found = frame.source
        if isinstance(returned, Var) and result is not None:
            # some path falls off the end and returns None
            raise UnsupportedError(
                f"{found.title}() returns a value on one path and None on another",
                found.location(found.tree),
                "end every path with a return",
            )
        if isinstance(result, Conflict):
            raise UnsupportedError(
                f"the returns of {found.title}() do not fit together: {result.reason}",
                frame.returns[-1] if frame.returns else found.location(found.tree),
                "return one kind of value on every path",
            )
        return result

    def _refuse_scopes(self, tree: Any) -> None:
        for n in own_statements(tree):
            if isinstance(n, gast.Yield | gast.YieldFrom | gast.Await):
                self.refuse(
                    n, "generators and coroutines are not supported", "return a list or an array"
                )

    # ---- closures ----
    def closure(self, node: gast.FunctionDef | gast.Lambda, name: str) -> Closure:
        defaults = [self.expression(d) for d in node.args.defaults]
        kw = [None if d is None else self.expression(d) for d in node.args.kw_defaults]
        return Closure(node, self.env, defaults, kw, self.frame, name)

    def _of_Lambda(self, node: gast.Lambda) -> Any:
        return self.closure(node, "<lambda>")

    def _call_closure(self, f: Closure, args: list[Any], kwargs: dict[str, Any], node: Node) -> Any:
        signature = signature_of(f.node, f.defaults, f.kw_defaults)
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError:
            self.fails(misfit(f.name, signature, args, kwargs), node)
        bound.apply_defaults()
        defining = f.frame.source
        found = source.Source(defining.function, f.node, defining.file, defining.place)
        return self.inline(found, dict(bound.arguments), f.frame, node)


def _default(f: types.FunctionType, name: str) -> Any:
    return inspect.signature(f).parameters[name].default


@functools.lru_cache(maxsize=1024)
def _liveness(tree: Any) -> Liveness:
    return Liveness(tree)


def _gives_strong(f: Any) -> bool:
    """Whether a function is one of NumPy's that never return a Python number."""
    if isinstance(f, np.ufunc):
        return True
    numpy = (getattr(f, "__module__", None) or "").split(".")[0] == "numpy"
    return numpy and f not in (np.ndim, np.size, np.shape)


def _arguments_of(e: TypeError) -> str:
    text = str(e)
    return text.split("() ", 1)[-1] if "() " in text else text
