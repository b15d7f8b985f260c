"""Transforms of functions that exist only while compiling: closures, partials, records.

The function is traced where its transform is called. Values that it reads from the functions around
it become parameters, its program goes through the same transforms as any other, and the result is
inserted there. It may not change objects that it did not make: that is refused.
"""

from __future__ import annotations

import functools
import inspect
import types
from collections import OrderedDict
from dataclasses import replace
from typing import Any

from srcgrad.frontend.frame import Diverged
from srcgrad.frontend.guards import Hidden, Path
from srcgrad.frontend.heap import is_changed, snapshot
from srcgrad.frontend.instances import entered, opened
from srcgrad.frontend.interpreter import Interpreter, Node
from srcgrad.frontend.kinds import kind_of
from srcgrad.frontend.read_only import refuse_visible
from srcgrad.frontend.requirements import Requirements
from srcgrad.frontend.returned import taken_apart
from srcgrad.frontend.source import Source
from srcgrad.frontend.values import MADE, RUNNING, Closure, Record, is_value
from srcgrad.inside.splicing import likes_of, spliced
from srcgrad.ir.nodes import Atom, Function, Stmt, Var, atom, type_vars
from srcgrad.ir.types import Array
from srcgrad.ir.walk import free_variables, rename
from srcgrad.protocols import is_transform
from srcgrad.records import record
from srcgrad.transforms.compiled import Compiled
from srcgrad.transforms.directions import unused_name
from srcgrad.transforms.prepared import prepared
from srcgrad.transforms.program import Program
from srcgrad.transforms.second_order import HessianProduct
from srcgrad.transforms.specs import ByPosition, Tangent
from srcgrad.transforms.stack import primal_arguments, stacked, transforms, weights_of
from srcgrad.transforms.stacking import constants
from srcgrad.tree import mapped_by_path, paths


@record(frozen=True, eq=False)
class Traced:
    """The bottom of a stack of transforms: a program that exists already."""

    made: Program

    @property
    def name(self) -> str:
        return self.made.name

    def program(self, arguments: dict[str, Any], required: Requirements) -> Program:
        return self.made


@record(frozen=True, eq=False)
class Inner:
    """A gradient or a Jacobian of such a function, to be called; it can be differentiated again."""

    function: Any
    transform: ByPosition  # of nothing yet

    def srcgrad_inline(self, it: Interpreter, args: list, kwargs: dict, node: Node) -> Any:
        """Called by the frontend where a compiled function calls this one."""
        weights, transform = self.transform.weights, self.transform
        direction: list[Any] = []
        if isinstance(transform, HessianProduct):
            args, kwargs, direction = _taken_out(it, transform, args, kwargs, node)
        arguments = {n: opened(it, v, node) for n, v in named(self.function, args, kwargs).items()}
        call = _Call(it, self.function, arguments, len(args), node)
        p = call.program(weights.parameters if weights else ())
        spec: Any = replace(transform, inner=Traced(p))
        if direction:
            name = unused_name(arguments)
            arguments = {**arguments, name: opened(it, direction[0], node)}
            spec = replace(spec, direction=name)
        return _put(it, spec.program(likes_of(it, arguments), Requirements()), arguments, node)


def _taken_out(
    it: Interpreter, product: HessianProduct, args: list, kwargs: dict, node: Node
) -> tuple[list, dict, list]:
    """The arguments of a product with the Hessian without the direction, and that."""
    at = max(product.positions or (0,)) + 1
    if product.direction in kwargs:
        others = {n: v for n, v in kwargs.items() if n != product.direction}
        return args, others, [kwargs[product.direction]]
    if len(args) <= at:
        it.refuse(node, "the direction of the product is missing", like=TypeError)
    return [*args[:at], *args[at + 1 :]], kwargs, [args[at]]


def is_inner(v: Any) -> bool:
    """Whether a value is a function that belongs to the current compilation."""
    if isinstance(v, functools.partial):
        return any(is_inner(p) for p in (v.func, *v.args, *v.keywords.values()))
    if isinstance(v, types.MethodType):
        return is_inner(v.__self__)
    return isinstance(v, RUNNING | Record) or (is_transform(v) and not isinstance(v, Compiled))


def with_functions(
    compiled: Any, it: Interpreter, arguments: dict[str, Any], node: Node, extra: Any
) -> Any:
    """Calls a transformed function that has such functions among its arguments."""
    below = primal_arguments(compiled.spec, arguments)
    call = _Call(it, compiled.function, below, 0, node)
    call.in_order(inspect.signature(compiled.function))
    p = call.program(weights_of(compiled.spec))
    spec = stacked(transforms(compiled.spec), Traced(p))
    return _put(it, spec.program(likes_of(it, arguments), Requirements()), arguments, node, extra)


def tangent(it: Interpreter, fn: Any, args: list, tangents: list, node: Node, fitted: Any) -> Any:
    """(out, out_dot) of a call; `fitted` makes the tangent of the leaf at a path."""
    arguments = {n: opened(it, v, node) for n, v in named(fn, args, {}).items()}
    dots = dict(zip(arguments, tangents, strict=True))
    p = _Call(it, fn, arguments, len(args), node).program()
    made = Tangent(Traced(p), constants(dots, dots)).program(
        likes_of(it, arguments), Requirements()
    )
    return _put(it, made, arguments, node, lambda path, values: fitted(dots, path, values))


def named(fn: Any, args: list, kwargs: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a call by names, in the order of the call."""
    names: list[str] = []
    if isinstance(fn, Closure):
        names = [a.id for a in (*fn.node.args.posonlyargs, *fn.node.args.args)]
    names = [names[k] if k < len(names) else f"argument_{k}" for k in range(len(args))]
    return {**dict(zip(names, args, strict=True)), **kwargs}


def traced(
    it: Interpreter, fn: Any, arguments: dict[str, Any], count: int, node: Node,
    signature: inspect.Signature | None = None,
) -> Traced:  # fmt: skip
    """The program of a call of any function: the first `count` arguments go by position.

    Those of a function with a signature go as it has them.
    """
    call = _Call(it, fn, arguments, count, node)
    if signature is not None:
        call.in_order(signature)
    return Traced(call.program())


def values_of(p: Program, arguments: dict[str, Any], extra: Any = None) -> list[Any]:
    """The values of the parameters of a program for a call."""
    values = {path: v for n, a in arguments.items() for path, v in paths(a, (n,))}
    given = [values[path] if path in values else extra(path, values) for path in p.inputs]
    return [*given, *(h.var for h in p.hidden)]


def _put(
    it: Interpreter, p: Program, arguments: dict[str, Any], node: Node, extra: Any = None
) -> Any:
    """Emits a program for the values of a call, and returns its result."""
    return spliced(it, p, values_of(p, arguments, extra), node)


class _Call:
    """One call of such a function: its floating arguments become separate parameters."""

    def __init__(self, it: Interpreter, fn: Any, arguments: dict[str, Any], count: int, node: Node):
        self.it, self.fn, self.node = it, fn, node
        self.params: list[Var] = []
        self.inputs: list[tuple] = []
        self.given: list[Atom] = []
        taken = [
            entered(it, mapped_by_path(v, (n,), self.parameter), node) for n, v in arguments.items()
        ]
        self.args = taken[:count]
        self.kwargs = dict(zip(list(arguments)[count:], taken[count:], strict=True))

    def in_order(self, signature: inspect.Signature) -> None:
        """Passes the arguments as a signature has them: by position where it can."""
        bound = inspect.BoundArguments(signature, OrderedDict(self.kwargs))
        self.args, self.kwargs = list(bound.args), bound.kwargs

    def parameter(self, path: tuple, v: Any) -> Any:
        """A parameter for a float; integers may have to be static."""
        if not is_value(v) or atom(v).type.dtype[0] not in "fc":
            return v
        given = atom(v)
        var = Var("_".join(map(str, path)), given.type)
        if isinstance(given.type, Array):
            self.it.captures.kinds[var] = kind_of(self.it, given)
            self.it.captures.stands_for[var] = given
            if given in self.it.captures.given:
                self.it.captures.given.add(var)
        self.params.append(var)
        self.inputs.append(path)
        self.given.append(given)
        return var

    def program(self, weights: tuple = ()) -> Program:
        """Its program: the parameters, then all values read from outside."""
        it, first = self.it, len(self.it.snapshots)
        block, result = self._interpreted()
        atoms: list[Atom] = []
        source = it.frame.source
        if isinstance(self.fn, Closure):
            source = Source(self.fn.frame.source.function, self.fn.node, source.file)
        with it.b.block() as checks:
            output = taken_apart(it, result, atoms, source)
        block += checks
        held = {h.var: h for h in it.captures.hidden.values()}
        free = self._free(block, atoms, [h.var for h in held.values() if _among(h, weights)])
        hidden = tuple(held.get(v) or Hidden(v.name, Path("closure", v), v) for v in free)
        name = getattr(self.fn, "name", "")
        name = name if name.isidentifier() else "inner"
        function = Function(name, (*self.params, *free), tuple(block), tuple(atoms))
        refuse_visible(function, it.snapshots[first:])
        del it.snapshots[first:]
        made = prepared(function)
        p = Program(made, tuple(self.inputs), hidden, (), output, name)
        p = replace(p, stored=frozenset(p.order[k] for k in p.written))
        self._refuse_stores(p)
        return p

    def _interpreted(self) -> tuple[list[Stmt], Any]:
        """The statements of the call and its result."""
        it = self.it
        before = snapshot(it)
        failed: Diverged | None = None
        result = None
        with it.b.block() as block:
            it.heads.append((len(it.b.scopes), []))
            it.begun.append(next(MADE))
            try:
                result = it.call(self.fn, self.args, self.kwargs, self.node)
            except Diverged as e:
                failed = e
            finally:
                it.begun.pop()
                block[:0] = it.heads.pop()[1]
        if failed is not None:  # it always raises: so does the transform of it
            known = dict(zip(self.params, self.given, strict=True))
            for s in rename(Function("failed", (), tuple(block), ()), known).body:
                it.b.append(s)
            raise failed
        if is_changed(it, before):
            it.refuse(
                self.node, "a function that is differentiated where it is defined changes "
                "a container or a name of the function around it",
                "return what changes",
            )  # fmt: skip
        return block, result

    def _free(self, block: list[Stmt], atoms: list[Atom], weights: list[Var]) -> list[Var]:
        """The variables read from outside the call: requested weights, lengths, values."""
        own = set(self.params)
        read = free_variables(tuple(block), atoms)
        found = dict.fromkeys(
            [*weights, *(d for p in self.params for d in type_vars(p.type)), *read]
        )
        more = dict.fromkeys(d for v in found for d in type_vars(v.type))
        return [v for v in {**found, **more} if v not in own]

    def _refuse_stores(self, p: Program) -> None:
        for k in sorted(p.written):
            if k >= len(p.inputs) and p.hidden[k - len(p.inputs)].parameter is None:
                name = p.hidden[k - len(p.inputs)].name
                self.it.refuse(
                    self.node, "a function that is differentiated where it is defined changes "
                    f"'{name}', which belongs to the function around it",
                    "pass it as an argument, or change a copy",
                )  # fmt: skip


def _among(h: Hidden, weights: tuple) -> bool:
    return h.parameter is not None and any(h.parameter is w for w in weights)
